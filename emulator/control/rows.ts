/** What each table holds, to check a snapshot with: a row that lacks something would break an answer much later. */
import { z } from "zod";

const text = z.string();
const maybe = text.nullable();
const flag = z.boolean();
const whole = z.number().int();
const time = text.refine((at) => !Number.isNaN(Date.parse(at)), "must be a time");
const maybeTime = time.nullable();
const texts = z.array(text);
const map = z.record(text, text);
const reasons = z.array(z.looseObject({ code: text, message: text }));
const money = z.looseObject({
	amount: text.refine((amount) => amount !== "" && Number.isFinite(Number(amount)), "must be an amount"),
	currency: text,
});
const script = z
	.looseObject({ fate: text, after_seconds: z.number().nullable(), talk_seconds: z.number().nullable() })
	.nullable();
const route = z.looseObject({ type: text }).nullable();

/** Unknown properties pass: a newer emulator may keep more. */
const row = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
	z.looseObject({
		id: text,
		seq: whole,
		created_at: time,
		updated_at: time,
		next_at: maybeTime.optional(),
		...shape,
	});

const auth = z.union(
	[
		z.looseObject({ mode: z.literal("ip_acl"), allowed_cidrs: texts }),
		z.looseObject({ mode: z.literal("digest"), username: text, password: text, password_updated_at: time }),
	],
	"must be a trunk's auth",
);

const kyc = z.looseObject({ status: text, profile_id: maybe, reasons, deadline: maybeTime });

const rows: Readonly<Record<string, z.ZodType>> = {
	numbers: row({
		number: text,
		country: text,
		area: maybe,
		type: text,
		status: text,
		kyc_required: flag,
		kyc: kyc.nullable(),
		capabilities: texts,
		routing: route,
		sms_webhook_url: maybe,
		label: maybe,
		reference: maybe,
		metadata: map,
		release_protection: flag,
		reconciling: flag,
		source: text,
		activated_at: maybeTime,
		released_at: maybeTime,
		billed: z.array(z.looseObject({ from: time, to: maybeTime })),
		quarantine_until: maybeTime,
	}),
	trunks: row({
		name: text,
		auth,
		capacity: whole,
		cps: whole.nullable(),
		targets: z.array(z.looseObject({ host: text })).nullable(),
		media_encryption: maybe,
		codecs: texts.nullable(),
		enabled: flag,
		label: maybe,
		reference: maybe,
		metadata: map,
		sip_domain: text,
		status: text,
		reconciling: flag,
	}),
	webhooks: row({
		url: text,
		events: texts,
		description: maybe,
		enabled: flag,
		status: text,
		disabled_reason: maybe,
		secret: text,
		secret_version: whole,
		previous_secret: maybe,
		previous_secret_expires_at: maybeTime,
		reference: maybe,
	}),
	deliveries: row({
		webhook_id: maybe,
		event_id: text,
		event: text,
		url: text,
		payload: text,
		resend_of: maybe,
		badly_signed: flag,
		status: text,
		attempts: z.array(z.looseObject({ at: time, status: whole.nullable(), error: maybe })),
	}),
	kycProfiles: row({
		status: text,
		holder: text,
		name: text,
		country: text,
		address: z.looseObject({ street: text, city: text, country: text }),
		id_number: maybe,
		document_ids: texts,
		reasons,
		reference: maybe,
		submitted_at: maybeTime,
		decided_at: maybeTime,
	}),
	kycDocuments: row({ kind: text, filename: text, media_type: text, size: whole, sha256: text }),
	calls: row({
		direction: text,
		from: text,
		to: text,
		number_id: text,
		trunk_id: maybe,
		route,
		record: flag,
		timeout_seconds: z.number(),
		script,
		peer_id: maybe,
		waits_for: maybe,
		answered_by: maybe,
		reference: maybe,
		status: text,
		started_at: maybeTime,
		answered_at: maybeTime,
		ended_at: maybeTime,
		hangup_cause: maybe,
		sip_code: whole.nullable(),
		price: money.nullable(),
	}),
	recordings: row({
		call_id: text,
		duration_seconds: z.number(),
		status: text,
		url_expires_at: maybeTime,
		price: money,
	}),
	messages: row({
		direction: text,
		from: text,
		to: text,
		number_id: text,
		text,
		segments: whole,
		encoding: text,
		status_webhook_url: maybe,
		reference: maybe,
		script,
		status: text,
		error: z.looseObject({ code: text, message: text }).nullable(),
		price: money.nullable(),
		sent_at: maybeTime,
		delivered_at: maybeTime,
	}),
	portOrders: row({
		status: text,
		numbers: texts,
		number_ids: texts,
		country: text,
		carrier: z.looseObject({ name: text, account_number: maybe, pin: maybe }),
		subscriber: z.looseObject({ name: text, address: text }),
		requested_date: maybeTime,
		document_ids: texts,
		scheduled_at: maybeTime,
		exceptions: reasons,
		reference: maybe,
		submitted_at: maybeTime,
		completed_at: maybeTime,
	}),
	invoices: row({
		number: text,
		status: text,
		period_start: time,
		period_end: time,
		lines: z.array(z.looseObject({ category: text, description: text, quantity: z.number(), unit: text, cost: money })),
		total: money,
		due_at: time,
		paid_at: maybeTime,
	}),
	ledger: z.looseObject({ kind: text, number_id: text, key: maybe, request_id: text, at: time }),
	keys: z.looseObject({ fingerprint: text, at: z.number(), reply: z.looseObject({ status: whole }) }),
	used: z.number().int().min(0),
	taken: z.literal(true),
	optOuts: time,
};

/** What is wrong with a value of a table; undefined if it fits, or if nothing is known of its table. */
export const problemOf = (table: string, key: string, value: unknown): string | undefined => {
	const schema = rows[table];
	if (schema === undefined) return undefined;
	const { id } = (value ?? {}) as { id?: unknown };
	if (rows[table] instanceof z.ZodObject && id !== undefined && id !== key) return "must have its key as its id";
	const parsed = schema.safeParse(value);
	const [issue] = parsed.error?.issues ?? [];
	return issue && `${issue.path.join(".") || "the value"}: ${issue.message}`;
};
