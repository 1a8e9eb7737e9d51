/**
 * What one provider process remembers about a kind of object: what this run declares, and who owns the objects, as far
 * as it has seen. Cleared when the process is configured for another operation.
 */
import type { BuyNumber, NumberRecord } from "../api/contract";
import type { Values } from "../properties/table";
import { declarationOf } from "./claim";

export interface Declared {
	readonly token: string;
	readonly inputs: Readonly<Record<string, unknown>>;
	/** The state has an entry of this name. False where the engine keeps the old inputs back: after a taint, with `--replace`. */
	readonly hasEntry: boolean;
}

/** What a resource surely buys, by its declaration alone. */
export interface PlannedPurchase {
	readonly count: number;
	readonly criteria: BuyNumber;
	/** How many of them the account shows as bought already. */
	found(live: readonly NumberRecord[]): Promise<number>;
}

/** What is known of one resource of the program. */
interface Declaration {
	/** What this run declares of it. */
	declared?: Declared | undefined;
	/** Its objects by token, held by entries of the state or made by this process: one for each set of criteria. */
	readonly ids: Map<string, string>;
	/** What to do once this run has made its object. */
	after?: (() => Promise<void>) | undefined;
}

export class Memory {
	/** Purchases whose answers name no number run one at a time, or nobody could tell whose number is whose. */
	readonly turns = new Turns();
	/** What the second look at the account has shown, for services where only a look can tell. */
	secondLook: Promise<readonly NumberRecord[]> | undefined;
	/** A look for what a purchase has bought whose answer couldn't be read: until it is found, nothing else is bought. */
	#unclear: Promise<unknown> = Promise.resolve();
	isUnclear = false;
	#quiet = { heard: -1, since: 0 };
	/** What needs to be said once in a run. */
	readonly warned = new Set<"place" | "number">();
	/** How long deletes have waited for those of other numbers, ms. */
	waitedForOthers = 0;
	/** How much the engine has said so far: declarations and entries. */
	heard = 0;
	readonly #declarations = new Map<string, Declaration>();
	/** By id, the token that holds the object; `isAcquired`: a create of this run made it or took it over. */
	readonly #holders = new Map<string, { readonly token: string; readonly isAcquired: boolean }>();
	/** By id, the marks that an entry holds: see beside.ts. */
	readonly besides = new Map<string, string>();
	/** By the id of what was bought, which others may have been left, and how its marks are taken away. */
	readonly #doubts = new Map<string, { readonly left: Set<string>; settle?: () => Promise<void> }>();
	/** The entries of the state: by id, the word of the account; and the ids by that word: see account.ts. */
	readonly older = new Map<string, string>();
	readonly accounts = new Map<string, Set<string>>();
	/** What this run has made proves nothing of the account. */
	readonly made = new Set<string>();
	/** What this run has bought, or has found that a killed run had, in the place of nothing that its resource had. */
	readonly bought = new Set<string>();
	/** By URN, what the declarations of this run surely buy, and what the account had when one was too many. */
	readonly planned = new Map<string, PlannedPurchase>();
	seen: Promise<readonly NumberRecord[] | undefined> | undefined;
	/** What this run releases. */
	readonly going = new Set<string>();
	readonly #leaving = new Map<string, Promise<void>>();

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

	/** What this run declares at this place of the program, whatever its owner is. */
	declaredAt(urn: unknown): Declared | undefined {
		return this.#declared.findLast(({ inputs }) => inputs.resourceUrn === urn);
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

	/** Whether a resource of this run names it in `adopt`. */
	adopts(isMeant: (wanted: string) => boolean): boolean {
		return this.#declared.some(({ inputs: { adopt } }) =>
			[adopt].flat().some((wanted) => typeof wanted === "string" && isMeant(wanted)),
		);
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

	/** Whether the resource of this token has another object too: one for other criteria or another generation. */
	hasOther(token: string): boolean {
		return [...this.#at(token).ids.keys()].some((each) => each !== token);
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

	/** Notes an entry of the state: its object was there before this run. */
	note(id: string, { account, beside }: Values): void {
		if (this.made.has(id)) return;
		const text = (value: unknown) => (typeof value === "string" ? value : "");
		if (text(beside) !== "") this.besides.set(id, text(beside));
		if (!this.older.has(id)) this.heard += 1;
		this.accounts.get(this.older.get(id) ?? "")?.delete(id);
		this.older.set(id, text(account));
		this.accounts.set(text(account), (this.accounts.get(text(account)) ?? new Set()).add(id));
	}

	/** Notes what a purchase of this run remembers: `left` are the numbers without a declaration so far. */
	remember(id: string, beside: string, left: readonly string[]): void {
		if (beside === "") return;
		this.besides.set(id, beside);
		if (left.length > 0) this.#doubts.set(id, { left: new Set(left) });
	}

	/** What to do once all that it has left turn out to be declared. */
	onceDeclared(id: string, settle: () => Promise<void>): void {
		const doubt = this.#doubts.get(id);
		if (doubt !== undefined) Object.assign(doubt, { settle });
		this.#settle();
	}

	/** This run declares the object. */
	found(id: string): void {
		for (const { left } of this.#doubts.values()) left.delete(id);
		this.#settle();
	}

	#settle(): void {
		for (const [id, { left, settle }] of this.#doubts) {
			if (left.size > 0 || settle === undefined) continue;
			this.#doubts.delete(id);
			this.besides.delete(id);
			// If it fails, the marks stay: then a release is refused that needn't be.
			void settle().catch(() => {});
		}
	}

	/** Holds all other purchases up until the look has found what it is for. */
	async clearUp<T>(look: Promise<T>): Promise<T> {
		this.#unclear = look;
		this.isUnclear = true;
		const found = await look;
		this.isUnclear = false;
		return found;
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

	/** Work to do once the object of this token is made. */
	defer(token: string, work: () => Promise<void>): void {
		this.#at(token).after = work;
	}

	deferred(token: string): (() => Promise<void>) | undefined {
		return this.#at(token).after;
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
		const seen = [this.planned, this.#declarations, this.#holders, this.#leaving, this.besides, this.#doubts];
		const sets = [this.older, this.accounts, this.made, this.bought, this.going, this.warned];
		for (const each of [...seen, ...sets]) each.clear();
		this.heard = 0;
		this.#unclear = Promise.resolve();
		this.isUnclear = false;
		this.#quiet = { heard: -1, since: 0 };
		this.secondLook = undefined;
		this.seen = undefined;
		this.waitedForOthers = 0;
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
