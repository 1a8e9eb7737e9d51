/**
 * `node test/campaigns/mutants.mts [--only NAME] [--trials MOST] [--list]`: plants each fault of mutants/ in a copy of what
 * is built, and runs a campaign in its short form until it finds it. Before that the same trials must be green without a
 * fault. Prints a table; ends with 1 where a fault isn't found, or where what it would be planted in is no longer there.
 */
import { spawn } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { parseArgs } from "node:util";
import type { Finding } from "./campaign.mts";
import { hunts, type Mutant, mutants } from "./mutants/faults.mts";
import { copyTree, planted, type Tree } from "./mutants/tree.mts";

/** A fault may well keep a campaign from coming to an end. */
const longestMs = 300_000;

interface Report {
	readonly trials: number;
	readonly violations: readonly Finding[];
}

interface Hunted extends Report {
	readonly seconds: number;
}

function huntOf(name: string) {
	const found = hunts[name];
	if (found === undefined) throw new RangeError(`There is no hunt ${name}.`);
	return found;
}

/** The campaign in the copy, until it has found something. */
async function hunt({ folder }: Tree, name: string): Promise<Hunted> {
	const { campaign, args = [], trials: short } = huntOf(name);
	const trials = Math.min(short, most);
	const started = performance.now();
	const child = spawn(
		process.execPath,
		[`test/campaigns/${campaign}.mts`, "--trials", String(trials), "--seed", "1", "--until-found", ...args],
		{
			cwd: folder,
			env: { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` },
			stdio: ["ignore", "pipe", "pipe"],
		},
	);
	const late = setTimeout(() => child.kill("SIGKILL"), longestMs);
	let [told, said] = ["", ""];
	child.stdout.on("data", (text) => {
		told += String(text);
	});
	child.stderr.on("data", (text) => {
		said += String(text);
	});
	await new Promise((done) => child.once("close", done));
	clearTimeout(late);
	const seconds = Math.round((performance.now() - started) / 100) / 10;
	const last = told.trim().split("\n").at(-1) ?? "";
	if (!last.startsWith("{")) {
		const message = `${campaign} did not come to its end: ${said.trim().split("\n").at(-1)}`;
		return { trials: 0, violations: [{ seed: 0, message, isBrokenPromise: false, trace: [] }], seconds };
	}
	return { ...(JSON.parse(last) as Report), seconds };
}

const firstLine = (text: string): string => text.split("\n")[0] ?? "";
const cell = (text: string): string => text.replaceAll("|", "\\|").slice(0, 160);

const { values } = parseArgs({
	options: { only: { type: "string", multiple: true }, trials: { type: "string" }, list: { type: "boolean" } },
});
const most = Number(values.trials ?? Number.POSITIVE_INFINITY);
if (!(most >= 1)) throw new RangeError(`--trials must be a whole number, and is ${values.trials}.`);
const chosen: readonly Mutant[] = mutants.filter(({ name }) => values.only === undefined || values.only.includes(name));
if (chosen.length === 0) throw new RangeError(`--only must be one of: ${mutants.map(({ name }) => name).join("; ")}.`);
const files = new Map(chosen.map((mutant) => [mutant, planted(mutant).file]));

const rows: { mutant: string; campaign: string; trials: number; seconds: number; found?: string; seed?: number }[] = [];
if (values.list) for (const [{ name, hunt: by }, file] of files) console.log(`${name} (${file}): ${by}`);
else {
	const started = performance.now();
	const tree = copyTree();
	let isGreen = true;
	try {
		for (const name of new Set(chosen.map((each) => each.hunt))) {
			const { trials, seconds, violations } = await hunt(tree, name);
			console.error(`${name}, without a fault: ${trials} trials, ${seconds} s, ${violations.length} violations`);
			for (const { seed, message } of violations) console.error(`  --replay ${seed}: ${firstLine(message)}`);
			isGreen &&= violations.length === 0;
		}
		if (isGreen) console.log("| fault | campaign | trials | seconds | found |\n|---|---|---|---|---|");
		for (const mutant of isGreen ? chosen : []) {
			const restore = tree.plant(mutant);
			const { trials, seconds, violations } = await hunt(tree, mutant.hunt).finally(restore);
			const [first] = violations;
			const found = first?.isBrokenPromise ? { found: firstLine(first.message), seed: first.seed } : {};
			const { campaign } = huntOf(mutant.hunt);
			rows.push({ mutant: mutant.name, campaign, trials, seconds, ...found });
			const what = first?.isBrokenPromise
				? cell(firstLine(first.message))
				: `**no**${first ? `: ${cell(firstLine(first.message))}` : ""}`;
			console.log(`| ${mutant.name} | ${campaign} | ${trials} | ${seconds} | ${what} |`);
		}
	} finally {
		tree.remove();
	}
	const missed = rows.filter(({ found }) => found === undefined).map(({ mutant }) => mutant);
	const seconds = Math.round((performance.now() - started) / 1000);
	console.log(JSON.stringify({ campaign: "mutants", mutants: rows.length, isGreen, missed, rows, seconds }));
	process.exitCode = isGreen && missed.length === 0 ? 0 : 1;
}
