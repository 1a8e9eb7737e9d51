/** The entry of a kind of object: everything that stories and checkers know about it. */
import { createRequire } from "node:module";
import type { Control, FaultRequest } from "../../../emulator/index.ts";
import type { ErrorCode, KindName, Operation as Offered } from "../../../provider/api/contract.ts";
import type { Declared, Program } from "../program.mts";
import type { Random } from "../random.mts";
import type { Kind } from "./index.mts";

const require = createRequire(import.meta.url);
const contract =
	require("../../../dist/provider/api/contract.js") as typeof import("../../../provider/api/contract.ts");
const { functionOf } =
	require("../../../dist/emulator/control/edits.js") as typeof import("../../../emulator/control/edits.ts");

export type Operation = FaultRequest["operation"];
export type Args = Readonly<Record<string, unknown>>;
export type Row = Args & { readonly id: string; readonly status?: string; readonly reference?: string | null };

/** An edit by others: the property in which it shows, and the patch, undefined if it can't be made. */
type PossibleEdit = readonly [property: string, patch: Args | undefined];

/** How a resource refers to another one. A link without arguments only orders the two. */
export interface Link {
	readonly to: Kind;
	/** False if these arguments leave no place for the link. Default: true. */
	isUsed?(args: Args): boolean;
	/** Returns the arguments that name the other object. */
	args?(id: string): Args;
	/** Returns the other object's id as the service shows it, by the property in which an edit shows. */
	idIn?(row: Row): Args;
	/** The edit that removes the link. */
	readonly cut?: Args;
	/** The service's refusal to delete the other object while the link is there. */
	readonly inUse?: ErrorCode;
}

/** A secret of the service's or the program's. */
interface Secret {
	/** Returns it as the service stores it. */
	of(row: Row): unknown;
	declaredIn?(args: Args): string | undefined;
	/** Properties whose edits change it, with the outputs that change too. */
	readonly edits: Readonly<Record<string, readonly string[]>>;
}

/** The service's decisions about an object. */
interface Decisions {
	/** The status values in which the service takes each decision. */
	readonly when: Readonly<Record<string, readonly string[]>>;
	/** The decision that the program waits for. */
	readonly good: string;
	/** Takes a decision. Returns the ids of the objects that it changes. */
	take(control: Control, row: Row, what: string): readonly string[];
}

export interface SimulatedKind extends ReturnType<typeof ofContract> {
	/** Other operations that a run may send. */
	readonly besides?: readonly Operation[];
	/** True if a create costs money, so that a delete follows the saved `onDelete`. */
	readonly isBought?: true;
	/** Properties with the same name at the service. */
	readonly sameNamed: readonly string[];
	/** Properties that a refresh compares although no program declares them: also the secret. */
	readonly compared?: readonly string[];
	/** Outputs that the service alone changes, besides the status. */
	readonly computed?: readonly string[];
	readonly secret?: Secret;
	readonly links?: Readonly<Record<string, Link>>;
	/** Status values of deleted objects, and of those whose deletion the service hasn't confirmed. */
	readonly ended?: readonly string[];
	readonly ending?: readonly string[];
	/** False if a run that waits must not end with this object. Default: true. */
	isReady?(row: Row): boolean;
	/** True if the next run may still change the resource. Default: false. */
	isUnderWay?(outputs: Args): boolean;
	/** The service's refusals to change an object that it has reviewed. */
	readonly locked?: readonly ErrorCode[];
	readonly decisions?: Decisions;
	/** Returns arguments that no step changes. @param count another one for each resource */
	fixed?(random: Random, countries: readonly string[], count: number): Args;
	/** Returns arguments that steps change; a null stands for a property that isn't declared. */
	configuration(random: Random, hasPasswords: boolean): Args;
	/** Returns arguments with many properties, in the spellings that people use. */
	elaborate?(random: Random, name: string, isLinked: boolean): Args;
	/** Returns the declaration of an object that this one brings to the account. */
	brought?(declared: Declared, random: Random): Omit<Declared, "name">;
	/** Returns edits of a resource with these arguments, by the service's names. `@name` is the id of another resource. */
	edits?(args: Args, random: Random, program: Program): readonly PossibleEdit[];
	/** Completes an edit by the live object; undefined if the edit doesn't suit the object. Default: as it is. */
	completed?(patch: Args, row: Row): Args | undefined;
}

/** Returns the name of the operation, if the service offers it. */
const operationAt = (method: Offered["method"], path: string) =>
	Object.entries<Offered>(contract.operations).find(
		([, operation]) => operation.method === method && operation.path === path,
	)?.[0];

/** Returns facts that follow from the contract. @param removal the operation in place of DELETE */
export function ofContract(table: KindName, removal?: Operation) {
	const { path } = contract.kinds[table];
	const operations = {
		list: operationAt("GET", path),
		get: operationAt("GET", `${path}/{id}`),
		create: operationAt("POST", path),
		patch: operationAt("PATCH", `${path}/{id}`),
		remove: removal ?? operationAt("DELETE", `${path}/{id}`),
	} as Readonly<Record<"list" | "get" | "create" | "patch" | "remove", Operation>>;
	const edit = (control: Control, id: string, patch: Args): void => {
		control[functionOf("patch", table)](id, patch as never);
	};
	return { table, operations, edit };
}

export const labels = ["a", "b", "c"] as const;
export const urlOf = (random: Random) => `https://elsewhere.example/${random.int(0, 1_000_000)}`;
export const textOf = (random: Random) => `someone's ${random.int(0, 1_000_000)}`;

/** Returns the property in a part of all calls. */
export const some = (random: Random, property: string, value: unknown, probability = 0.5): Args =>
	random.chance(probability) ? { [property]: value } : {};
