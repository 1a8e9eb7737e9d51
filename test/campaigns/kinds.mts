/** The kinds of objects that programs of campaigns declare: each stands here once, with all that tells it from the others. */
import type { State as Account, Control, FaultRequest } from "../../emulator/index.ts";

export type Operation = FaultRequest["operation"];
type Args = Readonly<Record<string, unknown>>;
export type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly reference?: string | null };

interface KindFacts {
	/** Of its class. */
	readonly type: string;
	/** Its rows at the emulator, and the last part of its path. */
	readonly table: "numbers" | "trunks" | "webhooks" | "kycProfiles" | "portOrders";
	readonly operations: Readonly<Record<"list" | "get" | "create" | "patch" | "remove", Operation>>;
	/** Makes its secret anew. */
	readonly rotate?: Operation;
	/** What else a run may send for it. */
	readonly besides?: readonly Operation[];
	/** Operation of the control API that changes an object outside Pulumi. */
	readonly edit: "patchNumber" | "patchTrunk" | "patchWebhook" | "patchKycProfile" | "patchPortOrder";
	readonly end: (control: Control, id: string) => void;
	/** Properties that the service shows under their own names, of those that programs declare. */
	readonly shown: readonly string[];
	/** As the service keeps it. */
	readonly secretOf?: (row: Row) => unknown;
	/** Of what has a secret that the service makes, a wish for a new one. */
	readonly rotation?: (args: Args, rotation: number) => Args;
}

const modeOf = ({ auth }: Args): unknown => (auth as { mode?: unknown } | undefined)?.mode;

export const kinds = {
	number: {
		type: "Number",
		table: "numbers",
		operations: {
			list: "listNumbers",
			get: "getNumber",
			create: "buyNumber",
			patch: "patchNumber",
			remove: "releaseNumber",
		},
		edit: "patchNumber",
		end: (control, id) => control.deleteNumber(id),
		shown: ["label", "country"],
	},
	sipTrunk: {
		type: "SipTrunk",
		table: "trunks",
		operations: {
			list: "listTrunks",
			get: "getTrunk",
			create: "createTrunk",
			patch: "patchTrunk",
			remove: "deleteTrunk",
		},
		rotate: "rotatePassword",
		edit: "patchTrunk",
		end: (control, id) => control.deleteTrunk(id),
		shown: ["name", "capacity"],
		secretOf: ({ auth }) => (auth as { password?: unknown } | undefined)?.password,
		rotation: (args, passwordRotation) => (modeOf(args) === "digest" ? { passwordRotation } : {}),
	},
	webhook: {
		type: "Webhook",
		table: "webhooks",
		operations: {
			list: "listWebhooks",
			get: "getWebhook",
			create: "createWebhook",
			patch: "patchWebhook",
			remove: "deleteWebhook",
		},
		rotate: "rotateSecret",
		edit: "patchWebhook",
		end: (control, id) => control.deleteWebhook(id),
		shown: ["url"],
		secretOf: ({ secret }) => secret,
		rotation: (_, secretRotation) => ({ secretRotation }),
	},
	kycProfile: {
		type: "KycProfile",
		table: "kycProfiles",
		operations: {
			list: "listKycProfiles",
			get: "getKycProfile",
			create: "createKycProfile",
			patch: "patchKycProfile",
			remove: "deleteKycProfile",
		},
		besides: ["submitKycProfile", "createKycDocument", "listKycDocuments"],
		edit: "patchKycProfile",
		end: (control, id) => control.deleteKycProfile(id),
		shown: ["name", "country"],
	},
	portOrder: {
		type: "PortOrder",
		table: "portOrders",
		operations: {
			list: "listPortOrders",
			get: "getPortOrder",
			create: "createPortOrder",
			patch: "patchPortOrder",
			remove: "cancelPortOrder",
		},
		besides: ["submitPortOrder", "createKycDocument", "listKycDocuments"],
		edit: "patchPortOrder",
		end: (control, id) => void control.decidePortOrder(id, "cancel"),
		shown: ["country"],
	},
} as const satisfies Readonly<Record<string, KindFacts>>;

export type Kind = keyof typeof kinds;
export const kindNames = Object.keys(kinds) as readonly Kind[];
export const factsOf = (kind: Kind): KindFacts => kinds[kind];

export const kindOfType = (type: string): Kind | undefined => kindNames.find((kind) => kinds[kind].type === type);

/** Whether a run may send it for an object of the kind. */
export const concerns = (operation: Operation, kind: Kind): boolean => {
	const { operations, rotate, besides = [] } = factsOf(kind);
	return [rotate, ...besides, ...Object.values(operations)].includes(operation);
};

/** Answers no body. */
export const isRemoval = (operation: Operation): boolean =>
	kindNames.some((kind) => factsOf(kind).operations.remove === operation);

const over: ReadonlySet<string | undefined> = new Set(["released", "failed", "cancelled", "cancel_pending"]);
const isOver = ({ status }: { readonly status?: string }): boolean => over.has(status);

/** What the account has of a kind: what is released, cancelled or has failed is none any more. */
export const rowsOf = (account: Account, kind: Kind): readonly Row[] =>
	(account[kinds[kind].table] as unknown as (Row & { readonly status?: string })[]).filter((row) => !isOver(row));

export const edit = (control: Control, kind: Kind, id: string, patch: object): void =>
	void control[kinds[kind].edit](id, patch as never);

export const end = (control: Control, kind: Kind, id: string): void => factsOf(kind).end(control, id);
