/** The emulated account of a campaign, and how a run looks from outside. */
import { createRequire } from "node:module";
import type { Control, Emulator, FaultReport, FaultRequest } from "../../emulator/index.ts";
import { dialect } from "../helpers/dialect.mts";
import { must } from "./campaign.mts";
import type { Entry, State } from "./engine.mts";
import { kindNames, rowsOf } from "./kinds.mts";
import type { Program } from "./program.mts";

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

/** Each trial begins after the one before: what a process keeps of a service may meet another one at the same port. */
let began = Date.parse("2026-01-01T00:00:00Z");

/** A time that is turned, for one trial. */
export async function inTime<T>(work: (clock: InstanceType<typeof VirtualClock>) => Promise<T>): Promise<T> {
	const clock = new VirtualClock(began);
	return work(clock).finally(() => {
		began = clock.now() + 86_400_000;
	});
}

/** What the service offers, by its name on the command line. */
export const features = {
	full: {},
	"no-key": { idempotencyKey: false },
	"no-reference": { reference: false },
	neither: { idempotencyKey: false, reference: false },
};

/** How a run looks from outside. */
export interface Seen {
	readonly state: State;
	readonly program: Program;
	readonly crashed: boolean;
	readonly errors: readonly string[];
	/** Warnings and errors. */
	readonly said: string;
	/** What the weather has struck: a purchase that is refused after it was carried out is nobody's to know. */
	readonly struck: ReadonlySet<string>;
}

export const liveNumbers = (control: Control) =>
	control.state().numbers.filter(({ status }) => status !== "released" && status !== "failed");

/** Ids of all that is there. */
export function liveIds(control: Control): string[] {
	const account = control.state();
	return kindNames.flatMap((kind) => rowsOf(account, kind).map(({ id }) => id));
}

export const isLive = (control: Control, id: string): boolean => liveIds(control).includes(id);

/** Of what costs nothing. */
export function configuredOn(control: Control): string[] {
	const account = control.state();
	return kindNames.flatMap((kind) => (kind === "number" ? [] : rowsOf(account, kind).map(({ id }) => id)));
}

/** Ids of the numbers that were bought, or released. */
export const ledgerOf = (control: Control, kind: "purchase" | "release"): string[] =>
	control.ledger().flatMap((row) => (row.kind === kind ? [row.number_id] : []));

/** Requests that change something, so far. */
export const writes = (control: Control): number => control.requests().filter(({ method }) => method !== "GET").length;

export const allIn = ({ entries, condemned }: State): Entry[] => [...entries.values(), ...condemned];

export const numbersIn = (state: State): Entry[] => allIn(state).filter(({ kind }) => kind === "number");

/** Whether some entry has the number. */
export const isHeld = (state: State, id: string): boolean => numbersIn(state).some((entry) => entry.id === id);

/** What is live of a kind is what the state has, and so many are declared; what a warning has named may be left over. */
export function mustBeHeld(control: Control, state: State, program: Program, told = ""): void {
	const account = control.state();
	for (const kind of kindNames) {
		const held = [...state.entries.values()].filter((entry) => entry.kind === kind).map(({ id }) => id);
		const live = rowsOf(account, kind).map(({ id }) => id);
		const declared = program.filter((each) => each.kind === kind).length;
		const named = kind === "number" ? [] : live.filter((id) => !held.includes(id) && told.includes(id));
		const same = [...held, ...named].sort().join() === live.sort().join();
		must(same && held.length === declared, () => `${kind}: declared ${declared}, in the state ${held}, alive ${live}`);
	}
}

// ---- References, as this version writes them: `R.G.who.lease.account.beside~project/stack` ----------------------------

/** Which write it is of. */
const leaseIn = (reference: unknown): string | undefined => String(reference).split("~")[0]?.split(".")[3];

/** The same as another write leaves it; undefined for what is none of ours. */
export function withLease(reference: string | null | undefined, lease: string): string | undefined {
	const [coded = "", home] = (reference ?? "").split("~");
	const parts = coded.split(".");
	if (parts.length !== 6 || home === undefined) return undefined;
	return `${[...parts.slice(0, 3), lease, ...parts.slice(4)].join(".")}~${home}`;
}

/** By its lease; what was sent and not answered is this entry's too. */
export function isOurs({ outputs }: Entry, reference: unknown): boolean {
	const { lease, open } = outputs;
	const { leases = [] } = (open ?? {}) as { readonly leases?: readonly string[] };
	return [lease, ...leases].includes(leaseIn(reference));
}

export function mustBeOurs(entry: Entry, reference: unknown): void {
	must(isOurs(entry, reference), () => `${entry.name}: reference ${reference}, entry's lease ${entry.outputs.lease}`);
}
