/** Facts that the checkers judge. Each promise has a file in this folder, which begins with the promise. */
import { type Control, declarationIn, liveNumbers, type ServiceName } from "../account.mts";
import { objectIn, type ResourceState, type State } from "../engine.mts";
import type { RunError } from "../errors.mts";
import type { Program } from "../program.mts";
import type { Outcome } from "../stack.mts";
import type { Claimant, RunOptions } from "../story.mts";
import type { Chronicle } from "./chronicle.mts";

/** A broken promise. */
export class Violation extends Error {
	override readonly name = "Violation";
}

export function must(isKept: boolean, message: () => string): asserts isKept {
	if (!isKept) throw new Violation(message());
}

/** A reason for which a run may not know or do something. */
export type Excuse =
	/** Requests failed, or were refused. */
	| "failed requests"
	/** A purchase may have been carried out without a response. */
	| "unknown purchase"
	/** Responses show the account as it was. */
	| "stale reads"
	/** Longer than a run re-reads. */
	| "long stale reads"
	| "long stale lists";

/** The account, the state and the program before a run. */
export interface Before {
	readonly kind: "up" | "refresh" | "destroy";
	readonly program: Program;
	readonly options: RunOptions;
	readonly state: State;
	readonly live: ReadonlySet<string>;
}

export interface Ran extends Outcome {
	readonly kind: Before["kind"];
	readonly before: Before;
	readonly state: State;
	readonly isKilled: boolean;
	readonly excuses: ReadonlySet<Excuse>;
	/** True without a kill and without anything that excuses the run. */
	readonly isFair: boolean;
	/** Changed outputs by resource, after a refresh. */
	readonly changed: ReadonlyMap<string, readonly string[]>;
	/** Purchases, releases and ports in the run. */
	readonly ledger: ReturnType<Control["ledger"]>;
	readonly requests: ReturnType<Control["requests"]>;
	readonly elapsedMs: number;
}

/** The results of a preview and a refresh after a good `up`. */
export interface Aftermath {
	readonly steps: readonly string[];
	readonly changed: ReadonlyMap<string, readonly string[]>;
	readonly errors: readonly RunError[];
	/** Requests of both that may change something. */
	readonly writes: number;
}

/** Something that others, the service or the user did between two runs. */
export type Happening =
	| { readonly what: "bought" | "changed" | "released" | "restored"; readonly id: string }
	| { readonly what: "edited"; readonly resource: ResourceState; readonly property: string }
	| { readonly what: "claimed"; readonly id: string; readonly by: Claimant; readonly reference: string | null }
	/** The service has another time for KYC. */
	| { readonly what: "policy"; readonly policy: string }
	/** The program no longer stands for the same objects: what a killed run left open may stay. */
	| { readonly what: "redeclared" }
	/** The state no longer knows which secret is right. */
	| { readonly what: "secrets forgotten" }
	/** A run had the key of another account. */
	| { readonly what: "wrong key" };

export interface Checker {
	happened?(happening: Happening): void;
	begin?(before: Before): void;
	end?(ran: Ran): void;
	/** After a good `up`. */
	settled?(ran: Ran, after: Aftermath): void;
}

/** Facts that every checker can look up. */
export interface Watch {
	readonly control: Control;
	readonly service: ServiceName;
	readonly chronicle: Chronicle;
}

/** True if the service keeps no references, so that only keys and lists tell what is ours. */
export const isVague = ({ service }: Watch): boolean => service === "no-reference" || service === "neither";

export const referenceOf = ({ control }: Pick<Watch, "control">, id: string): string | null =>
	control.state().numbers.find((row) => row.id === id)?.reference ?? null;

export const declarationsOf = ({ control }: Pick<Watch, "control">): ReadonlyMap<string, string> =>
	new Map(
		liveNumbers(control).flatMap(({ id, reference }) => {
			const declaration = declarationIn(reference);
			return declaration === undefined ? [] : [[id, declaration] as const];
		}),
	);

/** Returns the ids of objects that two resources hold, because one took the other's former name. */
export function idsHeldTwice(resources: readonly ResourceState[]): readonly string[] {
	const ids = resources.map(objectIn);
	return ids.filter((id, index) => ids.indexOf(id) !== index);
}

export const idsIn = (resources: readonly ResourceState[]): ReadonlySet<string> => new Set(resources.map(objectIn));
