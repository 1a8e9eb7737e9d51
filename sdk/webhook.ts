import type * as pulumi from "@pulumi/pulumi";
import { type Definition, TelephonyResource } from "./dynamic";

// #region made by npm run generate: types
/** Events that a webhook can receive; `"*"` means all. */
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
	| "invoice.created"
	| (string & {});

/** Properties that a program declares. */
export interface WebhookArgs {
	/**
	 * https, without credentials or fragment; plain http for loopback only. At most 2048 characters. Example:
	 * `"https://hooks.example.com/telephony"`. Changes in place.
	 */
	url: pulumi.Input<string>;
	/**
	 * Events that the webhook receives; `"*"` means all events. At least 1. A set. Example:
	 * `["message.received","call.completed"]`. Changes in place.
	 */
	events: pulumi.Input<pulumi.Input<WebhookEvent>[]>;
	/** Description. At most 200 characters. Example: `"Tickets of the support team"`. Changes in place. */
	description?: pulumi.Input<string | undefined>;
	/** True if the service sends events to the webhook. Default: `true`. Changes in place. */
	enabled?: pulumi.Input<boolean | undefined>;
	/**
	 * With any new value, the service generates another secret. Example: `"2027-01"`. After a change, the service
	 * generates a new secret; the old secret stays valid for a day.
	 */
	secretRotation?: pulumi.Input<string | number | boolean | undefined>;
	/**
	 * Effect of deleting the resource: `delete` deletes the webhook, and `retain` leaves it on the account. Default:
	 * `delete`; with `adopt`, `retain`.
	 */
	onDelete?: pulumi.Input<"delete" | "retain" | undefined>;
	/**
	 * Id of a webhook that is on the account and that no other stack claims. The resource adopts the webhook instead
	 * of creating another, and `destroy` retains it. A change replaces the webhook, unless `adopt` names the current
	 * webhook; removing `adopt` changes nothing.
	 *
	 * Read only when the resource is created. Its secret stays as it is, and the output `secret` is undefined, until
	 * `secretRotation` is set or changed.
	 */
	adopt?: pulumi.Input<string | undefined>;
}

const definition: Definition = {
	handler: "webhook",
	type: "Webhook",
	inputs: ["url", "events", "description", "enabled", "secretRotation", "onDelete", "adopt"],
	outputs: ["secret", "secretHint", "secretVersion", "status", "createdAt", "updatedAt", "token", "lease", "spellings"],
	secretOutputs: ["secret"],
};
// #endregion

/**
 * A webhook: a URL that receives events. The service signs them as in Standard Webhooks, with a secret that it shows once.
 *
 * @example
 * const inbox = new telephony.Webhook("inbox", {
 *   url: "https://hooks.example.com/sms",
 *   events: ["message.received", "message.status"],
 * });
 * export const signingSecret = inbox.secret;
 */
export class Webhook extends TelephonyResource {
	// #region made by npm run generate: fields
	/** https, without credentials or fragment; plain http for loopback only. */
	declare readonly url: pulumi.Output<string>;
	/** Events that the webhook receives; `"*"` means all events. */
	declare readonly events: pulumi.Output<WebhookEvent[]>;
	/** Description. */
	declare readonly description: pulumi.Output<string | undefined>;
	/** True if the service sends events to the webhook. */
	declare readonly enabled: pulumi.Output<boolean>;
	/** With any new value, the service generates another secret. */
	declare readonly secretRotation: pulumi.Output<string | number | boolean | undefined>;
	/** Effect of deleting the resource: `delete` deletes the webhook, and `retain` leaves it on the account. */
	declare readonly onDelete: pulumi.Output<"delete" | "retain">;
	/**
	 * Id of a webhook that is on the account and that no other stack claims. The resource adopts the webhook instead
	 * of creating another, and `destroy` retains it.
	 */
	declare readonly adopt: pulumi.Output<string | undefined>;

	/**
	 * `whsec_` and base64. A secret.
	 *
	 * The service shows it once, so it is undefined after `get`, and after `adopt` until it is rotated. It stays
	 * undefined if the service never shows it.
	 */
	declare readonly secret: pulumi.Output<string>;
	/** Last characters of the secret. */
	declare readonly secretHint: pulumi.Output<string>;
	/** Count of rotations. */
	declare readonly secretVersion: pulumi.Output<number>;
	/** `enabled`, `disabled`, or a value unknown to this version. */
	declare readonly status: pulumi.Output<string>;
	/** RFC 3339. */
	declare readonly createdAt: pulumi.Output<string>;
	/** RFC 3339. */
	declare readonly updatedAt: pulumi.Output<string>;
	// #endregion

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
