import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { KindName } from "../../provider/api/contract";
import { ServiceError } from "../request/errors";
import { seenBy } from "../service/seen";
import { findRow, type Service } from "../service/service";
import { Collection, type Stored } from "../store/collection";
import { newId } from "../store/random";
import type { Rows } from "../store/store";
import { type Trouble, troubleAt } from "./page-chaos";

const largestPage = 100;
const usualPage = 50;
const cursorLife = 3_600_000;

export interface PageQuery {
	readonly limit?: number | undefined;
	readonly cursor?: string | undefined;
	readonly [filter: string]: unknown;
}

/** The list that a cursor belongs to. */
interface Listed {
	readonly list: string;
	readonly filters: unknown;
}

/** Names the row to continue after, so that new and deleted rows shift nothing. */
const encode = (service: Service, { list, filters }: Listed, after: unknown, nonce?: string): string =>
	Buffer.from(JSON.stringify([service.epoch, list, filters, after, service.clock.now(), nonce])).toString("base64url");

/** Returns the place and nonce of a cursor. @throws ServiceError */
const decode = (service: Service, { list, filters }: Listed, cursor: string): [after: unknown, nonce: unknown] => {
	try {
		const [epoch, name, given, after, at, nonce] = JSON.parse(Buffer.from(cursor, "base64url").toString());
		const fresh = service.clock.now() - Number(at) < cursorLife;
		if (epoch === service.epoch && name === list && isDeepStrictEqual(given, filters) && fresh) {
			return [after, nonce];
		}
	} catch {
		// Refused below.
	}
	throw new ServiceError("invalid_cursor", "The cursor is invalid or expired: start from the first page.");
};

const pageSizeOf = ({ settings }: Service, limit: number = usualPage): number =>
	Math.min(limit, largestPage, settings.pageSize ?? largestPage);

export type Page<Item> = { readonly data: Item[]; readonly next_cursor: string | null };

interface Ordered<Place, Item> {
	readonly place: z.ZodType<Place>;
	itemsAfter(place: Place | undefined): Iterable<readonly [Place, Item]>;
}

/** Returns one page of ordered items. */
export const pageFrom = <Place, Item>(
	service: Service,
	list: string,
	{ limit, cursor, ...filters }: PageQuery,
	{ place, itemsAfter }: Ordered<Place, Item>,
): Page<Item> => {
	const after = cursor === undefined ? undefined : place.safeParse(decode(service, { list, filters }, cursor)[0]).data;
	const size = pageSizeOf(service, limit);
	const data: Item[] = [];
	let last = after;
	for (const [at, item] of itemsAfter(after)) {
		if (data.length === size) return { data, next_cursor: encode(service, { list, filters }, last) };
		data.push(item);
		last = at;
	}
	return { data, next_cursor: null };
};

/** True if a row matches the filters, which have the names of its properties. */
export const fits = (row: object, { limit, cursor, ...filters }: PageQuery): boolean =>
	Object.entries(filters).every(
		([name, value]) => value === undefined || (row as Readonly<Record<string, unknown>>)[name] === value,
	);

interface Listing<Row extends Stored, Item> {
	readonly rows: Iterable<Row>;
	/** @default all rows */
	keep?(row: Row): boolean;
	render(row: Row): Item;
}

/** Filters with an index. */
const lookups = ["reference", "number_id"] as const;

/** Returns the rows that match an indexed filter; without one, all rows. */
const candidates = <Row extends Stored>(rows: Iterable<Row>, filters: Readonly<Record<string, unknown>>) => {
	const field = lookups.find((name) => typeof filters[name] === "string");
	return field !== undefined && rows instanceof Collection ? rows.with(field, String(filters[field])) : rows;
};

/** Returns up to `size` rows after a place, with `repeats` the row before them, and true if more follow. */
const rowsAfter = <Row extends Stored>(
	rows: Iterable<Row>,
	keep: (row: Row) => boolean,
	{ after, size, repeats }: { readonly after: number } & Pick<Trouble, "size" | "repeats">,
) => {
	const page: Row[] = [];
	let before: Row | undefined;
	for (const row of rows) {
		// A late page skips most rows, so this must be fast.
		if ((row.seq <= after && !repeats) || !keep(row)) continue;
		if (row.seq <= after) before = row;
		else if (page.length < size) page.push(row);
		else return { before, page, more: true };
	}
	return { before, page, more: false };
};

/** Returns one page of a list, in order of creation, with the faults of `pageChaos`. */
export const pageOf = <Row extends Stored, Item>(
	service: Service,
	list: string,
	{ limit, cursor, ...filters }: PageQuery,
	{ rows, keep = () => true, render }: Listing<Row, Item>,
): Page<Item> => {
	const [place, nonce] = cursor === undefined ? [0] : decode(service, { list, filters }, cursor);
	const after = Number(place);
	const trouble = troubleAt(service, list, {
		after,
		size: service.isPaged ? pageSizeOf(service, limit) : Number.POSITIVE_INFINITY,
		comesEmpty: nonce != null,
	});
	if (trouble.empty) return emptyPage(service, list, { cursor, ...filters });
	const { before, page, more } = rowsAfter(candidates(rows, filters), keep, { after, ...trouble });
	const last = page.at(-1);
	const visible = trouble.skips ? page.slice(1) : page;
	const repeated = trouble.repeats ? [...(before ? [before] : []), ...visible, ...(last ? [last] : [])] : visible;
	return {
		data: repeated.map(render),
		next_cursor: more && last ? encode(service, { list, filters }, last.seq) : null,
	};
};

/** Returns a page without items, with a new cursor to the requested page. */
export const emptyPage = (service: Service, list: string, { limit, cursor, ...filters }: PageQuery) => {
	const [after] = cursor === undefined ? [0] : decode(service, { list, filters }, cursor);
	return { data: [], next_cursor: encode(service, { list, filters }, after, newId("empty", service.random)) };
};

/** The handlers that list a kind of record and read one. */
export const readsOf = <Name extends KindName, Item>(
	service: Service,
	name: Name,
	record: (service: Service, row: Rows[Name]) => Item,
) => {
	const rows: Collection<Rows[Name]> = service.store[name];
	const render = (row: Rows[Name]) => record(service, row);
	return {
		list: ({ query }: { readonly query: PageQuery }): Page<Item> =>
			pageOf(service, name, query, { rows: seenBy("list", service, rows), keep: (row) => fits(row, query), render }),
		get: ({ id }: { readonly id: string }): Item => render(findRow(service, name, id, seenBy("get", service, rows))),
	};
};
