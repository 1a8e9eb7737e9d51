import { z } from "zod";
import type { Operation } from "./operation";
import { answer, id, listQuery, money, openEnum, page, time } from "./schema";

export const usageCategories = ["numbers", "calls", "sms", "recordings"] as const;
export const usageGroups = ["category", "day", "number"] as const;
export const invoiceStatuses = ["draft", "open", "paid", "void"] as const;

const moment = z.iso.datetime({ offset: true, error: "must be a time such as 2026-01-31T00:00:00Z" });

/** What was used and what it costs, per category and day or number as asked. */
export const UsageRecord = answer({
	category: openEnum(usageCategories),
	/** With `group_by=number` only. */
	number_id: z.string().nullable().optional(),
	quantity: z.number(),
	unit: openEnum(["month", "minute", "segment"]),
	cost: money,
	/** RFC 3339; the end is the first moment that no longer counts. */
	period_start: time,
	period_end: time,
});
export type UsageRecord = z.infer<typeof UsageRecord>;

const PlainInvoiceRecord = answer({
	id,
	/** Human-readable text. */
	number: z.string().optional(),
	status: openEnum(invoiceStatuses).optional(),
	period_start: time.optional(),
	/** The first moment that no longer counts. */
	period_end: time.optional(),
	lines: z
		.array(
			answer({
				category: openEnum(usageCategories),
				description: z.string(),
				quantity: z.number(),
				unit: z.string(),
				cost: money,
			}),
		)
		.optional(),
	total: money.optional(),
	due_at: time.nullable().optional(),
	paid_at: time.nullable().optional(),
	/** A page or PDF to print: absolute, or relative to the base URL. */
	document_url: z.string().nullable().optional(),
	created_at: time.nullable().optional(),
	updated_at: time.nullable().optional(),
});
export type InvoiceRecord = z.infer<typeof PlainInvoiceRecord>;
/** Named, as {@link RouteSchema} is. */
export interface InvoiceSchema extends z.ZodType<InvoiceRecord, InvoiceRecord> {}
export const InvoiceRecord: InvoiceSchema = PlainInvoiceRecord;

const area = { origin: "assumed", feature: "billing" } as const;

export const billingOperations = {
	getUsage: {
		...area,
		method: "GET",
		path: "/usage",
		query: listQuery({
			/** Default: the beginning of this month (UTC). */
			from: moment.optional(),
			/** Default: now. */
			to: moment.optional(),
			group_by: z.enum(usageGroups).optional(),
		}),
		status: 200,
		answer: page(UsageRecord),
	},
	listInvoices: {
		...area,
		method: "GET",
		path: "/invoices",
		query: listQuery({ status: z.enum(invoiceStatuses).optional() }),
		status: 200,
		answer: page(InvoiceRecord),
	},
	getInvoice: { ...area, method: "GET", path: "/invoices/{id}", status: 200, answer: InvoiceRecord },
	getInvoiceDocument: { ...area, method: "GET", path: "/invoices/{id}/document", status: 200, media: "text/html" },
} as const satisfies Record<string, Operation>;
