/** The engine, in process: what one run asks of the handlers, and what it leaves in the state for the next one. */
import { type Handler, InitError } from "../../provider/lifecycle/resource";
import type { Values } from "../../provider/properties/table";
import { checked, nameOf, type Provider } from "./provider";

export interface ResourceState {
	readonly id: string;
	readonly outs: Values;
	/** Those of the last write that succeeded. */
	readonly inputs?: Values;
}

/** By URN. */
export type State = Map<string, ResourceState>;

export const urnOf = ({ __resourceUrn }: Values): string => String(__resourceUrn);

/** Such as `SipTrunk`. */
export const typeIn = (news: Values): string => urnOf(news).split("::")[2]?.split(":").at(-1) ?? "";

/** The name of the handler of what a program declares. */
export const nameIn = (news: Values) => nameOf(typeIn(news));
export const handlerOf = (run: Provider, news: Values): Handler => run[nameIn(news)];

/** One resource in another run: check, diff, and an update if one is due. */
export async function upAgain(run: Provider, { id, outs }: ResourceState, news: Values, olds: Values = news) {
	const handler = handlerOf(run, news);
	const inputs = await checked(handler, news, olds);
	const { changes } = await handler.diff(id, outs, inputs);
	return { changes, id, inputs, outs: changes ? (await handler.update(id, outs, inputs)).outs : outs };
}

/** Its refresh: what the state holds after it, and whether that differs from what is declared. */
export async function refreshed(run: Provider, { id, outs: olds }: ResourceState, news: Values) {
	const handler = handlerOf(run, news);
	const declared = await checked(handler, news, news);
	const { props: outs = {}, inputs = {}, ...read } = await handler.read(id, olds);
	const { changes } = await handler.diff(id, outs, declared);
	return { id: read.id ?? "", outs, inputs, changes };
}

/** `up --replace`, or an `up` after a taint: the engine passes no old inputs to check, and compares nothing. */
export async function replaced(run: Provider, { id, outs }: ResourceState, news: Values, isRefreshed = false) {
	const handler = handlerOf(run, news);
	if (isRefreshed) await handler.read(id, outs);
	const made = await handler.create(await checked(handler, news));
	await handler.delete(id, outs);
	return made;
}

/** An update, whatever a diff says. */
export async function updated(run: Provider, { id, outs }: ResourceState, news: Values, olds: Values = news) {
	const handler = handlerOf(run, news);
	return { id, outs: (await handler.update(id, outs, await checked(handler, news, olds))).outs };
}

/** Fails to create or update a resource. Returns the state after it, which stays as it was if nothing was written. */
export async function failedUp(run: Provider, news: Values, resource?: ResourceState) {
	const handler = handlerOf(run, news);
	const inputs = await checked(handler, news, resource === undefined ? {} : news);
	const work = resource === undefined ? handler.create(inputs) : handler.update(resource.id, resource.outs, inputs);
	const error = await work.then(
		() => new Error("expected a failure"),
		(reason: Error) => reason,
	);
	if (error instanceof InitError) return { id: error.id, outs: error.properties, error };
	if (resource === undefined) throw error;
	return { ...resource, error };
}

/** Returns true if a run without a refresh finds a difference. */
export const differs = async (run: Provider, { id, outs }: ResourceState, news: Values, olds: Values = news) =>
	(await handlerOf(run, news).diff(id, outs, await checked(handlerOf(run, news), news, olds))).changes;
