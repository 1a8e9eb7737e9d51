/**
 * Whether this is the account that the state's objects are on: rule 2b of ownership/account.ts, with the requests that
 * it takes. Without proof, nothing counts as gone and nothing is bought, unless the user says so.
 */
import type { Clock } from "../api/clock";
import { isGone, TelephonyError } from "../api/errors";
import { gatheringMs } from "../api/until";
import { type Entries, provenBy, type ShownObject, unproven } from "../ownership/account";
import { type Identity, isSameState } from "../ownership/claim";
import { freshAccount, parseReference } from "../ownership/reference";
import { listed } from "../properties/display";

/** One kind of object. */
export interface KnownKind extends Entries {
	/** Whether their list may be looked at for the account's word: numbers always, others where this run declares any. */
	isWorthALook(): boolean;
	/** Every live object: one scan per run. */
	live(): Promise<readonly ShownObject[]>;
	/** One of them, as it is now. @throws TelephonyError NotFound */
	now(id: string): Promise<ShownObject>;
}

export interface PresenceOptions {
	readonly clock: Clock;
	/** The user has confirmed that everything is really gone: `TELEPHONY_ALL_GONE=yes`. */
	readonly allGone: boolean;
	/** The entries that this process knows, by kind. */
	readonly kinds: readonly KnownKind[];
	/** Pages of the numbers that the account has released, newest or oldest first. */
	released(): AsyncIterable<readonly ShownObject[]>;
}

/** Of the list of released numbers. */
const maxPages = 10;
/** How many entries of an account are read alone if the list shows none: it may lag. */
const maxReads = 3;

export class Presence {
	readonly #options: PresenceOptions;
	readonly #made: Pick<ReadonlySet<string>, "has">;
	readonly #fresh = freshAccount();
	/** The accounts of which this run has found an older object. */
	readonly #proven = new Set<string>();
	#since: number | undefined;
	/** Reads that are neither answered nor held. */
	#open = 0;
	/** Reads that found nothing, held until the account is proven or can't be. */
	#held: (() => void)[] = [];
	#settling = false;
	/** When the first create began, ms. */
	#creating: number | undefined;
	readonly #looks = new Map<string, Promise<void>>();
	#released: Promise<ReadonlySet<string>> | undefined;

	constructor(options: PresenceOptions) {
		this.#options = options;
		this.#made = { has: (id) => options.kinds.some(({ made }) => made.has(id)) };
	}

	/**
	 * Looks at the object of an entry. "Not found" is held back until the account is proven or can't be.
	 * @throws TelephonyError as `look`; Config if nothing proves that the entry is of this account
	 */
	async judge<R extends ShownObject>(id: string, account: string, look: () => Promise<R>): Promise<R> {
		this.#since ??= this.#options.clock.now();
		this.#open += 1;
		try {
			const record = await look().finally(() => {
				this.#open -= 1;
			});
			this.#see([record]);
			this.#decide();
			return record;
		} catch (error) {
			if (!isGone(error)) {
				this.#decide();
				throw error;
			}
			const decided = this.#isProven(account) ? undefined : new Promise<void>((resolve) => this.#held.push(resolve));
			this.#decide();
			await decided;
			if (!this.#isProven(account)) throw wrongAccount(id, error);
			throw error;
		}
	}

	/** A create begins: what the program declares beside it is heard while it reads its list. */
	noteCreate(): void {
		this.#creating ??= this.#options.clock.now();
	}

	/**
	 * Before anything is bought or made. `live` is the list of its kind. @returns the account's word for what is new
	 * @throws TelephonyError Config, if the state has entries, and nothing proves that they are on this account
	 */
	async refuseStrange(claim: Identity, live: readonly ShownObject[]): Promise<string> {
		this.#see(live);
		if (!this.#options.allGone && !this.#hasOurs(claim, live)) {
			// The program declares several at a time, and what it has already may come next.
			const { clock } = this.#options;
			const left = (this.#creating ?? clock.now()) + gatheringMs.purchases - clock.now();
			if (left > 0) await clock.sleep(left);
			this.#see(live);
		}
		if (!this.#options.allGone) await this.#confirm();
		const [strange] = this.#options.allGone ? [] : this.#unproven();
		if (strange !== undefined) throw strangeAccount(strange[1]);
		return this.#word(claim, live);
	}

	/** Whether something of this stack is on the account that this run hasn't made. */
	#hasOurs(claim: Identity, live: readonly ShownObject[]): boolean {
		return this.#proven.size > 0 || live.some((shown) => this.#isOurs(claim, shown));
	}

	#isOurs(claim: Identity, { id, reference }: ShownObject): boolean {
		if (this.#made.has(id)) return false;
		const said = parseReference(reference);
		return said !== undefined && said.home === claim.home && isSameState(claim, said);
	}

	/** A killed run may have left its word on an object of any kind: with two words, one account would count as two. */
	async #word(claim: Identity, live: readonly ShownObject[]): Promise<string> {
		const { kinds } = this.#options;
		const own = [...this.#proven].filter((word) => kinds.some(({ accounts }) => accounts.has(word)));
		const known = own.find((word) => word !== "") ?? own[0] ?? this.#wordIn(claim, live);
		if (known !== undefined) return known;
		const lists = kinds.filter((kind) => kind.isWorthALook()).map((kind) => kind.live().catch(() => []));
		return this.#wordIn(claim, (await Promise.all(lists)).flat()) ?? this.#fresh;
	}

	#wordIn(claim: Identity, live: readonly ShownObject[]): string | undefined {
		const ours = live.find((shown) => this.#isOurs(claim, shown) && parseReference(shown.reference)?.account);
		return parseReference(ours?.reference)?.account;
	}

	/**
	 * Entries that no list has shown yet are looked at alone, by kind: a few of each account. The engine tells of more of
	 * them while requests are under way.
	 */
	async #confirm(): Promise<void> {
		const looked = new Set<string>();
		for (let next = this.#unseen(looked); next !== undefined; next = this.#unseen(looked)) {
			looked.add(next.id);
			const look = this.#looks.get(next.id) ?? this.#lookAt(next.kind, next.id);
			this.#looks.set(next.id, look);
			await look;
		}
		if (this.#unproven().length === 0) return;
		this.#seeReleased(await this.#releasedOnes());
		if (this.#unseen(looked) !== undefined) await this.#confirm();
	}

	/** An entry that would prove its account, and hasn't been looked at. */
	#unseen(looked: ReadonlySet<string>): { kind: KnownKind; id: string } | undefined {
		for (const kind of this.#options.kinds)
			for (const [, ids] of unproven(kind, this.#proven)) {
				const id = [...ids].slice(0, maxReads).find((each) => !looked.has(each));
				if (id !== undefined) return { kind, id };
			}
		return undefined;
	}

	async #lookAt(kind: KnownKind, id: string): Promise<void> {
		try {
			this.#see([await kind.now(id)]);
		} catch (error) {
			if (!isGone(error)) throw error;
		}
	}

	#unproven() {
		return this.#options.kinds.flatMap((kind) => unproven(kind, this.#proven));
	}

	#isProven(account: string): boolean {
		return this.#options.allGone || this.#proven.has(account);
	}

	#see(shown: readonly ShownObject[]): void {
		const { kinds } = this.#options;
		for (const each of shown)
			for (const { older } of kinds)
				for (const account of provenBy(each, { older, made: this.#made })) this.#proven.add(account);
	}

	/** The account shows an entry of the state as released, so it is the right one. */
	#seeReleased(released: ReadonlySet<string>): void {
		for (const { older } of this.#options.kinds)
			for (const [id, account] of older) if (released.has(id)) this.#proven.add(account);
	}

	/** Answers the held reads once nothing can change their answers any more. */
	#decide(): void {
		if (this.#held.length === 0) return;
		if (this.#unproven().length === 0) this.#release();
		else if (this.#open === 0 && !this.#settling) void this.#settle();
	}

	async #settle(): Promise<void> {
		const { clock, kinds } = this.#options;
		this.#settling = true;
		await clock.sleep(Math.max(0, (this.#since ?? 0) + gatheringMs.absences - clock.now()));
		if (this.#unproven().length > 0) this.#seeReleased(await this.#releasedOnes());
		// Objects that this run hasn't asked for may still prove the account.
		for (const kind of kinds) if (this.#unproven().length > 0) this.#see(await kind.live().catch(() => []));
		this.#settling = false;
		// Reads that came in meanwhile decide when they end.
		if (this.#open === 0) this.#release();
	}

	/** Whether a missing number is gone for certain: the account shows it as released, or the user has said so. */
	async isGone(id: string): Promise<boolean> {
		return this.#options.allGone || (await this.isReleased(id));
	}

	/** Whether the account shows it as released; false also for one that was released later in this run. */
	async isReleased(id: string): Promise<boolean> {
		return (await this.#releasedOnes()).has(id);
	}

	/** Looked up once. */
	#releasedOnes(): Promise<ReadonlySet<string>> {
		this.#released ??= this.#findReleased();
		return this.#released;
	}

	async #findReleased(): Promise<ReadonlySet<string>> {
		const found = new Set<string>();
		let left = maxPages;
		try {
			for await (const page of this.#options.released()) {
				for (const { id } of page) found.add(id);
				// A number released here was here, even if no entry is left of it.
				this.#see(page);
				if (--left === 0) break;
			}
		} catch {
			// The service may have no such list. Then nothing is known.
		}
		return found;
	}

	#release(): void {
		const held = this.#held;
		this.#held = [];
		for (const resolve of held) resolve();
	}
}

const check = "Check TELEPHONY_API_KEY and TELEPHONY_BASE_URL (or telephony:apiKey and telephony:baseUrl).";

const wrongAccount = (id: string, cause: unknown): TelephonyError =>
	new TelephonyError(
		"Config",
		`${id} is not on the account, nor is anything else that proves that this is its account. It was not taken out of the state. ${check} If it is the right account, it may lag behind a purchase: run again in a minute. If all that this stack has there is really gone, run again with TELEPHONY_ALL_GONE=yes.`,
		{ operation: "listNumbers", messageCode: "wrong-account", cause },
	);

const strangeAccount = (ids: ReadonlySet<string>): TelephonyError =>
	new TelephonyError(
		"Config",
		`Nothing was bought or created: the state has ${listed([...ids], ", ")}, and nothing of that is on the account. ${check} If it is the right account, it may lag behind what was made: run again in a minute. If all of that is really gone, run again with TELEPHONY_ALL_GONE=yes.`,
		{ operation: "listNumbers", messageCode: "wrong-account" },
	);
