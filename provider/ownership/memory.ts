/**
 * The memory of a run about one kind of object: the declarations, the holders of objects, and the queue of purchases.
 * Cleared when the engine configures the process for another operation.
 */
import pLimit from "p-limit";
import { urnOf, type Values } from "../properties/table";
import { declarationOf } from "./claim";

export interface Declared {
	readonly token: string;
	readonly inputs: Readonly<Record<string, unknown>>;
	/** False if the engine passes no old inputs: the resource is new, tainted, or replaced with `--replace`. */
	readonly hasState: boolean;
}

interface Holder {
	readonly token: string;
	/** True if a create of this run made or resumed the object. */
	readonly isAcquired: boolean;
}

export class Memory {
	turns = new Turns();
	/** True once this run has warned that its owner depends on the machine. */
	hasWarnedOfPlace = false;
	/** URNs of the resources of whose unknown values a warning was shown. */
	readonly doubted = new Set<string>();
	/** Inputs of the state by URN, as the engine passed them or a read returned them. */
	readonly held = new Map<string, Values>();
	/** The resources that this run declares, by the part of the token without the criteria. */
	readonly #declared = new Map<string, Declared>();
	/** The holder of each object, by id. A token may hold several, the latest last. */
	readonly #holders = new Map<string, Holder>();
	/** Saved outputs of the objects that the state had before this run, by id. */
	readonly older = new Map<string, Values>();
	/** Saved outputs of the same objects, by id and lease. While a resource is replaced, the state has its object twice. */
	readonly #states = new Map<string, Map<unknown, Values>>();
	/** References that only single reads of this run have shown, by id; undefined for an object that showed none. */
	readonly references = new Map<string, string | null | undefined>();
	/** Ids of the objects that this run made. They prove nothing about the account. */
	readonly made = new Set<string>();
	/** URNs of the resources whose create or update of this run has failed or isn't over. */
	readonly unfinished = new Set<string>();
	/** Counts of the purchases that the declarations of this run need, by URN. */
	readonly planned = new Map<string, number>();

	/** Notes that this run declares the resource, even if it is replaced. */
	declare({ token, inputs, hasState }: Declared): void {
		// Before a replacement, the engine checks the resource once more without old inputs.
		const hadState = this.declaredLike(token)?.hasState === true;
		this.#declared.set(declarationOf({ token }), { token, inputs, hasState: hasState || hadState });
	}

	/** True if this run has declared anything. Otherwise the engine may have passed an old configuration. */
	get declaresAny(): boolean {
		return this.#declared.size > 0;
	}

	/** Returns what `adopt` names in the declarations of this run. */
	adopted(): string[] {
		return [...this.#declared.values()]
			.flatMap(({ inputs: { adopt } }) => adopt)
			.filter((name) => typeof name === "string");
	}

	declares(token: string): boolean {
		return this.declaredLike(token)?.token === token;
	}

	/** Returns the declaration of the same name, perhaps with other criteria or another generation. */
	declaredLike(token: string): Declared | undefined {
		return this.#declared.get(declarationOf({ token }));
	}

	/** Sets the object's only holder. */
	setHolder(token: string, id: string, isAcquired = false): void {
		// A change alone would keep the object's place in the order.
		this.#holders.delete(id);
		this.#holders.set(id, { token, isAcquired });
	}

	/** Sets the holder of an object that a create of this run has made or resumed. A state of an earlier name loses it. */
	acquire(token: string, id: string): void {
		this.setHolder(token, id, true);
	}

	forget(id: string): void {
		this.#holders.delete(id);
	}

	/** Returns the latest object of the token. */
	idOf(token: string): string | undefined {
		let latest: string | undefined;
		for (const [id, holder] of this.#holders) if (holder.token === token) latest = id;
		return latest;
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
		const named = referenced !== undefined && this.declaredLike(referenced)?.hasState ? referenced : undefined;
		const holder = this.#holders.get(id);
		if (holder?.isAcquired && holder.token !== ownTokens[0] && this.declares(holder.token)) return true;
		return [holder?.token, named].some(
			(token) => token !== undefined && !ownTokens.includes(token) && this.declares(token),
		);
	}

	/** True if another object is to replace the one of this token, and this run didn't finish it. */
	isUnreplaced(token: unknown): boolean {
		const successor = typeof token === "string" ? this.declaredLike(token) : undefined;
		return successor !== undefined && this.unfinished.has(urnOf(successor.inputs));
	}

	/** Returns the inputs of the state. The engine passes none to the second check of a replacement. */
	heldInputs(urn: string, olds: Values): Values {
		if (Object.keys(olds).length === 0) return this.held.get(urn) ?? olds;
		this.held.set(urn, olds);
		return olds;
	}

	/** Notes an object of the state. */
	note(id: string, outs: Values): void {
		if (this.made.has(id)) return;
		this.older.set(id, outs);
		const states = this.#states.get(id) ?? new Map<unknown, Values>();
		this.#states.set(id, states.set(outs.lease, outs));
	}

	/** Returns all saved outputs of the object that this run has seen. */
	statesOf(id: string): readonly Values[] {
		return [...(this.#states.get(id)?.values() ?? [])];
	}

	/** When a spent idempotency key was first seen, ms since 1970. */
	spentSince: number | undefined;

	clear(): void {
		this.spentSince = undefined;
		this.hasWarnedOfPlace = false;
		this.turns = new Turns();
		for (const collection of [
			this.planned,
			this.unfinished,
			this.references,
			this.#declared,
			this.#holders,
			this.older,
			this.#states,
			this.made,
			this.doubted,
			this.held,
		])
			collection.clear();
	}
}

export interface Turn {
	/** True if a response has named no number. */
	readonly isNameless: boolean;
	/** The search for the number of an earlier purchase failed. */
	readonly failure: { readonly error: unknown } | undefined;
}

/** Runs purchases one at a time until a response names its number: otherwise it is unclear which number is whose. */
export class Turns {
	/** True if each response has named its number; undefined until the first response. */
	#namesIds: boolean | undefined;
	readonly #queue = pLimit(1);
	/** Purchases that have begun and not ended. */
	#running = 0;
	/** Those of them whose number is searched for. */
	#searches = 0;
	/** Continue the searches that wait for a purchase to end. */
	#waiting: (() => void)[] = [];
	#failure: Turn["failure"];

	/** Notes if a response named its number. After one that didn't, purchases run one at a time until the end. */
	learn(namesId: boolean): void {
		this.#namesIds = namesId && this.#namesIds !== false;
		if (!this.#namesIds) this.#queue.concurrency = 1;
	}

	/** Runs a purchase in its turn. */
	async take<T>(buy: (turn: Turn) => Promise<T>): Promise<T> {
		try {
			return await this.#queue(async () => {
				this.#running += 1;
				try {
					return await buy({ isNameless: this.#namesIds === false, failure: this.#failure });
				} finally {
					this.#running -= 1;
					for (const proceed of this.#waiting.splice(0)) proceed();
				}
			});
		} finally {
			if (this.#namesIds) this.#queue.concurrency = Number.POSITIVE_INFINITY;
		}
	}

	/** Searches for the number of a purchase whose response named none, once all others have theirs. */
	async identify<T>(search: () => Promise<T>): Promise<T> {
		this.learn(false);
		try {
			return await this.afterOthers(search);
		} catch (error) {
			this.#failure ??= { error };
			throw error;
		}
	}

	/** Searches once all other purchases that have begun have their numbers. Searches don't wait for each other. */
	async afterOthers<T>(search: () => Promise<T>): Promise<T> {
		this.#searches += 1;
		try {
			while (this.#running > this.#searches) await new Promise<void>((proceed) => this.#waiting.push(proceed));
			return await search();
		} finally {
			this.#searches -= 1;
		}
	}
}
