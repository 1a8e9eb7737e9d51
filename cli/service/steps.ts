/** Names of the check's requests and changes. */

/** The purpose of a request. */
export type Step =
	| "list"
	| "listWithoutLimit"
	| "wrongKey"
	| "firstPage"
	| "secondPage"
	| "single"
	| "unknown"
	| "statusFilter"
	| "account"
	| "trunks"
	| "trunk"
	| "webhooks"
	| "webhook"
	| "price"
	| "buy"
	| "replay"
	| "change"
	| "probe"
	| "release"
	| "after"
	| "listAfter"
	| "createTrunk"
	| "createWebhook"
	| "deleteTrunk"
	| "trunkAfter"
	| "trunksAfter"
	| "deleteWebhook"
	| "webhookAfter"
	| "webhooksAfter";

/** A change of an object that the check has made. */
export type Change =
	| "change"
	| "longReference"
	| "longLabel"
	| "routing"
	| "unrouted"
	| "changeTrunk"
	| "changeWebhook";
