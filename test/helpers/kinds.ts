/** The kinds of objects that programs declare, with the facts that tests need. */
import type fc from "fast-check";
import type { OperationName } from "../../provider/api/contract";
import type { Values } from "../../provider/properties/table";
import { numberArgs, portOrderArgs, profileArgs, trunkArgs, webhookArgs } from "./arbitraries";
import type { Kind as Name } from "./emulator";
import { aNumber, aPortOrder, aProfile, aTrunk, aWebhook } from "./provider";

export const digest = { mode: "digest", username: "pbx-1" };

export interface SecretOfKind {
	readonly output: string;
	/** Property that rotates the secret, and the service's operation. */
	readonly rotation: string;
	readonly operation: OperationName;
	readonly path: string;
	/** Declares an object with a secret. */
	declare(args?: Values, as?: string): Values;
}

/** Facts of every kind, including profiles and port orders. */
interface Declarable {
	/** Name of its handler. */
	readonly name: Name | "kycProfile" | "portOrder";
	readonly noun: string;
	/** Arbitrary arguments. */
	readonly args: fc.Arbitrary<Values>;
	declare(args?: Values, as?: string): Values;
	/** Required properties, in the order of their messages. */
	readonly required: readonly string[];
	/** A property, and a frequent typing error. */
	readonly typo: readonly [meant: string, written: string];
}

export interface Kind extends Declarable {
	readonly name: Name;
	readonly type: "Number" | "SipTrunk" | "Webhook";
	readonly path: string;
	readonly get: OperationName;
	readonly patch: "patchNumber" | "patchTrunk" | "patchWebhook";
	/** A text property that may be cleared, with the same name at the service. */
	readonly text: string;
	/** The service's value of an undeclared `text`. */
	readonly unset: string | null;
	/** A change of another property, with the same name at the service. */
	readonly edit: Values;
	/** Another value of the same property. */
	readonly secondEdit: Values;
	/** Body of a request that creates it outside Pulumi. */
	readonly byHand: Values;
	/** Arguments that make a resource match the one with this name, and arguments that match none. */
	like(as: string): Values;
	readonly unlike: Values;
	/** True if a create costs money. */
	readonly buys?: boolean;
	readonly secret?: SecretOfKind;
}

export const kinds: readonly Kind[] = [
	{
		...{ name: "number", type: "Number", noun: "number", path: "/numbers", get: "getNumber", patch: "patchNumber" },
		...{ args: numberArgs as fc.Arbitrary<Values>, declare: aNumber, text: "label", unset: null },
		edit: { metadata: { team: "a" } },
		...{ required: ["country", "type"], typo: ["label", "lable"] },
		secondEdit: { metadata: { team: "b" } },
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
		secondEdit: { capacity: 12 },
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
		secondEdit: { enabled: true },
		byHand: { url: "https://hooks.example.com/old", events: ["message.received"] },
		like: () => ({}),
		unlike: { url: "https://hooks.example.com/unlike" },
		secret: {
			...{ output: "secret", rotation: "secretRotation", operation: "rotateSecret", path: "rotate_secret" },
			declare: aWebhook,
		},
	},
];

/** All kinds, including profiles and port orders. */
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

/** Kinds that cost nothing. */
export const freeKinds = kinds.filter(({ buys }) => !buys);
/** Kinds with a secret, which `declare` declares. */
export const secretKinds = kinds.flatMap((kind) =>
	kind.secret ? [{ ...kind, ...kind.secret, path: kind.path, rotate: kind.secret.path }] : [],
);

/** Returns the service's secret of an object. */
export const secretIn = (row: Readonly<Record<string, unknown>> | undefined) => {
	const { auth, secret } = (row ?? {}) as { auth?: { password?: string }; secret?: string };
	return auth?.password ?? secret;
};
