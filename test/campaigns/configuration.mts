/** How the service shows objects that a program declares: as declared, and what was declared once and isn't now is cleared. */
import { must } from "./campaign.mts";
import type { Entry, State } from "./engine.mts";
import type { Declared, Program } from "./program.mts";
import { leaseIn, leasesOf } from "./reference.mts";

export class Configuration {
	/** What others have set at an object, by its id. All else that it has is the program's. */
	readonly #edits = new Map<string, Set<string>>();
	/** As killed runs declared it. */
	readonly #meant = new Map<string, Declared[]>();
	/** Which secret an object had after the last `up` that exited 0, unless something went wrong since. */
	readonly #secrets = new Map<string, unknown>();
	/** Whether a killed run may have written it. */
	readonly #isDoubted: (id: string) => boolean;

	/** Whether the service keeps references. */
	readonly #isReferenced: () => boolean;

	constructor(isDoubted: (id: string) => boolean, isReferenced: () => boolean) {
		[this.#isDoubted, this.#isReferenced] = [isDoubted, isReferenced];
	}

	/** After a run of this program, however it ended. */
	declared(state: State, program: Program, crashed: boolean): void {
		const declared = new Map(program.map((each) => [each.name, each]));
		for (const { id, name } of state.entries.values()) {
			const now = declared.get(name);
			if (crashed && now !== undefined) this.#meant.set(id, [...(this.#meant.get(id) ?? []), now]);
		}
	}

	/** A run was killed, or an answer went wrong: what nobody here knows any more is made anew. */
	upset(): void {
		this.#secrets.clear();
	}

	/** By somebody else: what nobody declares stays as it is. */
	edited(id: string, what: string): void {
		this.#edits.set(id, (this.#edits.get(id) ?? new Set()).add(what));
	}

	/** After an `up` that exited 0. `row` is how the service shows it. */
	mustShow(each: Declared, entry: Entry, row: Record<string, unknown>, state: State): void {
		if (this.#isReferenced() && !this.#isDoubted(entry.id)) this.#meant.delete(entry.id);
		try {
			this.#mustShow(each, entry, row, state);
		} catch (error) {
			// What a killed run has set beyond the state is found by the next refresh only, and never without references.
			const isMeant = this.#meant.get(entry.id)?.some((meant) => this.#shows(meant, entry, row, state));
			if (isMeant !== true) throw error;
		}
	}

	#shows(...args: Parameters<Configuration["mustShow"]>): boolean {
		try {
			this.#mustShow(...args);
			return true;
		} catch {
			return false;
		}
	}

	#mustShow(each: Declared, entry: Entry, row: Record<string, unknown>, state: State): void {
		const { name, kind, args, trunk } = each;
		const reference = String(row.reference);
		must(
			!this.#isReferenced() || this.#isDoubted(entry.id) || leasesOf(entry.outputs).includes(leaseIn(reference)),
			() => `${name}: reference ${reference}, entry's lease ${entry.outputs.lease}`,
		);
		if (kind !== "number") this.#mustKeepSecret(name, entry, row);
		if (kind === "webhook") {
			must(row.url === args.url, () => `${name}: ${row.url}, declared ${args.url}`);
			return;
		}
		const edits = this.#edits.get(entry.id);
		const label = row.label ?? undefined;
		must(
			args.label === undefined ? label === undefined || edits?.has("label") === true : label === args.label,
			() => `${name}: label ${label}, declared ${args.label}`,
		);
		if (args.label !== undefined) edits?.delete("label");
		if (kind === "sipTrunk") {
			must(row.capacity === args.capacity, () => `${name}: capacity ${row.capacity}, declared ${args.capacity}`);
			return;
		}
		must(
			row.status === "active" || args.waitForActive === false,
			() => `${name}: it is ${row.status}, and up was to wait for it`,
		);
		must(row.country === args.country, () => `${name}: it is in ${row.country}, declared ${args.country}`);
		const routing = row.routing as { trunk_id?: string } | null;
		const wanted = trunk === undefined ? undefined : state.entries.get(trunk)?.id;
		must(
			wanted === undefined ? routing === null || edits?.has("routing") === true : routing?.trunk_id === wanted,
			() => `${name}: routed to ${JSON.stringify(routing)}, declared ${wanted}`,
		);
		if (wanted !== undefined) edits?.delete("routing");
	}

	/** The state's is the service's, and only a rotation makes another: no life asks for one. */
	#mustKeepSecret(name: string, { id, outputs }: Entry, row: Record<string, unknown>): void {
		if (this.#isDoubted(id)) return;
		const secret = row.secret ?? (row.auth as { password?: unknown } | undefined)?.password;
		must((outputs.secret ?? outputs.password) === secret, () => `${name}: the state's secret is not the service's`);
		const before = this.#secrets.get(id);
		must(
			before === undefined || before === secret,
			() => `${name}: it has got another secret, and nobody asked for it`,
		);
		this.#secrets.set(id, secret);
	}
}
