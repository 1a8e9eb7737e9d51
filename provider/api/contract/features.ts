import type { Origin } from "./schema";

interface Promised {
	readonly promised: boolean;
	readonly origin: Origin;
}

const assumed: Promised = { promised: true, origin: "assumed" };

/**
 * What a service may or may not offer, and whether its description promises it. The seed shows none of them: it lists
 * numbers and buys them. A stack says otherwise with `telephony:features`.
 */
export const featureTable = {
	getById: assumed,
	patchNumber: assumed,
	release: assumed,
	trunks: assumed,
	webhooks: assumed,
	idempotencyKey: assumed,
	reference: assumed,
	statusFilter: assumed,
	inventory: assumed,
	restore: assumed,
	ports: assumed,
	kyc: assumed,
	calls: assumed,
	messages: assumed,
	billing: assumed,
} as const satisfies Record<string, Promised>;
export type Feature = keyof typeof featureTable;
export const features = Object.keys(featureTable) as readonly Feature[];

/** Header in which our emulator names what it offers (comma-separated features). No other service sends it. Assumed. */
export const featuresHeader = "telephony-features";

/** Header that marks a response replayed for an Idempotency-Key seen before. Assumed. */
export const replayedHeader = "idempotent-replayed";
