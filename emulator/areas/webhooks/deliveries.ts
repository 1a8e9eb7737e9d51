import { Webhook } from "standardwebhooks";
import { testEvent } from "../../../provider/api/contract";
import { ServiceError } from "../../request/errors";
import { type Outcome, unsent } from "../../service/post";
import { edit, findRow, newRow, put, type Service, stopTimer } from "../../service/service";
import { newId, newSecret } from "../../store/random";
import type { DeliveryRow, WebhookRow } from "../../store/store";
import { timestamp } from "../../time/clock";
import type { End } from "../../time/courier";

const [second, minute, hour] = [1000, 60_000, 3_600_000];

/** Wait before each retry, as in Standard Webhooks. */
const waits = [
	5 * second,
	5 * minute,
	30 * minute,
	2 * hour,
	5 * hour,
	10 * hour,
	14 * hour,
	20 * hour,
	24 * hour,
] as const;

const longestWait = 24 * hour;

const daysKept = 30;

/** An event to deliver. */
export interface Parcel {
	readonly eventId: string;
	readonly event: string;
	readonly payload: string;
	readonly resendOf?: string;
}

export const parcel = (service: Service, event: string, data: unknown): Parcel => ({
	eventId: newId("evt", service.random),
	event,
	payload: JSON.stringify({ type: event, timestamp: timestamp(service.clock.now()), data }),
});

const forgetOld = ({ store: { deliveries }, clock }: Service): void => {
	const since = clock.now() - daysKept * 24 * hour;
	for (const { id, status, created_at } of deliveries) {
		// The oldest come first. After a jump of the clock, an old one may still be pending.
		if (status === "pending" || Date.parse(created_at) > since) return;
		deliveries.delete(id);
	}
};

type Receiver = WebhookRow | { url: string };

/** Starts a delivery to a webhook or a bare URL. */
export const deliver = (service: Service, to: Receiver, sent: Parcel): DeliveryRow => {
	forgetOld(service);
	const fault = service.faults.ofDelivery(sent.event);
	const next_at = timestamp(service.clock.now() + (fault?.kind === "delay_delivery" ? fault.ms : 0));
	const create = () => {
		const lost = { at: next_at, status: null, error: "lost because of a fault" };
		const row = put(service, "deliveries", {
			...newRow(service, "deliveries"),
			webhook_id: "secret" in to ? to.id : null,
			event_id: sent.eventId,
			event: sent.event,
			url: to.url,
			payload: sent.payload,
			resend_of: sent.resendOf ?? null,
			badly_signed: fault?.kind === "bad_signature",
			...(fault?.kind === "drop_delivery"
				? { status: "failed", attempts: [lost], next_at: null }
				: { status: "pending", attempts: [], next_at }),
		});
		sendIfDue(service, row);
		return row;
	};
	if (fault?.kind === "duplicate_delivery") create();
	return create();
};

export const sendDelivery = (service: Service, { id, next_at, webhook_id, url }: DeliveryRow): void =>
	service.courier.add(webhook_id ?? url, Date.parse(next_at ?? ""), (at, signal) => attempt(service, id, at, signal));

/** Sends what is due already, as after a jump of the clock: the timer of a clock that stands still would wait. */
export const sendIfDue = (service: Service, row: DeliveryRow): void => {
	if (row.next_at === null || Date.parse(row.next_at) > service.clock.now()) return;
	stopTimer(service, row.id);
	sendDelivery(service, row);
};

/**
 * Signs with every valid secret. A request to a bare URL has no signature. By default, the timestamp is the real time:
 * receivers refuse one that is minutes old.
 */
export const headersOf = (
	service: Service,
	{ event_id, payload, badly_signed }: DeliveryRow,
	webhook: WebhookRow | null,
	at: number,
) => {
	const until = webhook?.previous_secret_expires_at ?? null;
	const previous = until !== null && Date.parse(until) > at ? webhook?.previous_secret : null;
	const validSecrets = [webhook?.secret, previous].filter((secret) => typeof secret === "string");
	const secrets = badly_signed ? validSecrets.map(() => newSecret(service.random)) : validSecrets;
	const sentAt = service.settings.webhookTimestamp === "clock" ? at : Date.now();
	const signatures = secrets.map((secret) => new Webhook(secret).sign(event_id, new Date(sentAt), payload));
	return {
		"content-type": "application/json",
		"webhook-id": event_id,
		"webhook-timestamp": String(Math.floor(sentAt / 1000)),
		...(signatures.length > 0 ? { "webhook-signature": signatures.join(" ") } : {}),
	};
};

/** Returns undefined if a secret is malformed, as in an edited snapshot. */
const signedHeaders = (...args: Parameters<typeof headersOf>): ReturnType<typeof headersOf> | undefined => {
	try {
		return headersOf(...args);
	} catch {
		return undefined;
	}
};

export const isCommitted = ({ committed }: Service): Promise<boolean> =>
	committed().then(
		() => true,
		() => false,
	);

const attempt = async (service: Service, id: string, at: number, signal: AbortSignal): Promise<End> => {
	const { deliveries, webhooks } = service.store;
	const row = deliveries.get(id);
	if (row?.status !== "pending") return "done";
	const webhook = row.webhook_id === null ? null : webhooks.get(row.webhook_id);
	if (webhook === undefined || (webhook && webhook.status !== "enabled")) {
		const error = `not sent: the webhook is ${webhook === undefined ? "deleted" : "disabled"}`;
		settle(service, row, { at, outcome: { ...unsent, error }, isLast: true });
		return "done";
	}
	const { url } = webhook ?? row;
	// An event is sent once it is on disk.
	if (!(await isCommitted(service))) return "done";
	const headers = signedHeaders(service, row, webhook, at);
	if (headers === undefined) {
		const error = "not sent: the webhook's secret isn't valid base64, so no request can be signed";
		settle(service, row, { at, outcome: { ...unsent, error }, isLast: true });
		return "done";
	}
	const outcome = await service.post.send(
		{ url, headers, body: row.payload },
		service.settings.deliveryTimeoutMs,
		signal,
	);
	// If aborted, the account may have been reset.
	if (!signal.aborted) settle(service, { ...row, url }, { at, outcome });
	return outcome.hung ? "hung" : "done";
};

/** Removes the query, which may hold a token. */
export const withoutQuery = (url: string): string => url.split("?", 1)[0] ?? url;

export const problemOf = ({ status, error }: Outcome): string | null => {
	if (status === null) return error;
	if (status >= 300 && status < 400) return `response ${status}: redirects are not followed`;
	return status >= 200 && status < 300 ? null : `response ${status}`;
};

interface Attempt {
	readonly at: number;
	readonly outcome: Outcome;
	readonly isLast?: boolean;
}

/** Records an attempt, and schedules the next one or disables the webhook. */
const settle = (service: Service, row: DeliveryRow, { at, outcome, isLast = false }: Attempt): void => {
	const error = problemOf(outcome);
	const gone = outcome.status === 410;
	const wait = isLast || gone ? undefined : waits[row.attempts.length];
	const spared = Math.min(outcome.retryAfter, longestWait);
	const missed = outcome.refused ? "refused" : wait === undefined ? "failed" : "pending";
	const status = error === null ? "delivered" : missed;
	const tried = edit(service, "deliveries", row, (draft) => {
		draft.attempts.push({ at: timestamp(at), status: outcome.status, error });
		draft.status = status;
		draft.next_at = status === "pending" && wait !== undefined ? timestamp(at + Math.max(wait, spared)) : null;
	});
	service.log(`→ ${row.event} ${withoutQuery(row.url)} ${error ?? outcome.status} ${row.id}`);
	sendIfDue(service, tried);
	if (status === "failed") disable(service, tried, gone);
};

/** Disables a webhook after a 410, or if no later delivery succeeded. */
const disable = (service: Service, failed: DeliveryRow, gone: boolean): void => {
	const { deliveries, webhooks } = service.store;
	const webhook = webhooks.get(failed.webhook_id ?? "");
	if (webhook?.status !== "enabled" || webhook.url !== failed.url) return;
	const reached = ({ status, attempts }: DeliveryRow) =>
		status === "delivered" && (attempts.at(-1)?.at ?? "") >= failed.created_at;
	if (!gone && deliveries.with("webhook_id", webhook.id).some(reached)) return;
	edit(service, "webhooks", webhook, (draft) => {
		draft.status = "disabled";
		draft.disabled_reason = gone ? "gone" : "failures";
	});
};

const checkEnabled = ({ id, status, disabled_reason }: WebhookRow): void => {
	if (status === "enabled") return;
	throw new ServiceError("webhook_disabled", `Webhook ${id} is disabled (${disabled_reason}): enable it first.`);
};

export const testWebhook = (service: Service, webhook: WebhookRow, data: unknown): DeliveryRow => {
	checkEnabled(webhook);
	return deliver(service, webhook, parcel(service, testEvent, data));
};

/** Sends an event again, with the same `webhook-id`, as a new delivery. */
export const resendDelivery = (service: Service, row: DeliveryRow): DeliveryRow => {
	const to = row.webhook_id === null ? row : findRow(service, "webhooks", row.webhook_id);
	if ("secret" in to) checkEnabled(to);
	const { event_id: eventId, event, payload } = row;
	return deliver(service, to, { eventId, event, payload, resendOf: row.id });
};
