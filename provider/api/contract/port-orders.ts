import { z } from "zod";
import { act, create, get, list, type Operation, patch } from "./operation";
import {
	country,
	e164,
	id,
	openEnum,
	reference,
	referenceFilter,
	request,
	response,
	type Schema,
	secret,
	time,
	words,
} from "./schema";

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

const portRequest = {
	/** A set. */
	numbers: z.array(e164).min(1).max(50),
	country,
	/** The present carrier of the numbers. Replaced whole, except for the PIN: it is never returned, and stays if it is omitted. */
	carrier: request({
		name: z.string().min(1).max(100),
		account_number: z.string().min(1).max(64).nullable().optional(),
		pin: secret(z.string().min(1).max(32).nullable().optional()),
	}),
	/** As the present carrier knows them. */
	subscriber: request({ name: z.string().min(1).max(200), address: z.string().min(1).max(500) }),
	/** Not before this time. */
	requested_date: z.iso
		.datetime({ offset: true, error: "must be a time such as 2026-01-31T00:00:00Z" })
		.nullable()
		.optional(),
	/** Documents of `/kyc/documents`, such as the letter of authorization. */
	document_ids: z.array(id).max(20).optional(),
	reference: reference.optional(),
};
export const CreatePortOrder = request(portRequest);
export type CreatePortOrder = z.infer<typeof CreatePortOrder>;

export const PatchPortOrder = CreatePortOrder.omit({ country: true }).partial();
export type PatchPortOrder = z.infer<typeof PatchPortOrder>;

const PlainPortOrderRecord = response({
	id,
	status: openEnum(portStatuses).optional(),
	numbers: z.array(z.string()).optional(),
	/** The numbers on this account, once they have been ported. */
	number_ids: z.array(z.string()).optional(),
	country: z.string().optional(),
	carrier: response({
		name: z.string(),
		account_number: z.string().nullable().optional(),
		pin_set: z.boolean().optional(),
	}).optional(),
	subscriber: response({ name: z.string(), address: z.string() }).optional(),
	requested_date: time.nullable().optional(),
	document_ids: z.array(z.string()).optional(),
	/** When the numbers change over. */
	scheduled_at: time.nullable().optional(),
	/** The problems to fix before the order is submitted again. */
	exceptions: z.array(response({ code: z.string(), message: z.string() })).optional(),
	reference: words.optional(),
	submitted_at: time.nullable().optional(),
	completed_at: time.nullable().optional(),
	created_at: time.nullable().optional(),
	updated_at: time.nullable().optional(),
});
export type PortOrderRecord = z.infer<typeof PlainPortOrderRecord>;
export const PortOrderRecord: Schema<PortOrderRecord> = PlainPortOrderRecord;

const area = { origin: "assumed", feature: "ports" } as const;

export const portOrderOperations = {
	listPortOrders: {
		...area,
		...list("/port_orders", PortOrderRecord, { status: z.enum(portStatuses).optional(), reference: referenceFilter }),
	},
	createPortOrder: { ...area, ...create("/port_orders", CreatePortOrder, PortOrderRecord) },
	getPortOrder: { ...area, ...get("/port_orders/{id}", PortOrderRecord) },
	/** Allowed for a draft, and to fix exceptions. `reference` may change at any time. */
	patchPortOrder: { ...area, ...patch("/port_orders/{id}", PatchPortOrder, PortOrderRecord) },
	submitPortOrder: { ...area, ...act("/port_orders/{id}/submit", PortOrderRecord) },
	cancelPortOrder: { ...area, ...act("/port_orders/{id}/cancel", PortOrderRecord) },
} as const satisfies Record<string, Operation>;
