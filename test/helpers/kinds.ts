/** The kinds of objects that programs declare, with the facts that tests need. */
import type fc from "fast-check";
import { type OperationName, kinds as serviceKinds } from "../../provider/api/contract";
import { changeOf, singleReadOf } from "../../provider/api/description/records";
import type { Values } from "../../provider/properties/table";
import { numberArgs, portOrderArgs, profileArgs, trunkArgs, webhookArgs } from "./arbitraries";
import { type Kind as Name, tables } from "./emulator";
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
	/** Name of the resource's class. */
	readonly type: Capitalize<Declarable["name"]>;
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
	readonly type: Capitalize<Name>;
	readonly path: string;
	readonly get: OperationName;
	readonly patch: OperationName;
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

/** Facts that follow from the contract. */
const ofContract = (name: Name) => {
	const { name: record, noun, path } = serviceKinds[tables[name]];
	const [get, patch] = [singleReadOf(record), changeOf(record)];
	if (get === undefined || patch === undefined) throw new Error(`A ${noun} can't be read or changed.`);
	return { name, type: name.replace(/^./, (letter) => letter.toUpperCase()) as Kind["type"], noun, path, get, patch };
};

export const kinds: readonly Kind[] = [
	{
		...ofContract("number"),
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
		...ofContract("sipTrunk"),
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
		...ofContract("webhook"),
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
	// Kinds from `npm run generate -- --new-kind` follow.
];

/** All kinds, including profiles and port orders. */
export const allKinds: readonly Declarable[] = [
	...kinds,
	{
		...{
			name: "kycProfile",
			type: "KycProfile",
			noun: "KYC profile",
			args: profileArgs as fc.Arbitrary<Values>,
			declare: aProfile,
		},
		...{ required: ["entityType", "name", "country", "address"], typo: ["address", "adress"] },
	},
	{
		...{
			name: "portOrder",
			type: "PortOrder",
			noun: "port order",
			args: portOrderArgs as fc.Arbitrary<Values>,
			declare: aPortOrder,
		},
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
