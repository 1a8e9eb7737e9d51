/** A pool through runs of the engine, in process. */
import type { Values } from "../../provider/properties/table";
import { checked, type Provider } from "./provider";

export interface PoolEntry {
	readonly id: string;
	readonly outs: Values;
}

export interface Pooled {
	readonly name: string;
	readonly id: string;
	readonly number?: string;
	readonly status: string;
}

export const numbersIn = ({ outs }: Pick<PoolEntry, "outs">): Pooled[] => outs.numbers as Pooled[];
export const namesIn = (entry: Pick<PoolEntry, "outs">): string[] => numbersIn(entry).map(({ name }) => name);

/** Another run of the same stack: check, diff, and an update if one is due. */
export async function upAgain(run: Provider, entry: PoolEntry, news: Values, olds: Values = news) {
	const inputs = await checked(run.numberPool, news, olds);
	const { changes } = await run.numberPool.diff(entry.id, entry.outs, inputs);
	if (!changes) return { changes, id: entry.id, outs: entry.outs };
	return { changes, id: entry.id, ...(await run.numberPool.update(entry.id, entry.outs, inputs)) };
}

/** A refresh: what the state holds after it, and whether it shows a difference. */
export async function refreshed(run: Provider, entry: PoolEntry, news: Values) {
	const state = await checked(run.numberPool, news, news);
	const read = await run.numberPool.read(entry.id, entry.outs);
	const { props: outs = {}, inputs = {} } = read;
	const { changes } = await run.numberPool.diff(entry.id, outs, state);
	return { id: read.id ?? "", outs, inputs, changes };
}
