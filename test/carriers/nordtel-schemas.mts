/** Bodies of Nordtel's requests: the carrier checks them, and its OpenAPI document shows them. */
import { nullable, object, type Schema, text } from "./schema.mts";

export interface Voice {
	readonly mode: "off" | "trunk" | "forward" | "sip";
	readonly target: string | number | null;
	readonly ring_seconds: number;
}

export type TrunkBody = {
	readonly title: string;
	readonly channels: number;
	readonly ip_list: readonly string[];
	readonly sip_login: { readonly user: string; readonly password?: string } | null;
	readonly customer_ref: string | null;
};

export type CallbackBody = {
	readonly target_url: string;
	readonly topics: readonly string[];
	readonly active: boolean;
	readonly customer_ref: string | null;
};

const reference: Schema = { ...nullable(text(64)), description: "Free text of the customer" };

export const numberChangeSchema = object({ label_text: nullable(text(40)), customer_ref: reference }, []);

export const voiceSchema = object({
	mode: { type: "string", enum: ["off", "trunk", "forward", "sip"] },
	target: {
		type: ["string", "integer", "null"],
		description: "Id of a SIP trunk, digits of a phone number, a SIP URI, or null for mode off",
	},
	ring_seconds: { type: "integer", minimum: 5, maximum: 120 },
});

const trunkFields = {
	title: text(60),
	channels: { type: "integer", minimum: 1, maximum: 1000 },
	ip_list: { type: "array", items: { type: "string", pattern: "^\\d{1,3}(\\.\\d{1,3}){3}(/\\d{1,2})?$" } },
	sip_login: nullable(
		object({ user: text(32), password: { ...text(64), description: "Never shown; left out, it stays" } }, ["user"]),
	),
	customer_ref: reference,
};

export const trunkSchema = object(trunkFields);
export const trunkCreation = object(trunkFields, ["title"]);

const topics = ["did.activated", "did.rejected", "did.terminated", "message.inbound", "message.status", "call.ended"];

export const callbackSchema = object({
	target_url: { type: "string", pattern: "^https?://\\S+$" },
	topics: { type: "array", items: { type: "string", enum: [...topics, "*"] }, minItems: 1 },
	active: { type: "boolean" },
	customer_ref: reference,
});
