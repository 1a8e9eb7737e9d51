/**
 * What each row holds: its type, and what it is checked with where it comes from a snapshot. One that lacks something would
 * break an answer much later.
 */
import { z } from "zod";
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

export const text = z.string();
export const maybe = text.nullable();
export const whole = z.number().int();
export const time = text.refine((at) => !Number.isNaN(Date.parse(at)), "must be a time");
const flag = z.boolean();
const maybeTime = time.nullable();
const texts = z.array(text);
const map = z.record(text, text);

/** Looser than its type: an edit outside the API may store more than the API accepts. */
const as = <Type>(schema: z.ZodType) => schema as z.ZodType<Type>;

const reason = z.object({ code: text, message: text });
export type KycReason = Readonly<z.infer<typeof reason>>;
const reasons = z.array(reason);
const kyc = z.object({ status: text, profile_id: maybe, reasons, deadline: maybeTime });
export type Kyc = z.infer<typeof kyc>;
const money = as<Money>(
	z.object({
		amount: text.refine((amount) => amount !== "" && Number.isFinite(Number(amount)), "must be an amount"),
		currency: text,
	}),
);
const route = as<Route>(z.object({ type: text })).nullable();
const auth = z.union(
	[
		z.object({ mode: z.literal("ip_acl"), allowed_cidrs: texts }),
		z.object({ mode: z.literal("digest"), username: text, password: text, password_updated_at: time }),
	],
	"must be a trunk's auth",
);
export type TrunkAuth = z.infer<typeof auth>;
/** The result of a call or SMS that a rule or a magic number decides; null is the default time. */
const script = z.object({ fate: text, after_seconds: z.number().nullable(), talk_seconds: z.number().nullable() });
export type Scripted = Readonly<z.infer<typeof script>>;
/** One attempt to deliver. */
const attempt = z.object({ at: time, status: whole.nullable(), error: maybe });
export type Attempt = Readonly<z.infer<typeof attempt>>;

type Shape = Readonly<Record<string, z.ZodType>>;
/** `unknown` for no fields: zod's type of an empty object excludes other fields. */
type Part<Fields extends Shape> = [keyof Fields] extends [never] ? unknown : z.output<z.ZodObject<Fields>>;
type Row<Fixed extends Shape, Changing extends Shape> = Stored & Readonly<Part<Fixed>> & Part<Changing>;

/** Fixed and changing properties. Unknown properties pass: a newer emulator may have more. */
const row = <Fixed extends Shape, Changing extends Shape>(fixed: Fixed, changing: Changing) =>
	z.object({
		id: text,
		seq: whole,
		created_at: time,
		updated_at: time,
		next_at: maybeTime.optional(),
		...fixed,
		...changing,
	}) as unknown as z.ZodType<Row<Fixed, Changing>>;

export const rows = {
	numbers: row(
		{ country: text, area: maybe, type: text, kyc_required: flag, source: z.enum(["purchase", "port"]) },
		{
			number: text,
			status: text,
			kyc: kyc.nullable(),
			capabilities: texts,
			routing: route,
			sms_webhook_url: maybe,
			label: maybe,
			reference: maybe,
			metadata: map,
			release_protection: flag,
			reconciling: flag,
			activated_at: maybeTime,
			released_at: maybeTime,
			/** The periods in which it costs its monthly price. */
			billed: z.array(z.object({ from: time, to: maybeTime })).readonly(),
			quarantine_until: maybeTime,
		},
	),
	trunks: row(
		{ sip_domain: text },
		{
			name: text,
			auth,
			capacity: whole,
			cps: whole.nullable(),
			targets: as<TargetRequest[]>(z.array(z.object({ host: text }))).nullable(),
			media_encryption: z.enum(["none", "srtp"]).nullable(),
			codecs: texts.nullable(),
			enabled: flag,
			label: maybe,
			reference: maybe,
			metadata: map,
			status: text,
			reconciling: flag,
		},
	),
	webhooks: row(
		{},
		{
			url: text,
			events: as<CreateWebhook["events"]>(texts),
			description: maybe,
			enabled: flag,
			status: text,
			disabled_reason: maybe,
			secret: text,
			secret_version: whole,
			previous_secret: maybe,
			previous_secret_expires_at: maybeTime,
			reference: maybe,
		},
	),
	/** One event on its way to one URL. */
	deliveries: row(
		{
			/** Null for the URL of a number or a message, which has no secret. */
			webhook_id: maybe,
			/** The `webhook-id` of all deliveries of the event. */
			event_id: text,
			event: text,
			/** The body of each attempt. */
			payload: text,
			resend_of: maybe,
			/** True if it is signed with a wrong secret. */
			badly_signed: flag,
		},
		{
			/** The URL of the last attempt, or of the first one to come. */
			url: text,
			status: z.enum(["pending", "delivered", "failed", "refused"]),
			attempts: z.array(attempt),
			next_at: maybeTime,
		},
	),
	kycProfiles: row(
		{ holder: as<CreateKycProfile["holder"]>(text) },
		{
			status: text,
			name: text,
			country: text,
			address: as<CreateKycProfile["address"]>(z.object({ street: text, city: text, country: text })),
			id_number: maybe,
			document_ids: texts,
			reasons,
			reference: maybe,
			submitted_at: maybeTime,
			decided_at: maybeTime,
		},
	),
	/** A document without its content. */
	kycDocuments: row(
		{
			kind: as<CreateKycDocument["kind"]>(text),
			filename: text,
			media_type: text,
			size: whole,
			sha256: text,
		},
		{},
	),
	calls: row(
		{
			direction: z.enum(["inbound", "outbound"]),
			from: text,
			to: text,
			number_id: text,
			/** The trunk whose channel it uses. */
			trunk_id: maybe,
			timeout_seconds: z.number(),
			/** Null: the settings decide. */
			script: script.nullable(),
			/** The other end or the webhook that decides while it rings. */
			waits_for: z.enum(["peer", "webhook"]).nullable(),
			reference: maybe,
		},
		{
			route,
			record: flag,
			/** The other end, if it is a call of this account. */
			peer_id: maybe,
			/** `machine` for a voicemail box. */
			answered_by: z.enum(["human", "machine"]).nullable(),
			status: z.enum(["queued", "ringing", "in_progress", "completed", "busy", "failed", "no_answer", "canceled"]),
			started_at: maybeTime,
			answered_at: maybeTime,
			ended_at: maybeTime,
			hangup_cause: maybe,
			sip_code: whole.nullable(),
			price: money.nullable(),
			/** When the price counts. @default when the call ended */
			charged_at: time.optional(),
			next_at: maybeTime,
		},
	),
	recordings: row(
		{
			call_id: text,
			duration_seconds: z.number(),
			price: money,
			/** When the price counts. @default its creation */
			charged_at: time.optional(),
		},
		{ status: z.enum(["processing", "completed"]), url_expires_at: maybeTime, next_at: maybeTime },
	),
	messages: row(
		{
			direction: z.enum(["inbound", "outbound"]),
			from: text,
			to: text,
			number_id: text,
			text,
			segments: whole,
			encoding: z.enum(["gsm7", "ucs2"]),
			status_webhook_url: maybe,
			reference: maybe,
			script: script.nullable(),
		},
		{
			status: z.enum(["queued", "sending", "sent", "delivered", "undelivered", "failed", "received"]),
			error: reason.nullable(),
			price: money.nullable(),
			/** When the price counts. @default when it was sent or received */
			charged_at: time.optional(),
			sent_at: maybeTime,
			delivered_at: maybeTime,
			next_at: maybeTime,
		},
	),
	portOrders: row(
		{ country: text },
		{
			status: text,
			numbers: texts,
			number_ids: texts,
			carrier: z.object({ name: text, account_number: maybe, pin: maybe }),
			subscriber: as<CreatePortOrder["subscriber"]>(z.object({ name: text, address: text })),
			requested_date: maybeTime,
			document_ids: texts,
			scheduled_at: maybeTime,
			exceptions: reasons,
			reference: maybe,
			submitted_at: maybeTime,
			completed_at: maybeTime,
		},
	),
	invoices: row(
		{
			number: text,
			period_start: time,
			period_end: time,
			lines: z.array(z.object({ category: text, description: text, quantity: z.number(), unit: text, cost: money })),
			total: money,
			due_at: time,
		},
		{ status: z.enum(["open", "paid"]), paid_at: maybeTime },
	),
};

export type NumberRow = z.output<typeof rows.numbers>;
export type TrunkRow = z.output<typeof rows.trunks>;
export type WebhookRow = z.output<typeof rows.webhooks>;
export type DeliveryRow = z.output<typeof rows.deliveries>;
export type KycProfileRow = z.output<typeof rows.kycProfiles>;
export type KycDocumentRow = z.output<typeof rows.kycDocuments>;
export type CallRow = z.output<typeof rows.calls>;
export type RecordingRow = z.output<typeof rows.recordings>;
export type MessageRow = z.output<typeof rows.messages>;
export type PortOrderRow = z.output<typeof rows.portOrders>;
export type InvoiceRow = z.output<typeof rows.invoices>;
