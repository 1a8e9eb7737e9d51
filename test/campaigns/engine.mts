/** What the engine does with a provider process, as far as the state is concerned: up, refresh, destroy. */
import pLimit from "p-limit";
import { type Host, InitFailed, type Values } from "./host.mts";
import type { Kind } from "./kinds.mts";
import { type Declared, keyOf, needsOf, newsOf, type Program } from "./program.mts";

/** What a state file holds of a resource. */
export interface Entry {
	readonly kind: Kind;
	readonly name: string;
	readonly id: string;
	readonly inputs: Values;
	readonly outputs: Values;
	/** It exists, but isn't as wanted. */
	readonly failed: boolean;
}

export interface State {
	readonly entries: Map<string, Entry>;
	/** Replaced, and still to be deleted. */
	readonly condemned: Set<Entry>;
}

/** The id of its object, where the entry has kept the name that it was adopted by. */
export const objectIn = ({ id, outputs }: Entry): string => String(outputs.foundId || id);

export const emptyState = (): State => ({ entries: new Map(), condemned: new Set() });

export const stateKey = ({ name, inputs }: Entry): string => keyOf(name, inputs);

/** What happens to a process while it works. */
export interface Run {
	readonly host: Host;
	readonly parallel: number;
	/** Called when a call that changes something has been answered: the answer is lost if the process is killed here. */
	answered(call: "create" | "update" | "delete"): Promise<void>;
	say(line: string): void;
}

/** What the CLI would print of a run; those of a killed process are nobody's. */
export type Errors = string[];

type Work = (name: string, work: () => Promise<void>) => Promise<void>;

/** Runs calls, so many at a time; an error ends its own resource only. */
function workshop(run: Run, errors: Errors): Work {
	const limit = pLimit(run.parallel);
	return (name, work) =>
		limit(async () => {
			if (run.host.killed) return;
			try {
				await work();
			} catch (error) {
				if (!run.host.killed) errors.push(`${name}: ${(error as Error).message}`);
			}
		});
}

/** The call, and what came of it unless the process was killed. A partial failure is an answer too. */
async function answerOf<T>(run: Run, call: "create" | "update" | "delete", work: Promise<T>): Promise<T | InitFailed> {
	const answer = await work.catch((error: unknown) => {
		if (error instanceof InitFailed) return error;
		throw error;
	});
	if (!run.host.killed) await run.answered(call);
	if (run.host.killed) throw new Error("killed");
	return answer;
}

async function create(run: Run, state: State, { kind, name }: Declared, inputs: Values): Promise<void> {
	const made = await answerOf(run, "create", run.host.create(inputs));
	const replaced = state.entries.get(name);
	if (replaced !== undefined) state.condemned.add(replaced);
	const failed = made instanceof InitFailed;
	state.entries.set(name, { kind, name, id: made.id, inputs, outputs: made.props, failed });
	run.say(`  created ${name} as ${made.id}${failed ? `, but ${made.message}` : ""}`);
	if (failed) throw made;
}

async function update(run: Run, state: State, old: Entry, inputs: Values): Promise<void> {
	const made = await answerOf(run, "update", run.host.update(old.id, old.outputs, inputs));
	const failed = made instanceof InitFailed;
	// Of an update that failed half-way, the engine keeps the inputs from before it.
	const kept = failed ? old.inputs : inputs;
	state.entries.set(old.name, { ...old, inputs: kept, outputs: failed ? made.props : made, failed });
	run.say(`  updated ${old.name}${failed ? `, but ${made.message}` : ""}`);
	if (failed) throw made;
}

async function remove(run: Run, state: State, entry: Entry): Promise<void> {
	await answerOf(run, "delete", run.host.delete(entry.id, entry.outputs));
	if (state.entries.get(entry.name) === entry) state.entries.delete(entry.name);
	state.condemned.delete(entry);
	run.say(`  deleted ${entry.name} ${entry.id}`);
}

/** Numbers before what they need. */
async function removeAll(run: Run, state: State, entries: readonly Entry[], work: Work): Promise<void> {
	const stages = [entries.filter(({ kind }) => kind === "number"), entries.filter(({ kind }) => kind !== "number")];
	for (const stage of stages) {
		await Promise.all(stage.map((entry) => work(entry.name, () => remove(run, state, entry))));
	}
}

/** `pulumi up`, with `--replace` of the named ones. */
export async function up(run: Run, state: State, program: Program, replace: readonly string[] = []): Promise<Errors> {
	const errors: Errors = [];
	const work = workshop(run, errors);
	const done = new Map<string, Promise<void>>();
	const idOf = (name: string) => {
		const id = state.entries.get(name)?.id;
		if (id === undefined) throw new Error(`waits for ${name}, which failed`);
		return id;
	};
	const failed = new Set<string>();
	const step = async (declared: Declared) => {
		// The engine goes on with nothing that depends on what failed.
		const missing = needsOf(declared).find((name) => failed.has(name));
		if (missing !== undefined) throw new Error(`waits for ${missing}, which failed`);
		const old = state.entries.get(declared.name);
		const news = newsOf(declared, idOf);
		const asked = replace.includes(declared.name);
		const { inputs, failures } = await run.host.check(news, asked ? {} : old?.inputs);
		if (failures.length > 0) throw new Error(`check failed: ${failures.join("; ")}`);
		if (old === undefined || asked) return create(run, state, declared, inputs);
		const { changes, replaces } = await run.host.diff(old.id, old.outputs, inputs);
		if (replaces) {
			const anew = await run.host.check(news);
			return create(run, state, declared, anew.inputs);
		}
		if (changes || old.failed) await update(run, state, old, inputs);
	};
	for (const declared of program) {
		const before = Promise.all(needsOf(declared).map((name) => done.get(name)));
		done.set(
			declared.name,
			before.then(() =>
				work(declared.name, async () => {
					failed.add(declared.name);
					await step(declared);
					failed.delete(declared.name);
				}),
			),
		);
	}
	await Promise.all(done.values());
	// A run with errors deletes nothing.
	if (errors.length > 0 || run.host.killed) return errors;
	const names = new Set(program.map(({ name }) => name));
	const unwanted = [...state.entries.values()].filter(({ name }) => !names.has(name));
	await removeAll(run, state, [...state.condemned, ...unwanted], work);
	return errors;
}

/** What other resources change about one; nothing compares it. */
const counted = new Set(["numbersCount", "updatedAt"]);

/** `pulumi refresh`. Answers which entries differ now, with the errors. */
export async function refresh(run: Run, state: State): Promise<{ errors: Errors; changed: string[] }> {
	const errors: Errors = [];
	const changed: string[] = [];
	const work = workshop(run, errors);
	const read = async (entry: Entry) => {
		const { id, props, inputs } = await run.host.read(entry.id, entry.outputs, entry.inputs);
		if (id === "") {
			state.entries.delete(entry.name);
			changed.push(`${entry.name} is gone`);
			return;
		}
		const differs = Object.keys({ ...entry.outputs, ...props }).filter(
			(key) => !counted.has(key) && JSON.stringify(entry.outputs[key]) !== JSON.stringify(props[key]),
		);
		if (differs.length > 0) changed.push(`${entry.name}: ${differs.join(", ")}`);
		state.entries.set(entry.name, { ...entry, id, outputs: props, inputs, failed: false });
	};
	await Promise.all([...state.entries.values()].map((entry) => work(entry.name, () => read(entry))));
	return { errors, changed };
}

/** `pulumi destroy`: nothing is checked. */
export async function destroy(run: Run, state: State): Promise<Errors> {
	const errors: Errors = [];
	const work = workshop(run, errors);
	await removeAll(run, state, [...state.condemned, ...state.entries.values()], work);
	return errors;
}

/** Stands for the id of what isn't there yet. */
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** `pulumi preview`: what would be done. A plugin is asked what the outputs would be. */
export async function preview(host: Host, state: State, program: Program): Promise<string[]> {
	const idOf = (name: string) => state.entries.get(name)?.id ?? unknown;
	const steps = await Promise.all(
		program.map(async (declared) => {
			const { name } = declared;
			const old = state.entries.get(name);
			const { inputs, failures } = await host.check(newsOf(declared, idOf), old?.inputs);
			if (failures.length > 0) return [`refuse ${name}: ${failures.join("; ")}`];
			if (old === undefined) {
				await host.previews?.create(inputs);
				return [`create ${name}`];
			}
			const { changes } = await host.diff(old.id, old.outputs, inputs);
			if (!changes && !old.failed) return [];
			await host.previews?.update(old.id, old.outputs, inputs);
			return [`update ${name}`];
		}),
	);
	return [...steps.flat(), ...[...state.condemned].map(({ name }) => `delete ${name}`)];
}
