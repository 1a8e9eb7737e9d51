/** What the engine asks of a provider in one run, and what it saves: up, refresh, destroy, with `--target` and kills. */
import type { Rules } from "./parts.mts";
import { Killed, type Moment, Provider, Refused } from "./provider.mts";
import { diffPool, endPool, membersIn, releaseNumber, settlePool } from "./release.mts";
import { allOf, type Declared, type Entry, idsOf, type State, urnOf, type Values, type World } from "./world.mts";

export interface Command {
	readonly what: "up" | "refresh" | "destroy";
	readonly stack?: "second";
	readonly replace?: boolean;
	/** Only the resource `a`, by its name now. */
	readonly target?: boolean;
	/** `--parallel 1`, and `b` depends on `a`. */
	readonly serial?: boolean;
	readonly kill?: Moment;
	readonly release?: readonly string[];
	readonly allGone?: boolean;
}

export interface Outcome {
	readonly provider: Pick<Provider, "bought" | "released" | "kept">;
	readonly killed: boolean;
	readonly errors: readonly Refused[];
	/** What the run has done, for the next one to be quiet. */
	readonly steps: number;
	readonly before: State;
	readonly after: State;
}

interface Run {
	readonly world: World;
	readonly provider: Provider;
	readonly errors: Refused[];
	state: State;
	steps: number;
}

const places = { main: "https://state.example", second: "https://other.example" } as const;

export function execute(rules: Rules, world: World, command: Command): Outcome {
	const which = command.stack ?? "main";
	const provider = new Provider(rules, world, {
		owner: which === "main" ? world.owner : undefined,
		key: world.key,
		place: places[which],
		release: command.release ?? [],
		allGone: command.allGone === true,
		kill: command.kill,
	});
	const before = world[which];
	const run: Run = { world, provider, errors: [], state: before, steps: 0 };
	let killed = false;
	try {
		if (command.what === "up") up(run, command);
		else if (command.what === "refresh") for (const entry of before.entries) attempt(run, () => refreshed(run, entry));
		else remove(run, doomed(run, command), command);
	} catch (error) {
		if (!(error instanceof Killed)) throw error;
		killed = true;
	}
	world[which] = run.state;
	if (which === "main" && before !== run.state) world.older = before;
	const { errors, steps, state: after } = run;
	return { provider, killed, errors, steps, before, after };
}

function attempt(run: Run, work: () => void): boolean {
	try {
		work();
		return true;
	} catch (error) {
		if (error instanceof Killed) throw error;
		run.errors.push(error instanceof Refused ? error : refusedBy(error));
		return false;
	}
}

/** What the product's own functions have thrown. */
function refusedBy(error: unknown): Refused {
	const { messageCode, message } = error as Error & { messageCode?: string };
	if (messageCode === undefined) throw error;
	return new Refused(messageCode, message.match(/(num|trk)_\d+/g) ?? [], message);
}

// ---- up -----------------------------------------------------------------------------------------------------------------

interface Step {
	readonly urn: string;
	readonly declared: Declared;
	readonly old: Entry | undefined;
	readonly inputs: Values;
	readonly action: "create" | "update" | "same";
}

function up(run: Run, command: Command): void {
	const { a, b, c } = run.world;
	// What is to be adopted is declared beside the others.
	const program = [a, b, c].filter((each) => each !== undefined);
	const chosen = command.target ? program.filter((each) => each === a) : program;
	if (command.serial)
		for (const declared of chosen) {
			const ok = attempt(run, () => carryOut(run, planned(run, declared, command)));
			// What depends on it isn't registered.
			if (!ok) return;
		}
	else {
		const steps: Step[] = [];
		for (const declared of chosen) attempt(run, () => steps.push(planned(run, declared, command)));
		for (const step of steps) attempt(run, () => carryOut(run, step));
	}
	if (run.errors.length > 0) return;
	run.provider.reach("deletes");
	const urns = new Set(program.map(urnOf));
	const unwanted = run.state.entries.filter(({ urn }) => !urns.has(urn));
	const isMeant = ({ urn }: Entry) => !command.target || (a !== undefined && urn === urnOf(a));
	remove(run, [...run.state.pending, ...unwanted].filter(isMeant), command);
}

const inputsOf = (declared: Declared): Values => ({
	resourceUrn: urnOf(declared),
	country: declared.country,
	generation: declared.kind === "number" ? declared.generation : 0,
	allowReplacement: declared.allow,
	...(declared.adopt === undefined ? {} : { adopt: declared.adopt }),
});

/** Check and diff. */
function planned({ provider, state, world }: Run, declared: Declared, { replace }: Command): Step {
	const urn = urnOf(declared);
	const has = (wanted: string | undefined) => state.entries.find((each) => each.urn === wanted);
	const old = has(urn) ?? has(declared.alias);
	const inputs = inputsOf(declared);
	const { kind } = declared;
	// The engine keeps the old inputs back.
	const isAnew = old === undefined || old.tainted === true || (replace === true && declared === world.a);
	provider.check(kind, isAnew ? {} : old.inputs, inputs);
	const step = { urn, declared, old, inputs };
	if (isAnew) return { ...step, action: "create" };
	noteAll(provider, { ...old, kind });
	const { changes, replaces } = diffOf(provider, kind, old, inputs);
	if (!replaces) return { ...step, action: changes ? "update" : "same" };
	provider.check(kind, {}, inputs);
	return { ...step, action: "create" };
}

/** Tells of each object that an entry has. */
function noteAll(provider: Provider, { kind, id, outs }: Pick<Entry, "kind" | "id" | "outs">): void {
	if (kind !== "pool") provider.note(kind, id, outs);
	else for (const member of membersIn(outs)) provider.note("number", String(member.id), member);
}

function diffOf(
	provider: Provider,
	kind: Declared["kind"],
	{ id, outs }: Entry,
	inputs: Values,
): { changes: boolean; replaces: boolean } {
	if (kind === "trunk") return { changes: provider.diffTrunk(id, outs, inputs), replaces: false };
	return kind === "pool" ? diffPool(provider, outs, inputs) : provider.diff("number", id, outs, inputs);
}

function carryOut(run: Run, { urn, declared: { kind }, old, inputs, action }: Step): void {
	const { provider } = run;
	const others = run.state.entries.filter((each) => each !== old);
	if (action === "same") {
		const same = old as Entry;
		if (same.urn === urn && JSON.stringify(same.inputs) === JSON.stringify(inputs)) return;
		run.state = { ...run.state, entries: sorted([...others, { ...same, urn, inputs }]) };
		return;
	}
	run.steps += 1;
	const made = action === "create" ? create(provider, kind, inputs) : update(provider, kind, old as Entry, inputs);
	const pending =
		action === "create" && old !== undefined ? [...run.state.pending, { ...old, tainted: false }] : run.state.pending;
	run.state = { entries: sorted([...others, { urn, kind, inputs, ...made }]), pending };
}

const sorted = (entries: Entry[]): Entry[] => entries.sort((one, other) => (one.urn < other.urn ? -1 : 1));

function create(provider: Provider, kind: Declared["kind"], inputs: Values): { id: string; outs: Values } {
	if (kind === "trunk") return provider.createTrunk(inputs);
	if (kind === "pool") return { id: "pool", outs: settlePool(provider, inputs, []) };
	return provider.create("number", inputs);
}

function update(provider: Provider, kind: Declared["kind"], { id, outs }: Entry, inputs: Values) {
	if (kind === "trunk") return { id, outs: provider.updateTrunk(id, outs, inputs) };
	if (kind === "pool") return { id, outs: settlePool(provider, inputs, membersIn(outs)) };
	return { id, outs: provider.update("number", id, outs, inputs) };
}

// ---- Deletes and reads --------------------------------------------------------------------------------------------------

function doomed({ state, world: { a } }: Run, { target }: Command): Entry[] {
	return allOf(state).filter(({ urn }) => !target || (a !== undefined && urn === urnOf(a)));
}

function remove(run: Run, entries: readonly Entry[], { serial }: Command): void {
	const { provider } = run;
	for (const entry of entries) noteAll(provider, entry);
	// A number waits for the decision on what remembers it, which is younger.
	const order = serial ? entries : [...entries].sort((one, other) => ageOf(other) - ageOf(one));
	for (const entry of order) attempt(run, () => removeOne(run, entry));
}

function removeOne(run: Run, entry: Entry): void {
	run.steps += 1;
	if (entry.kind === "trunk") run.provider.deleteTrunk(entry.id, entry.outs);
	else if (entry.kind === "pool") endPool(run.provider, entry.outs);
	else releaseNumber(run.provider, "number", entry.id, entry.outs);
	const without = (all: readonly Entry[]) => all.filter((each) => each !== entry);
	run.state = { entries: without(run.state.entries), pending: without(run.state.pending) };
}

const ageOf = (entry: Entry): number => Math.max(0, ...idsOf(entry).map((id) => Number(id.split("_")[1])));

function refreshed(run: Run, entry: Entry): void {
	const { provider } = run;
	const outs = entry.kind === "pool" ? readPool(provider, entry.outs) : readOne(provider, entry);
	const others = run.state.entries.filter((each) => each !== entry);
	if (JSON.stringify(outs) === JSON.stringify(entry.outs)) return;
	run.steps += 1;
	run.state = { ...run.state, entries: outs === undefined ? others : sorted([...others, { ...entry, outs }]) };
}

function readOne(provider: Provider, { kind, id, outs }: Entry): Values | undefined {
	const what = kind === "trunk" ? "trunk" : "number";
	provider.note(what, id, outs);
	return provider.read(what, id, outs);
}

function readPool(provider: Provider, outs: Values): Values | undefined {
	const members = membersIn(outs).flatMap((member) => {
		provider.note("number", String(member.id), member);
		const read = provider.read("member", String(member.id), member);
		return read === undefined ? [] : [read];
	});
	return members.length === 0 ? undefined : { ...outs, members };
}
