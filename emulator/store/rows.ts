/** The rows of the account. Times are RFC 3339. */
import type {
	CreateKycDocument,
	CreateKycProfile,
	CreatePortOrder,
	CreateWebhook,
	Money,
	RouteRequest,
	TargetRequest,
} from "../../provider/api/contract";
import type { Stored } from "./collection";

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

export interface NumberRow extends Stored {
	readonly country: string;
	readonly area: string | null;
	readonly type: string;
	readonly kyc_required: boolean;
	readonly source: "purchase" | "port";
	number: string;
	status: string;
	kyc: Kyc | null;
	capabilities: string[];
	routing: Route | null;
	sms_webhook_url: string | null;
	label: string | null;
	reference: string | null;
	metadata: Record<string, string>;
	release_protection: boolean;
	reconciling: boolean;
	activated_at: string | null;
	released_at: string | null;
	/** The periods in which it costs its monthly price. */
	billed: readonly { from: string; to: string | null }[];
	quarantine_until: string | null;
}

export interface TrunkRow extends Stored {
	readonly sip_domain: string;
	name: string;
	auth: TrunkAuth;
	capacity: number;
	cps: number | null;
	targets: TargetRequest[] | null;
	media_encryption: "none" | "srtp" | null;
	codecs: string[] | null;
	enabled: boolean;
	label: string | null;
	reference: string | null;
	metadata: Record<string, string>;
	status: string;
	reconciling: boolean;
}

export interface WebhookRow extends Stored {
	url: string;
	events: CreateWebhook["events"];
	description: string | null;
	enabled: boolean;
	status: string;
	disabled_reason: string | null;
	secret: string;
	secret_version: number;
	previous_secret: string | null;
	previous_secret_expires_at: string | null;
	reference: string | null;
}

/** One event on its way to one URL. */
export interface DeliveryRow extends Stored {
	/** Null for the URL of a number or a message, which has no secret. */
	readonly webhook_id: string | null;
	/** The `webhook-id` of all deliveries of the event. */
	readonly event_id: string;
	readonly event: string;
	/** The body of each attempt. */
	readonly payload: string;
	readonly resend_of: string | null;
	/** True if it is signed with a wrong secret. */
	readonly badly_signed: boolean;
	/** The URL of the last attempt, or of the first one to come. */
	url: string;
	status: "pending" | "delivered" | "failed" | "refused";
	attempts: Attempt[];
	next_at: string | null;
}

export interface KycProfileRow extends Stored {
	readonly holder: CreateKycProfile["holder"];
	status: string;
	name: string;
	country: string;
	address: CreateKycProfile["address"];
	id_number: string | null;
	document_ids: string[];
	reasons: KycReason[];
	reference: string | null;
	submitted_at: string | null;
	decided_at: string | null;
}

/** A document without its content. */
export interface KycDocumentRow extends Stored {
	readonly kind: CreateKycDocument["kind"];
	readonly filename: string;
	readonly media_type: string;
	readonly size: number;
	readonly sha256: string;
}

export interface CallRow extends Stored {
	readonly direction: "inbound" | "outbound";
	readonly from: string;
	readonly to: string;
	readonly number_id: string;
	/** The trunk whose channel it uses. */
	readonly trunk_id: string | null;
	readonly timeout_seconds: number;
	/** Null: the settings decide. */
	readonly script: Scripted | null;
	/** The other end or the webhook that decides while it rings. */
	readonly waits_for: "peer" | "webhook" | null;
	readonly reference: string | null;
	route: Route | null;
	record: boolean;
	/** The other end, if it is a call of this account. */
	peer_id: string | null;
	/** `machine` for a voicemail box. */
	answered_by: "human" | "machine" | null;
	status: "queued" | "ringing" | "in_progress" | "completed" | "busy" | "failed" | "no_answer" | "canceled";
	started_at: string | null;
	answered_at: string | null;
	ended_at: string | null;
	hangup_cause: string | null;
	sip_code: number | null;
	price: Money | null;
	/** When the price counts. @default when the call ended */
	charged_at?: string;
	next_at: string | null;
}

export interface RecordingRow extends Stored {
	readonly call_id: string;
	readonly duration_seconds: number;
	readonly price: Money;
	/** When the price counts. @default its creation */
	readonly charged_at?: string;
	status: "processing" | "completed";
	url_expires_at: string | null;
	next_at: string | null;
}

export interface MessageRow extends Stored {
	readonly direction: "inbound" | "outbound";
	readonly from: string;
	readonly to: string;
	readonly number_id: string;
	readonly text: string;
	readonly segments: number;
	readonly encoding: "gsm7" | "ucs2";
	readonly status_webhook_url: string | null;
	readonly reference: string | null;
	readonly script: Scripted | null;
	status: "queued" | "sending" | "sent" | "delivered" | "undelivered" | "failed" | "received";
	error: KycReason | null;
	price: Money | null;
	/** When the price counts. @default when it was sent or received */
	charged_at?: string;
	sent_at: string | null;
	delivered_at: string | null;
	next_at: string | null;
}

export interface PortOrderRow extends Stored {
	readonly country: string;
	status: string;
	numbers: string[];
	number_ids: string[];
	carrier: { name: string; account_number: string | null; pin: string | null };
	subscriber: CreatePortOrder["subscriber"];
	requested_date: string | null;
	document_ids: string[];
	scheduled_at: string | null;
	exceptions: KycReason[];
	reference: string | null;
	submitted_at: string | null;
	completed_at: string | null;
}

export interface InvoiceRow extends Stored {
	readonly number: string;
	readonly period_start: string;
	readonly period_end: string;
	readonly lines: { category: string; description: string; quantity: number; unit: string; cost: Money }[];
	readonly total: Money;
	readonly due_at: string;
	status: "open" | "paid";
	paid_at: string | null;
}

export interface Rows {
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
