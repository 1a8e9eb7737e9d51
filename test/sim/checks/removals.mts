/** A number is released only if its saved `onDelete` says `release`, and no object ends that the program keeps. */
import { isMarkedRetained, isRetained, liveIds, numbersIn } from "../account.mts";
import { allIn, objectIn } from "../engine.mts";
import { kinds } from "../kinds/index.mts";
import { criteriaOf } from "../program.mts";
import { type Before, type Checker, must, type Ran, referenceOf, type Watch } from "./check.mts";

/** Returns the ids of a state's objects that this `up` or destroy may release or delete. */
function removableIn({ state, program, options: { replace = [] } }: Before): ReadonlySet<string> {
	const declared = new Map(program.map((declaration) => [declaration.name, declaration]));
	const removable = allIn(state).filter((resource) => {
		const newest = state.resources.get(resource.name);
		// The newest state of an object decides, and not that of a resource that it replaced.
		const isOlder = newest !== undefined && newest !== resource && newest.id === resource.id;
		if (isRetained(resource) || isOlder) return false;
		const declaration = declared.get(resource.name);
		if (declaration === undefined) return true;
		const isReplaced = state.replaced.has(resource) && newest?.id !== resource.id;
		if (!kinds[resource.kind].isBought) return isReplaced || replace.includes(resource.name);
		return isReplaced || criteriaOf(declaration.args) !== criteriaOf(resource.inputs);
	});
	return new Set(removable.map(({ id }) => id));
}

export class Removals implements Checker {
	readonly #watch: Watch;

	constructor(watch: Watch) {
		this.#watch = watch;
	}

	end(ran: Ran): void {
		const removable = removableIn(ran.before);
		for (const { kind, number_id: id } of ran.ledger) if (kind === "release") this.#judge(id, ran, removable);
		const live = liveIds(this.#watch.control);
		for (const id of ran.before.live)
			must(
				live.has(id) || id.startsWith("num_") || removable.has(id),
				() => `${id} was deleted, and no program asked for it`,
			);
		if (ran.kind === "destroy" && !ran.isKilled && ran.errors.length === 0) this.#judgeDestroyed(ran);
	}

	#judge(id: string, { before, excuses }: Ran, removable: ReadonlySet<string>): void {
		const { chronicle } = this.#watch;
		const { isTheirs, overwritten } = chronicle.of(id);
		must(isTheirs !== true, () => `${id} was released, and someone else bought it`);
		must(
			!chronicle.isClaimed(id) || excuses.has("stale reads"),
			() => `${id} was released, and its reference says that it is someone else's`,
		);
		const isReleasable = numbersIn(before.state).some((resource) => resource.id === id && !isRetained(resource));
		const isCleared = overwritten?.by === "nobody" && isReleasable;
		must(removable.has(id) || isCleared, () => `${id} was released, and the saved state says otherwise`);
	}

	#judgeDestroyed({ state, before, excuses }: Ran): void {
		must(allIn(state).length === 0, () => "destroy succeeded and left resources in the state");
		const live = liveIds(this.#watch.control);
		for (const id of numbersIn(before.state).filter(isRetained).map(objectIn)) {
			const { overwritten, isShared } = this.#watch.chronicle.of(id);
			// A read that shows an earlier run's claim for longer than the run waits leaves the last claim.
			const isStale = excuses.has("long stale reads") && Boolean(referenceOf(this.#watch, id));
			const isExcused =
				overwritten !== undefined || isShared || isStale || !live.has(id) || this.#watch.service !== "full";
			must(
				isExcused || isMarkedRetained(referenceOf(this.#watch, id)),
				() => `${id} is retained, and its reference doesn't say left`,
			);
		}
	}
}
