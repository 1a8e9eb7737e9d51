/**
 * What one provider process remembers about a kind of object: what this run declares, and who owns the objects, as far
 * as it has seen. Cleared when the process is configured for another operation.
 */
import type { Values } from "../properties/table";
import { declarationOf } from "./claim";

export interface Declared {
	readonly token: string;
	readonly inputs: Readonly<Record<string, unknown>>;
	/** The state has an entry of this name. False where the engine keeps the old inputs back: after a taint, with `--replace`. */
	readonly hasEntry: boolean;
}

/** What is known of one resource of the program. */
interface Declaration {
	/** What this run declares of it. */
	declared?: Declared | undefined;
	/** Its objects by token, held by entries of the state or made by this process: one for each set of criteria. */
	readonly ids: Map<string, string>;
}

export class Memory {
	/** Purchases whose answers name no number run one at a time, or nobody could tell whose number is whose. */
	readonly turns = new Turns();
	/** A look for what a purchase has bought whose answer couldn't be read: until it is found, nothing else is bought. */
	#unclear: Promise<unknown> = Promise.resolve();
	#quiet = { heard: -1, since: 0 };
	/** What needs to be said once in a run. */
	readonly warned = new Set<"place" | "number">();
	/** How much the engine has said so far: declarations and entries. */
	heard = 0;
	readonly #declarations = new Map<string, Declaration>();
	/** By id, the token that holds the object; `isAcquired`: a create of this run made it or took it over. */
	readonly #holders = new Map<string, { readonly token: string; readonly isAcquired: boolean }>();
	/** The objects of the state that existed before this run: by id, the token that the state has for them. */
	readonly older = new Map<string, string>();
	/** What this run has made proves nothing of the account. */
	readonly made = new Set<string>();
	/** By URN, the count of purchases that the declarations of this run need. */
	readonly planned = new Map<string, number>();
	/** Notes that its object is wanted in this run, even if something is replaced. */
	declare({ token, inputs, hasEntry }: Declared): void {
		const declaration = this.#at(token);
		const before = declaration.declared;
		if (before === undefined) this.heard += 1;
		// Before it makes a replacement, the engine checks it once more as if there were no entry.
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

	/** The inputs that this run declares at all other places of the program. */
	declaredBeside(urn: unknown): Values[] {
		return this.#declared.flatMap(({ inputs }) => (inputs.resourceUrn === urn ? [] : [inputs]));
	}

	/** Whether this run has declared anything: else the engine may not have given it the stack's configuration of today. */
	get declaresAny(): boolean {
		return this.#declared.length > 0;
	}

	/** Its object is no longer wanted. */
	undeclare(token: string): void {
		if (this.declares(token)) this.#at(token).declared = undefined;
	}

	declares(token: string): boolean {
		return this.declaredLike(token)?.token === token;
	}

	/** What this run declares under the same name, perhaps with other criteria or another generation. */
	declaredLike(token: string): Declared | undefined {
		return this.#declarations.get(declarationOf({ token }))?.declared;
	}

	/** An object has one holder: a new token replaces the old one. */
	setHolder(token: string, id: string, isAcquired = false): void {
		this.forget(id);
		this.#at(token).ids.set(token, id);
		this.#holders.set(id, { token, isAcquired });
	}

	/** The same for what a create of this run has made or taken over, which no entry of an earlier name keeps. */
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

	/** The token that holds the object, as far as this process has seen. */
	holderOf(id: string): string | undefined {
		return this.#holders.get(id)?.token;
	}

	/** Whether another resource of this program has it than that of the token `own[0]`: by what this run has seen, or by its reference. */
	isTaken(id: string, own: readonly unknown[], referenced?: string): boolean {
		// A resource without an entry has it only if this run took it over; then it is the holder.
		const named = referenced !== undefined && this.declaredLike(referenced)?.hasEntry ? referenced : undefined;
		const holder = this.#holders.get(id);
		if (holder?.isAcquired && holder.token !== own[0] && this.declares(holder.token)) return true;
		return [holder?.token, named].some((token) => token !== undefined && !own.includes(token) && this.declares(token));
	}

	/** Notes an object of the state. */
	note(id: string, { token }: Values): void {
		if (this.made.has(id)) return;
		if (!this.older.has(id)) this.heard += 1;
		this.older.set(id, typeof token === "string" ? token : "");
	}

	/** Holds all other purchases up until the look has found what it is for. */
	async clearUp<T>(look: Promise<T>): Promise<T> {
		this.#unclear = look;
		return look;
	}

	/** @throws what the look has ended in, if it hasn't found it */
	async isClear(): Promise<void> {
		await this.#unclear;
	}

	/** How long the engine has said nothing new, ms. */
	quietFor(heard: number, now: number): number {
		if (heard !== this.#quiet.heard) this.#quiet = { heard, since: now };
		return now - this.#quiet.since;
	}

	clear(): void {
		for (const each of [this.planned, this.#declarations, this.#holders, this.older, this.made, this.warned])
			each.clear();
		this.heard = 0;
		this.#unclear = Promise.resolve();
		this.#quiet = { heard: -1, since: 0 };
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
