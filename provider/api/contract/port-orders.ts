import { z } from "zod";
import type { Operation } from "./operation";
import {
	answer,
	country,
	e164,
	id,
	listQuery,
	openEnum,
	page,
	reference,
	request,
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
	/** Where the numbers are now. Replaced whole, except for the PIN: it is never returned, and stays if it is omitted. */
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

const PlainPortOrderRecord = answer({
	id,
	status: openEnum(portStatuses).optional(),
	numbers: z.array(z.string()).optional(),
	/** The numbers on this account, once they have been ported. */
	number_ids: z.array(z.string()).optional(),
	country: z.string().optional(),
	carrier: answer({
		name: z.string(),
		account_number: z.string().nullable().optional(),
		pin_set: z.boolean().optional(),
	}).optional(),
	subscriber: answer({ name: z.string(), address: z.string() }).optional(),
	requested_date: time.nullable().optional(),
	document_ids: z.array(z.string()).optional(),
	/** When the numbers change over. */
	scheduled_at: time.nullable().optional(),
	/** What must be fixed before the order is submitted again. */
	exceptions: z.array(answer({ code: z.string(), message: z.string() })).optional(),
	reference: words.optional(),
	submitted_at: time.nullable().optional(),
	completed_at: time.nullable().optional(),
	created_at: time.nullable().optional(),
	updated_at: time.nullable().optional(),
});
export type PortOrderRecord = z.infer<typeof PlainPortOrderRecord>;
/** Named, as {@link RouteSchema} is. */
export interface PortOrderSchema extends z.ZodType<PortOrderRecord, PortOrderRecord> {}
export const PortOrderRecord: PortOrderSchema = PlainPortOrderRecord;

const area = { origin: "assumed", feature: "ports" } as const;

export const portOrderOperations = {
	listPortOrders: {
		...area,
		method: "GET",
		path: "/port_orders",
		query: listQuery({ status: z.enum(portStatuses).optional(), reference: z.string().min(1).max(128).optional() }),
		status: 200,
		answer: page(PortOrderRecord),
	},
	createPortOrder: {
		...area,
		method: "POST",
		path: "/port_orders",
		body: CreatePortOrder,
		status: 201,
		answer: PortOrderRecord,
	},
	getPortOrder: { ...area, method: "GET", path: "/port_orders/{id}", status: 200, answer: PortOrderRecord },
	/** As a draft, or to fix exceptions; nothing but `reference` at any time. */
	patchPortOrder: {
		...area,
		method: "PATCH",
		path: "/port_orders/{id}",
		body: PatchPortOrder,
		status: 200,
		answer: PortOrderRecord,
	},
	submitPortOrder: { ...area, method: "POST", path: "/port_orders/{id}/submit", status: 200, answer: PortOrderRecord },
	cancelPortOrder: { ...area, method: "POST", path: "/port_orders/{id}/cancel", status: 200, answer: PortOrderRecord },
} as const satisfies Record<string, Operation>;
