/** The engine, in process: what its preview of a program says, and the `up` after it, with replacements and deletes. */
import type { EngineEvent, ResourceState } from "../../cli/engine/events";
import { InitError } from "../../provider/lifecycle/resource";
import type { Values } from "../../provider/properties/table";
import type { Provider } from "./provider";
import { CheckFailed, type Entry, handlerOf, type State, urnOf } from "./runs";

type Metadata = NonNullable<EngineEvent["resourcePreEvent"]>["metadata"];

/** An entry that a replacement has left, with the entries of the state. */
export interface Stack {
	readonly entries: State;
	readonly condemned: Entry[];
}

const typeOf = (urn: string): string => urn.split("::")[2]?.split("$").at(-1) ?? "";
const urnIn = ({ outs }: Entry): string => String(outs.resourceUrn);

const stateOf = ({ id, inputs = {}, outs }: Entry): ResourceState => ({
	id,
	urn: urnIn({ id, outs }),
	inputs,
	outputs: outs,
});

/** The events of `pulumi preview --json`. @throws CheckFailed */
export async function previewOf(
	run: Provider,
	{ entries, condemned }: Stack,
	program: readonly Values[],
): Promise<EngineEvent[]> {
	const steps: Metadata[] = [];
	for (const news of program) {
		const urn = urnOf(news);
		const old = entries.get(urn);
		const { inputs, op, keys } = await stepOf(run, old, news);
		const step = { urn, type: typeOf(urn), new: { inputs }, ...(old && { old: stateOf(old) }) };
		steps.push({ ...step, op, ...(keys.length > 0 ? { keys } : {}) });
		if (op === "create-replacement" && old)
			steps.push({ urn, type: typeOf(urn), op: "delete-replaced", old: stateOf(old) });
	}
	for (const [op, entry] of goingOf({ entries, condemned }, program))
		steps.push({ urn: urnIn(entry), type: typeOf(urnIn(entry)), op, old: stateOf(entry) });
	return steps.map((metadata) => ({ resourcePreEvent: { metadata } }));
}

function* goingOf({ entries, condemned }: Stack, program: readonly Values[]): Generator<readonly [op: string, Entry]> {
	for (const entry of condemned) yield ["delete-replaced", entry];
	const declared = new Set(program.map(urnOf));
	for (const [urn, entry] of entries) if (!declared.has(urn)) yield ["delete", entry];
}

async function stepOf(run: Provider, old: Entry | undefined, news: Values) {
	const handler = handlerOf(run, news);
	const { inputs, failures } = await handler.check(old?.inputs ?? {}, news);
	if (failures.length > 0) throw new CheckFailed(failures.map(({ reason }) => reason).join("; "));
	if (old === undefined) return { inputs, op: "create", keys: [] };
	const { changes, replaces } = await handler.diff(old.id, old.outs, inputs);
	return { inputs, op: replaces.length > 0 ? "create-replacement" : changes ? "update" : "same", keys: replaces };
}

/** `pulumi up`, after which the stack holds what it has made. */
export async function upOf(run: Provider, stack: Stack, program: readonly Values[]): Promise<Error[]> {
	const { entries, condemned } = stack;
	const errors: Error[] = [];
	const made = program.map(async (news) => ({ news, ...(await resultOf(run, entries.get(urnOf(news)), news)) }));
	for (const { news, entry, replaced, error } of await Promise.all(made)) {
		if (error !== undefined) errors.push(error);
		if (entry !== undefined) entries.set(urnOf(news), entry);
		if (replaced !== undefined) condemned.push(replaced);
	}
	// A run with errors deletes nothing.
	const removals = errors.length > 0 ? [] : [...goingOf(stack, program)];
	const ends = removals.map(async ([, entry]) => {
		try {
			await handlerOf(run, entry.outs).delete(entry.id, entry.outs);
			forget(stack, entry);
		} catch (error) {
			errors.push(error as Error);
		}
	});
	await Promise.all(ends);
	// One agent per run: thousands would use up the sockets.
	await (await run.session.service()).client.close();
	return errors;
}

interface Made {
	readonly entry?: Entry;
	/** The old state, if the resource is replaced. */
	readonly replaced?: Entry;
	readonly error?: Error;
}

async function resultOf(run: Provider, old: Entry | undefined, news: Values): Promise<Made> {
	const handler = handlerOf(run, news);
	try {
		const { inputs, op } = await stepOf(run, old, news);
		if (op === "same" && old) return { entry: { ...old, inputs } };
		if (op === "update" && old)
			return { entry: { id: old.id, inputs, ...(await handler.update(old.id, old.outs, inputs)) } };
		// For what replaces another, the engine checks once more, as if there were no entry.
		const anew = old === undefined ? inputs : (await handler.check({}, news)).inputs;
		return { entry: { inputs: anew, ...(await handler.create(anew)) }, ...(old && { replaced: old }) };
	} catch (error) {
		if (!(error instanceof InitError)) return { error: error as Error };
		// After an update that failed, the engine keeps the old inputs.
		return { entry: { id: error.id, outs: error.properties, inputs: old?.inputs ?? news }, error };
	}
}

function forget({ entries, condemned }: Stack, entry: Entry): void {
	if (entries.get(urnIn(entry)) === entry) entries.delete(urnIn(entry));
	const at = condemned.indexOf(entry);
	if (at >= 0) condemned.splice(at, 1);
}
