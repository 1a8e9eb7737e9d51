import { z } from "zod";
import { get, list, ofFeature } from "./operation";
import * as s from "./schema";

export const usageCategories = ["numbers", "calls", "sms", "recordings"] as const;
export const usageGroups = ["category", "day", "number"] as const;
export const invoiceStatuses = ["draft", "open", "paid", "void"] as const;

/** Usage and its cost, per category and, if requested, per day or number. */
export const UsageRecord = s.response(() => ({
	category: s.openEnum(usageCategories),
	/** With `group_by=number` only. */
	number_id: z.string().nullable().optional(),
	quantity: z.number(),
	unit: s.openEnum(["month", "minute", "segment"]),
	cost: s.money,
	/** RFC 3339; the end is the first moment that no longer counts. */
	period_start: s.time,
	period_end: s.time,
}));
export type UsageRecord = z.infer<typeof UsageRecord>;

const PlainInvoiceRecord = s.response(() => ({
	id: s.id,
	/** Human-readable text. */
	number: z.string().optional(),
	status: s.openEnum(invoiceStatuses).optional(),
	period_start: s.time.optional(),
	/** The first moment that no longer counts. */
	period_end: s.time.optional(),
	lines: z
		.array(
			s.response(() => ({
				category: s.openEnum(usageCategories),
				description: z.string(),
				quantity: z.number(),
				unit: z.string(),
				cost: s.money,
			})),
		)
		.optional(),
	total: s.money.optional(),
	due_at: s.time.nullable().optional(),
	paid_at: s.time.nullable().optional(),
	/** A page or PDF to print: absolute, or relative to the base URL. */
	document_url: z.string().nullable().optional(),
	...s.times,
}));
export type InvoiceRecord = z.infer<typeof PlainInvoiceRecord>;
export const InvoiceRecord: s.Schema<InvoiceRecord> = PlainInvoiceRecord;

export const billingOperations = ofFeature("billing", {
	getUsage: list("/usage", UsageRecord, () => ({
		/** Default: the beginning of this month (UTC). */
		from: s.instant().optional(),
		/** Default: now. */
		to: s.instant().optional(),
		group_by: z.enum(usageGroups).optional(),
	})),
	listInvoices: list("/invoices", InvoiceRecord, () => ({ status: z.enum(invoiceStatuses).optional() })),
	getInvoice: get("/invoices/{id}", InvoiceRecord),
	getInvoiceDocument: { method: "GET", path: "/invoices/{id}/document", status: 200, media: "text/html" },
});
