/**
 * The account check: nothing is bought, and nothing counts as not found, on an account that shows nothing of this state.
 * An object that the run itself made proves nothing, and neither does time.
 */
import type { Clock } from "../api/clock";
import { isGone, TelephonyError } from "../api/errors";
import { gatheringMs } from "../api/until";
import { type Identity, isSameState } from "../ownership/claim";
import { parseReference } from "../ownership/reference";
import { listed } from "../properties/display";

/** An object as the account shows it. */
export interface ShownObject {
	readonly id: string;
	readonly reference?: string | null | undefined;
}

/** The objects of one kind. */
export interface KnownKind {
	/** The objects of the state that existed before this run: by id, the token that the state has for them. */
	readonly older: ReadonlyMap<string, string>;
	/** The objects that this run made. */
	readonly made: ReadonlySet<string>;
	/** All live objects: one scan per run. */
	live(): Promise<readonly ShownObject[]>;
	/** One object, as it is now. @throws TelephonyError NotFound */
	now(id: string): Promise<ShownObject>;
}

export interface AccountCheckOptions {
	readonly clock: Clock;
	/** The address of the service, for messages. */
	readonly baseUrl: string;
	/** The user confirmed that everything was deleted: `TELEPHONY_ACCEPT_EMPTY_ACCOUNT=yes`. */
	readonly acceptsEmpty: boolean;
	readonly kinds: readonly KnownKind[];
	/** Pages of the numbers that the account has released, newest or oldest first. */
	released(): AsyncIterable<readonly ShownObject[]>;
}

/** Pages of the list of released numbers. */
const maxPages = 10;
/** Objects of the state that are read alone if no list shows them: a list may lag. */
const maxReads = 3;

export class AccountCheck {
	readonly #options: AccountCheckOptions;
	/** True once this run has found an object of this state. */
	#isProven: boolean;
	/** When the first read began, ms. */
	#since: number | undefined;
	/** When the first create began, ms. */
	#creating: number | undefined;
	/** Reads without a result. */
	#open = 0;
	/** Reads that found nothing, held until the account is proven or can't be. */
	#held: (() => void)[] = [];
	#isSettling = false;
	readonly #reads = new Map<string, Promise<void>>();
	#released: Promise<readonly ShownObject[]> | undefined;

	constructor(options: AccountCheckOptions) {
		this.#options = options;
		this.#isProven = options.acceptsEmpty;
	}

	/**
	 * Reads an object of the state. "Not found" is held back until the account is proven or can't be.
	 * @throws TelephonyError as `read`; Config if nothing of this state is on the account
	 */
	async judge<R extends ShownObject>(id: string, claim: Identity, read: () => Promise<R>): Promise<R> {
		this.#since ??= this.#options.clock.now();
		this.#open += 1;
		try {
			const record = await read().finally(() => {
				this.#open -= 1;
			});
			this.#see([record], claim);
			this.#decide(claim);
			return record;
		} catch (error) {
			if (!isGone(error) || this.#isProven) {
				this.#decide(claim);
				throw error;
			}
			const decided = new Promise<void>((resolve) => this.#held.push(resolve));
			this.#decide(claim);
			await decided;
			if (!this.#isProven) throw this.#wrongAccount("The state is unchanged.", [id], error);
			throw error;
		}
	}

	/** Notes that a create begins: the engine reports the stack's other resources while it reads its list. */
	noteCreate(): void {
		this.#creating ??= this.#options.clock.now();
	}

	/**
	 * Refuses to buy or create on an account that shows nothing of this state. `live` is the list of the kind.
	 * @throws TelephonyError Config
	 */
	async assertOwn(claim: Identity, live: readonly ShownObject[]): Promise<void> {
		this.#see(live, claim);
		if (this.#isProven) return;
		// The engine creates several resources at a time, and may report the existing ones next.
		const { clock } = this.#options;
		const pause = (this.#creating ?? clock.now()) + gatheringMs.purchases - clock.now();
		if (pause > 0) await clock.sleep(pause);
		this.#see(live, claim);
		await this.#readSome(claim);
		const ids = this.#olderIds();
		if (ids.length > 0 && !this.#isProven) this.#see(await this.#releasedNumbers(), claim);
		if (ids.length > 0 && !this.#isProven) throw this.#wrongAccount("Nothing was bought or created.", ids);
	}

	/** Whether the account certainly no longer has the number. */
	async isGone(id: string): Promise<boolean> {
		return this.#options.acceptsEmpty || (await this.isReleased(id));
	}

	/** Whether the account shows the number as released. False for one that was released later in this run. */
	async isReleased(id: string): Promise<boolean> {
		return (await this.#releasedNumbers()).some((each) => each.id === id);
	}

	#olderIds(): string[] {
		return this.#options.kinds.flatMap(({ older }) => [...older.keys()]);
	}

	/** Reads a few objects of the state alone. The engine may report more of them meanwhile. */
	async #readSome(claim: Identity): Promise<void> {
		for (const { older, now } of this.#options.kinds)
			for (const id of [...older.keys()].slice(0, maxReads)) {
				if (this.#isProven || (this.#reads.size >= maxReads && !this.#reads.has(id))) continue;
				const read = this.#reads.get(id) ?? this.#readAlone(id, now, claim);
				this.#reads.set(id, read);
				await read;
			}
	}

	async #readAlone(id: string, now: KnownKind["now"], claim: Identity): Promise<void> {
		try {
			this.#see([await now(id)], claim);
		} catch (error) {
			if (isGone(error)) return;
			// A later create reads again.
			this.#reads.delete(id);
			throw error;
		}
	}

	#see(shown: readonly ShownObject[], claim: Identity): void {
		this.#isProven ||= shown.some((each) => this.#isProof(each, claim));
	}

	/** Ids may be small numbers that every account has, so an object that carries another claim proves nothing. */
	#isProof({ id, reference }: ShownObject, claim: Identity): boolean {
		const { kinds } = this.#options;
		if (kinds.some(({ made }) => made.has(id))) return false;
		const token = kinds.map(({ older }) => older.get(id)).find((each) => each !== undefined);
		if (!reference) return token !== undefined;
		const said = parseReference(reference);
		if (said === undefined) return false;
		if (said.token === token) return true;
		const isOwn = isSameState(claim, said) || (claim.earlier !== undefined && isSameState(claim.earlier, said));
		return isOwn && (token !== undefined || said.home === claim.home);
	}

	/** Ends the held reads once nothing can change their result. */
	#decide(claim: Identity): void {
		if (this.#held.length === 0) return;
		if (this.#isProven) this.#release();
		else if (this.#open === 0 && !this.#isSettling) void this.#settle(claim);
	}

	async #settle(claim: Identity): Promise<void> {
		const { clock, kinds } = this.#options;
		this.#isSettling = true;
		await clock.sleep(Math.max(0, (this.#since ?? 0) + gatheringMs.absences - clock.now()));
		if (!this.#isProven) this.#see(await this.#releasedNumbers(), claim);
		// Objects that the engine hasn't asked for may still prove the account.
		for (const kind of kinds) if (!this.#isProven) this.#see(await kind.live().catch(() => []), claim);
		this.#isSettling = false;
		// A read that began meanwhile decides when it ends.
		if (this.#open === 0) this.#release();
	}

	/** Listed once. */
	#releasedNumbers(): Promise<readonly ShownObject[]> {
		this.#released ??= this.#listReleased();
		return this.#released;
	}

	async #listReleased(): Promise<readonly ShownObject[]> {
		const found: ShownObject[] = [];
		let left = maxPages;
		try {
			for await (const page of this.#options.released()) {
				found.push(...page);
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

	#wrongAccount(outcome: string, ids: readonly string[], cause?: unknown): TelephonyError {
		return new TelephonyError(
			"Config",
			`None of this stack's resources (${listed(ids, ", ")}) exist on the account at ${this.#options.baseUrl}. The API key is probably for another account. ${outcome} Check telephony:apiKey and telephony:baseUrl. If everything was deleted on purpose, run again with TELEPHONY_ACCEPT_EMPTY_ACCOUNT=yes.`,
			{ operation: "listNumbers", messageCode: "wrong-account", cause },
		);
	}
}
