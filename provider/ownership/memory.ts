/**
 * What one provider process remembers about a kind of object: what this run declares, and who owns the objects, as far
 * as it has seen. Cleared when the process is configured for another operation.
 */
import type { NumberRecord } from "../api/contract";
import { declarationOf } from "./claim";

/** An object that this run has made, or that it finishes for an earlier run. */
export interface Made {
	/** The part of its token that identifies the resource, without its criteria. */
	readonly declaration: string;
	readonly criteria: string;
	/** The resource's name in the program. */
	readonly resource: string;
	/** The object's name in messages. */
	readonly object: string;
}

export interface Declared {
	readonly token: string;
	readonly inputs: Readonly<Record<string, unknown>>;
	/** The state has an entry of this name. False where the engine keeps the old inputs back: after a taint, with `--replace`. */
	readonly hasEntry: boolean;
}

export class Memory {
	/** Purchases whose answers name no number run one at a time, or nobody could tell whose number is whose. */
	readonly turns = new Turns();
	/** What the second look at the account has shown, for services where only a look can tell. */
	secondLook: Promise<readonly NumberRecord[]> | undefined;
	warnedOfPlace = false;
	readonly #declared = new Map<string, Declared>();
	/** Token to id, for objects held by entries of the state or made by this process. */
	readonly #here = new Map<string, string>();
	/** The same the other way round: id to token. */
	readonly #holders = new Map<string, string>();
	/** The tokens of each declaration that have an object. */
	readonly #tokens = new Map<string, Set<string>>();
	readonly #made: Made[] = [];
	readonly #deferred = new Map<string, () => Promise<void>>();
	readonly #leaving = new Map<string, Promise<void>>();

	/** Notes that its object is wanted in this run, even if something is replaced. */
	declare(declared: Declared): void {
		this.#declared.set(declarationOf(declared), declared);
	}

	/** Its object is no longer wanted. */
	undeclare(token: string): void {
		if (this.declares(token)) this.#declared.delete(declarationOf({ token }));
	}

	declares(token: string): boolean {
		return this.declaredLike(token)?.token === token;
	}

	/** Whether a resource of this run names it in `adopt`. */
	adopts(isMeant: (wanted: string) => boolean): boolean {
		return [...this.#declared.values()].some(({ inputs: { adopt } }) =>
			[adopt].flat().some((wanted) => typeof wanted === "string" && isMeant(wanted)),
		);
	}

	/** What this run declares under the same name, perhaps with other criteria or another generation. */
	declaredLike(token: string): Declared | undefined {
		return this.#declared.get(declarationOf({ token }));
	}

	/** An object has one holder: a new token replaces the old one. */
	setHolder(token: string, id: string): void {
		this.forget(id);
		this.#here.set(token, id);
		this.#holders.set(id, token);
		const tokens = this.#tokens.get(declarationOf({ token })) ?? new Set();
		this.#tokens.set(declarationOf({ token }), tokens.add(token));
	}

	forget(id: string): void {
		const token = this.#holders.get(id);
		if (token !== undefined && this.#here.get(token) === id) {
			this.#here.delete(token);
			this.#tokens.get(declarationOf({ token }))?.delete(token);
		}
		this.#holders.delete(id);
	}

	idOf(token: string): string | undefined {
		return this.#here.get(token);
	}

	/** Whether the resource of this token has another object too: one for other criteria or another generation. */
	hasOther(token: string): boolean {
		return [...(this.#tokens.get(declarationOf({ token })) ?? [])].some((each) => each !== token);
	}

	/** The token that holds the object, as far as this process has seen. */
	holderOf(id: string): string | undefined {
		return this.#holders.get(id);
	}

	/** Whether another resource of this program has it: by what this run has seen, or by its reference. */
	isTaken(id: string, own: readonly unknown[], referenced?: string): boolean {
		// A resource without an entry has it only if this run took it over; then it is the holder.
		const named = referenced !== undefined && this.declaredLike(referenced)?.hasEntry ? referenced : undefined;
		return [this.holderOf(id), named].some(
			(token) => token !== undefined && !own.includes(token) && this.declares(token),
		);
	}

	make(made: Made): void {
		this.#made.push(made);
	}

	/** What other resources have made for the same criteria. */
	madeBeside({ declaration, criteria }: Pick<Made, "declaration" | "criteria">): readonly Made[] {
		return this.#made.filter((each) => each.criteria === criteria && each.declaration !== declaration);
	}

	/** Work to do once the object of this token is made. */
	defer(token: string, work: () => Promise<void>): void {
		this.#deferred.set(token, work);
	}

	deferred(token: string): (() => Promise<void>) | undefined {
		return this.#deferred.get(token);
	}

	/** Gives an object up by this work. */
	async leave(id: string, work: () => Promise<void>): Promise<void> {
		const done = work();
		this.#leaving.set(
			id,
			done.catch(() => {}),
		);
		await done;
	}

	/** Resolves once nothing that gives the object up is under way. */
	async left(id: string): Promise<void> {
		await this.#leaving.get(id);
	}

	clear(): void {
		const maps = [this.#declared, this.#here, this.#holders, this.#tokens, this.#deferred, this.#leaving];
		for (const map of maps) map.clear();
		this.#made.length = 0;
		this.secondLook = undefined;
		this.warnedOfPlace = false;
	}
}

/** Runs work one at a time until it is known that it needn't. */
export class Turns {
	/** Whether answers name what was made; undefined until the first answer. */
	namesIds: boolean | undefined;
	#busy: Promise<unknown> | undefined;

	/** `nameless` is true if an answer that names nothing has been seen. */
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
