/** The kinds of objects on an account. Everything that depends on the kind of an object follows from its entry. */
import type { z } from "zod";
import { InvoiceRecord } from "./billing";
import { CallRecord, RecordingRecord } from "./calls";
import { KycDocumentRecord, KycProfileRecord } from "./kyc";
import { MessageRecord } from "./messages";
import { NumberRecord } from "./numbers";
import { PortOrderRecord } from "./port-orders";
import { TrunkRecord } from "./trunks";
import { DeliveryRecord, WebhookRecord } from "./webhooks";

interface KindEntry {
	/** The name in service descriptions. */
	readonly name: string;
	/** The name in messages. */
	readonly noun: string;
	/** The path of single reads, without the id. */
	readonly path: string;
	/** Assumed: ids are opaque to the provider. */
	readonly idPrefix: string;
	readonly record: z.ZodType;
}

/** By the names of their lists. */
export const kinds = {
	numbers: { name: "number", noun: "number", path: "/numbers", idPrefix: "num", record: NumberRecord },
	kycProfiles: {
		name: "kyc_profile",
		noun: "KYC profile",
		path: "/kyc/profiles",
		idPrefix: "kyc",
		record: KycProfileRecord,
	},
	kycDocuments: {
		name: "kyc_document",
		noun: "document",
		path: "/kyc/documents",
		idPrefix: "doc",
		record: KycDocumentRecord,
	},
	trunks: { name: "trunk", noun: "trunk", path: "/trunks", idPrefix: "trk", record: TrunkRecord },
	webhooks: { name: "webhook", noun: "webhook", path: "/webhooks", idPrefix: "whk", record: WebhookRecord },
	deliveries: {
		name: "delivery",
		noun: "delivery",
		path: "/webhook_deliveries",
		idPrefix: "dlv",
		record: DeliveryRecord,
	},
	calls: { name: "call", noun: "call", path: "/calls", idPrefix: "call", record: CallRecord },
	recordings: { name: "recording", noun: "recording", path: "/recordings", idPrefix: "rec", record: RecordingRecord },
	messages: { name: "message", noun: "message", path: "/messages", idPrefix: "msg", record: MessageRecord },
	portOrders: {
		name: "port_order",
		noun: "port order",
		path: "/port_orders",
		idPrefix: "port",
		record: PortOrderRecord,
	},
	invoices: { name: "invoice", noun: "invoice", path: "/invoices", idPrefix: "inv", record: InvoiceRecord },
} as const satisfies Readonly<Record<string, KindEntry>>;

export type KindName = keyof typeof kinds;
