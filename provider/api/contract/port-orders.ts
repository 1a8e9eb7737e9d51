import { z } from "zod";
import { act, create, get, list, ofFeature, patch } from "./operation";
import * as s from "./schema";

export const portStatuses = [
	"draft",
	"submitted",
	"in_review",
	"exception",
	"scheduled",
	"completed",
	"cancel_pending",
	"cancelled",
] as const;

export const CreatePortOrder = s.request(() => ({
	/** A set. */
	numbers: z.array(s.e164).min(1).max(50),
	country: s.country,
	/** The present carrier of the numbers. Replaced whole, except for the PIN: it is never returned, and stays if it is omitted. */
	carrier: s.request(() => ({
		name: z.string().min(1).max(100),
		account_number: z.string().min(1).max(64).nullable().optional(),
		pin: s.secret(z.string().min(1).max(32).nullable().optional()),
	})),
	/** As the present carrier knows them. */
	subscriber: s.request(() => ({ name: z.string().min(1).max(200), address: z.string().min(1).max(500) })),
	/** Not before this time. */
	requested_date: s.instant().nullable().optional(),
	/** Documents of `/kyc/documents`, such as the letter of authorization. */
	document_ids: z.array(s.id).max(20).optional(),
	reference: s.reference.optional(),
}));
export type CreatePortOrder = z.infer<typeof CreatePortOrder>;

export const PatchPortOrder = s.request(() => CreatePortOrder.omit({ country: true }).partial().shape);
export type PatchPortOrder = z.infer<typeof PatchPortOrder>;

const PlainPortOrderRecord = s.response(() => ({
	id: s.id,
	status: s.openEnum(portStatuses).optional(),
	numbers: z.array(s.phone).optional(),
	/** The numbers on this account, once they have been ported. */
	number_ids: z.array(z.string()).optional(),
	country: z.string().optional(),
	carrier: s
		.response(() => ({
			name: z.string(),
			account_number: z.string().nullable().optional(),
			pin_set: z.boolean().optional(),
		}))
		.optional(),
	subscriber: s.response(() => ({ name: z.string(), address: z.string() })).optional(),
	requested_date: s.time.nullable().optional(),
	document_ids: z.array(z.string()).optional(),
	/** When the numbers change over. */
	scheduled_at: s.time.nullable().optional(),
	/** The problems to fix before the order is submitted again. */
	exceptions: z.array(s.response(() => ({ code: z.string(), message: z.string() }))).optional(),
	reference: s.words.optional(),
	submitted_at: s.time.nullable().optional(),
	completed_at: s.time.nullable().optional(),
	...s.times,
}));
export type PortOrderRecord = z.infer<typeof PlainPortOrderRecord>;
export const PortOrderRecord: s.Schema<PortOrderRecord> = PlainPortOrderRecord;

export const portOrderOperations = ofFeature("ports", {
	listPortOrders: list("/port_orders", PortOrderRecord, () => ({
		status: z.enum(portStatuses).optional(),
		reference: s.referenceFilter,
	})),
	createPortOrder: create("/port_orders", CreatePortOrder, PortOrderRecord),
	getPortOrder: get("/port_orders/{id}", PortOrderRecord),
	/** Allowed for a draft, and to fix exceptions. `reference` may change at any time. */
	patchPortOrder: patch("/port_orders/{id}", PatchPortOrder, PortOrderRecord),
	submitPortOrder: act("/port_orders/{id}/submit", PortOrderRecord),
	cancelPortOrder: act("/port_orders/{id}/cancel", PortOrderRecord),
});
