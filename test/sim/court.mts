/** Hands what happens in a story to the checkers of all promises. The chronicle comes first, as they ask it for excuses. */
import type { Control, ServiceName } from "./account.mts";
import { AsDeclared } from "./checks/as-declared.mts";
import { BoughtOnce } from "./checks/bought-once.mts";
import type { Aftermath, Before, Checker, Happening, Ran, Watch } from "./checks/check.mts";
import { Chronicle } from "./checks/chronicle.mts";
import { ClaimsStand } from "./checks/claims-stand.mts";
import { CreatedOnce } from "./checks/created-once.mts";
import { ExactDrift } from "./checks/exact-drift.mts";
import { FewRequests } from "./checks/few-requests.mts";
import { Limits } from "./checks/limits.mts";
import { NothingLost } from "./checks/nothing-lost.mts";
import { Removals } from "./checks/removals.mts";
import { RightfulErrors } from "./checks/rightful-errors.mts";
import { SecretsKept } from "./checks/secrets-kept.mts";
import { SecretsLast } from "./checks/secrets-last.mts";

export class Court {
	readonly chronicle: Chronicle;
	readonly #lost: NothingLost;
	readonly #checkers: readonly Checker[];

	constructor(control: Control, service: ServiceName) {
		this.chronicle = new Chronicle(control);
		const watch: Watch = { control, service, chronicle: this.chronicle };
		this.#lost = new NothingLost(watch);
		this.#checkers = [
			new SecretsKept(watch),
			new Limits(),
			new Removals(watch),
			new ClaimsStand(watch),
			new BoughtOnce(watch),
			this.#lost,
			new CreatedOnce(watch),
			new RightfulErrors(watch),
			new SecretsLast(watch),
			new AsDeclared(watch),
			new ExactDrift(watch),
			new FewRequests(),
		];
	}

	happened(happening: Happening): void {
		for (const checker of this.#checkers) checker.happened?.(happening);
		// Last, as a checker may ask whether the object was changed before.
		this.chronicle.happened(happening);
	}

	begin(before: Before): void {
		this.chronicle.begin(before);
		for (const checker of this.#checkers) checker.begin?.(before);
	}

	end(ran: Ran): void {
		this.chronicle.end(ran);
		for (const checker of this.#checkers) checker.end?.(ran);
	}

	settled(ran: Ran, after: Aftermath): void {
		this.chronicle.settled(ran);
		for (const checker of this.#checkers) checker.settled?.(ran, after);
	}

	finish(): void {
		this.#lost.finish();
	}
}
