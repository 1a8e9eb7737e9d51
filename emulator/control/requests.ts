/** The journal as the control plane shows it: filtered, in pages, or whole and piece by piece. */
import { setImmediate as turn } from "node:timers/promises";
import { z } from "zod";
import { type Operation, type OperationName, operations } from "../../provider/api/contract";
import { invalid } from "../request/errors";
import { validate } from "../request/validate";
import type { Service } from "../service/service";
import type { JournalRow, Placed } from "../store/journal";

const names = Object.keys(operations) as [OperationName, ...OperationName[]];

const Filter = z.strictObject({
	operation: z.enum(names, { error: "must be the name of an operation, such as buyNumber" }).optional(),
	/** `404`, a class such as `4xx`, or `none` for what was not answered. */
	status: z
		.string()
		.regex(/^([1-5]\d\d|[1-5]xx|none)$/, "must be a status such as 404, a class such as 4xx, or none")
		.optional(),
	/** From that time on. */
	since: z.iso.datetime({ offset: true, error: "must be a time such as 2026-01-31T00:00:00Z" }).optional(),
	limit: z.coerce.number().int().min(1).max(10_000).optional(),
	/** Where the next page begins: `next_cursor` of the one before. */
	cursor: z
		.string()
		.regex(/^\d{1,15}$/, "must be the next_cursor of a page")
		.optional(),
});
export type RequestsFilter = z.input<typeof Filter>;

const pathOf = ({ path }: Operation): RegExp => new RegExp(`^/v1${path.replace("{id}", "[^/]+")}$`);

/** Whether a row passes, but for its place and the number of rows. */
const passes = ({ operation, status, since }: z.output<typeof Filter>) => {
	const wanted = operation === undefined ? undefined : operations[operation];
	const path = wanted && pathOf(wanted);
	const from = since === undefined ? undefined : Date.parse(since);
	return (row: JournalRow): boolean => {
		if (wanted && (row.method !== wanted.method || !path?.test(row.path.split("?", 1)[0] ?? ""))) return false;
		if (from !== undefined && Date.parse(row.at) < from) return false;
		if (status === undefined) return true;
		if (status === "none" || row.status === null) return status === "none" && row.status === null;
		return status.endsWith("xx") ? String(row.status)[0] === status[0] : row.status === Number(status);
	};
};

function* found({ journal }: Service, filter: z.output<typeof Filter>): IterableIterator<Placed> {
	const keep = passes(filter);
	for (const placed of journal.from(Number(filter.cursor ?? 0))) if (keep(placed[1])) yield placed;
}

export interface RequestsPage {
	readonly data: JournalRow[];
	readonly next_cursor: string | null;
}

/** One page; without a limit, all that pass. */
export const requestsPage = (service: Service, sent: RequestsFilter): RequestsPage => {
	const filter = validate(Filter, sent);
	const data: JournalRow[] = [];
	for (const [place, row] of found(service, filter)) {
		if (data.length === filter.limit) return { data, next_cursor: String(place) };
		data.push({ ...row });
	}
	return { data, next_cursor: null };
};

/** An answer that is made while it is sent: as one text, ten million rows would be more than JavaScript can hold. */
export class Pieces {
	constructor(readonly texts: Iterable<string>) {}
}

const rowsAtOnce = 1000;

/** So that other requests are answered in between, a piece comes even where nothing passes: JSON may have blanks. */
function* json({ journal }: Service, filter: z.output<typeof Filter>): IterableIterator<string> {
	const keep = passes(filter);
	let piece = '{"data":[';
	let [count, comma] = [0, ""];
	for (const [, row] of journal.from(Number(filter.cursor ?? 0))) {
		if (keep(row)) {
			piece += comma + JSON.stringify(row);
			comma = ",";
		}
		count += 1;
		if (count % rowsAtOnce > 0) continue;
		yield piece || " ";
		piece = "";
	}
	yield `${piece}]}`;
}

/** All that pass as the JSON `{data: […]}`, piece by piece. */
export const requestsJson = (service: Service, sent: RequestsFilter): Iterable<string> =>
	json(service, validate(Filter, sent));

/** As the query of `GET /requests` asks. */
export const answerRequests = async (
	service: Service,
	query: Readonly<Record<string, string>>,
): Promise<RequestsPage | Pieces> => {
	const { limit } = query;
	if (limit === undefined) return new Pieces(requestsJson(service, query as RequestsFilter));
	if (!/^\d{1,5}$/.test(limit)) throw invalid([{ field: "limit", message: "must be a whole number" }]);
	const filter = validate(Filter, query);
	const keep = passes(filter);
	const data: JournalRow[] = [];
	for (const [place, row] of service.journal.from(Number(filter.cursor ?? 0))) {
		if (place % rowsAtOnce === 0) await turn();
		if (!keep(row)) continue;
		if (data.length === filter.limit) return { data, next_cursor: String(place) };
		data.push({ ...row });
	}
	return { data, next_cursor: null };
};
