/** What a service may or may not offer. The seed shows none of them: it lists numbers and buys them. */
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

/** Header in which a service may say what it offers (comma-separated features). Absent: learnt by trying. Assumed. */
export const featuresHeader = "telephony-features";

/** Header that marks an answer replayed for an Idempotency-Key seen before. Assumed. */
export const replayedHeader = "idempotent-replayed";
