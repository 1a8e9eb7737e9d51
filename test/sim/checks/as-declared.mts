/** After a good `up`, the service shows each resource as the program declares it, under the claim that the state has sent. */
import { isOurs } from "../account.mts";
import { objectIn, type State } from "../engine.mts";
import { endingIn, kinds, type Row, rowsOf } from "../kinds/index.mts";
import { type Declared, isComing, linksOf } from "../program.mts";
import { type Checker, type Happening, isVague, must, type Ran, type Watch } from "./check.mts";

/** Returns a value that can be compared: a map as one text, and undefined for an empty one. */
function comparable(value: unknown): unknown {
	if (typeof value !== "object") return value;
	const entries = Object.entries(value ?? {}).sort();
	return entries.length === 0 ? undefined : JSON.stringify(entries);
}

export class AsDeclared implements Checker {
	readonly #watch: Watch;
	/** Properties that others set and no program has declared since, by object. */
	readonly #edited = new Map<string, Set<string>>();

	constructor(watch: Watch) {
		this.#watch = watch;
	}

	happened(happening: Happening): void {
		if (happening.what !== "edited") return;
		const id = objectIn(happening.resource);
		this.#edited.set(id, (this.#edited.get(id) ?? new Set()).add(happening.property));
	}

	settled({ before: { program }, state }: Ran): void {
		for (const declared of program) this.#mustStand(declared, state);
	}

	#mustStand(declared: Declared, state: State): void {
		const { name, kind, args } = declared;
		const resource = state.resources.get(name);
		must(resource !== undefined, () => `${name} is declared and not in the state`);
		const id = objectIn(resource);
		if (isComing(resource.outputs)) {
			must(args.waitForActive === false, () => `${name}: up was to wait for ${id}`);
			return;
		}
		const { control, chronicle } = this.#watch;
		// A killed destroy has cancelled the order, and the carriers haven't confirmed it.
		const isCancelling = endingIn(control.state()).includes(id);
		if (chronicle.isChanged(id) || isCancelling) return;
		const row = rowsOf(control.state(), kinds[kind]).find((candidate) => candidate.id === id);
		must(row !== undefined, () => `${name}: ${id} is not on the account`);
		must(
			isVague(this.#watch) || isOurs(resource, row.reference),
			() => `${name}: ${id} has the reference ${row.reference}`,
		);
		this.#mustBeAsDeclared(declared, row, state);
	}

	#mustBeAsDeclared(declared: Declared, row: Row, state: State): void {
		const { kind, name, args } = declared;
		const { sameNamed, isReady } = kinds[kind];
		const edited = this.#edited.get(row.id) ?? new Set();
		const mustBe = (property: string, live: unknown, wanted: unknown) => {
			const isOthers = wanted === undefined && edited.has(property);
			must(live === wanted || isOthers, () => `${name}: ${property} is ${live}, declared is ${wanted}`);
			if (wanted !== undefined) edited.delete(property);
		};
		for (const property of sameNamed) mustBe(property, comparable(row[property]), comparable(args[property]));
		must(
			isReady?.(row) !== false || args.waitForActive === false,
			() => `${name}: its status is ${row.status}, and up was to wait for it`,
		);
		for (const [link, target] of linksOf(declared))
			for (const [property, live] of Object.entries(link.idIn?.(row) ?? {}))
				mustBe(property, live, target && state.resources.get(target)?.id);
	}
}
