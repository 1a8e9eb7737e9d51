import type { CreateWebhook, PatchWebhook } from "../../../provider/api/contract";
import type { Answers } from "../../http/normalise";
import { fits, pageOf } from "../../http/pages";
import { notFound, ServiceError } from "../../request/errors";
import type { Handlers } from "../../request/handlers";
import { checkCount } from "../../service/limits";
import { seenBy } from "../../service/seen";
import { edit, newRow, type Service } from "../../service/service";
import type { View } from "../../store/past";
import { newSecret } from "../../store/random";
import type { DeliveryRow, WebhookRow } from "../../store/store";
import { timestamp } from "../../time/clock";
import { findDelivery, resendDelivery, testWebhook } from "./deliveries";

const previousSecretLife = 86_400;

export const findWebhook = (
	service: Service,
	id: string,
	rows: View<WebhookRow> = service.store.webhooks,
): WebhookRow => {
	const row = rows.get(id);
	if (row === undefined) throw notFound("webhook", id);
	return row;
};

const statusOf = (enabled: boolean) => ({
	enabled,
	status: enabled ? "enabled" : "disabled",
	disabled_reason: enabled ? null : "user",
});

const createWebhook = (service: Service, body: CreateWebhook): WebhookRow => {
	const { webhooks } = service.store;
	checkCount("webhooks", webhooks.size, service.settings.webhooksMax);
	return webhooks.put({
		...newRow(service, "whk"),
		url: body.url,
		events: body.events,
		description: body.description ?? null,
		...statusOf(body.enabled ?? true),
		secret: newSecret(service.random),
		secret_version: 1,
		previous_secret: null,
		previous_secret_expires_at: null,
		reference: body.reference ?? null,
	});
};

export const applyWebhookPatch = (draft: WebhookRow, patch: PatchWebhook): void => {
	if (patch.url !== undefined) draft.url = patch.url;
	if (patch.events !== undefined) draft.events = patch.events;
	if (patch.description !== undefined) draft.description = patch.description;
	if (patch.reference !== undefined) draft.reference = patch.reference;
	// If the service itself disabled the webhook, disabling it again keeps the service's reason.
	if (patch.enabled !== undefined && (patch.enabled || draft.status === "enabled")) {
		Object.assign(draft, statusOf(patch.enabled));
	} else if (patch.enabled !== undefined) draft.enabled = patch.enabled;
};

export const replaceSecret = (
	service: Service,
	draft: WebhookRow,
	secret: string = newSecret(service.random),
	previousExpiresIn: number = previousSecretLife,
): void => {
	draft.previous_secret = previousExpiresIn === 0 ? null : draft.secret;
	draft.previous_secret_expires_at =
		previousExpiresIn === 0 ? null : timestamp(service.clock.now() + previousExpiresIn * 1000);
	draft.secret = secret;
	draft.secret_version += 1;
};

/** Finds a webhook's delivery. The API doesn't show deliveries to the addresses of numbers and messages. */
const findOwnDelivery = (service: Service, id: string): DeliveryRow => {
	const row = findDelivery(service, id);
	if (row.webhook_id === null) throw notFound("delivery", id);
	return row;
};

const deliveryRecord = (row: DeliveryRow) => ({
	id: row.id,
	webhook_id: row.webhook_id ?? undefined,
	event_id: row.event_id,
	event: row.event,
	status: row.status,
	attempts: row.attempts,
	next_attempt_at: row.next_at,
	resend_of: row.resend_of,
	payload: JSON.parse(row.payload),
	created_at: row.created_at,
	updated_at: row.updated_at,
});

type WebhookHandlers = Pick<
	Handlers,
	| "listWebhooks"
	| "createWebhook"
	| "getWebhook"
	| "patchWebhook"
	| "deleteWebhook"
	| "rotateSecret"
	| "testWebhook"
	| "listDeliveries"
	| "getDelivery"
	| "resendDelivery"
>;

export const webhookHandlers = (service: Service, answers: Answers): WebhookHandlers => {
	const { webhooks, deliveries } = service.store;
	const answerWithSecret = (row: WebhookRow) => ({ ...answers.webhook(row), secret: row.secret });

	return {
		listWebhooks: ({ query }) =>
			pageOf(service, "webhooks", query, { rows: seenBy("list", service, webhooks), answer: answers.webhook }),

		createWebhook: ({ body }) => answerWithSecret(createWebhook(service, body)),

		getWebhook: ({ id }) => answers.webhook(findWebhook(service, id, seenBy("get", service, webhooks))),

		patchWebhook: ({ id, body }) => {
			const row = findWebhook(service, id);
			return answers.webhook(edit(service, webhooks, row, (draft) => applyWebhookPatch(draft, body)));
		},

		deleteWebhook: ({ id }) => {
			findWebhook(service, id);
			webhooks.delete(id);
			return undefined;
		},

		rotateSecret: ({ id, body }) => {
			const row = findWebhook(service, id);
			const until = row.previous_secret_expires_at;
			if (service.settings.refuseOverlappingRotation && until !== null && Date.parse(until) > service.clock.now()) {
				throw new ServiceError("rotation_in_progress", `The previous secret of ${id} is still valid until ${until}.`, {
					previous_secret_expires_at: until,
				});
			}
			return answerWithSecret(
				edit(service, webhooks, row, (draft) => replaceSecret(service, draft, undefined, body.previous_expires_in)),
			);
		},

		testWebhook: ({ id }) => {
			const row = findWebhook(service, id);
			return deliveryRecord(testWebhook(service, row, answers.webhook(row)));
		},

		listDeliveries: ({ id, query }) => {
			findWebhook(service, id);
			const wanted = (row: DeliveryRow) => fits(row, query);
			return pageOf(service, "webhooks/{id}/deliveries", query, {
				rows: deliveries.with("webhook_id", id),
				keep: wanted,
				answer: deliveryRecord,
			});
		},

		getDelivery: ({ id }) => deliveryRecord(findOwnDelivery(service, id)),

		resendDelivery: ({ id }) => deliveryRecord(resendDelivery(service, findOwnDelivery(service, id))),
	};
};
