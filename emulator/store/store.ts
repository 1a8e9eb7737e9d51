import type {
	AuthRequest,
	CreateKycDocument,
	CreateKycProfile,
	CreatePortOrder,
	CreateWebhook,
	Money,
	RouteRequest,
	TargetRequest,
} from "../../provider/api/contract";
import type { Clock } from "../time/clock";
import { Collection, type Stored } from "./collection";

export type { Collection, Stored } from "./collection";

export type KycReason = { readonly code: string; readonly message: string };

export type Kyc = { status: string; profile_id: string | null; reasons: KycReason[]; deadline: string | null };

/** A route as declared; an edit from outside may leave a type that the API doesn't know. */
export type Route = RouteRequest | { type: string; failover?: unknown; [property: string]: unknown };

export interface NumberRow extends Stored {
	number: string;
	readonly country: string;
	readonly area: string | null;
	readonly type: string;
	status: string;
	readonly kyc_required: boolean;
	kyc: Kyc | null;
	capabilities: string[];
	routing: Route | null;
	sms_webhook_url: string | null;
	label: string | null;
	reference: string | null;
	metadata: Record<string, string>;
	release_protection: boolean;
	reconciling: boolean;
	readonly source: "purchase" | "port";
	activated_at: string | null;
	released_at: string | null;
	/** Since when it has cost its monthly price, and until when: again after it was restored. */
	billed: readonly { readonly from: string; readonly to: string | null }[];
	quarantine_until: string | null;
}

export type TrunkAuth =
	| Extract<AuthRequest, { mode: "ip_acl" }>
	| { mode: "digest"; username: string; password: string; password_updated_at: string };

export interface TrunkRow extends Stored {
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
	readonly sip_domain: string;
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

/** One attempt to deliver: when (RFC 3339), and the result. */
export type Attempt = { readonly at: string; readonly status: number | null; readonly error: string | null };

/** One event on its way to one URL. */
export interface DeliveryRow extends Stored {
	/** Null if the URL is that of a number or a message: those have no secret to sign with. */
	readonly webhook_id: string | null;
	/** The `webhook-id` of every attempt, and of every other delivery of the event. */
	readonly event_id: string;
	readonly event: string;
	/** Where the last attempt went, or the first one will go. */
	url: string;
	/** The body: the same bytes at each attempt. */
	readonly payload: string;
	readonly resend_of: string | null;
	/** Signed with a secret that is not the webhook's. */
	readonly badly_signed: boolean;
	status: "pending" | "delivered" | "failed" | "refused";
	attempts: Attempt[];
	next_at: string | null;
}

export interface KycProfileRow extends Stored {
	status: string;
	readonly holder: CreateKycProfile["holder"];
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

/** A document without its content, which nobody reads here. */
export interface KycDocumentRow extends Stored {
	readonly kind: CreateKycDocument["kind"];
	readonly filename: string;
	readonly media_type: string;
	readonly size: number;
	readonly sha256: string;
}

/** What a rule or the number itself says of a call or an SMS; null is the usual time. */
export interface Scripted {
	readonly fate: string;
	readonly after_seconds: number | null;
	readonly talk_seconds: number | null;
}

export interface CallRow extends Stored {
	readonly direction: "inbound" | "outbound";
	readonly from: string;
	readonly to: string;
	readonly number_id: string;
	/** The trunk whose channel it takes; null if it takes none. */
	readonly trunk_id: string | null;
	route: Route | null;
	record: boolean;
	readonly timeout_seconds: number;
	/** What was decided about it beforehand; null leaves it to the settings. */
	readonly script: Scripted | null;
	/** The other end, if that is a call of this account too. */
	peer_id: string | null;
	/** What decides about it while it rings, if not a time. */
	readonly waits_for: "peer" | "webhook" | null;
	/** `machine` for a voicemail box. */
	answered_by: "human" | "machine" | null;
	readonly reference: string | null;
	status: "queued" | "ringing" | "in_progress" | "completed" | "busy" | "failed" | "no_answer" | "canceled";
	started_at: string | null;
	answered_at: string | null;
	ended_at: string | null;
	hangup_cause: string | null;
	sip_code: number | null;
	price: Money | null;
	/** When the price counts, if not when the call ended. */
	charged_at?: string;
	next_at: string | null;
}

export interface RecordingRow extends Stored {
	readonly call_id: string;
	readonly duration_seconds: number;
	status: "processing" | "completed";
	url_expires_at: string | null;
	readonly price: Money;
	/** When the price counts, if not when it was made. */
	readonly charged_at?: string;
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
	/** As of a call. */
	readonly script: Scripted | null;
	status: "queued" | "sending" | "sent" | "delivered" | "undelivered" | "failed" | "received";
	error: { code: string; message: string } | null;
	price: Money | null;
	/** When the price counts, if not when it was sent or received. */
	charged_at?: string;
	sent_at: string | null;
	delivered_at: string | null;
	next_at: string | null;
}

export interface PortOrderRow extends Stored {
	status: string;
	numbers: string[];
	number_ids: string[];
	readonly country: string;
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
	status: "open" | "paid";
	readonly period_start: string;
	readonly period_end: string;
	readonly lines: {
		readonly category: string;
		readonly description: string;
		readonly quantity: number;
		readonly unit: string;
		readonly cost: Money;
	}[];
	readonly total: Money;
	readonly due_at: string;
	paid_at: string | null;
}

export interface Store {
	readonly numbers: Collection<NumberRow>;
	readonly trunks: Collection<TrunkRow>;
	readonly webhooks: Collection<WebhookRow>;
	readonly deliveries: Collection<DeliveryRow>;
	readonly kycProfiles: Collection<KycProfileRow>;
	readonly kycDocuments: Collection<KycDocumentRow>;
	readonly calls: Collection<CallRow>;
	readonly recordings: Collection<RecordingRow>;
	readonly messages: Collection<MessageRow>;
	readonly portOrders: Collection<PortOrderRow>;
	readonly invoices: Collection<InvoiceRow>;
}

export const createStore = (clock: Clock): Store => ({
	numbers: new Collection(clock),
	trunks: new Collection(clock),
	webhooks: new Collection(clock),
	deliveries: new Collection(clock),
	kycProfiles: new Collection(clock),
	kycDocuments: new Collection(clock),
	calls: new Collection(clock),
	recordings: new Collection(clock),
	messages: new Collection(clock),
	portOrders: new Collection(clock),
	invoices: new Collection(clock),
});
