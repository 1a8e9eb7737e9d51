/** A webhook's properties: what is declared, and what is shown. */
import { z } from "zod";
import { CreateWebhook, eventNames } from "../../api/contract";
import { adoptProperty } from "../../lifecycle/adopt";
import { onDeleteProperty } from "../../lifecycle/removal";
import { type Form, setOf, urlForm, words } from "../../properties/form";
import { unwrapped } from "../../properties/limits";
import { aNumber, aString, aTime } from "../../properties/outputs";
import { deliverableUrl } from "../../properties/routing";
import { neverDrift, type Outputs, type Properties } from "../../properties/table";
import { lagSays } from "../../session/staleness";

const events = ["*", ...eventNames] as const;
const event: Form = {
	kind: "scalar",
	named: { name: "WebhookEvent", description: 'The events that a webhook can get; `"*"` stands for all.' },
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
		type: z
			.array(z.enum(events, `must be one of ${events.join(", ")}`))
			.min(1, 'must name at least one event, or "*" for all'),
		description: 'The events that it receives; `"*"` stands for all.',
		example: ["message.received", "call.completed"],
		required: true,
		wire: "events",
		form: setOf(event),
	},
	description: {
		type: unwrapped(CreateWebhook.shape.description),
		description: "A note for people.",
		example: "Tickets of the support team",
		wire: "description",
		form: words,
		severity: "low",
	},
	enabled: { type: z.boolean(), description: "Whether the service sends to it.", default: true, wire: "enabled" },
	secretRotation: {
		type: z.union([z.string(), z.number(), z.boolean()], "must be a string, a number, true or false"),
		description: "Any new value asks for a new secret.",
		example: "2027-01",
		change: { does: "in place", words: "the service makes a new secret; the old one stays valid for a day" },
	},
	onDelete: onDeleteProperty("webhook"),
	adopt: adoptProperty(
		"webhook",
		`Id of a webhook that is already on the account and not claimed by another stack: it is taken over, and none is created. \`destroy\` leaves it on the account.

Read only when the resource is created. Its secret stays as it is, and the output \`secret\` is undefined, until \`secretRotation\` is set or changed.`,
	),
};

export const webhookOutputs: Outputs = {
	secret: {
		...aString,
		required: true,
		secret: true,
		renewedBy: ["secretRotation"],
		description: `\`whsec_\` and base64.

The service shows it once, so it is undefined after \`get\`, and after \`adopt\` until it is rotated.`,
		drift: "never compared: a changed `secretVersion` is drift; up then makes a new secret",
	},
	secretHint: {
		...aString,
		required: true,
		renewedBy: ["secretRotation"],
		description: "The secret's last characters.",
		wire: "secret_hint",
		drift: neverDrift,
	},
	secretVersion: {
		...aNumber,
		required: true,
		renewedBy: ["secretRotation"],
		description: "Counts rotations; shows when somebody else rotated it.",
		drift: "a change means that somebody made a new secret",
	},
	status: {
		...aString,
		required: true,
		moves: true,
		description: "`enabled`, `disabled`, or one that this version doesn't know.",
		wire: "status",
		drift: "`disabled`, by the service after failures, shows as drift of `enabled`",
	},
	createdAt: { ...aTime, required: true, wire: "created_at", drift: neverDrift },
	updatedAt: { ...aTime, required: true, moves: true, wire: "updated_at", drift: lagSays },
};
