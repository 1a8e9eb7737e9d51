/** Tells an account that has objects of the stacks from another one, whose ids may be the same. */
import { TelephonyError } from "../../provider/api/errors";
import { stateIdentity } from "../../provider/ownership/claim";
import { identify } from "../../provider/ownership/identity";
import { lines } from "../../provider/properties/display";
import { checkKey } from "../../provider/reads/account-check";
import type { Config } from "../../provider/session/config";
import { type Account, nounOf, type Owned } from "./account";
import { type Holding, holdingFinder } from "./holdings";

/** @throws TelephonyError if the stacks hold objects, and the account shows none of them */
export function assertOwnAccount(account: Account, holdings: readonly Holding[], config: Config): void {
	const { client, objects, unreadable, wanted } = account;
	const held = holdings.filter(({ type }) => wanted.some((name) => name === type));
	const find = holdingFinder(held);
	const kept = client.offers("reference");
	const isOwn = (owned: Owned): boolean => {
		const holding = find(owned);
		if (holding === undefined) return false;
		const { urn, saved } = holding;
		const claim = stateIdentity({ ...saved, __resourceUrn: urn }, config, kept);
		const verdict = identify(claim, { kind: nounOf(owned.type), record: owned.record, saved });
		// A state of an interrupted run has nothing to compare.
		return verdict === "same" || (verdict === "unknown" && !saved.lease);
	};
	if (held.length === 0 || objects.some(isOwn) || unreadable.some((object) => find(object) !== undefined)) return;
	const ids = held.map(({ id }) => id);
	throw new TelephonyError(
		"Config",
		`None of the stacks' objects exist on the account at ${config.baseUrl}. Nothing was changed. ${checkKey}${lines(ids)}`,
		{ messageCode: "wrong-account" },
	);
}
