/**
 * The memory of a run about one kind of object: the declarations, the holders of objects, and the queue of purchases.
 * Cleared when the engine configures the process for another operation.
 */
import type { Values } from "../properties/table";
import { declarationOf } from "./claim";

export interface Declared {
	readonly token: string;
	readonly inputs: Readonly<Record<string, unknown>>;
	/** False if the engine passes no old inputs: the resource is new, tainted, or replaced with `--replace`. */
	readonly hasEntry: boolean;
}

interface Declaration {
	declared?: Declared | undefined;
	/** Ids of its objects by token, one for each set of criteria: held by the state, or made by this run. */
	readonly ids: Map<string, string>;
}

export class Memory {
	/** Until responses name the number, purchases run one at a time: otherwise it is unclear which number is whose. */
	readonly turns = new Turns();
	/** The search for the number of a purchase whose response couldn't be read. */
	#search: Promise<unknown> = Promise.resolve();
	/** Warnings that a run shows once. */
	readonly warned = new Set<"place" | "number">();
	/** URNs of the resources of whose unknown values a warning was shown. */
	readonly doubted = new Set<string>();
	/** Inputs of the state by URN, as the engine passed them or a read returned them. */
	readonly held = new Map<string, Values>();
	readonly #declarations = new Map<string, Declaration>();
	/** Tokens that hold objects, by id. `isAcquired`: a create of this run made or resumed the object. */
	readonly #holders = new Map<string, { readonly token: string; readonly isAcquired: boolean }>();
	/** Saved outputs of the objects that the state had before this run, by id. */
	readonly older = new Map<string, Values>();
	/** Ids of the objects that this run made. They prove nothing about the account. */
	readonly made = new Set<string>();
	/** Counts of the purchases that the declarations of this run need, by URN. */
	readonly planned = new Map<string, number>();

	/** Notes that this run declares the resource, even if it is replaced. */
	declare({ token, inputs, hasEntry }: Declared): void {
		const declaration = this.#at(token);
		const before = declaration.declared;
		// Before a replacement, the engine checks the resource once more without old inputs.
		declaration.declared = { token, inputs, hasEntry: hasEntry || before?.hasEntry === true };
	}

	#at(token: string): Declaration {
		const key = declarationOf({ token });
		const declaration = this.#declarations.get(key) ?? { ids: new Map() };
		this.#declarations.set(key, declaration);
		return declaration;
	}

	get #declared(): Declared[] {
		return [...this.#declarations.values()].flatMap(({ declared }) => declared ?? []);
	}

	/** True if this run has declared anything. Otherwise the engine may have passed an old configuration. */
	get declaresAny(): boolean {
		return this.#declared.length > 0;
	}

	/** Returns what `adopt` names in the declarations of this run. */
	adopted(): string[] {
		return this.#declared.flatMap(({ inputs: { adopt } }) => [adopt].flat()).filter((name) => typeof name === "string");
	}

	declares(token: string): boolean {
		return this.declaredLike(token)?.token === token;
	}

	/** Returns the declaration of the same name, perhaps with other criteria or another generation. */
	declaredLike(token: string): Declared | undefined {
		return this.#declarations.get(declarationOf({ token }))?.declared;
	}

	/** Sets the object's only holder. */
	setHolder(token: string, id: string, isAcquired = false): void {
		this.forget(id);
		this.#at(token).ids.set(token, id);
		this.#holders.set(id, { token, isAcquired });
	}

	/** Sets the holder of an object that a create of this run has made or resumed. A state of an earlier name loses it. */
	acquire(token: string, id: string): void {
		this.setHolder(token, id, true);
	}

	forget(id: string): void {
		const token = this.holderOf(id);
		if (token !== undefined && this.idOf(token) === id) this.#at(token).ids.delete(token);
		this.#holders.delete(id);
	}

	idOf(token: string): string | undefined {
		return this.#declarations.get(declarationOf({ token }))?.ids.get(token);
	}

	/** Returns the token that holds the object, as far as this run knows. */
	holderOf(id: string): string | undefined {
		return this.#holders.get(id)?.token;
	}

	/** True if another resource than the token's holds the object, as far as this run knows. */
	isOthers(token: string, id: string): boolean {
		return ![undefined, token].includes(this.holderOf(id));
	}

	/** Returns true if another resource than the one of `ownTokens[0]` has the object, by this run's memory or by its reference. */
	isTaken(id: string, ownTokens: readonly unknown[], referenced?: string): boolean {
		// A resource without a state has it only if this run resumed it. Then it is the holder.
		const named = referenced !== undefined && this.declaredLike(referenced)?.hasEntry ? referenced : undefined;
		const holder = this.#holders.get(id);
		if (holder?.isAcquired && holder.token !== ownTokens[0] && this.declares(holder.token)) return true;
		return [holder?.token, named].some(
			(token) => token !== undefined && !ownTokens.includes(token) && this.declares(token),
		);
	}

	/** Returns the inputs of the state. The engine passes none to the second check of a replacement. */
	heldInputs(urn: string, olds: Values): Values {
		if (Object.keys(olds).length === 0) return this.held.get(urn) ?? olds;
		this.held.set(urn, olds);
		return olds;
	}

	/** Notes an object of the state. */
	note(id: string, outs: Values): void {
		if (!this.made.has(id)) this.older.set(id, outs);
	}

	/** Holds all other purchases until the search has found the number of an unclear one. */
	clearUp<T>(search: Promise<T>): Promise<T> {
		this.#search = search;
		return search;
	}

	/** Waits for the search. @throws its error */
	async isClear(): Promise<void> {
		await this.#search;
	}

	/** When a spent idempotency key was first seen, ms since 1970. */
	spentSince: number | undefined;

	clear(): void {
		this.spentSince = undefined;
		for (const collection of [
			this.planned,
			this.#declarations,
			this.#holders,
			this.older,
			this.made,
			this.warned,
			this.doubted,
			this.held,
		])
			collection.clear();
		this.turns.namesIds = undefined;
		this.#search = Promise.resolve();
	}
}

/** Runs work one at a time until the first response names what was made. */
export class Turns {
	/** True if responses name what was made; undefined until the first response. */
	namesIds: boolean | undefined;
	#busy: Promise<unknown> | undefined;

	/** Passes true if a response has named nothing. */
	async take<T>(work: (nameless: boolean) => Promise<T>): Promise<T> {
		while (!this.namesIds && this.#busy !== undefined) await this.#busy;
		if (this.namesIds) return work(false);
		const mine = work(this.namesIds === false);
		const busy = mine
			.catch(() => undefined)
			.finally(() => {
				this.#busy = undefined;
			});
		this.#busy = busy;
		return mine;
	}
}
