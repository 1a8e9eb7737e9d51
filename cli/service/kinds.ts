/** The kinds of objects that the check makes. */
import type { Feature, OperationName } from "../../provider/api/contract";
import { spellingsOf } from "./names";
import type { ProbeName } from "./probes";

export interface Kind {
	readonly noun: "number" | "trunk" | "webhook";
	readonly list: OperationName;
	readonly read: OperationName;
	readonly change: OperationName;
	readonly remove: OperationName;
	/** The feature of the single read. */
	readonly feature: Feature;
	/** Other requests that may remove it. */
	readonly removals: readonly string[];
	readonly removal: ProbeName;
}

export const kinds = {
	number: {
		noun: "number",
		list: "listNumbers",
		read: "getNumber",
		change: "patchNumber",
		remove: "releaseNumber",
		feature: "getById",
		removals: ["release", ...spellingsOf("release")].map((verb) => `POST /numbers/{id}/${verb}`),
		removal: "release",
	},
	trunk: {
		noun: "trunk",
		list: "listTrunks",
		read: "getTrunk",
		change: "patchTrunk",
		remove: "deleteTrunk",
		feature: "trunks",
		removals: [],
		removal: "deleteTrunk",
	},
	webhook: {
		noun: "webhook",
		list: "listWebhooks",
		read: "getWebhook",
		change: "patchWebhook",
		remove: "deleteWebhook",
		feature: "webhooks",
		removals: [],
		removal: "deleteWebhook",
	},
} as const satisfies Record<string, Kind>;
