/** The events of `pulumi preview --json`, from the handlers of a run in this process. */
import type { EngineEvent } from "../../cli/engine/events";
import type { Values } from "../../provider/properties/table";
import { checked, type Provider } from "./provider";
import { handlerOf, type ResourceState, type State, urnOf } from "./runs";

const typeOf = (urn: string): string => urn.split("::")[2]?.split("$").at(-1) ?? "";

const stepOf = (op: string, urn: string, { id, inputs = {}, outs }: ResourceState) => ({
	op,
	urn,
	type: typeOf(urn),
	old: { id, urn, inputs, outputs: outs },
});

/** @param tainted URNs of resources that the engine replaces without a comparison */
export async function previewOf(
	run: Provider,
	stack: State,
	program: readonly Values[],
	tainted: ReadonlySet<string> = new Set(),
): Promise<EngineEvent[]> {
	const steps: Metadata[] = [];
	for (const news of program) steps.push(...(await stepsOf(run, news, stack.get(urnOf(news)), tainted)));
	const declared = new Set(program.map(urnOf));
	for (const [urn, resource] of stack) if (!declared.has(urn)) steps.push(stepOf("delete", urn, resource));
	return steps.map((metadata) => ({ resourcePreEvent: { metadata } }));
}

type Metadata = NonNullable<EngineEvent["resourcePreEvent"]>["metadata"];

async function stepsOf(
	run: Provider,
	news: Values,
	old: ResourceState | undefined,
	tainted: ReadonlySet<string>,
): Promise<Metadata[]> {
	const urn = urnOf(news);
	const handler = handlerOf(run, news);
	if (old === undefined)
		return [{ op: "create", urn, type: typeOf(urn), new: { inputs: await checked(handler, news) } }];
	const isTainted = tainted.has(urn);
	const inputs = await checked(handler, news, isTainted ? {} : old.inputs);
	const replaced = stepOf("delete-replaced", urn, old);
	if (isTainted) return [{ ...stepOf("create-replacement", urn, old), new: { inputs } }, replaced];
	const { changes, replaces } = await handler.diff(old.id, old.outs, inputs);
	if (replaces.length > 0)
		return [{ ...stepOf("create-replacement", urn, old), new: { inputs }, keys: replaces }, replaced];
	return [{ ...stepOf(changes ? "update" : "same", urn, old), new: { inputs } }];
}
