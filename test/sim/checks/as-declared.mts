/** After a good `up`, the service shows each resource as the program declares it, under the claim that the state has sent. */
import { isOurs } from "../account.mts";
import { objectIn, type State } from "../engine.mts";
import { factsOf, type Row, rowsOf } from "../kinds.mts";
import { type Declared, hasKyc, isComing } from "../program.mts";
import { type Checker, type Happening, isVague, must, type Ran, type Watch } from "./check.mts";

/** Returns a map as one text; undefined for none. */
const textOf = (map: unknown): string | undefined => {
	const entries = Object.entries(map ?? {}).sort();
	return entries.length === 0 ? undefined : JSON.stringify(entries);
};

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
		const isCancelling = control.state().portOrders.some((row) => row.id === id && row.status === "cancel_pending");
		if (chronicle.isChanged(id) || isCancelling) return;
		const row = rowsOf(control.state(), kind).find((candidate) => candidate.id === id);
		must(row !== undefined, () => `${name}: ${id} is not on the account`);
		must(
			isVague(this.#watch) || isOurs(resource, row.reference),
			() => `${name}: ${id} has the reference ${row.reference}`,
		);
		this.#mustBeAsDeclared(declared, row, state);
	}

	#mustBeAsDeclared(declared: Declared, row: Row, state: State): void {
		const { kind, name, args } = declared;
		const edited = this.#edited.get(row.id) ?? new Set();
		const mustBe: MustBe = (property, live, wanted) => {
			const isOthers = wanted === undefined && edited.has(property);
			must(live === wanted || isOthers, () => `${name}: ${property} is ${live}, declared is ${wanted}`);
			if (wanted !== undefined) edited.delete(property);
		};
		for (const property of factsOf(kind).sameNamed) mustBe(property, row[property] ?? undefined, args[property]);
		if (kind === "number" || kind === "sipTrunk") mustBe("metadata", textOf(row.metadata), textOf(args.metadata));
		if (kind === "number") mustBeNumber(declared, row, state, mustBe);
	}
}

type MustBe = (property: string, live: unknown, wanted: unknown) => void;

/** Judges a number's status and its links. */
function mustBeNumber({ name, args, trunk, profile }: Declared, row: Row, { resources }: State, mustBe: MustBe): void {
	const kyc = (row.kyc ?? {}) as { readonly profile_id?: string; readonly status?: string };
	const isStopped = row.status === "suspended" && kyc.status !== "approved";
	must(
		row.status === "active" || isStopped || args.waitForActive === false,
		() => `${name}: its status is ${row.status}, and up was to wait for it`,
	);
	const idOf = (link: string | undefined) => link && resources.get(link)?.id;
	const routing = (row.routing ?? undefined) as { readonly trunk_id?: string } | undefined;
	const target = routing?.trunk_id ?? (routing && JSON.stringify(routing));
	if (args.routing === undefined) mustBe("routing", target, idOf(trunk));
	if (profile !== undefined && hasKyc(args)) mustBe("profile", kyc.profile_id, idOf(profile));
}
