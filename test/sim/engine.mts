/** The part of Pulumi's engine that concerns a provider: up, refresh, destroy and preview of one stack. */
import pLimit from "p-limit";
import type { Session } from "../../provider/session/session.ts";
import { InitFailed, type Previews, type Protocol, type Values } from "../helpers/protocol.mts";
import { RunError, Skipped } from "./errors.mts";
import type { Kind } from "./kinds/index.mts";
import { type Declared, hasLinks, needsOf, newsOf, type Program } from "./program.mts";

/** A provider process. Every call fails after its end. */
export interface Provider extends Omit<Protocol, "configure" | "cancel"> {
	readonly isKilled: boolean;
	/** The plugin's previews. */
	readonly previews?: Previews;
	/** The session of the handlers, if they are in this process. */
	readonly session?: Session;
	/** Ends the process, and returns once nothing it sent is under way. */
	kill(): Promise<void>;
}

/** The state of one resource. */
export interface ResourceState {
	readonly kind: Kind;
	readonly name: string;
	readonly id: string;
	readonly inputs: Values;
	readonly outputs: Values;
	/** True if its last create or update failed half-way. */
	readonly hasFailed: boolean;
}

export interface State {
	readonly resources: Map<string, ResourceState>;
	/** Replaced resources that are still to be deleted. */
	readonly replaced: Set<ResourceState>;
}

export const emptyState = (): State => ({ resources: new Map(), replaced: new Set() });

export const copyOf = ({ resources, replaced }: State): State => ({
	resources: new Map(resources),
	replaced: new Set(replaced),
});

export const allIn = ({ resources, replaced }: State): ResourceState[] => [...resources.values(), ...replaced];

/** Returns the object's id; a number that was adopted before it arrived keeps its name as its id. */
export const objectIn = ({ id, outputs }: ResourceState): string => String(outputs.foundId || id);

export interface Run {
	readonly provider: Provider;
	/** Calls at a time. */
	readonly parallel: number;
	say(line: string): void;
}

export type Errors = RunError[];

type Work = (name: string, work: () => Promise<void>) => Promise<void>;

/** Runs calls, `parallel` at a time; an error ends its own resource only. */
function workshop(run: Run, errors: Errors): Work {
	const limit = pLimit(run.parallel);
	return (name, work) =>
		limit(async () => {
			if (run.provider.isKilled) return;
			try {
				await work();
			} catch (error) {
				if (!run.provider.isKilled) errors.push(new RunError(name, error));
			}
		});
}

/** Returns the response, or the partial failure, unless the process was killed. */
async function responseOf<T>(run: Run, call: Promise<T>): Promise<T | InitFailed> {
	const response = await call.catch((error: unknown) => {
		if (error instanceof InitFailed) return error;
		throw error;
	});
	if (run.provider.isKilled) throw new Error("killed");
	return response;
}

async function create(run: Run, state: State, { kind, name }: Declared, inputs: Values): Promise<void> {
	const made = await responseOf(run, run.provider.create(inputs));
	const old = state.resources.get(name);
	if (old !== undefined) state.replaced.add(old);
	const hasFailed = made instanceof InitFailed;
	state.resources.set(name, { kind, name, id: made.id, inputs, outputs: made.props, hasFailed });
	run.say(`  created ${name} as ${made.id}`);
	if (hasFailed) throw made;
}

async function update(run: Run, state: State, old: ResourceState, inputs: Values): Promise<void> {
	const made = await responseOf(run, run.provider.update(old.id, old.outputs, inputs));
	const hasFailed = made instanceof InitFailed;
	// After an update that failed half-way, the engine keeps the old inputs.
	const kept = hasFailed ? old.inputs : inputs;
	state.resources.set(old.name, { ...old, inputs: kept, outputs: hasFailed ? made.props : made, hasFailed });
	run.say(`  updated ${old.name}`);
	if (hasFailed) throw made;
}

async function remove(run: Run, state: State, resource: ResourceState): Promise<void> {
	await responseOf(run, run.provider.delete(resource.id, resource.outputs));
	if (state.resources.get(resource.name) === resource) state.resources.delete(resource.name);
	state.replaced.delete(resource);
	run.say(`  deleted ${resource.name} ${resource.id}`);
}

/** Deletes resources before what they depend on. */
async function removeAll(run: Run, state: State, resources: readonly ResourceState[], work: Work): Promise<void> {
	for (const isLinked of [true, false])
		await Promise.all(
			resources
				.filter(({ kind }) => hasLinks(kind) === isLinked)
				.map((resource) => work(resource.name, () => remove(run, state, resource))),
		);
}

async function step(run: Run, state: State, declared: Declared, isReplaced: boolean): Promise<void> {
	const old = state.resources.get(declared.name);
	const news = newsOf(declared, (name) => state.resources.get(name)?.id ?? "");
	const { inputs, failures } = await run.provider.check(news, isReplaced ? {} : old?.inputs);
	if (failures.length > 0) throw new Error(`check failed: ${failures.join("; ")}`);
	if (old === undefined || isReplaced) return create(run, state, declared, inputs);
	const { changes, replaces } = await run.provider.diff(old.id, old.outputs, inputs);
	if (replaces) return create(run, state, declared, (await run.provider.check(news)).inputs);
	if (changes || old.hasFailed) await update(run, state, old, inputs);
}

/** `pulumi up`, with `--replace` for the named resources. */
export async function up(run: Run, state: State, program: Program, replace: readonly string[] = []): Promise<Errors> {
	const errors: Errors = [];
	const work = workshop(run, errors);
	const done = new Map<string, Promise<void>>();
	const failed = new Set<string>();
	const perform = async (declared: Declared) => {
		failed.add(declared.name);
		const missing = needsOf(declared).find((name) => failed.has(name) || !state.resources.has(name));
		if (missing !== undefined) throw new Skipped(`waits for ${missing}, which failed`);
		await step(run, state, declared, replace.includes(declared.name));
		failed.delete(declared.name);
	};
	for (const declared of program) {
		const before = Promise.all(needsOf(declared).map((name) => done.get(name)));
		done.set(
			declared.name,
			before.then(() => work(declared.name, () => perform(declared))),
		);
	}
	await Promise.all(done.values());
	// A run with errors deletes nothing.
	if (errors.length > 0 || run.provider.isKilled) return errors;
	const names = new Set(program.map(({ name }) => name));
	const removed = [...state.resources.values()].filter(({ name }) => !names.has(name));
	await removeAll(run, state, [...state.replaced, ...removed], work);
	return errors;
}

/** Outputs that other resources or every write change; they are never drift. */
const incidental = new Set(["numbersCount", "updatedAt"]);

/** Runs `pulumi refresh`. Returns the changed outputs by resource name; the list is empty for a deleted object. */
export async function refresh(run: Run, state: State): Promise<{ errors: Errors; changed: Map<string, string[]> }> {
	const errors: Errors = [];
	const changed = new Map<string, string[]>();
	const work = workshop(run, errors);
	const read = async (resource: ResourceState) => {
		const { name, outputs } = resource;
		const { id, props, inputs } = await run.provider.read(resource.id, outputs, resource.inputs);
		if (id === "") {
			state.resources.delete(name);
			changed.set(name, []);
			return;
		}
		const differing = Object.keys({ ...outputs, ...props }).filter(
			(key) => !incidental.has(key) && JSON.stringify(outputs[key]) !== JSON.stringify(props[key]),
		);
		if (differing.length > 0) changed.set(name, differing);
		state.resources.set(name, { ...resource, id, outputs: props, inputs, hasFailed: false });
	};
	await Promise.all([...state.resources.values()].map((resource) => work(resource.name, () => read(resource))));
	return { errors, changed };
}

/** `pulumi destroy`: the engine checks nothing. */
export async function destroy(run: Run, state: State): Promise<Errors> {
	const errors: Errors = [];
	await removeAll(run, state, [...state.replaced, ...state.resources.values()], workshop(run, errors));
	return errors;
}

/** Stands for an id that isn't known yet, as in the engine's protocol. */
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** A step that `up` would take. */
export interface Step {
	readonly op: "refuse" | "create" | "create-replacement" | "update" | "same" | "delete" | "delete-replaced";
	readonly name: string;
	readonly old?: ResourceState;
	readonly inputs?: Values;
}

/** `pulumi preview`. */
export async function preview(provider: Provider, state: State, program: Program): Promise<readonly Step[]> {
	const { resources, replaced } = state;
	const idOf = (name: string) => resources.get(name)?.id ?? unknown;
	const stepsOf = async (declared: Declared): Promise<readonly Step[]> => {
		const { name } = declared;
		const old = resources.get(name);
		const { inputs, failures } = await provider.check(newsOf(declared, idOf), old?.inputs);
		if (failures.length > 0) return [{ op: "refuse", name: `${name}: ${failures.join("; ")}` }];
		if (old === undefined) {
			await provider.previews?.create(inputs);
			return [{ op: "create", name, inputs }];
		}
		const { changes, replaces } = await provider.diff(old.id, old.outputs, inputs);
		if (replaces) return [{ op: "create-replacement", name, old, inputs }, removal("delete-replaced")(old)];
		if (!changes && !old.hasFailed) return [{ op: "same", name, old, inputs }];
		await provider.previews?.update(old.id, old.outputs, inputs);
		return [{ op: "update", name, old, inputs }];
	};
	const steps = await Promise.all(program.map(stepsOf));
	const names = new Set(program.map(({ name }) => name));
	const removed = [...resources.values()].filter(({ name }) => !names.has(name));
	return [...steps.flat(), ...[...replaced].map(removal("delete-replaced")), ...removed.map(removal("delete"))];
}

const removal =
	(op: Step["op"]) =>
	(old: ResourceState): Step => ({ op, name: old.name, old });
