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

/** True if a delete leaves it on the account, as its saved outputs say. */
export const isRetained = ({ kind, outputs }: Entry): boolean => kind === "number" && outputs.onDelete !== "release";

/**
 * All that is live of a kind is in the state, and so many are declared. Left objects may be live as well, and others that
 * a warning has named (`told`).
 */
export function mustBeHeld(
	control: Control,
	state: State,
	program: Program,
	{ left = new Set<string>(), told = "" } = {},
): void {
	const account = control.state();
	for (const kind of kindNames) {
		const held = [...state.entries.values()].filter((entry) => entry.kind === kind).map(({ id }) => id);
		const live = rowsOf(account, kind).map(({ id }) => id);
		const declared = program.filter((each) => each.kind === kind).length;
		const loose = live.filter((id) => !held.includes(id));
		const leftHere = new Set(rowsOf(account, kind).flatMap((row) => (isLeft(row.reference) ? [row.id] : [])));
		const named = loose.filter((id) => (kind === "number" ? left.has(id) : told.includes(id) || leftHere.has(id)));
		const same = [...held, ...named].sort().join() === live.sort().join();
		must(same && held.length === declared, () => `${kind}: declared ${declared}, in the state ${held}, alive ${live}`);
	}
}

// ---- References: `R.G.owner.lease~project/stack` ----------------------------------------------------------------------

const referenceForm = /^([^.~]+\.[^.~]+)\.([^.~]*)\.([^.~]+)(~.*)$/;

/** Which write it is of. */
const leaseIn = (reference: unknown): string | undefined => referenceForm.exec(String(reference))?.[3];

/** True if its stack has left it on the account. */
export const isLeft = (reference: unknown): boolean => leaseIn(reference) === "left";

/** The same as another write leaves it; undefined for a reference that isn't ours. */
export function withLease(reference: string | null | undefined, lease: string): string | undefined {
	const [, token, owner, , home] = referenceForm.exec(reference ?? "") ?? [];
	return token === undefined ? undefined : `${token}.${owner}.${lease}${home}`;
}

/** A declaration has one number: it is bought once, and a number that was left is resumed. */
export function mustBeClaimedOnce(control: Control, isExcused: (id: string) => boolean = () => false): void {
	const seen = new Map<string, string>();
	for (const { id, reference } of liveNumbers(control)) {
		const [, token, owner] = referenceForm.exec(reference ?? "") ?? [];
		if (token === undefined || isExcused(id)) continue;
		const before = seen.get(`${token}.${owner}`);
		must(before === undefined, () => `${before} and ${id} are of one declaration: ${reference}`);
		seen.set(`${token}.${owner}`, id);
	}
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
