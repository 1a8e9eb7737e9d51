/** A refresh: what a run reads, whether that differs from the program, and what a drift report says of it. */
import { codeOf } from "../../provider/api/message-codes";
import { type DriftDefinition, driftOf } from "../../provider/drift/definition";
import type { Values } from "../../provider/properties/table";
import { driftDefinition } from "../../provider/resources";
import { checked, type Provider } from "./provider";
import { handlerOf, type ResourceState, typeIn } from "./runs";

export async function observed(run: Provider, { id, outs }: ResourceState, news: Values) {
	const handler = handlerOf(run, news);
	const inputs = await checked(handler, news);
	const { props, inputs: live = {}, ...read } = await handler.read(id, outs);
	const differs = props !== undefined && (await handler.diff(id, props, inputs)).changes;
	const definition = driftDefinition(typeIn(news)) as DriftDefinition;
	const observation = {
		...{ name: "main", differs, ignored: [] },
		...{ codes: run.warnings.map(codeOf), warnings: run.warnings },
		declared: { inputs, outputs: outs },
		live: props && { inputs: live, outputs: props },
	};
	const drifts = (definition.parts?.(observation) ?? [{ definition, seen: observation }]).flatMap(
		(part) => driftOf(part.definition, part.seen) ?? [],
	);
	return { id: read.id, props, differs, warnings: run.warnings, drifts };
}
