/**
 * What a service may or may not offer. All are assumed: the seed shows only that it lists numbers and buys them. A stack
 * declares what its service lacks with `telephony:features`.
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
] as const;
export type Feature = (typeof features)[number];

/** Header in which our emulator names what it offers (comma-separated features). No other service sends it. Assumed. */
export const featuresHeader = "telephony-features";

/** Header that marks a response replayed for an Idempotency-Key seen before. Assumed. */
export const replayedHeader = "idempotent-replayed";
