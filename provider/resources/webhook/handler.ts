/** A webhook: where the service sends which events, signed with a secret that it shows once. */
import type { CreateWebhook, PatchWebhook, WebhookRecord } from "../../api/contract";
import type { DriftDefinition } from "../../drift/definition";
import { configuredHandler } from "../../lifecycle/configured";
import { lostUnlessAdopted } from "../../lifecycle/configured-adopt";
import type { Configured } from "../../lifecycle/configured-definition";
import type { Handler } from "../../lifecycle/resource";
import { liveOutputs, liveValues } from "../../properties/table";
import type { Session } from "../../session/session";
import { webhookOutputs, webhookProperties } from "./properties";

// ---- Lifecycle ------------------------------------------------------------------------------------------------------

export const webhook: Configured<WebhookRecord> = {
	kind: "webhook",
	properties: webhookProperties,
	secret: {
		output: "secret",
		rotation: "secretRotation",
		marker: "secretVersion",
		markerOf: (record) => record.secret_version,
		exists: () => true,
		shown: (record) => record.secret,
	},
	operations: ({ client: { webhooks }, webhooks: reads }) => ({
		reads,
		create: (body, options) => webhooks.create(body as CreateWebhook, options),
		get: (id) => webhooks.get(id),
		patch: (id, body) => webhooks.patch(id, body as () => PatchWebhook),
		delete: (id) => webhooks.delete(id),
		rotate: (id) => webhooks.rotateSecret(id),
	}),
	lost: "creates a new webhook, with another id and secret",
	toldBy: "url",
	// The rest of a URL may hold a secret.
	nameOf: (record) => `${hostOf(record.url)} (${record.id})`,
	// A webhook that the service switched off after failures counts as off, no matter how it was set.
	live: (record) =>
		liveValues(webhookProperties, { ...record, ...(record.status === "disabled" ? { enabled: false } : {}) }),
	computed: (record) => liveOutputs(webhookOutputs, record),
};

export const webhookDrift: DriftDefinition = {
	properties: webhookProperties,
	secret: webhook.secret,
	outputs: webhookOutputs,
	kept: ["token", "lease"],
	lost: lostUnlessAdopted({
		consequence: webhook.lost,
		way: "`pulumi up --refresh` creates a new one; give its receiver the new secret",
	}),
};

export const webhookHandler = (session: Session): Handler => configuredHandler(session, webhook);

// ---- Helpers --------------------------------------------------------------------------------------------------------

const hostOf = (url: unknown): string => (typeof url === "string" && URL.canParse(url) ? new URL(url).host : "webhook");
