/** A webhook's properties: what is declared, and what is shown. */
import { z } from "zod";
import { CreateWebhook, eventNames } from "../../api/contract";
import { adoptFree } from "../../lifecycle/adopt";
import { onDeleteProperty } from "../../lifecycle/on-delete";
import { type Form, setOf, urlForm, words } from "../../properties/form";
import { choice, unwrapped } from "../../properties/limits";
import { aNumber, aString, times } from "../../properties/outputs";
import { deliverableUrl } from "../../properties/routing";
import { neverDrift, type Outputs, type Properties } from "../../properties/table";
import { rotation, statusRow } from "../rows";

const event: Form = {
	kind: "scalar",
	named: { name: "WebhookEvent", description: 'Events that a webhook can receive; `"*"` means all.' },
};

export const webhookProperties: Properties = {
	url: {
		type: deliverableUrl,
		description: "https, without credentials or fragment; plain http for loopback only.",
		example: "https://hooks.example.com/telephony",
		required: true,
		wire: "url",
		form: urlForm,
		severity: "high",
	},
	events: {
		type: () => z.array(choice(z.enum(["*", ...eventNames]))).min(1, 'must name at least one event, or "*" for all'),
		description: 'Events that the webhook receives; `"*"` means all events.',
		example: ["message.received", "call.completed"],
		required: true,
		wire: "events",
		form: setOf(event),
	},
	description: {
		type: () => unwrapped(CreateWebhook.shape.description),
		description: "Description.",
		example: "Tickets of the support team",
		wire: "description",
		form: words,
		severity: "low",
	},
	enabled: {
		type: () => z.boolean(),
		description: "True if the service sends events to the webhook.",
		default: true,
		wire: "enabled",
	},
	secretRotation: rotation("secret", "", "; the old secret stays valid for a day"),
	onDelete: onDeleteProperty("webhook"),
	adopt: adoptFree(
		"webhook",
		`Read only when the resource is created. Its secret stays as it is, and the output \`secret\` is undefined, until \`secretRotation\` is set or changed.`,
	),
};

export const webhookOutputs: Outputs = {
	secret: {
		...aString,
		required: true,
		secret: true,
		renewedBy: ["secretRotation"],
		description: `\`whsec_\` and base64.

The service shows it once, so it is undefined after \`get\`, and after \`adopt\` until it is rotated. It stays undefined if the service never shows it.`,
		drift: "if `secretVersion` changes outside Pulumi, `pulumi up --refresh` generates a new secret",
	},
	secretHint: {
		...aString,
		required: true,
		renewedBy: ["secretRotation"],
		description: "Last characters of the secret.",
		wire: "secret_hint",
		drift: neverDrift,
	},
	secretVersion: {
		...aNumber,
		required: true,
		renewedBy: ["secretRotation"],
		description: "Count of rotations.",
		drift: "a change outside Pulumi is drift",
	},
	status: statusRow(
		"`enabled`, `disabled`, or a value unknown to this version.",
		"if the service disables a webhook after failures, drift reports `enabled`",
	),
	...times,
};
