/** A preview and a refresh of a settled stack report what others changed, and nothing else. Neither writes. */
import { objectIn, type ResourceState, type State } from "../engine.mts";
import { allKinds, kinds } from "../kinds/index.mts";
import { isComing } from "../program.mts";
import { type Aftermath, type Checker, type Happening, must, type Ran, type Watch } from "./check.mts";

/** Outputs that the service alone changes. */
const computed: ReadonlySet<string> = new Set([
	"status",
	"reconciling",
	...allKinds.flatMap((kind) => kind.computed ?? []),
]);

export class ExactDrift implements Checker {
	readonly #watch: Watch;
	/** True if the last run was a good `up`, so that a refresh must find nothing. */
	#isSettled = false;
	/** The property that a refresh must name, after one edit of a settled resource. */
	readonly #expected = new Map<string, string>();

	constructor(watch: Watch) {
		this.#watch = watch;
	}

	happened(happening: Happening): void {
		if (happening.what === "wrong key") this.#isSettled = false;
		if ("id" in happening) this.#expected.delete(happening.id);
		if (happening.what !== "edited") return;
		const { resource, property } = happening;
		const id = objectIn(resource);
		const isCompared = resource.inputs[property] !== undefined || kinds[resource.kind].compared?.includes(property);
		if (this.#isSettled && isCompared && !this.#watch.chronicle.isChanged(id)) this.#expected.set(id, property);
		else this.#expected.delete(id);
	}

	end({ kind, before, isKilled, isFair, excuses, changed, errors, requests }: Ran): void {
		if (kind === "refresh") {
			must(
				requests.every(({ method }) => method === "GET"),
				() => "a refresh wrote",
			);
			const isLagging = excuses.has("stale reads") && !excuses.has("long stale lists") && !isKilled;
			if (this.#isSettled && (isFair || isLagging) && errors.length === 0)
				this.#mustBeExact(before.state, changed, isLagging);
			if (isFair) return;
		}
		// An `up` may write over an edit, so that no later refresh reports it.
		this.#expected.clear();
		this.#isSettled = false;
	}

	settled(ran: Ran, { steps, changed, errors, writes }: Aftermath): void {
		const moving = new Set(
			[...ran.state.resources.values()]
				.filter((resource) => this.#isMoving(resource, ran))
				.map(({ name }) => `update ${name}`),
		);
		const planned = steps.filter((step) => !moving.has(step));
		must(planned.length === 0, () => `a preview after a good up: ${planned.join("; ")}`);
		const failed = errors.filter((error) => !error.has("wrong-account"));
		must(failed.length === 0, () => `a refresh failed: ${failed.join("; ")}`);
		this.#mustBeExact(ran.state, changed, false);
		must(writes === 0, () => "a preview or a refresh wrote");
		this.#isSettled = true;
	}

	#isMoving(resource: ResourceState, { excuses }: Ran): boolean {
		if (isComing(resource.outputs)) return true;
		if (kinds[resource.kind].isUnderWay?.(resource.outputs)) return true;
		// The run couldn't see what others had just changed.
		return excuses.has("stale reads") && this.#watch.chronicle.isChanged(objectIn(resource));
	}

	#mustBeExact(state: State, changed: Ran["changed"], isLagging: boolean): void {
		const unasked = [...changed].flatMap(([name, outputs]) => {
			const surplus = this.#surplus(state.resources.get(name), outputs);
			return surplus === undefined ? [] : [`${name}: ${surplus.join(", ") || "gone"}`];
		});
		must(unasked.length === 0, () => `drift that nobody made: ${unasked.join("; ")}`);
		for (const [name, resource] of isLagging ? [] : state.resources) {
			const expected = this.#expected.get(objectIn(resource));
			const isReported = expected === undefined || changed.get(name)?.includes(expected) === true;
			must(
				isReported,
				() => `${name}: someone edited ${expected}, and the refresh reports ${changed.get(name) ?? "nothing"}`,
			);
			this.#expected.delete(objectIn(resource));
		}
	}

	/** Returns the reported outputs that nobody changed; undefined if there are none. */
	#surplus(resource: ResourceState | undefined, outputs: readonly string[]): readonly string[] | undefined {
		const id = resource === undefined ? "" : objectIn(resource);
		const expected = this.#expected.get(id);
		const declared = outputs.filter((output) => !computed.has(output));
		if (expected === undefined) {
			const isOfService = outputs.length > 0 && declared.length === 0;
			return this.#watch.chronicle.isChanged(id) || isOfService ? undefined : declared;
		}
		const secret = resource && kinds[resource.kind].secret;
		const extra = declared.filter((output) => output !== expected && !secret?.edits[expected]?.includes(output));
		return extra.length === 0 ? undefined : extra;
	}
}
