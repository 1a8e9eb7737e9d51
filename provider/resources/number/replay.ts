/** What an Idempotency-Key bought before, and who owns it now, even while the service doesn't show it. */
import type { NumberRecord } from "../../api/contract";
import { isAbsent, isGone, TelephonyError } from "../../api/errors";
import { isReleasedOrFailed, nameOf } from "../../api/record";
import { lagMs, pauses, until } from "../../api/until";
import { findOurs } from "../../ownership/claim";
import { ownership } from "../../ownership/ownership";
import { parseReference } from "../../ownership/reference";
import type { Service } from "../../session/session";
import type { Purchase, ShownNumber } from "./acquisition";
import { isAfter, isDoubtful, isReferenced, uncertain, unknownOutcome } from "./candidates";

/** How to get another number instead: a pool has no generations, and its name for this one stays as it is. */
const alone = "give this resource another `generation` to buy a new number";
const inPool = "declare a separate Number, and adopt it into the pool after it is bought";

interface Sold {
	/** As the answer shows it. */
	readonly sold: ShownNumber;
	/** False for one that may just as well be new. */
	readonly isReplay: boolean;
	/** What the list showed before the purchase. */
	readonly before: readonly NumberRecord[];
	/** Service time of the request. */
	readonly since: number;
}

/** The number that a key bought before, as it is now; undefined if it is gone or another declaration of ours has it. */
export async function readReplayed(
	purchase: Purchase,
	{ before, sold, isReplay, since }: Sold,
): Promise<NumberRecord | undefined> {
	const { claim, inputs } = purchase;
	const listed = before.find(({ id }) => id === sold.id);
	const record = await readSold(purchase, sold, listed);
	if (record === undefined || isReleasedOrFailed(record)) return undefined;
	switch (ownership(claim, record)) {
		case "vacant":
		case "superseded":
			return record;
		case "unknown":
			// Made since this run asked: bought by its own first try, whose answer was lost.
			if (!isReplay || isAfter(sold.created_at, since)) return record;
			throw uncertain(
				[record],
				`Nothing was bought: this resource's idempotency key already bought ${nameOf(record)}, and the service stores no references to show whether another resource has it.`,
			);
		default: {
			const reference = parseReference(record.reference);
			// Another declaration has it, such as this resource's new name, or a stack that has adopted it: it is safe there.
			if (reference !== undefined && reference.token !== claim.token) return undefined;
			throw new TelephonyError(
				"Claimed",
				`${nameOf(record)} was bought for this resource, but another one has claimed it. Nothing was bought. Either ${/:NumberPool::/.test(String(inputs.resourceUrn)) ? inPool : alone}, or remove it there and name it in \`adopt\` here.`,
			);
		}
	}
}

/**
 * A service may lag behind its own purchase. A number just sold that can't be read doesn't count as gone before any lag
 * is over, so that no other is bought instead. @throws TelephonyError OutcomeUnknown if that can't be told
 */
async function readSold(
	{ session, service, urn }: Purchase,
	{ id, created_at }: ShownNumber,
	listed: NumberRecord | undefined,
): Promise<NumberRecord | undefined> {
	const first = session.clock.now();
	const unseen = async (error: unknown): Promise<Sight> => {
		// Its own time may be another clock's: only this wait proves that it isn't just late.
		const isOld = created_at != null && session.clock.now() - first > lagMs;
		// A list never proves that something is gone.
		if (isOld && isGone(error)) return { record: undefined };
		if (created_at != null && (await isReleased(service, id))) return { record: undefined };
		session.progress.status(urn, `waiting until the service lists ${id}, which was just bought`);
		return { error, isOld };
	};
	const look = async (): Promise<Sight> => {
		try {
			return { record: await service.client.numbers.get(id) };
		} catch (error) {
			if (!isAbsent(error)) throw error;
			return listed === undefined ? unseen(error) : { record: listed };
		}
	};
	const sight = await until(session, look, (seen) => "record" in seen || seen.isOld, { for: pauses.sold });
	if ("record" in sight) return sight.record;
	throw new TelephonyError(
		"OutcomeUnknown",
		`The service reports that this resource bought ${id}, but doesn't list it. Nothing else was bought. Run \`pulumi up\` again. If the number was released, give this resource another \`generation\`.`,
		{ operation: "buyNumber", messageCode: "purchase-unknown", cause: sight.error },
	);
}

/** What a look has shown: the number, undefined if it is gone, or an error that doesn't tell. */
type Sight = { readonly record: NumberRecord | undefined } | { readonly error: unknown; readonly isOld: boolean };

/** Lists hide released numbers unless they are asked for. */
async function isReleased({ client, account }: Service, id: string): Promise<boolean> {
	if (!client.offers("statusFilter")) return false;
	// One list for all: a stack that comes and goes has bought each of its numbers before.
	if (await account.isReleased(id)) return true;
	for await (const record of client.numbers.list({ status: "released" }))
		if (record.id === id) return isReleasedOrFailed(record);
	return false;
}

/** Finds the number of a used key when the answer doesn't name it: only its reference proves which it is. */
export async function findReplayed(purchase: Purchase): Promise<ShownNumber | undefined> {
	const { session, service, claim } = purchase;
	const look = async () => {
		const live = (await service.numbers.fresh()).filter((record) => !isReleasedOrFailed(record));
		const ours = isReferenced(purchase, live) ? findOurs(claim, live, "number", nameOf) : undefined;
		if (ours !== undefined) return ours;
		const candidates = live.filter((record) => isDoubtful(purchase, record));
		if (candidates.length > 0)
			throw unknownOutcome(purchase, candidates, "the response repeats an earlier one and has no number id.");
		return undefined;
	};
	return until(session, look, (ours) => ours !== undefined, { for: pauses.bought });
}
