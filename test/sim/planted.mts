/**
 * `node test/sim/planted.mts [--only NAME] [--profile NAME] [--trials N] [--list]`: plants each fault of planted/faults.mts in
 * a copy of the build, and tells stories of its profile until one breaks a promise. Prints a table; the exit code is 1 if a
 * fault isn't found, if the place of one is gone, or if the stories break a promise without a fault.
 */
import { spawn } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { parseArgs } from "node:util";
import type { Finding, Report } from "./index.mts";
import { type Fault, faults, type Hunt, hunts } from "./planted/faults.mts";
import { copyTree, planted, type Tree } from "./planted/tree.mts";

/** A fault may keep a story from ending. */
const longestMs = 300_000;

type Hunted = Pick<Report, "trials" | "violations"> & { readonly seconds: number };

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
const huntOf = ({ hunt }: Pick<Fault, "hunt">): Hunt => {
	const { args, trials } = hunts[hunt] ?? { args: [], trials: 1 };
	return {
		args: values.profile === undefined ? args : ["--profile", values.profile],
		trials: Number(values.trials ?? trials),
	};
};

/** Tells stories in the copy until one breaks a promise. */
async function hunted({ folder }: Tree, { args, trials }: Hunt): Promise<Hunted> {
	const started = performance.now();
	const child = spawn(process.execPath, ["test/sim/index.mts", ...args, "--trials", String(trials), "--until-found"], {
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
	const seconds = Math.round((performance.now() - started) / 100) / 10;
	const last = output.trim().split("\n").at(-1) ?? "";
	if (last.startsWith("{")) return { ...(JSON.parse(last) as Report), seconds };
	const message = `the simulation didn't end: ${errors.trim().split("\n").at(-1)}`;
	return { trials: 0, violations: [{ seed: 0, message, isBrokenPromise: false }], seconds };
}

const cell = ({ message }: Finding): string => (message.split("\n")[0] ?? "").replaceAll("|", "\\|").slice(0, 200);

/** Without a fault the same stories break no promise. */
async function isGreen(tree: Tree): Promise<boolean> {
	let isFair = true;
	for (const hunt of new Set(chosen.map((fault) => fault.hunt))) {
		const { trials, seconds, violations } = await hunted(tree, huntOf({ hunt }));
		console.error(`${hunt} without a fault: ${trials} trials, ${seconds} s, ${violations.length} violations`);
		for (const violation of violations) console.error(`  --replay ${violation.seed}: ${cell(violation)}`);
		isFair &&= violations.length === 0;
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
			const { trials, seconds, violations } = await hunted(tree, huntOf(fault)).finally(restore);
			const [first] = violations;
			if (first?.isBrokenPromise !== true) missed.push(fault.name);
			const what = first?.isBrokenPromise ? cell(first) : `**no**${first ? `: ${cell(first)}` : ""}`;
			console.log(`| ${fault.name} | ${fault.hunt} | ${trials} | ${seconds} | ${what} |`);
		}
	} finally {
		tree.remove();
	}
	console.log(JSON.stringify({ faults: chosen.length, missed }));
	if (missed.length > 0) process.exitCode = 1;
}

await main();
