/**
 * `node test/model/rules.mts [--theme names] [--kinds number,number] [--steps 5] [--most STATES]`: all sequences of so many steps, each an
 * edit and a run, with the product's own rules against a ledger that knows why each number may go. Equal worlds count
 * once. Prints the shortest story of each kind of finding, and JSON as the last line; ends with 1 after a violation.
 */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { isRunOf, type Step, stepsOf, type ThemeName, themes } from "./edits.mts";
import { type Command, execute, type Outcome } from "./engine.mts";
import { type Finding, isMild, judge } from "./judge.mts";
import { type Rules, rulesFrom } from "./parts.mts";
import { waysOut } from "./ways.mts";
import { copyWorld, type Kind, keyOf, newWorld, type World } from "./world.mts";

export interface Report {
	readonly kinds: readonly [Kind, Kind];
	readonly theme: ThemeName;
	readonly steps: number;
	/** Different worlds, and runs between them. */
	readonly states: number;
	readonly runs: number;
	readonly refused: number;
	/** By rule, wording and last step, how often, and the shortest story. */
	readonly findings: readonly (Finding & { count: number; readonly story: readonly string[] })[];
	/** Whether all of them were seen. */
	readonly complete: boolean;
}

interface Node {
	readonly world: World;
	readonly story: readonly string[];
}

export interface Options {
	readonly kinds: readonly [Kind, Kind];
	readonly theme: ThemeName;
	readonly steps: number;
	readonly most?: number;
	/** Told of each layer. */
	readonly tell?: (line: string) => void;
}

/** What is known so far. */
interface Search {
	readonly rules: Rules;
	readonly theme: ThemeName;
	readonly most: number;
	/** Keys of worlds. */
	readonly seen: Set<string>;
	readonly found: Map<string, Report["findings"][number]>;
	runs: number;
	refused: number;
	complete: boolean;
}

export function explore(rules: Rules, { kinds, theme, steps, most = Number.POSITIVE_INFINITY, tell }: Options): Report {
	const first = begun(rules, kinds);
	const seen = new Set([keyOf(first, rules)]);
	const search: Search = { rules, theme, most, seen, found: new Map(), runs: 0, refused: 0, complete: true };
	const { found } = search;
	let layer: Node[] = [{ world: first, story: [] }];
	for (let depth = 1; depth <= steps; depth++) {
		const next: Node[] = [];
		for (const node of layer) for (const each of following(search, node)) if (depth < steps) next.push(each);
		tell?.(
			`${theme} of ${kinds}, ${depth} steps: ${seen.size} states, ${search.runs} runs, ${found.size} kinds of findings`,
		);
		layer = next;
	}
	const { runs, refused, complete } = search;
	return { kinds, theme, steps, states: seen.size, runs, refused, findings: [...found.values()], complete };
}

/** The new worlds, one step on; one that breaks a promise isn't followed further. */
function* following(search: Search, { world: start, story }: Node): Generator<Node> {
	const { rules, seen } = search;
	for (const step of stepsOf(start, themes[search.theme])) {
		if (seen.size >= search.most) {
			search.complete = false;
			return;
		}
		const world = copyWorld(start);
		step.edit.change(world);
		const outcome = execute(rules, world, step.run);
		search.runs += 1;
		const told = [...story, toldOf(step, outcome)];
		const findings = judge(world, step.run, outcome);
		for (const finding of findings) report(search, told, finding);
		const key = keyOf(world, rules);
		const isNew = !seen.has(key);
		seen.add(key);
		const isRefused = outcome.errors.length > 0 && isRunOf(step, "up");
		if (isRefused) search.refused += 1;
		if (isRefused && isNew && !hasWayOut(rules, world, outcome.errors)) report(search, told, stuckBy(outcome));
		if (isNew && findings.every(isMild)) yield { world, story: told };
	}
}

function report({ found }: Search, story: readonly string[], { rule, text }: Finding): void {
	// What ends alike may have several causes: the last step tells them apart, as a rule.
	const like = `${rule}: ${text.replace(/(num|trk)_\d+/g, "it")} ${story.at(-1)?.split(" -> ")[0]}`;
	const known = found.get(like);
	if (known !== undefined) known.count += 1;
	else found.set(like, { rule, text, count: 1, story });
}

/** Both are there. */
function begun(rules: Rules, kinds: Options["kinds"]): World {
	const world = newWorld(...kinds);
	execute(rules, world, { what: "up" });
	return { ...world, older: undefined };
}

const stuckBy = ({ errors }: Outcome): Finding => ({
	rule: "stuck",
	text: `no way out of: ${errors.map(({ code }) => code).join(", ")}`,
});

export const toldOf = ({ edit, run }: Step, { provider, killed, errors }: Outcome): string => {
	const flags = Object.entries(run).flatMap(([key, value]) => (key === "what" ? [] : [`${key}=${value}`]));
	const did = [
		...provider.bought.map(({ id, account }) => `bought ${id}${account === "wrong" ? " on the wrong account" : ""}`),
		...provider.released.map((id) => `released ${id}`),
		...[...provider.kept].map((id) => `kept ${id}`),
		...errors.map(({ code, ids }) => `[${code}] ${ids.join(" ")}`),
		...(killed ? ["killed"] : []),
	];
	return `${edit.name}; ${[run.what, ...flags].join(" ")} -> ${did.join(", ") || "nothing"}`;
};

/** So many ways in a row: several things may be wrong at once. */
const mostWays = 3;

/** Whether the ways that the errors name lead to an `up` that has nothing to do. */
function hasWayOut(rules: Rules, start: World, errors: Outcome["errors"], ways = 1): boolean {
	const ids = [...new Set(errors.flatMap((error) => error.ids))];
	const tried: { world: World; errors: Outcome["errors"] }[] = [];
	for (const way of waysOut(start, ids)) {
		const world = copyWorld(start);
		way.change(world);
		const left = afterWay(rules, world, way.runs);
		if (left?.length === 0) return true;
		if (left !== undefined) tried.push({ world, errors: left });
	}
	return ways < mostWays && tried.some((each) => hasWayOut(rules, each.world, each.errors, ways + 1));
}

/** The errors that are left, none once an `up` has nothing to do; undefined where a promise was broken on the way. */
function afterWay(rules: Rules, world: World, commands: readonly Command[]): Outcome["errors"] | undefined {
	const up: Command = { what: "up" };
	let last: Outcome | undefined;
	for (const command of [...commands, up, up]) {
		last = execute(rules, world, command);
		if (!judge(world, command, last).every(isMild)) return undefined;
	}
	return last?.errors.length === 0 && last.steps > 0 ? undefined : last?.errors;
}

// ---- As a command -----------------------------------------------------------------------------------------------------

const allKinds: readonly (readonly [Kind, Kind])[] = [
	["number", "number"],
	["number", "trunk"],
	["pool", "number"],
	["pool", "trunk"],
];

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			kinds: { type: "string" },
			theme: { type: "string" },
			steps: { type: "string", default: "5" },
			most: { type: "string" },
		},
	});
	const require = createRequire(import.meta.url);
	const rules = await rulesFrom((path) => require(`../../dist/provider/${path}.js`));
	const chosen = allKinds.filter((kinds) => values.kinds === undefined || values.kinds === kinds.join());
	const started = performance.now();
	const jobs = chosen.flatMap((kinds) =>
		(Object.keys(themes) as ThemeName[]).flatMap((theme) =>
			values.theme === undefined || values.theme === theme ? [{ kinds, theme }] : [],
		),
	);
	const reports = jobs.map((job) =>
		explore(rules, {
			...job,
			steps: Number(values.steps),
			...(values.most === undefined ? {} : { most: Number(values.most) }),
			tell: (line) => console.error(`${line}, ${Math.round((performance.now() - started) / 1000)} s`),
		}),
	);
	for (const { kinds, theme, findings } of reports)
		for (const { rule, text, count, story } of findings)
			console.error(`\n${theme} of ${kinds}: ${rule} (${count} times): ${text}\n  ${story.join("\n  ")}`);
	const seconds = Math.round((performance.now() - started) / 1000);
	console.log(JSON.stringify({ campaign: "rules", reports, seconds }));
	const isBroken = reports.some(({ findings }) => findings.some((finding) => !isMild(finding)));
	process.exitCode = isBroken ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
