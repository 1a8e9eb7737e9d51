/** Trunks and webhooks, which differ in their names, their secrets and how a program declares them. */
import type { Values } from "../../provider/properties/table";
import { aTrunk, aWebhook } from "./provider";

export const digest = { mode: "digest", username: "pbx-1" };

export const configured = [
	{
		name: "sipTrunk",
		type: "SipTrunk",
		noun: "trunk",
		path: "/trunks",
		/** The output that holds it, the property that asks for another one, and the service's operation for that. */
		secret: "password",
		rotation: "passwordRotation",
		operation: "rotatePassword",
		rotate: "rotate_password",
		declare: (args: Values = {}, as?: string) => aTrunk({ auth: digest, ...args }, as),
		edit: { capacity: 11 },
		byHand: { name: "By hand", auth: digest, capacity: 10, label: "by hand" },
	},
	{
		name: "webhook",
		type: "Webhook",
		noun: "webhook",
		path: "/webhooks",
		secret: "secret",
		rotation: "secretRotation",
		operation: "rotateSecret",
		rotate: "rotate_secret",
		declare: (args: Values = {}, as?: string) => aWebhook(args, as),
		edit: { enabled: false },
		byHand: { url: "https://hooks.example.com/old", events: ["message.received"], description: "by hand" },
	},
] as const;

/** The secret that the service has for a trunk or webhook. */
export const secretIn = (row: Readonly<Record<string, unknown>> | undefined) => {
	const { auth, secret } = (row ?? {}) as { auth?: { password?: string }; secret?: string };
	return auth?.password ?? secret;
};
