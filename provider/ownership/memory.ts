/**
 * What one provider process remembers of a kind of object: what this run declares, and whose the objects are, as far as
 * it has seen. Cleared when the process is configured for another operation.
 */
import type { NumberRecord } from "../api/contract";

/** An object that this run has made, or goes on with since it was made. */
export interface Made {
	/** The part of its token that says which resource has it, whatever that asks for. */
	readonly declaration: string;
	readonly criteria: string;
	/** As the program calls the resource. */
	readonly resource: string;
	/** As messages name the object. */
	readonly object: string;
}

/** A token begins with what says which resource it is, whatever that asks for. */
const declarationOf = (token: string) => token.split(".")[0] ?? "";

export interface Declared {
	readonly token: string;
	readonly inputs: Readonly<Record<string, unknown>>;
}

export class Memory {
	/** Purchases whose answers name no number go one at a time: of two, each could be either's. */
	readonly turns = new Turns();
	/** What the second look at the account has shown, where only looks can tell. */
	secondLook: Promise<readonly NumberRecord[]> | undefined;
	warnedOfPlace = false;
	readonly #declared = new Map<string, Declared>();
	/** Token to id, of the objects that entries of the state or creates of this process hold. */
	readonly #here = new Map<string, string>();
	/** Ids to tokens: the same the other way round. */
	readonly #holders = new Map<string, string>();
	readonly #made: Made[] = [];
	readonly #deferred = new Map<string, () => Promise<void>>();

	/** Its object is wanted in this run, whatever gets replaced. */
	declare(declared: Declared): void {
		this.#declared.set(declarationOf(declared.token), declared);
	}

	declares(token: string): boolean {
		return this.declaredLike(token)?.token === token;
	}

	/** What this run declares under the same name, perhaps with other criteria or another generation. */
	declaredLike(token: string): Declared | undefined {
		return this.#declared.get(declarationOf(token));
	}

	/** An object has one holder: under a new token the old one is forgotten. */
	setHolder(token: string, id: string): void {
		this.forget(id);
		this.#here.set(token, id);
		this.#holders.set(id, token);
	}

	forget(id: string): void {
		const token = this.#holders.get(id);
		if (token !== undefined && this.#here.get(token) === id) this.#here.delete(token);
		this.#holders.delete(id);
	}

	idOf(token: string): string | undefined {
		return this.#here.get(token);
	}

	/** Whether the resource of this token has another object too: one for other criteria or another generation. */
	hasOther(token: string): boolean {
		return [...this.#here.keys()].some((each) => each !== token && declarationOf(each) === declarationOf(token));
	}

	/** Whose the object is, as far as this process has seen. */
	holderOf(id: string): string | undefined {
		return this.#holders.get(id);
	}

	/** Whether another resource of this program has it: in this run, or before, by its reference. */
	isTaken(id: string, own: readonly unknown[], referenced?: string): boolean {
		return [this.holderOf(id), referenced].some(
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

	/** What is to be done once the object of this token is made. */
	defer(token: string, work: () => Promise<void>): void {
		this.#deferred.set(token, work);
	}

	deferred(token: string): (() => Promise<void>) | undefined {
		return this.#deferred.get(token);
	}

	clear(): void {
		for (const map of [this.#declared, this.#here, this.#holders, this.#deferred]) map.clear();
		this.#made.length = 0;
		this.secondLook = undefined;
		this.warnedOfPlace = false;
	}
}

/** Work that goes one at a time until it is known that it needn't. */
export class Turns {
	/** Whether answers name what was made; undefined until there was one. */
	namesIds: boolean | undefined;
	#busy: Promise<unknown> | undefined;

	/** `work` is told whether an answer without a name has been seen. */
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
