/** Each kind of object that a program declares, with what tests need to know of it: a new kind joins by one entry. */
import type fc from "fast-check";
import type { OperationName } from "../../provider/api/contract";
import type { Values } from "../../provider/properties/table";
import { numberArgs, portOrderArgs, profileArgs, trunkArgs, webhookArgs } from "./arbitraries";
import type { Kind as Name } from "./emulator";
import { aNumber, aPortOrder, aProfile, aTrunk, aWebhook } from "./provider";

export const digest = { mode: "digest", username: "pbx-1" };

export interface SecretOfKind {
	readonly output: string;
	/** The property that asks for another one, and the service's operation for that. */
	readonly rotation: string;
	readonly operation: OperationName;
	readonly path: string;
	/** Declares one that has a secret. */
	declare(args?: Values, as?: string): Values;
}

/** What holds of any kind, also of one that is submitted when it is made, and that the service refuses to change then. */
interface Declarable {
	/** Of its handler. */
	readonly name: Name | "kycProfile" | "portOrder";
	readonly noun: string;
	/** What may be declared, and how a program declares it. */
	readonly args: fc.Arbitrary<Values>;
	declare(args?: Values, as?: string): Values;
	/** In the order of their messages. */
	readonly required: readonly string[];
	/** A property as it is called, and as it is easily called. */
	readonly typo: readonly [meant: string, written: string];
}

export interface Kind extends Declarable {
	readonly name: Name;
	readonly type: "Number" | "SipTrunk" | "Webhook";
	readonly path: string;
	readonly get: OperationName;
	readonly patch: "patchNumber" | "patchTrunk" | "patchWebhook";
	/** A property whose value is text that may be cleared; the service calls it so too. */
	readonly text: string;
	/** Its value at the service if the program doesn't declare it. */
	readonly unset: string | null;
	/** A change of another property; in the service's words too. */
	readonly edit: Values;
	/** Another value of it. */
	readonly other: Values;
	/** As people make it without Pulumi. */
	readonly byHand: Values;
	/** What a resource of another name declares to be like the one of this name, and what makes one unlike any. */
	like(as: string): Values;
	readonly unlike: Values;
	/** If making one costs money. */
	readonly buys?: boolean;
	readonly secret?: SecretOfKind;
}

export const kinds: readonly Kind[] = [
	{
		...{ name: "number", type: "Number", noun: "number", path: "/numbers", get: "getNumber", patch: "patchNumber" },
		...{ args: numberArgs as fc.Arbitrary<Values>, declare: aNumber, text: "label", unset: null },
		edit: { metadata: { team: "a" } },
		...{ required: ["country", "type"], typo: ["label", "lable"] },
		other: { metadata: { team: "b" } },
		byHand: { country: "NL", type: "mobile" },
		like: () => ({}),
		unlike: { country: "GB" },
		buys: true,
	},
	{
		...{ name: "sipTrunk", type: "SipTrunk", noun: "trunk", path: "/trunks", get: "getTrunk", patch: "patchTrunk" },
		...{ args: trunkArgs as fc.Arbitrary<Values>, declare: aTrunk, text: "name", unset: "pbx" },
		edit: { capacity: 11 },
		...{ required: ["auth", "capacity"], typo: ["auth", "auht"] },
		other: { capacity: 12 },
		byHand: { name: "By hand", auth: digest, capacity: 10 },
		like: (name) => ({ name }),
		unlike: { name: "unlike" },
		secret: {
			...{ output: "password", rotation: "passwordRotation", operation: "rotatePassword", path: "rotate_password" },
			declare: (args = {}, as) => aTrunk({ auth: digest, ...args }, as),
		},
	},
	{
		...{
			name: "webhook",
			type: "Webhook",
			noun: "webhook",
			path: "/webhooks",
			get: "getWebhook",
			patch: "patchWebhook",
		},
		...{ args: webhookArgs as fc.Arbitrary<Values>, declare: aWebhook, text: "description", unset: null },
		edit: { enabled: false },
		...{ required: ["url", "events"], typo: ["secretRotation", "secretRotatoin"] },
		other: { enabled: true },
		byHand: { url: "https://hooks.example.com/old", events: ["message.received"] },
		like: () => ({}),
		unlike: { url: "https://hooks.example.com/unlike" },
		secret: {
			...{ output: "secret", rotation: "secretRotation", operation: "rotateSecret", path: "rotate_secret" },
			declare: aWebhook,
		},
	},
];

/** The others, and those that are submitted. */
export const allKinds: readonly Declarable[] = [
	...kinds,
	{
		...{ name: "kycProfile", noun: "KYC profile", args: profileArgs as fc.Arbitrary<Values>, declare: aProfile },
		...{ required: ["entityType", "name", "country", "address"], typo: ["address", "adress"] },
	},
	{
		...{ name: "portOrder", noun: "port order", args: portOrderArgs as fc.Arbitrary<Values>, declare: aPortOrder },
		...{ required: ["numbers", "country", "carrier", "subscriber"], typo: ["carrier", "carier"] },
	},
];

/** Those that cost nothing. */
export const freeKinds = kinds.filter(({ buys }) => !buys);
/** Those that have a secret; they are declared with one. */
export const secretKinds = kinds.flatMap((kind) =>
	kind.secret ? [{ ...kind, ...kind.secret, path: kind.path, rotate: kind.secret.path }] : [],
);

/** The secret that the service has for an object. */
export const secretIn = (row: Readonly<Record<string, unknown>> | undefined) => {
	const { auth, secret } = (row ?? {}) as { auth?: { password?: string }; secret?: string };
	return auth?.password ?? secret;
};
