/** The emulated account of a simulation, and what the oracle reads from it. */
import { createRequire } from "node:module";
import type { Control, Emulator } from "../../emulator/index.ts";
import { allIn, type ResourceState, type State } from "./engine.mts";
import { allKinds, kinds, rowsOf } from "./kinds/index.mts";

const require = createRequire(import.meta.url);
const emulators = require("../../dist/emulator/index.js") as typeof import("../../emulator/index.ts");
export const { VirtualClock } = emulators;
export type Clock = InstanceType<typeof VirtualClock>;
export type { Control, Emulator };

/** Creates an emulator that keeps all requests of a story. */
export const createEmulator: typeof emulators.createEmulator = (options) =>
	emulators.createEmulator({ keepRequests: 1_000_000, ...options });

/** Performs a trial on an account of its own, in virtual time. */
export async function onAccount(
	seed: number,
	trial: (emulator: Emulator, clock: Clock) => Promise<void>,
): Promise<void> {
	const clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
	const emulator = await createEmulator({ clock, kyc: "immediate", seed });
	await trial(emulator, clock).finally(() => emulator.close());
}

/** Features of services, by their names on the command line. */
export const services = {
	full: {},
	"no-key": { idempotencyKey: false },
	"no-reference": { reference: false },
	neither: { idempotencyKey: false, reference: false },
} as const;
export type ServiceName = keyof typeof services;

export const liveNumbers = (control: Control) =>
	control.state().numbers.filter(({ status }) => status !== "released" && status !== "failed");

/** Returns the ids of all live objects. */
export function liveIds(control: Control): Set<string> {
	const account = control.state();
	return new Set(allKinds.flatMap((kind) => rowsOf(account, kind).map(({ id }) => id)));
}

/** Returns the number of requests so far that may change something. */
export const writesSoFar = (control: Control): number =>
	control.requests().filter(({ method }) => method !== "GET").length;

export const numbersIn = (state: State): ResourceState[] => allIn(state).filter(({ kind }) => kinds[kind].isBought);

/** True if a delete retains the number, by its saved state. */
export const isRetained = ({ kind, outputs }: ResourceState): boolean =>
	kinds[kind].isBought === true && outputs.onDelete !== "release";

// ---- References: `R.G.owner.lease~project/stack` ----------------------------------------------------------------------

const referenceForm = /^([^.~]+\.[^.~]+)\.([^.~]*)\.([^.~]+)(~.*)$/;

/** Returns token and owner; undefined for a reference that isn't ours. */
export const declarationIn = (reference: unknown): string | undefined => {
	const [, token, owner] = referenceForm.exec(String(reference)) ?? [];
	return token === undefined ? undefined : `${token}.${owner}`;
};

const leaseIn = (reference: unknown): string | undefined => referenceForm.exec(String(reference))?.[3];

export const isMarkedRetained = (reference: unknown): boolean => leaseIn(reference) === "left";

/** Returns the reference as another write would leave it. */
export function withLease(reference: string, lease: string): string {
	const [, token, owner, , stack] = referenceForm.exec(reference) ?? [];
	return `${token}.${owner}.${lease}${stack}`;
}

/** True if the state has sent the lease that the object's reference holds. */
export function isOurs({ outputs }: ResourceState, reference: unknown): boolean {
	const { leases = [] } = (outputs.open ?? {}) as { readonly leases?: readonly string[] };
	return [outputs.lease, ...leases].includes(leaseIn(reference));
}
