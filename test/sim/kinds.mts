/** The kinds of objects that simulated programs declare. */
import type { State as Account, FaultRequest } from "../../emulator/index.ts";

export type Operation = FaultRequest["operation"];
export type Args = Readonly<Record<string, unknown>>;
export type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly reference?: string | null };

interface KindFacts {
	/** Name of the resource's class. */
	readonly type: string;
	/** Table of the emulator's account. */
	readonly table: "numbers" | "trunks" | "webhooks" | "kycProfiles" | "portOrders";
	readonly operations: Readonly<Record<"list" | "get" | "create" | "patch" | "remove", Operation>>;
	/** Other operations that a run may send for the kind. */
	readonly besides: readonly Operation[];
	/** Operation of the control API that edits an object outside Pulumi. */
	readonly edit: "patchNumber" | "patchTrunk" | "patchWebhook" | "patchKycProfile" | "patchPortOrder";
	/** Properties with the same name at the service. */
	readonly sameNamed: readonly string[];
	/** The secret as the service stores it. */
	readonly secretOf: (row: Row) => unknown;
}

const operationsOf = (noun: string, create = "create", remove = "delete") =>
	({
		list: `list${noun}s`,
		get: `get${noun}`,
		create: `${create}${noun}`,
		patch: `patch${noun}`,
		remove: `${remove}${noun}`,
	}) as KindFacts["operations"];

const documents: readonly Operation[] = ["createKycDocument", "listKycDocuments"];

export const kinds = {
	number: {
		type: "Number",
		table: "numbers",
		operations: operationsOf("Number", "buy", "release"),
		besides: [],
		edit: "patchNumber",
		sameNamed: ["label", "country"],
		secretOf: () => undefined,
	},
	sipTrunk: {
		type: "SipTrunk",
		table: "trunks",
		operations: operationsOf("Trunk"),
		besides: ["rotatePassword"],
		edit: "patchTrunk",
		sameNamed: ["name", "capacity"],
		secretOf: ({ auth }) => (auth as { password?: unknown } | undefined)?.password,
	},
	webhook: {
		type: "Webhook",
		table: "webhooks",
		operations: operationsOf("Webhook"),
		besides: ["rotateSecret"],
		edit: "patchWebhook",
		sameNamed: ["url"],
		secretOf: ({ secret }) => secret,
	},
	kycProfile: {
		type: "KycProfile",
		table: "kycProfiles",
		operations: operationsOf("KycProfile"),
		besides: ["submitKycProfile", ...documents],
		edit: "patchKycProfile",
		sameNamed: ["name", "country"],
		secretOf: () => undefined,
	},
	portOrder: {
		type: "PortOrder",
		table: "portOrders",
		operations: operationsOf("PortOrder", "create", "cancel"),
		besides: ["submitPortOrder", ...documents],
		edit: "patchPortOrder",
		sameNamed: ["country"],
		secretOf: () => undefined,
	},
} as const satisfies Readonly<Record<string, KindFacts>>;

export type Kind = keyof typeof kinds;
export const kindNames = Object.keys(kinds) as readonly Kind[];
export const factsOf = (kind: Kind): KindFacts => kinds[kind];

export const kindOfType = (type: string): Kind | undefined => kindNames.find((kind) => kinds[kind].type === type);

/** Returns all operations that a run may send for the kinds, without lists and single reads. */
export const writesOf = (of: readonly Kind[]): Operation[] =>
	of.flatMap((kind) => {
		const { operations, besides } = factsOf(kind);
		const { create, patch, remove } = operations;
		return [create, patch, remove, ...besides.filter((each) => !each.startsWith("list"))];
	});

export const readsOf = (of: readonly Kind[]): Operation[] =>
	of.flatMap((kind) => [kinds[kind].operations.list, kinds[kind].operations.get]);

const ended: ReadonlySet<string | undefined> = new Set(["released", "failed", "cancelled", "cancel_pending"]);

/** Returns the live objects of a kind: not released, cancelled or failed. */
export const rowsOf = (account: Account, kind: Kind): readonly Row[] =>
	(account[kinds[kind].table] as unknown as (Row & { readonly status?: string })[]).filter(
		({ status }) => !ended.has(status),
	);
