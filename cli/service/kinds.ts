/** The kinds of objects that the check makes. */
import type { Feature, OperationName } from "../../provider/api/contract";
import type { Step } from "./steps";

/** A kind of object that the check makes. */
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
	/** Steps of the removal, of the read and of the list after it. */
	readonly steps: { readonly remove: Step; readonly read: Step; readonly list: Step };
}

export const kinds = {
	number: {
		noun: "number",
		list: "listNumbers",
		read: "getNumber",
		change: "patchNumber",
		remove: "releaseNumber",
		feature: "getById",
		removals: ["release", "cancel", "terminate", "cease"].map((verb) => `POST /numbers/{id}/${verb}`),
		steps: { remove: "release", read: "after", list: "listAfter" },
	},
	trunk: {
		noun: "trunk",
		list: "listTrunks",
		read: "getTrunk",
		change: "patchTrunk",
		remove: "deleteTrunk",
		feature: "trunks",
		removals: [],
		steps: { remove: "deleteTrunk", read: "trunkAfter", list: "trunksAfter" },
	},
	webhook: {
		noun: "webhook",
		list: "listWebhooks",
		read: "getWebhook",
		change: "patchWebhook",
		remove: "deleteWebhook",
		feature: "webhooks",
		removals: [],
		steps: { remove: "deleteWebhook", read: "webhookAfter", list: "webhooksAfter" },
	},
} as const satisfies Record<string, Kind>;
