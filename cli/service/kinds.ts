/** The kinds of objects that the check makes. */
import type { Client } from "../../provider/api/client";
import type { OperationName } from "../../provider/api/contract";
import type { Json } from "../../provider/api/json";

export interface Kind {
	readonly noun: "number" | "trunk" | "webhook";
	readonly list: OperationName;
	readonly read: OperationName;
	readonly change: OperationName;
	readonly remove: OperationName;
	/** The pages of its list. */
	readonly pages: (client: Client) => AsyncIterable<readonly object[]>;
}

export const kinds = {
	number: {
		noun: "number",
		list: "listNumbers",
		read: "getNumber",
		change: "patchNumber",
		remove: "releaseNumber",
		pages: ({ numbers }) => numbers.pages(),
	},
	trunk: {
		noun: "trunk",
		list: "listTrunks",
		read: "getTrunk",
		change: "patchTrunk",
		remove: "deleteTrunk",
		pages: ({ trunks }) => trunks.pages(),
	},
	webhook: {
		noun: "webhook",
		list: "listWebhooks",
		read: "getWebhook",
		change: "patchWebhook",
		remove: "deleteWebhook",
		pages: ({ webhooks }) => webhooks.pages(),
	},
} as const satisfies Record<string, Kind>;

/** An object that the check has made and not removed yet. */
export interface Made {
	readonly kind: Kind;
	readonly id: string;
	/** For people. */
	readonly name: string;
}

/** Returns the id of a record; undefined if the record has none that names it. */
export const idOf = ({ id }: Json): string | undefined =>
	(typeof id === "string" && id !== "") || typeof id === "number" ? String(id) : undefined;
