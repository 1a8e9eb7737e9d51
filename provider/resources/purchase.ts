/** Buying a number exactly once: protocol S, steps 1 to 6 (docs: purchase-protocol). */
import type { BuyNumber, NumberRecord, PurchaseRecord } from "../api/contract";
import { isGone, isTelephonyError, TelephonyError } from "../api/errors";
import type { Service, Session } from "../session";
import { type Claim, declarationOf, findOurs, parseReference, purchaseKey, sameWho } from "./claim";

export interface Purchase {
	readonly session: Session;
	readonly service: Service;
	readonly claim: Claim;
	readonly urn: string;
	readonly criteria: BuyNumber;
}

const unusable = new Set(["released", "releasing", "ported_out", "failed"]);

/** The seed's prose calls it "state". */
export const statusOf = (record: PurchaseRecord): string => record.status ?? record.state ?? "unknown";

/** True for what no longer is a number of ours, though the service may still show it. */
export const isOver = (record: PurchaseRecord): boolean => unusable.has(statusOf(record));

/** `+31201234567 (num_01)`, as people and support know it. */
export const nameOf = (record: PurchaseRecord): string =>
	record.number == null ? `${record.id ?? "number without id"}` : `${record.number} (${record.id ?? "without id"})`;

/** The number for this declaration: one that an earlier run bought, or a new one. */
export async function acquire(purchase: Purchase): Promise<PurchaseRecord & { readonly id: string }> {
	const { session, service, claim, urn } = purchase;
	const live = (await service.numbers.all()).filter((record) => !isOver(record));
	const ours = findOurs(claim, live, "number", nameOf);
	if (ours !== undefined) {
		session.progress.warn(
			urn,
			`Took over ${nameOf(ours)}, which an earlier run bought for this resource: nothing was bought.`,
		);
		return ours;
	}
	warnOfOthers(purchase, live);
	return buy(purchase, live);
}

/** Other numbers of the same resource are no error (a new generation replaces one), but may be left over from a crash. */
function warnOfOthers({ session, claim, urn }: Purchase, live: readonly NumberRecord[]): void {
	const others = live.filter((record) => {
		const reference = parseReference(record.reference);
		return reference !== undefined && sameWho(claim, reference) && declarationOf(reference) === declarationOf(claim);
	});
	if (others.length === 0) return;
	session.progress.warn(
		urn,
		`This resource also has ${others.map(nameOf).join(", ")}, bought for other criteria or another generation. If this run doesn't release it, do so in the service's dashboard.`,
	);
}

async function buy(
	purchase: Purchase,
	before: readonly NumberRecord[],
): Promise<PurchaseRecord & { readonly id: string }> {
	const { service, claim, criteria } = purchase;
	const done = startPurchase(criteria);
	try {
		for (let counter = 0; ; counter++) {
			const key = purchaseKey(claim, counter);
			let answer: Awaited<ReturnType<typeof service.client.numbers.buy>>;
			try {
				answer = await service.client.numbers.buy(criteria, { idempotencyKey: key });
			} catch (error) {
				if (isTelephonyError(error, "ContractMismatch")) return await findBought(purchase, before, error);
				if (!isTelephonyError(error, "OutcomeUnknown")) throw error;
				// A like number in the list may be somebody else's; the same key tells for certain, in the next run.
				if (service.client.offers("idempotencyKey") === true) {
					const next = "Run `pulumi up` again: it asks under the same key, so that nothing is bought twice.";
					throw new TelephonyError("OutcomeUnknown", `${error.message} ${next}`, {
						operation: "buyNumber",
						cause: error,
					});
				}
				// Late enough for a purchase under way to show in the list.
				await purchase.session.clock.sleep(10_000);
				return await findBought(purchase, before, error);
			}
			const bought = answer.data;
			if (!hasId(bought)) return await findBought(purchase, before);
			if (!answer.replayed) return bought;
			const replayed = await readReplayed(purchase, bought);
			if (replayed !== undefined) return replayed;
		}
	} finally {
		done();
	}
}

const hasId = (record: PurchaseRecord): record is PurchaseRecord & { readonly id: string } => record.id !== undefined;

/** The number that a key bought before, as it is now; undefined when that one is gone, and the next key is due. */
async function readReplayed(
	{ session, service, claim }: Purchase,
	{ id, created_at }: PurchaseRecord & { readonly id: string },
) {
	let record: NumberRecord;
	for (let tries = 0; ; tries++) {
		try {
			record = await service.client.numbers.get(id);
			break;
		} catch (error) {
			if (!isGone(error)) throw error;
			// A service may lag behind its own purchase: only what is older than a minute is gone at the first look.
			const fresh = created_at != null && session.clock.now() - Date.parse(created_at) < 60_000;
			if (!fresh || tries === 5) return undefined;
			await session.clock.sleep(2_000);
		}
	}
	if (isOver(record)) return undefined;
	const reference = parseReference(record.reference);
	if (reference !== undefined && !(reference.token === claim.token && sameWho(claim, reference))) {
		throw new TelephonyError(
			"Claimed",
			`${nameOf(record)} was bought for this resource, but another one has claimed it since. Nothing was bought. Give this resource another \`generation\` to buy a new number, or remove the other one.`,
		);
	}
	return record;
}

/** Purchases of this process under way, by criteria: so many new numbers in the list are ours. */
const underWay = new Map<string, number>();
const taken = new Set<string>();

function startPurchase(criteria: BuyNumber): () => void {
	const key = JSON.stringify(criteria);
	underWay.set(key, (underWay.get(key) ?? 0) + 1);
	return () => underWay.set(key, (underWay.get(key) ?? 1) - 1);
}

/**
 * The number that was bought when the answer didn't say which: what the list has now and had not before. Like numbers
 * of this process can't be told apart and needn't be; more candidates than purchases mean that somebody else buys too.
 */
async function findBought({ service, criteria }: Purchase, before: readonly NumberRecord[], cause?: unknown) {
	const known = new Set(before.map(({ id }) => id));
	const candidates = (await service.numbers.fresh()).filter(
		(record) =>
			!known.has(record.id) &&
			!taken.has(record.id) &&
			!isOver(record) &&
			parseReference(record.reference) === undefined &&
			(record.country ?? criteria.country) === criteria.country &&
			(record.type ?? criteria.type) === criteria.type &&
			(record.area ?? criteria.area) === criteria.area,
	);
	const [first] = candidates;
	if (first !== undefined && candidates.length <= (underWay.get(JSON.stringify(criteria)) ?? 0)) {
		taken.add(first.id);
		return first;
	}
	const found =
		candidates.length === 0
			? "The list shows no new number that could be it"
			: `It may be one of ${candidates.map(nameOf).join(", ")}`;
	throw new TelephonyError(
		"OutcomeUnknown",
		`Whether a ${criteria.type} number in ${criteria.country} was bought is unknown: ${cause === undefined ? "the answer named no number" : (cause as Error).message} ${found}. Nothing more was bought. Look at the account's numbers before you run \`pulumi up\` again.`,
		{ operation: "buyNumber", cause },
	);
}
