/**
 * Parts of the contract that a service may lack. All are assumed: the seed shows only the list of numbers and the
 * purchase. A stack declares missing features with `telephony:features`.
 */
export const features = [
	"getById",
	"patchNumber",
	"release",
	"trunks",
	"webhooks",
	"idempotencyKey",
	"reference",
	"statusFilter",
	"inventory",
	"restore",
	"ports",
	"kyc",
	"calls",
	"messages",
	"billing",
	"account",
] as const;
export type Feature = (typeof features)[number];

/** Header in which our emulator names its features, separated by commas. No other service sends it. Assumed. */
export const featuresHeader = "telephony-features";

/** Header in which our emulator names its account, so that no request is needed to show it. Assumed. */
export const accountHeader = "telephony-account";

/** Header that marks a response replayed for an Idempotency-Key seen before. Assumed. */
export const replayedHeader = "idempotent-replayed";
