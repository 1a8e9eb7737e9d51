/**
 * The rows of the account. A row has the fields of its kind's record, all of them, and internal ones. Times are RFC 3339.
 */
import type { z } from "zod";
import {
	type CreateKycDocument,
	type CreateKycProfile,
	type CreatePortOrder,
	type CreateWebhook,
	type KindName,
	kinds,
	type Money,
	type RouteRequest,
	type TargetRequest,
} from "../../provider/api/contract";
import type { Stored } from "./collection";

/** Fields of a record that its response computes, so that the row lacks them. */
const computed = {
	numbers: ["state", "price"],
	trunks: ["numbers_count"],
	webhooks: ["secret_hint"],
	deliveries: ["next_attempt_at"],
	kycProfiles: ["id_number_set"],
	calls: ["duration_seconds"],
	recordings: ["channels", "format", "url"],
	invoices: ["document_url"],
} as const satisfies { readonly [Name in KindName]?: readonly string[] };

type RecordOf<Name extends KindName> = z.output<(typeof kinds)[Name]["record"]>;

/** The named fields of an open response. */
type Fields<Record> = {
	[Field in keyof Record as string extends Field ? never : Field]-?: Exclude<Record[Field], undefined>;
};

/** The fields of a kind's record as they are stored. */
type Recorded<Name extends KindName> = Omit<Fields<RecordOf<Name>>, keyof Stored | ComputedOf<Name>>;

type ComputedOf<Name extends KindName> = Name extends keyof typeof computed ? (typeof computed)[Name][number] : never;

/** @template Own internal fields, and those with another type than in a response */
type Row<Name extends KindName, Own> = Stored & Omit<Recorded<Name>, keyof Own> & Own;

/** A route; an edit outside the API may set a type that the API doesn't know. */
export type Route = RouteRequest | { type: string; failover?: unknown; [property: string]: unknown };
export type KycReason = Readonly<Record<"code" | "message", string>>;
export type Kyc = { status: string; profile_id: string | null; reasons: KycReason[]; deadline: string | null };
export type TrunkAuth =
	| { mode: "ip_acl"; allowed_cidrs: string[] }
	| { mode: "digest"; username: string; password: string; password_updated_at: string };

/** The result of a call or SMS that a rule or a magic number decides; null is the default time. */
export type Scripted = Readonly<{ fate: string; after_seconds: number | null; talk_seconds: number | null }>;

/** One attempt to deliver. */
export type Attempt = Readonly<{ at: string; status: number | null; error: string | null }>;

export type NumberRow = Row<
	"numbers",
	{
		readonly source: "purchase" | "port";
		number: string;
		kyc: Kyc | null;
		routing: Route | null;
		metadata: Record<string, string>;
		/** The periods in which it costs its monthly price. */
		billed: readonly { from: string; to: string | null }[];
	}
>;

export type TrunkRow = Row<
	"trunks",
	{
		auth: TrunkAuth;
		targets: TargetRequest[] | null;
		metadata: Record<string, string>;
	}
>;

export type WebhookRow = Row<
	"webhooks",
	{
		events: CreateWebhook["events"];
		secret: string;
		previous_secret: string | null;
	}
>;

/** One event on its way to one URL. */
export type DeliveryRow = Row<
	"deliveries",
	{
		/** Null for the URL of a number or a message, which has no secret. */
		readonly webhook_id: string | null;
		/** The body of each attempt. */
		readonly payload: string;
		/** True if it is signed with a wrong secret. */
		readonly badly_signed: boolean;
		/** The URL of the last attempt, or of the first one to come. */
		url: string;
		status: "pending" | "delivered" | "failed" | "refused";
		attempts: Attempt[];
		next_at: string | null;
	}
>;

export type KycProfileRow = Row<
	"kycProfiles",
	{
		readonly holder: CreateKycProfile["holder"];
		address: CreateKycProfile["address"];
		id_number: string | null;
		reasons: KycReason[];
	}
>;

/** A document without its content. */
export type KycDocumentRow = Row<"kycDocuments", Pick<CreateKycDocument, "kind">>;

export type CallRow = Row<
	"calls",
	{
		readonly direction: "inbound" | "outbound";
		readonly number_id: string;
		/** Null: the settings decide. */
		readonly script: Scripted | null;
		/** The other end or the webhook that decides while it rings. */
		readonly waits_for: "peer" | "webhook" | null;
		/** The other end, if it is a call of this account. */
		peer_id: string | null;
		route: Route | null;
		/** `machine` for a voicemail box. */
		answered_by: "human" | "machine" | null;
		status: "queued" | "ringing" | "in_progress" | "completed" | "busy" | "failed" | "no_answer" | "canceled";
		/** Time at which the price counts. The call has ended earlier if the emulator was stopped then. */
		charged_at?: string;
		next_at: string | null;
	}
>;

export type RecordingRow = Row<
	"recordings",
	{
		readonly duration_seconds: number;
		readonly price: Money;
		status: "processing" | "completed";
		next_at: string | null;
	}
>;

export type MessageRow = Row<
	"messages",
	{
		readonly direction: "inbound" | "outbound";
		readonly number_id: string;
		readonly script: Scripted | null;
		status: "queued" | "sending" | "sent" | "delivered" | "undelivered" | "failed" | "received";
		next_at: string | null;
	}
>;

export type PortOrderRow = Row<
	"portOrders",
	{
		carrier: { name: string; account_number: string | null; pin: string | null };
		subscriber: CreatePortOrder["subscriber"];
		exceptions: KycReason[];
	}
>;

export type InvoiceRow = Row<"invoices", { readonly due_at: string; status: "open" | "paid" }>;

/** The rows that have more than their record, or other types. */
interface SpecialRows {
	numbers: NumberRow;
	trunks: TrunkRow;
	webhooks: WebhookRow;
	deliveries: DeliveryRow;
	kycProfiles: KycProfileRow;
	kycDocuments: KycDocumentRow;
	calls: CallRow;
	recordings: RecordingRow;
	messages: MessageRow;
	portOrders: PortOrderRow;
	invoices: InvoiceRow;
}

export type Rows = {
	[Name in KindName]: Name extends keyof SpecialRows ? SpecialRows[Name] : Row<Name, object>;
};

/** The fields of a record that are null until they are set. */
export type Unset<Name extends KindName> = {
	[Field in keyof Recorded<Name> as null extends Recorded<Name>[Field] ? Field : never]: null;
};

const unset = new Map<KindName, object>();

export const unsetFields = <Name extends KindName>(name: Name): Unset<Name> => {
	const fields = unset.get(name) ?? nullsOf(name);
	unset.set(name, fields);
	return fields as Unset<Name>;
};

const computedOf = (name: KindName): readonly string[] =>
	name in computed ? computed[name as keyof typeof computed] : [];

/** The stored fields of a record and their types, without id and times. */
export const fieldsOf = (name: KindName): readonly (readonly [field: string, type: z.ZodType])[] => {
	const { shape } = kinds[name].record as unknown as z.ZodObject;
	const without: readonly string[] = ["id", "created_at", "updated_at", ...computedOf(name)];
	return Object.entries(shape as Record<string, z.ZodType>).filter(([field]) => !without.includes(field));
};

const nullsOf = (name: KindName): object =>
	Object.fromEntries(
		fieldsOf(name)
			.filter(([, type]) => type.safeParse(null).success)
			.map(([field]) => [field, null]),
	);
