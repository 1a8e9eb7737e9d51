import { isDeepStrictEqual } from "node:util";
import { ServiceError } from "./errors";
import { newId } from "./random";
import type { Service } from "./service";
import type { Collection, Stored } from "./store";

const largestPage = 100;
const usualPage = 50;
const cursorLife = 3_600_000;

interface Query {
	readonly limit?: number | undefined;
	readonly cursor?: string | undefined;
	readonly [filter: string]: unknown;
}

/** Opaque to clients. It says after which row to go on, so rows that come and go meanwhile shift nothing. */
const encode = (service: Service, list: string, filters: unknown, after: number, nonce?: string): string =>
	Buffer.from(JSON.stringify([service.epoch, list, filters, after, service.clock.now(), nonce])).toString("base64url");

const decode = (service: Service, list: string, filters: unknown, cursor: string): number => {
	try {
		const [epoch, name, given, after, at] = JSON.parse(Buffer.from(cursor, "base64url").toString());
		const fresh = service.clock.now() - Number(at) < cursorLife;
		if (epoch === service.epoch && name === list && isDeepStrictEqual(given, filters) && fresh) return Number(after);
	} catch {
		// Refused below, like every other cursor that is not ours.
	}
	throw new ServiceError(
		"invalid_cursor",
		"The cursor is not valid for this list, or no longer: start from the first page.",
	);
};

/** One page of a list, in order of creation. */
export const pageOf = <Row extends Stored, Item>(
	service: Service,
	list: string,
	rows: Collection<Row>,
	{ limit = usualPage, cursor, ...filters }: Query,
	keep: (row: Row) => boolean,
	answer: (row: Row) => Item,
): { data: Item[]; next_cursor: string | null } => {
	const after = cursor === undefined ? 0 : decode(service, list, filters, cursor);
	const size = Math.min(limit, largestPage, service.settings.pageSize ?? largestPage);
	const data: Item[] = [];
	let last = 0;
	for (const row of rows) {
		if (row.seq <= after || !keep(row)) continue;
		if (data.length === size) return { data, next_cursor: encode(service, list, filters, last) };
		data.push(answer(row));
		last = row.seq;
	}
	return { data, next_cursor: null };
};

/** A page without items that leads on to the one asked for, by a cursor that was never given before. */
export const emptyPage = (service: Service, list: string, { limit, cursor, ...filters }: Query) => {
	const after = cursor === undefined ? 0 : decode(service, list, filters, cursor);
	return { data: [], next_cursor: encode(service, list, filters, after, newId("empty", service.random)) };
};
