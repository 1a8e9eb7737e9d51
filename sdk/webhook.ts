import type * as pulumi from "@pulumi/pulumi";
import { type Definition, TelephonyResource } from "./dynamic";

/** The events that a webhook can get; `"*"` stands for all. */
export type WebhookEvent =
	| "*"
	| "number.activated"
	| "number.kyc_updated"
	| "number.suspended"
	| "number.released"
	| "port_order.updated"
	| "trunk.updated"
	| "call.initiated"
	| "call.answered"
	| "call.completed"
	| "recording.completed"
	| "message.received"
	| "message.status"
	| "invoice.created";

/** Every property changes in place; nothing replaces a webhook. */
export interface WebhookArgs {
	/** https, without credentials or fragment; plain http for loopback only. */
	url: pulumi.Input<string>;
	/** At least one; a set. */
	events: pulumi.Input<pulumi.Input<WebhookEvent>[]>;
	/** At most 200 characters. */
	description?: pulumi.Input<string>;
	/** Default true. */
	enabled?: pulumi.Input<boolean>;
	/** Any new value makes the service generate a new secret; the old one stays valid for a day (assumed). */
	secretRotation?: pulumi.Input<string | number | boolean>;
	/**
	 * Id of a webhook that is already on the account and not claimed by another stack: it is taken over, and none is
	 * created. Read when the resource is created. Changing it later is refused; removing it changes nothing. `destroy`
	 * leaves the webhook on the account. Its secret stays as it is, and the output `secret` is undefined, until
	 * `secretRotation` is set or changed.
	 */
	adopt?: pulumi.Input<string>;
}

const definition: Definition = {
	handler: "webhook",
	type: "Webhook",
	inputs: ["url", "events", "description", "enabled", "secretRotation", "adopt"],
	outputs: ["secret", "secretHint", "secretVersion", "status", "createdAt", "updatedAt", "token", "lease"],
	secretOutputs: ["secret"],
};

/**
 * A webhook: where the service sends which events, signed as in Standard Webhooks with a secret that it shows once.
 *
 * @example
 * const inbox = new telephony.Webhook("inbox", {
 *   url: "https://hooks.example.com/sms",
 *   events: ["message.received", "message.status"],
 * });
 * export const signingSecret = inbox.secret;
 */
export class Webhook extends TelephonyResource {
	declare readonly url: pulumi.Output<string>;
	declare readonly events: pulumi.Output<string[]>;
	declare readonly description: pulumi.Output<string | undefined>;
	declare readonly enabled: pulumi.Output<boolean>;
	declare readonly secretRotation: pulumi.Output<string | number | boolean | undefined>;
	declare readonly adopt: pulumi.Output<string | undefined>;

	/**
	 * `whsec_` and base64; a secret. The service shows it once, so it is undefined after `get`, and after `adopt` until it
	 * is rotated.
	 */
	declare readonly secret: pulumi.Output<string>;
	/** The secret's last characters. */
	declare readonly secretHint: pulumi.Output<string>;
	/** Counts rotations; shows when somebody else rotated it. */
	declare readonly secretVersion: pulumi.Output<number>;
	/** `enabled`, `disabled`, or one this version doesn't know. */
	declare readonly status: pulumi.Output<string>;
	/** RFC 3339. */
	declare readonly createdAt: pulumi.Output<string>;
	/** RFC 3339. */
	declare readonly updatedAt: pulumi.Output<string>;

	constructor(name: string, args: WebhookArgs, opts?: pulumi.CustomResourceOptions) {
		super(definition, name, args, opts);
	}

	/**
	 * Looks up a webhook that this program doesn't manage. Its secret is not known.
	 *
	 * @throws when there is no such webhook
	 */
	static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): Webhook {
		return new Webhook(name, undefined as unknown as WebhookArgs, { ...opts, id });
	}
}
