/** A run fails only for a reason that the service or another tool gave. */
import type { MessageCode } from "../../../provider/api/message-codes.ts";
import { liveIds } from "../account.mts";
import { allIn, objectIn } from "../engine.mts";
import type { RunError } from "../errors.mts";
import { lockCodes } from "../kinds/index.mts";
import { type Checker, idsHeldTwice, must, type Ran, type Watch } from "./check.mts";

/** Codes of errors that the service or others caused. */
const rightful: readonly MessageCode[] = [
	"adopt-refused",
	"conflict",
	"in-use",
	"kyc-locked",
	"kyc-pending",
	"kyc-rejected",
	"kyc-requirements",
	"limit",
	"no-inventory",
	"not-active",
	"not-found",
	"number-failed",
	"port-exception",
	"port-pending",
	"ported-out",
	"released-outside",
	"removed-outside",
	"shared-object",
];

const isRightful = (error: RunError): boolean =>
	error.isSkipped ||
	error.has(...rightful) ||
	error.hasServiceCode("number_not_portable", "kyc_profile_in_use", ...lockCodes);

export class RightfulErrors implements Checker {
	readonly #watch: Watch;

	constructor(watch: Watch) {
		this.#watch = watch;
	}

	end(ran: Ran): void {
		if (ran.isFair) for (const error of ran.errors) this.#judge(error, ran);
	}

	#judge(error: RunError, { state, before }: Ran): void {
		if (isRightful(error)) return;
		const { control, chronicle, service } = this.#watch;
		const live = liveIds(control);
		// A killed run removed it, and a refresh would tell.
		if (error.hasServiceCode("invalid_reference") && allIn(state).some(({ id }) => !live.has(id))) return;
		if (error.has("wrong-account")) {
			this.#mustBeMissing(error, before.state);
			return;
		}
		const isOfClaims = error.has("claimed", "another-state", "another-attempt", "duplicate");
		if (isOfClaims && (chronicle.isContested || error.idsAmong(idsHeldTwice(allIn(state))).length > 0)) return;
		// Without keys or references, a run can't know what an interrupted one did.
		if (service !== "full" && (isOfClaims || error.has("purchase-unknown", "unconfirmed-write"))) return;
		must(false, () => `a run failed although nothing went wrong: ${error}`);
	}

	/** The error names objects of the state, and the account has none of them. */
	#mustBeMissing(error: RunError, state: Ran["state"]): void {
		const named = error.idsAmong(allIn(state).flatMap((resource) => [resource.id, objectIn(resource)]));
		must(named.length > 0, () => `an error of the account names no object of the state: ${error}`);
		const { control, chronicle } = this.#watch;
		const live = liveIds(control);
		must(
			named.every((id) => !live.has(id) || chronicle.isTheirs(id)),
			() => `an object of the account is said to be missing: ${error}`,
		);
	}
}
