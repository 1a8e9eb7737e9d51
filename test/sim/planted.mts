/**
 * `node test/sim/planted.mts [--only NAME] [--profile NAME] [--trials N] [--list]` plants each fault of planted/faults.mts in
 * a copy of the build, and tells stories of its profile, or runs its test file, until one fails. Prints a table; the exit code
 * is 1 if a fault isn't found, if its text isn't in the sources, or if stories or tests fail without a fault.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import type { Report } from "./index.mts";
import { faults, type Hunt, hunts } from "./planted/faults.mts";
import { copyTree, planted, type Tree } from "./planted/tree.mts";

/** Vitest's report in the copy. */
const report = "tests.json";

/** A fault may keep a story from ending. */
const longestMs = 300_000;

interface Outcome {
	/** Stories or tests that ran. */
	readonly trials: number;
	/** The first broken promise, or the first test that failed. */
	readonly finding?: string | undefined;
	/** True if the stories or tests couldn't run. */
	readonly hasCrashed: boolean;
}

const { values } = parseArgs({
	options: {
		only: { type: "string", multiple: true },
		profile: { type: "string" },
		trials: { type: "string" },
		list: { type: "boolean", default: false },
	},
});
const chosen = faults.filter(({ name }) => values.only?.includes(name) ?? true);
if (chosen.length === 0) throw new RangeError(`--only must be one of: ${faults.map(({ name }) => name).join("; ")}.`);

const commandOf = (hunt: Hunt): readonly string[] => {
	if ("test" in hunt && values.profile === undefined)
		return [
			"node_modules/vitest/vitest.mjs",
			"run",
			hunt.test,
			"--bail",
			"1",
			"--reporter",
			"json",
			"--outputFile",
			report,
		];
	const { args, trials } = "args" in hunt ? hunt : { args: [], trials: 100 };
	const profile = values.profile === undefined ? args : ["--profile", values.profile];
	return ["test/sim/index.mts", ...profile, "--trials", values.trials ?? String(trials), "--until-found"];
};

/** Runs the hunt in the copy until a story or a test fails. */
async function hunted({ folder }: Tree, hunt: Hunt): Promise<Outcome> {
	rmSync(join(folder, report), { force: true });
	const child = spawn(process.execPath, commandOf(hunt), {
		cwd: folder,
		env: { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` },
		stdio: ["ignore", "pipe", "pipe"],
	});
	const late = setTimeout(() => child.kill("SIGKILL"), longestMs);
	let [output, errors] = ["", ""];
	child.stdout.on("data", (text) => {
		output += String(text);
	});
	child.stderr.on("data", (text) => {
		errors += String(text);
	});
	await new Promise((done) => child.once("close", done));
	clearTimeout(late);
	const last = output.trim().split("\n").at(-1) ?? "";
	if (last.startsWith("{")) return toldIn(JSON.parse(last));
	const file = join(folder, report);
	if (existsSync(file)) return testedIn(JSON.parse(readFileSync(file, "utf8")));
	return { trials: 0, finding: errors.trim().split("\n").at(-1), hasCrashed: true };
}

function toldIn({ trials, violations: [first] }: Report): Outcome {
	return { trials, finding: first?.message, hasCrashed: first !== undefined && !first.isBrokenPromise };
}

/** Vitest's report. */
interface Tests {
	readonly numTotalTests: number;
	readonly testResults: readonly {
		readonly message: string;
		readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
	}[];
}

function testedIn({ numTotalTests, testResults }: Tests): Outcome {
	const failed = testResults
		.flatMap(({ assertionResults }) => assertionResults)
		.find(({ status }) => status === "failed");
	const { message = "" } = testResults.find((each) => each.message !== "") ?? {};
	return {
		trials: numTotalTests,
		finding: failed?.title ?? (message || undefined),
		hasCrashed: failed === undefined && message !== "",
	};
}

const cell = (text = ""): string => (text.split("\n")[0] ?? "").replaceAll("|", "\\|").slice(0, 200);

/** Without a fault the same stories and tests find nothing. */
async function isGreen(tree: Tree): Promise<boolean> {
	let isFair = true;
	for (const name of new Set(chosen.map((fault) => fault.hunt))) {
		const { trials, finding } = await hunted(tree, hunts[name] as Hunt);
		console.error(`${name} without a fault: ${trials} trials, ${finding ?? "no violation"}`);
		isFair &&= finding === undefined && trials > 0;
	}
	return isFair;
}

async function main(): Promise<void> {
	const files = new Map(chosen.map((fault) => [fault, planted(fault).file]));
	if (values.list) {
		for (const [{ name, hunt }, file] of files) console.log(`${name} (${file}): ${hunt}`);
		return;
	}
	const tree = copyTree();
	const missed: string[] = [];
	try {
		if (!(await isGreen(tree))) {
			process.exitCode = 1;
			return;
		}
		console.log("| fault | hunt | trials | seconds | found |\n|---|---|---|---|---|");
		for (const fault of chosen) {
			const restore = tree.plant(fault);
			const started = performance.now();
			const { trials, finding, hasCrashed } = await hunted(tree, hunts[fault.hunt] as Hunt).finally(restore);
			const seconds = Math.round((performance.now() - started) / 100) / 10;
			const isFound = finding !== undefined && !hasCrashed;
			if (!isFound) missed.push(fault.name);
			const result = isFound ? cell(finding) : `**no** ${cell(finding)}`;
			console.log(`| ${fault.name} | ${fault.hunt} | ${trials} | ${seconds} | ${result} |`);
		}
	} finally {
		tree.remove();
	}
	console.log(JSON.stringify({ faults: chosen.length, missed }));
	if (missed.length > 0) process.exitCode = 1;
}

await main();
