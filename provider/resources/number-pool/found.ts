/** What earlier runs have bought for a pool, as the references at the service say. */
import type { NumberRecord } from "../../api/contract";
import { isReleasedOrFailed } from "../../api/record";
import { identityFor } from "../../lifecycle/resource";
import { isSameState } from "../../ownership/claim";
import { parseReference } from "../../ownership/reference";
import type { Values } from "../../properties/table";
import type { Service } from "../../session/session";
import { memberInputs } from "./members";
import { memberClaim, mostNumbers } from "./properties";

/** The numbers on the account that are this pool's, by their reference: which index it is, no reference says. */
export function foundIndices(service: Service, live: readonly NumberRecord[], pool: Values): Map<number, NumberRecord> {
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
	return found;
}
