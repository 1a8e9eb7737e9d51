/** The kinds of objects on an account. Everything that depends on the kind of an object follows from its entry. */
import type { z } from "zod";
import { at } from "../json";
import { InvoiceRecord } from "./billing";
import { CallRecord, RecordingRecord } from "./calls";
import { KycDocumentRecord, KycProfileRecord } from "./kyc";
import { MessageRecord } from "./messages";
import { NumberRecord } from "./numbers";
import { PortOrderRecord } from "./port-orders";
import { TrunkRecord } from "./trunks";
import { DeliveryRecord, WebhookRecord } from "./webhooks";

/** The paths of a field of a number. */
interface NumberField {
	readonly request: string;
	readonly record: string;
}

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
	/** The fields in which a number has the id of such an object, if numbers use them. */
	readonly usedIn?: readonly NumberField[];
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
		usedIn: [{ request: "kyc_profile_id", record: "kyc.profile_id" }],
	},
	kycDocuments: {
		name: "kyc_document",
		noun: "document",
		path: "/kyc/documents",
		idPrefix: "doc",
		record: KycDocumentRecord,
	},
	trunks: {
		name: "trunk",
		noun: "trunk",
		path: "/trunks",
		idPrefix: "trk",
		record: TrunkRecord,
		usedIn: ["routing.trunk_id", "routing.failover.trunk_id"].map((path) => ({ request: path, record: path })),
	},
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

/** The kinds of objects that numbers use. */
export type UsedKind = {
	[K in KindName]: (typeof kinds)[K] extends { readonly usedIn: unknown } ? K : never;
}[KindName];

export const usedKinds = (Object.keys(kinds) as KindName[]).filter((kind): kind is UsedKind => "usedIn" in kinds[kind]);

/** Returns the ids of the objects of a kind that a number uses. */
export const idsUsedBy = (number: object, kind: UsedKind): readonly string[] =>
	kinds[kind].usedIn.map(({ record }) => at(number, record)).filter((id) => typeof id === "string");

/** Returns the error code of the refusal to delete an object that numbers use. */
export const inUseCode = (kind: UsedKind): `${(typeof kinds)[UsedKind]["name"]}_in_use` => `${kinds[kind].name}_in_use`;
