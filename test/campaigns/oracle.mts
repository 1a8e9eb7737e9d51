/** The rules that no kill may break, read from the emulator and the state: what is bought, alive and wanted. */
import { createRequire } from "node:module";
import type { Control, Emulator, FaultReport, FaultRequest } from "../../emulator/index.ts";
import { dialect } from "../helpers/dialect.mts";
import { must } from "./campaign.mts";
import { type Entry, type State, stateKey } from "./engine.mts";
import { type Declared, keyOf, numbersOf, type Program } from "./program.mts";
import { leaseIn, leasesOf } from "./reference.mts";

const require = createRequire(import.meta.url);
const emulators = require("../../dist/emulator/index.js") as typeof import("../../emulator/index.ts");
export const { VirtualClock } = emulators;
/** In the dialect of the command line, and with all requests of a campaign. */
export const createEmulator: typeof emulators.createEmulator = (options) =>
	emulators.createEmulator({
		keepRequests: 1_000_000,
		...(dialect === undefined ? {} : { service: dialect }),
		...options,
	});

export type { Control, Emulator, FaultReport, FaultRequest };

const numberEntries = (state: State): Entry[] =>
	[...state.entries.values(), ...state.condemned].filter(({ kind }) => kind === "number");

/** What the service offers, by its name on the command line. */
export const features = {
	full: {},
	"no-key": { idempotencyKey: false },
	"no-reference": { reference: false },
	neither: { idempotencyKey: false, reference: false },
};

const isLive = ({ status }: { status: string }) => status !== "released" && status !== "failed";

export const liveNumbers = (control: Control) => control.state().numbers.filter(isLive);

/** Follows the ledger row by row, so that nothing escapes between two looks. */
export class Oracle {
	readonly #control: Control;
	#seen = 0;
	readonly #alive = new Set<string>();
	/** Ids that no declaration wants any more. */
	readonly #unwanted = new Set<string>();
	/** Released by somebody else. */
	readonly #taken = new Set<string>();
	/** Failed at the service: no longer numbers, though nobody has released them. */
	readonly #failed = new Set<string>();

	constructor(control: Control) {
		this.#control = control;
	}

	/** Before a run: which numbers it may release. */
	expect(state: State, program: Program): void {
		const wanted = new Set(numbersOf(program).map(({ name, args }) => keyOf(name, args)));
		for (const entry of numberEntries(state)) {
			if (wanted.has(stateKey(entry))) this.#unwanted.delete(entry.id);
			else this.#unwanted.add(entry.id);
		}
	}

	/** Somebody else releases it, or lets its papers expire. */
	lost(id: string, how: "released" | "failed"): void {
		if (how === "released") {
			this.#taken.add(id);
			return;
		}
		this.#alive.delete(id);
		this.#failed.add(id);
	}

	/** During and after a run of this program: no more alive than declared, nothing wanted released. */
	look(state: State, program: Program): void {
		const keys = new Set([
			...numbersOf(program).map(({ name, args }) => keyOf(name, args)),
			...numberEntries(state).map(stateKey),
		]);
		const rows = this.#control.ledger();
		for (const { kind, number_id } of rows.slice(this.#seen)) {
			if (kind === "purchase" && !this.#failed.has(number_id)) {
				this.#alive.add(number_id);
				// What was asked for and lost its entry to a kill counts by its declaration, so each key counts once.
				const bound = keys.size + [...this.#unwanted].filter((id) => this.#alive.has(id) && !inState(state, id)).length;
				must(
					this.#alive.size <= bound,
					() => `${this.#alive.size} numbers alive, ${bound} declared: ${number_id} is one too many`,
				);
			}
			if (kind === "release") {
				must(
					this.#unwanted.has(number_id) || this.#taken.has(number_id),
					() => `${number_id} was released, and is wanted`,
				);
				this.#alive.delete(number_id);
			}
		}
		this.#seen = rows.length;
	}

	/**
	 * After convergence: what is alive is what is declared, configured as declared, and ours by its lease. What is not
	 * declared is nobody's business, unless the program alone has written it. A service that can't tell may be left with
	 * trunks and webhooks of killed runs: those that a warning has named.
	 */
	settled(state: State, program: Program, { alone = true, told = "" } = {}): void {
		const { numbers, trunks, webhooks } = this.#control.state();
		const live = { number: numbers.filter(isLive), sipTrunk: trunks, webhook: webhooks };
		for (const kind of ["number", "sipTrunk", "webhook"] as const) {
			const [inState, atService] = [
				[...state.entries.values()].filter((entry) => entry.kind === kind).map(({ id }) => id),
				live[kind].map(({ id }) => id),
			];
			const declared = program.filter((each) => each.kind === kind).length;
			const named = kind === "number" ? [] : atService.filter((id) => !inState.includes(id) && told.includes(id));
			const same = [...inState, ...named].sort().join() === [...atService].sort().join();
			must(
				same && inState.length === declared,
				() => `${kind}: declared ${declared}, in the state ${inState}, alive ${atService}`,
			);
		}
		const { length: bought } = this.#control.ledger().filter(({ kind }) => kind === "purchase");
		const { length: released } = this.#control.ledger().filter(({ kind }) => kind === "release");
		const declared = numbersOf(program).length;
		must(
			bought - released - this.#failed.size === declared,
			() => `bought ${bought}, released ${released}, declared ${declared}`,
		);
		for (const each of program) {
			const row = live[each.kind].find(({ id }) => id === state.entries.get(each.name)?.id);
			this.#mustBeOurs(each, state, row?.reference);
			if (row !== undefined) mustBeAsDeclared(each, row, state, alone);
		}
	}

	#mustBeOurs({ name }: Declared, { entries }: State, reference: string | null | undefined): void {
		if (!this.#control.settings().features.reference) return;
		const leases = leasesOf(entries.get(name)?.outputs ?? {});
		must(leases.includes(leaseIn(reference)), () => `${name}: reference ${reference}, entry's leases ${leases}`);
	}
}

type Row = ReturnType<Control["state"]>["numbers" | "trunks" | "webhooks"][number];

/** Unless the program alone has written it, a value that it doesn't declare is nobody's business. */
function mustBeAsDeclared({ kind, name, args, trunk }: Declared, row: Row, state: State, alone: boolean): void {
	if (kind === "webhook") return;
	const isAs = (value: unknown, declared: unknown) => value === declared || (!alone && declared === undefined);
	const label = ("label" in row ? row.label : undefined) ?? undefined;
	must(isAs(label, args.label), () => `${name}: label ${label}, declared ${args.label}`);
	if (kind !== "number" || !("routing" in row)) return;
	must(
		row.status === "active" || args.waitForActive === false,
		() => `${name}: it is ${row.status}, and up was to wait for it`,
	);
	const target = row.routing?.type === "trunk" ? (row.routing as { trunk_id?: unknown }).trunk_id : undefined;
	const wanted = trunk === undefined ? undefined : state.entries.get(trunk)?.id;
	must(isAs(target, wanted), () => `${name}: routed to ${target}, declared ${wanted}`);
}

const inState = (state: State, id: string) => numberEntries(state).some((entry) => entry.id === id);

/** Requests that change something, so far. */
export const writes = (control: Control): number => control.requests().filter(({ method }) => method !== "GET").length;
