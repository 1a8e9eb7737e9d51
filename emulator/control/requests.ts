/** The journal in the control API: filtered, whole or in pages. */
import { z } from "zod";
import { type OperationName, operations } from "../../provider/api/contract";
import { validate } from "../request/validate";
import type { Service } from "../service/service";
import type { JournalRow } from "../store/journal";

const names = Object.keys(operations) as [OperationName, ...OperationName[]];

const Filter = z.strictObject({
	operation: z.enum(names, { error: "must be the name of an operation, such as buyNumber" }).optional(),
	/** `404`, a class such as `4xx`, or `none` for requests without a response. */
	status: z
		.string()
		.regex(/^([1-5]\d\d|[1-5]xx|none)$/, "must be a status such as 404, a class such as 4xx, or none")
		.optional(),
	/** Earliest time. */
	since: z.iso.datetime({ offset: true, error: "must be a time such as 2026-01-31T00:00:00Z" }).optional(),
	limit: z
		.union([z.number(), z.string().regex(/^\d+$/).transform(Number)], "must be a whole number")
		.pipe(z.number().int().min(1).max(10_000))
		.optional(),
	/** `next_cursor` of the previous page. */
	cursor: z
		.string()
		.regex(/^\d{1,15}$/, "must be the next_cursor of a page")
		.optional(),
});
export type RequestsFilter = z.input<typeof Filter>;

const matchesStatus = (wanted: string, { status }: JournalRow): boolean => {
	if (status === null) return wanted === "none";
	return wanted.endsWith("xx") ? String(status)[0] === wanted[0] : String(status) === wanted;
};

/** Returns a filter of rows by operation, status and time. */
const passes = ({ journal }: Service, { operation, status, since }: z.output<typeof Filter>) => {
	const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since);
	return (row: JournalRow): boolean => {
		if (operation !== undefined && journal.operationOf(row) !== operation) return false;
		return Date.parse(row.at) >= from && (status === undefined || matchesStatus(status, row));
	};
};

export interface RequestsPage {
	readonly data: JournalRow[];
	readonly next_cursor: string | null;
	/** Number of earlier requests that are no longer kept. */
	readonly dropped: number;
}

/** Returns one page; without a limit, all matching requests. */
export const requestsPage = (service: Service, sent: RequestsFilter): RequestsPage => {
	const { journal } = service;
	const filter = validate(Filter, sent);
	const isWanted = passes(service, filter);
	const { dropped } = journal;
	const data: JournalRow[] = [];
	for (const [place, row] of journal.from(Number(filter.cursor ?? 0))) {
		if (!isWanted(row)) continue;
		if (data.length === filter.limit) return { data, next_cursor: String(place), dropped };
		data.push({ ...row });
	}
	return { data, next_cursor: null, dropped };
};
