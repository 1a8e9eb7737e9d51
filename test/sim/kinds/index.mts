/** The kinds of objects that simulated programs declare. A kind is one file in this folder, and one line here. */
import type { State as Account } from "../../../emulator/index.ts";
import type { Operation, Row, SimulatedKind } from "./kind.mts";
import { kycProfile } from "./kyc-profile.mts";
import { number } from "./number.mts";
import { portOrder } from "./port-order.mts";
import { sipTrunk } from "./sip-trunk.mts";
import { webhook } from "./webhook.mts";

export type { Args, Link, Operation, Row, SimulatedKind } from "./kind.mts";

/** By the names of their handlers. */
export const kinds = {
	number,
	sipTrunk,
	webhook,
	kycProfile,
	portOrder,
} as const satisfies Readonly<Record<string, SimulatedKind>>;

export type Kind = keyof typeof kinds;
export const kindNames = Object.keys(kinds) as readonly Kind[];
export const allKinds: readonly SimulatedKind[] = Object.values(kinds);

/** Returns the name of the resource's class. */
export const typeOf = (kind: Kind): string => kind.replace(/^./, (first) => first.toUpperCase());

export const kindOfType = (type: string): Kind | undefined => kindNames.find((kind) => typeOf(kind) === type);

/** Kinds that cost nothing, and on which the service decides nothing. */
export const plainKinds = kindNames.filter((kind) => !kinds[kind].isBought && kinds[kind].decisions === undefined);

/** The service's refusals to change an object that it has reviewed. */
export const lockCodes = allKinds.flatMap(({ locked = [] }) => locked);

/** The service's refusals to delete an object that others use. */
export const inUseCodes = [
	"number_in_use" as const,
	...allKinds.flatMap(({ links = {} }) => Object.values(links).flatMap(({ inUse }) => inUse ?? [])),
];

/** Returns all operations that a run may send for the kinds, without lists and single reads. */
export const writesOf = (of: readonly Kind[]): Operation[] =>
	of.flatMap((kind) => {
		const { operations, besides = [] } = kinds[kind];
		const { create, patch, remove } = operations;
		return [create, patch, remove, ...besides.filter((operation) => !operation.startsWith("list"))];
	});

export const readsOf = (of: readonly Kind[]): Operation[] =>
	of.flatMap((kind) => [kinds[kind].operations.list, kinds[kind].operations.get]);

const rowsIn = (account: Account, { table }: SimulatedKind) => account[table] as unknown as readonly Row[];

/** Returns the live objects of a kind: not released, cancelled or failed. */
export const rowsOf = (account: Account, kind: SimulatedKind): readonly Row[] =>
	rowsIn(account, kind).filter(({ status = "" }) => !kind.ended?.includes(status) && !kind.ending?.includes(status));

/** Returns the ids of objects whose deletion the service hasn't confirmed. */
export const endingIn = (account: Account): readonly string[] =>
	allKinds.flatMap((kind) =>
		rowsIn(account, kind).flatMap(({ id, status = "" }) => (kind.ending?.includes(status) ? id : [])),
	);
