/** The steps of test/model with the real handlers: the same engine as test/model/engine.mts, with requests. */
import type { Command } from "../model/engine.mts";
import { Refused } from "../model/provider.mts";
import { allOf, type Declared, type Entry, idsOf, type State, urnOf, type World } from "../model/world.mts";
import { type Host, InitFailed, type Values } from "./host.mts";

export interface RealRun {
	readonly world: World;
	readonly host: Host;
	readonly command: Command;
	readonly errors: Refused[];
	/** What diffs have shown, and what they had by the time of each create, by its URN. */
	readonly known: string[];
	readonly knownTo: Map<string, readonly string[]>;
	state: State;
	steps: number;
}

const handlers = { number: "number", pool: "numberPool", trunk: "sipTrunk" } as const;

const inputsOf = (declared: Declared): Values => {
	const { kind, country, generation, allow, adopt } = declared;
	const own = {
		number: { country, type: "mobile", generation, ...(adopt === undefined ? {} : { adopt, onDelete: "release" }) },
		pool: { country, type: "mobile", count: 2 },
		trunk: { capacity: 2, auth: { mode: "digest", username: "office" } },
	}[kind];
	return {
		...own,
		...(kind === "trunk" ? {} : { allowReplacement: allow }),
		__provider: `exports.handler = () => require("pulumi-telephony/provider").${handlers[kind]};`,
		resourceUrn: urnOf(declared),
	} as Values;
};

const codeOf = (message: string): string => {
	const code = /\[telephony:([\w-]+)\]/.exec(message)?.[1] ?? "other";
	return /was not released: .* was bought/.test(message) ? "remembered" : code;
};

const idsIn = (text: string): string[] => text.match(/(num|trk|trunk)_\w+/g) ?? [];

/** Of its own resource only. */
async function attempt(run: RealRun, work: () => Promise<void>): Promise<boolean> {
	try {
		await work();
		return true;
	} catch (error) {
		const { message } = error as Error;
		if (!run.host.killed) run.errors.push(new Refused(codeOf(message), [...new Set(idsIn(message))], message));
		return false;
	}
}

const sorted = (entries: Entry[]): Entry[] => entries.sort((one, other) => (one.urn < other.urn ? -1 : 1));

/** What the call has left, also where it failed half-way. */
async function made(
	run: RealRun,
	work: Promise<{ id: string; props: Values }>,
	keep: (id: string, outs: Values) => void,
) {
	run.steps += 1;
	const answer = await work.catch((error: unknown) => {
		if (error instanceof InitFailed) return error;
		throw error;
	});
	if (run.host.killed) throw new Error("killed");
	keep(answer.id, answer.props);
	if (answer instanceof InitFailed) throw answer;
}

async function one(run: RealRun, declared: Declared): Promise<void> {
	const { host, world, command } = run;
	const urn = urnOf(declared);
	const has = (wanted: string | undefined) => run.state.entries.find((each) => each.urn === wanted);
	const old = has(urn) ?? has(declared.alias);
	const news = inputsOf(declared);
	const isAnew = old === undefined || old.tainted === true || (command.replace === true && declared === world.a);
	const checked = await host.check(news, isAnew ? {} : (old.inputs as Values));
	if (checked.failures.length > 0) throw new Error(checked.failures.join("; "));
	let { inputs } = checked;
	let [replaces, changes] = [isAnew, false];
	if (!isAnew) {
		run.known.push(...idsOf(old));
		({ replaces, changes } = await host.diff(old.id, old.outs as Values, inputs));
		if (replaces) ({ inputs } = await host.check(news));
	}
	const keep = (id: string, outs: Values) => {
		const others = run.state.entries.filter((each) => each !== old);
		const pending =
			replaces && old !== undefined ? [...run.state.pending, { ...old, tainted: false }] : run.state.pending;
		run.state = { entries: sorted([...others, { urn, kind: declared.kind, id, inputs, outs }]), pending };
	};
	if (replaces) run.knownTo.set(urn, [...run.known]);
	if (replaces) return made(run, host.create(inputs), keep);
	if (old === undefined) return;
	if (!changes) return keep(old.id, old.outs as Values);
	return made(
		run,
		host.update(old.id, old.outs as Values, inputs).then((props) => ({ id: old.id, props })),
		keep,
	);
}

export async function up(run: RealRun): Promise<void> {
	const { a, b, c } = run.world;
	const { target, serial } = run.command;
	const program = [a, b, c].filter((each) => each !== undefined);
	const chosen = target ? program.filter((each) => each === a) : program;
	if (serial) {
		for (const declared of chosen) if (!(await attempt(run, () => one(run, declared)))) return;
	} else await Promise.all(chosen.map((declared) => attempt(run, () => one(run, declared))));
	if (run.errors.length > 0 || run.host.killed) return;
	const urns = new Set(program.map(urnOf));
	const unwanted = run.state.entries.filter(({ urn }) => !urns.has(urn));
	const isMeant = ({ urn }: Entry) => !target || (a !== undefined && urn === urnOf(a));
	await remove(run, [...run.state.pending, ...unwanted].filter(isMeant));
}

export async function destroy(run: RealRun): Promise<void> {
	const { a } = run.world;
	await remove(
		run,
		allOf(run.state).filter(({ urn }) => !run.command.target || (a !== undefined && urn === urnOf(a))),
	);
}

async function remove(run: RealRun, entries: readonly Entry[]): Promise<void> {
	const gone = (entry: Entry) =>
		attempt(run, async () => {
			if (run.host.killed) return;
			run.steps += 1;
			await run.host.delete(entry.id, entry.outs as Values);
			if (run.host.killed) return;
			const without = (all: readonly Entry[]) => all.filter((each) => each !== entry);
			run.state = { entries: without(run.state.entries), pending: without(run.state.pending) };
		});
	if (!run.command.serial) await Promise.all(entries.map(gone));
	else for (const entry of entries) await gone(entry);
}

export async function refresh(run: RealRun): Promise<void> {
	await Promise.all(
		run.state.entries.map((entry) =>
			attempt(run, async () => {
				const { id, props } = await run.host.read(entry.id, entry.outs as Values, entry.inputs as Values);
				if (run.host.killed) return;
				const others = run.state.entries.filter((each) => each.urn !== entry.urn);
				const entries = id === "" ? others : sorted([...others, { ...entry, outs: props }]);
				run.state = { ...run.state, entries };
			}),
		),
	);
}
