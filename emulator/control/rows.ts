/** Checks the rows of a snapshot. */
import { z } from "zod";
import { maybe, rows, text, time, whole } from "../store/rows";

const tables: Readonly<Record<string, z.ZodType>> = {
	...rows,
	ledger: z.looseObject({ kind: text, number_id: text, key: maybe, request_id: text, at: time }),
	keys: z.looseObject({ fingerprint: text, at: z.number(), reply: z.looseObject({ status: whole }) }),
	used: z.number().int().min(0),
	taken: z.literal(true),
	optOuts: time,
};

/** Explains why a value doesn't fit its table; undefined if it fits. */
export const problemOf = (table: string, key: string, value: unknown): string | undefined => {
	const schema = tables[table];
	if (schema === undefined) return undefined;
	const { id } = (value ?? {}) as { id?: unknown };
	if (tables[table] instanceof z.ZodObject && id !== undefined && id !== key) return "must have its key as its id";
	const parsed = schema.safeParse(value);
	const [issue] = parsed.error?.issues ?? [];
	return issue && `${issue.path.join(".") || "the value"}: ${issue.message}`;
};
