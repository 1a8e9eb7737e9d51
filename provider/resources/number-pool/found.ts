/** What earlier runs have bought for a pool, as the references at the service say. */
import type { NumberRecord } from "../../api/contract";
import { isReleasedOrFailed } from "../../api/record";
import { identityFor, type KnownService } from "../../lifecycle/resource";
import { isSameState } from "../../ownership/claim";
import type { PlannedPurchase } from "../../ownership/memory";
import { isLeft, parseReference } from "../../ownership/reference";
import { unknownValue, type Values } from "../../properties/table";
import type { Session } from "../../session/session";
import { isKnown } from "../number/limits";
import { changedCriteria, criteriaOf } from "../number/properties";
import { memberInputs } from "./members";
import { listIn, memberClaim, mostNumbers } from "./properties";

/** What a pool's declaration surely buys: what it is to have in all, without what it had, is to take over or has by now. */
export function plannedPool(session: Session, olds: Values, inputs: Values): PlannedPurchase | undefined {
	const { count, adopt } = inputs;
	if (typeof count !== "number" || !isKnown(inputs) || adopt === unknownValue) return undefined;
	const isSame = olds.country !== undefined && changedCriteria(olds, inputs).length === 0;
	const before = isSame ? Number(olds.count) : 0;
	const known = isSame ? listIn(olds, "adopt") : [];
	const adopted = listIn(inputs, "adopt").filter((each) => !known.includes(each)).length;
	const wanted = count - before - adopted;
	if (!(wanted > 0)) return undefined;
	return {
		count: wanted,
		criteria: criteriaOf(inputs),
		found: async (live) => {
			const found = foundIndices(await session.service(), live, inputs);
			// Of what it had, some may be lost: a growth that was killed has bought higher ones.
			return Math.max(found.size - before, [...found.keys()].filter((index) => index >= before).length);
		},
	};
}

/** The numbers on the account that are this pool's, by their reference: which index it is, no reference says. */
export function foundIndices(
	service: KnownService,
	live: readonly NumberRecord[],
	pool: Values,
): Map<number, NumberRecord> {
	const own = new Map<string, NumberRecord>();
	const who = identityFor(memberClaim, memberInputs(pool, 0), service);
	for (const record of live) {
		const reference = parseReference(record.reference);
		const isOurs =
			reference !== undefined && (isSameState(who, reference) || (who.earlier && isSameState(who.earlier, reference)));
		if (isOurs && !isReleasedOrFailed(record)) own.set(reference.token, record);
	}
	const found = new Map<number, NumberRecord>();
	for (let index = 0; own.size > 0 && index < mostNumbers; index++) {
		const { token, earlier } = identityFor(memberClaim, memberInputs(pool, index), service);
		const record = own.get(token) ?? own.get(earlier?.token ?? "");
		if (record !== undefined) found.set(index, record);
	}
	// A number that the pool has left comes back only if there is no other.
	return new Map(
		[...found].sort(([, one], [, other]) => Number(isLeft(one.reference)) - Number(isLeft(other.reference))),
	);
}
