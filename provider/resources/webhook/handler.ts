/** A webhook: the service sends events to its URL, signed with a secret that it shows once. */
import type { WebhookRecord } from "../../api/contract";
import { configured, configuredDrift } from "../../lifecycle/configured";
import type { Definition } from "../../lifecycle/definition";
import { removeObject } from "../../lifecycle/end";
import { liveValues } from "../../properties/table";
import { webhookOutputs, webhookProperties } from "./properties";

/** Only the host: the rest of the URL may contain a secret. */
const hostOf = ({ url = "" }: WebhookRecord) => (URL.canParse(url) ? new URL(url).host : undefined);

export const webhook: Definition<WebhookRecord> = {
	...configured("webhook", { properties: webhookProperties, outputs: webhookOutputs }, ({ webhooks }) => webhooks),
	secret: {
		output: "secret",
		rotation: "secretRotation",
		marker: "secretVersion",
		markerOf: (record) => record.secret_version,
		exists: () => true,
		findValue: (record) => record.secret,
		operation: "rotateSecret",
		field: "secret",
		rotate: ({ client: { webhooks } }, id) => webhooks.rotateSecret(id),
	},
	remove: (run, record) => removeObject(run, record, () => run.service.client.webhooks.delete(record.id)),
	ifDeleted: "creates a new webhook, with another id and secret",
	nameOf: (record) => `${hostOf(record) ?? "webhook"} (${record.id})`,
	labelOf: hostOf,
	// The service disables a webhook after failures without changing `enabled`.
	live: (record) =>
		liveValues(webhookProperties, { ...record, ...(record.status === "disabled" ? { enabled: false } : {}) }),
};

export const webhookDrift = configuredDrift(webhook, {
	outputs: webhookOutputs,
	fix: "`pulumi up --refresh` creates a new one; give its receiver the new secret",
});
