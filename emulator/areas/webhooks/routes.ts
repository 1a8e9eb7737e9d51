import type { z } from "zod";
import { type CreateWebhook, DeliveryRecord, type PatchWebhook } from "../../../provider/api/contract";
import { webhookRecord } from "../../http/normalise";
import { fits, pageOf, readsOf } from "../../http/pages";
import { recordOf } from "../../http/record";
import { found } from "../../request/errors";
import { handlersOf } from "../../request/handlers";
import { merge } from "../../request/merge";
import { edit, findRow, newRow, put, type Service } from "../../service/service";
import { newSecret } from "../../store/random";
import type { DeliveryRow, WebhookRow } from "../../store/store";
import { timestamp } from "../../time/clock";
import { resendDelivery, testWebhook } from "./deliveries";

const previousSecretLife = 86_400;

const statusOf = (enabled: boolean) => ({
	enabled,
	status: enabled ? "enabled" : "disabled",
	disabled_reason: enabled ? null : "user",
});

const createWebhook = (service: Service, body: CreateWebhook): WebhookRow => {
	return put(service, "webhooks", {
		...newRow(service, "webhooks"),
		url: body.url,
		events: body.events,
		description: body.description ?? null,
		...statusOf(body.enabled ?? true),
		secret: newSecret(service.random),
		secret_version: 1,
		previous_secret: null,
		reference: body.reference ?? null,
	});
};

export const applyWebhookPatch = (draft: WebhookRow, patch: PatchWebhook): void => {
	// Disabling a webhook that the service disabled keeps the service's reason.
	if (patch.enabled !== undefined && (patch.enabled || draft.status === "enabled"))
		Object.assign(draft, statusOf(patch.enabled));
	Object.assign(draft, merge(draft, patch));
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

/** Finds a delivery to a webhook. The API doesn't show deliveries to bare URLs. */
const findOwnDelivery = (service: Service, id: string): DeliveryRow => {
	const row = findRow(service, "deliveries", id);
	return found(row.webhook_id === null ? undefined : row, "delivery", id);
};

const ofDelivery = recordOf(DeliveryRecord);
const deliveryRecord = (service: Service, row: DeliveryRow): z.input<typeof DeliveryRecord> => ({
	...ofDelivery(service, row),
	webhook_id: row.webhook_id ?? undefined,
	next_attempt_at: row.next_at,
	payload: JSON.parse(row.payload),
});

export const webhookHandlers = (service: Service) => {
	const { webhooks, deliveries } = service.store;
	const reads = readsOf(service, "webhooks", webhookRecord);
	const answerWithSecret = (row: WebhookRow) => ({ ...webhookRecord(service, row), secret: row.secret });

	return handlersOf({
		listWebhooks: reads.list,

		createWebhook: ({ body }) => answerWithSecret(createWebhook(service, body)),

		getWebhook: reads.get,

		patchWebhook: ({ id, body }) => {
			const row = findRow(service, "webhooks", id);
			return webhookRecord(
				service,
				edit(service, "webhooks", row, (draft) => applyWebhookPatch(draft, body)),
			);
		},

		deleteWebhook: ({ id }) => {
			findRow(service, "webhooks", id);
			webhooks.delete(id);
			return undefined;
		},

		rotateSecret: ({ id, body }) => {
			const row = findRow(service, "webhooks", id);
			return answerWithSecret(
				edit(service, "webhooks", row, (draft) => replaceSecret(service, draft, undefined, body.previous_expires_in)),
			);
		},

		testWebhook: ({ id }) => {
			const row = findRow(service, "webhooks", id);
			return deliveryRecord(service, testWebhook(service, row, webhookRecord(service, row)));
		},

		listDeliveries: ({ id, query }) => {
			findRow(service, "webhooks", id);
			return pageOf(service, "webhooks/{id}/deliveries", query, {
				rows: deliveries.with("webhook_id", id),
				keep: (row) => fits(row, query),
				render: (row) => deliveryRecord(service, row),
			});
		},

		getDelivery: ({ id }) => deliveryRecord(service, findOwnDelivery(service, id)),

		resendDelivery: ({ id }) => deliveryRecord(service, resendDelivery(service, findOwnDelivery(service, id))),
	});
};
