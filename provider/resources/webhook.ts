/** A webhook: where the service sends which events, signed with a secret that it shows once. */
import { z } from "zod";
import { type CreateWebhook, eventNames, type PatchWebhook, type WebhookRecord } from "../api/contract";
import type { DriftDefinition } from "../drift/definition";
import { adoptProperty } from "../lifecycle/adopt";
import { configuredHandler } from "../lifecycle/configured";
import { lostUnlessAdopted } from "../lifecycle/configured-adopt";
import type { Configured } from "../lifecycle/configured-definition";
import type { Handler } from "../lifecycle/resource";
import { scalar, setOf, urlForm, words } from "../properties/form";
import { deliverableUrl } from "../properties/routing";
import { liveValues, neverDrift, type Properties } from "../properties/table";
import type { Session } from "../session/session";
import { lagSays } from "../session/staleness";

// ---- Types and properties -------------------------------------------------------------------------------------------

const events = ["*", ...eventNames] as const;

export const webhookProperties: Properties = {
	url: {
		type: deliverableUrl,
		required: true,
		wire: "url",
		form: urlForm,
		severity: "high",
	},
	events: {
		type: z
			.array(z.enum(events, `must be one of ${events.join(", ")}`))
			.min(1, 'must name at least one event, or "*" for all'),
		required: true,
		wire: "events",
		form: setOf(scalar),
	},
	description: {
		type: z.string().max(200, "must have at most 200 characters"),
		wire: "description",
		form: words,
		severity: "low",
	},
	enabled: { type: z.boolean(), default: true, wire: "enabled" },
	secretRotation: {
		type: z.union([z.string(), z.number(), z.boolean()], "must be a string, a number, true or false"),
		change: "the service makes a new secret; the old one stays valid for a day",
	},
	adopt: adoptProperty("webhook"),
};

// ---- Lifecycle ------------------------------------------------------------------------------------------------------

const webhook: Configured<WebhookRecord> = {
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
	computed: (record) => ({
		secretHint: record.secret_hint ?? undefined,
		status: record.status,
		createdAt: record.created_at ?? undefined,
		updatedAt: record.updated_at ?? undefined,
	}),
};

export const webhookDrift: DriftDefinition = {
	properties: webhookProperties,
	secret: webhook.secret,
	outputs: {
		secret: "never compared: a changed `secretVersion` is drift; up then makes a new secret",
		secretHint: neverDrift,
		secretVersion: "a change means that somebody made a new secret",
		status: "`disabled`, by the service after failures, shows as drift of `enabled`",
		createdAt: neverDrift,
		updatedAt: lagSays,
	},
	lost: lostUnlessAdopted({
		consequence: webhook.lost,
		way: "`pulumi up --refresh` creates a new one; give its receiver the new secret",
	}),
};

export const webhookHandler = (session: Session): Handler => configuredHandler(session, webhook);

// ---- Helpers --------------------------------------------------------------------------------------------------------

const hostOf = (url: unknown): string => (typeof url === "string" && URL.canParse(url) ? new URL(url).host : "webhook");
