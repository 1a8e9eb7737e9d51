/**
 * The account check: nothing is bought, and nothing counts as not found, on an account that doesn't show this state's
 * objects. An object that the run itself made proves nothing, and neither does time or an id.
 */
import type { Clock } from "../api/clock";
import { isNotFound, isTelephonyError, isTransient, TelephonyError } from "../api/errors";
import { gatheringMs } from "../api/until";
import type { Identity, Referenced } from "../ownership/claim";
import { findDifference, identify } from "../ownership/identity";
import { lines } from "../properties/display";
import type { Values } from "../properties/table";
import { Evidence, isOfStack } from "./evidence";

export interface KnownKind {
	/** The noun, such as `number`. */
	readonly noun: string;
	/** The objects of the state that existed before this run: the saved outputs by id. */
	readonly older: ReadonlyMap<string, Values>;
	readonly made: ReadonlySet<string>;
	/** All live objects: one scan per run. */
	live(): Promise<readonly Referenced[]>;
	/** One object, as it is now. @throws TelephonyError NotFound */
	read(id: string): Promise<Referenced>;
}

/** The object of a resource state. */
export interface SavedObject {
	/** The noun of its kind. */
	readonly kind: string;
	readonly id: string;
	readonly claim: Identity;
	/** The saved outputs. */
	readonly saved: Values;
}

export interface AccountCheckOptions {
	readonly clock: Clock;
	/** The address of the service, for messages. */
	readonly baseUrl: string;
	/** The user confirmed that everything was deleted: `TELEPHONY_ACCEPT_EMPTY_ACCOUNT=yes`. */
	readonly acceptsEmpty: boolean;
	/** Returns true if the pinned account needs no other evidence; absent without a pin. @throws TelephonyError */
	comparePin?(): Promise<boolean>;
	readonly kinds: readonly KnownKind[];
	/** Pages of the numbers that the account has released, newest or oldest first. */
	released(): AsyncIterable<readonly Referenced[]>;
}

const maxPages = 10;
/** Objects of the state that are read alone if no list shows them: a list may lag. */
const maxReads = 3;

/** Objects in a response; undefined if the service has no such list or read. */
type Loaded = readonly Referenced[] | undefined;

export class AccountCheck {
	readonly #options: AccountCheckOptions;
	readonly #evidence = new Evidence();
	/** When the first read began, ms. */
	#readingSince: number | undefined;
	/** When the first create began, ms. */
	#creatingSince: number | undefined;
	/** Reads of the state's objects that have no response yet. */
	readonly #reading = new Set<Promise<unknown>>();
	/** Loaded lists and objects of this run. */
	readonly #loads = new Map<string, Promise<Loaded>>();
	/** The count of the state's objects when they were last compared with the list, by kind and owner. */
	readonly #compared = new Map<string, number>();
	#readsLeft = maxReads;
	/** The comparison with the pin. It stays, unless another try may succeed. */
	#comparison: Promise<void> | undefined;
	/** True once a pin has proven the account. */
	#isPinned = false;

	constructor(options: AccountCheckOptions) {
		this.#options = options;
	}

	/** Refuses an account that isn't the pinned one: one comparison for all calls. @throws TelephonyError */
	async assertPinned(): Promise<void> {
		const { comparePin } = this.#options;
		if (comparePin === undefined) return;
		this.#comparison ??= comparePin().then(
			(isProof) => {
				this.#isPinned = isProof;
			},
			(error: unknown) => {
				if (!isTelephonyError(error, "Config")) this.#comparison = undefined;
				throw error;
			},
		);
		await this.#comparison;
	}

	/**
	 * Reads an object of the state. Believes "not found" only on a proven account, and refuses another object with its id. An
	 * object that only a list could show isn't found if the account lists it as released.
	 * @throws TelephonyError as `read`; Config on the wrong account
	 */
	async judge<R extends Referenced>(object: SavedObject, read: () => Promise<R>): Promise<R> {
		this.#readingSince ??= this.#options.clock.now();
		try {
			const record = await this.#track(read());
			await this.#assertSame(object, record);
			return record;
		} catch (error) {
			// Without single reads, only the list of the released numbers can show that this one is.
			if (isTelephonyError(error, "Unlisted") && (await this.#isListedAsReleased(object)))
				throw new TelephonyError("NotFound", `The account lists ${object.id} as released.`, { cause: error });
			if (!isNotFound(error)) throw error;
			this.#evidence.noteDenied(object.kind, object.id);
			if (await this.#isBelieved(object)) throw error;
			throw this.#notProven("The state is unchanged.", [object.id], error);
		}
	}

	/**
	 * Refuses to buy or create on an account that shows nothing of this state. `live` is the list of the kind.
	 * @throws TelephonyError Config
	 */
	async assertOwn(claim: Identity, live: readonly Referenced[]): Promise<void> {
		const { clock, kinds } = this.#options;
		if (this.#isPinned) return;
		const isMade = ({ id }: Referenced) => kinds.some(({ made }) => made.has(id));
		// The list may be of any kind, so only references tell whose its objects are.
		const isClaimed = live.some((record) => !isMade(record) && isOfStack(claim, record));
		const isProven = () => isClaimed || this.#isProven;
		// The engine creates several resources at a time, and may report the existing ones next.
		this.#creatingSince ??= clock.now();
		await this.#pauseUntil(this.#creatingSince + gatheringMs.purchases, isProven);
		const ids = kinds.flatMap(({ older }) => [...older.keys()]);
		if (ids.length === 0 || (await this.#search(claim, isProven))) return;
		throw this.#notProven("Nothing was bought or created.", ids);
	}

	/** Returns true if the account shows any object of this state. That alone doesn't prove that another object was deleted. */
	showsState(claim: Identity): Promise<boolean> {
		return this.#search(claim, () => this.#isProven);
	}

	/** Returns true if the account certainly no longer has the number. */
	async isDeleted(id: string): Promise<boolean> {
		return this.#options.acceptsEmpty || (await this.isReleased(id));
	}

	/** Returns true if the account lists the number as released. It may miss one that was released later in this run. */
	async isReleased(id: string): Promise<boolean> {
		return (await this.#findReleased(id)) !== undefined;
	}

	// ---- Judgement ------------------------------------------------------------------------------------------------------

	/** True if this run has found an object of the state. */
	get #isProven(): boolean {
		return this.#options.acceptsEmpty || this.#evidence.found > 0;
	}

	/** @throws TelephonyError Config for another object; NotFound if the user accepts that this state's was deleted */
	async #assertSame({ kind, id, claim, saved }: SavedObject, record: Referenced): Promise<void> {
		const { acceptsEmpty, baseUrl, kinds } = this.#options;
		if (kinds.some(({ noun, made }) => noun === kind && made.has(id))) return;
		const verdict = this.#evidence.noteShown(claim, { kind, record, saved });
		if (verdict === "same") return;
		if (verdict === "other") {
			const { output, live, saved: before } = findDifference({ kind, record, saved }) ?? {};
			const text = `${id} on the account at ${baseUrl} isn't this stack's.`;
			const difference = `\nIts ${output} is ${live}, and this stack's has ${before}.`;
			if (acceptsEmpty) throw new TelephonyError("NotFound", `${text}${difference}`);
			const why = this.#isPinned ? "The service may have given its id away." : cause;
			throw wrongAccount(`${text} The state is unchanged. ${fix}${difference} ${why}`, [id]);
		}
		if (this.#isPinned) return;
		// The user's word that objects were deleted makes no object this state's.
		if (await this.#search(claim, () => this.#evidence.found > 0)) return;
		const text = `Only its id shows that ${id} on the account at ${baseUrl} is this stack's.`;
		if (acceptsEmpty) throw new TelephonyError("NotFound", text);
		throw wrongAccount(`${text} The state is unchanged. ${fix}`, [id]);
	}

	/** Returns true if the account shows enough of this state to believe that the object was deleted. */
	async #isBelieved(object: SavedObject): Promise<boolean> {
		const { acceptsEmpty, kinds } = this.#options;
		if (this.#isPinned) return true;
		const isAged = () => acceptsEmpty || this.#evidence.hasAsOldAs(object.saved.createdAt);
		// The engine reads other objects at the same time, which may prove the account.
		await this.#pauseUntil((this.#readingSince ?? 0) + gatheringMs.absences, isAged);
		if (!isAged()) await Promise.allSettled(this.#reading);
		const isCompared = () => kinds.every((kind) => kind.older.size === 0 || this.#isCompared(object.claim, kind));
		const isProven = () => isAged() || (isCompared() && this.#evidence.isMostlyFound);
		return (await this.#search(object.claim, isProven)) || this.#isListedAsReleased(object);
	}

	async #isListedAsReleased({ kind, id, claim, saved }: SavedObject): Promise<boolean> {
		const record = kind === "number" ? await this.#findReleased(id) : undefined;
		return record !== undefined && identify(claim, { kind, record, saved }) === "same";
	}

	#notProven(outcome: string, ids: readonly string[], error?: unknown): TelephonyError {
		const { baseUrl } = this.#options;
		const { found, missing } = this.#evidence;
		const what =
			found === 0
				? `None of this stack's resources exist on the account at ${baseUrl}.`
				: `The account at ${baseUrl} shows ${found} of this stack's resources, but lacks ${missing} and all older ones.`;
		return wrongAccount(`${what} ${outcome} ${checkKey}${lines(ids)}`, ids, error);
	}

	// ---- Evidence -------------------------------------------------------------------------------------------------------

	/** Looks for objects of the state until there is proof: in the lists, by a few single reads, in the released numbers. */
	async #search(claim: Identity, isProven: () => boolean): Promise<boolean> {
		const kinds = this.#options.kinds.toSorted((a, b) => b.older.size - a.older.size);
		for (const kind of kinds) {
			if (isProven()) return true;
			await this.#compareList(claim, kind);
		}
		for (const kind of kinds) {
			for (const id of kind.older.keys()) {
				if (isProven()) return true;
				this.#note(claim, kind, await this.#readAlone(kind, id));
			}
		}
		const numbers = kinds.find(({ noun }) => noun === "number");
		if (!isProven() && numbers !== undefined) this.#note(claim, numbers, await this.#releasedNumbers());
		return isProven();
	}

	/** Notes which objects of the state the kind's list shows. */
	async #compareList(claim: Identity, kind: KnownKind): Promise<void> {
		const { noun, older } = kind;
		const live = await this.#load(`list ${noun}`, () => kind.live()).catch((error: unknown) => {
			// A service that only sells numbers has no path of this kind.
			if (older.size === 0 && isTelephonyError(error, "Unavailable") && error.status === 404) return undefined;
			throw error;
		});
		// The engine may have reported more objects since.
		if (this.#isCompared(claim, kind)) return;
		this.#compared.set(ownerAndKind(claim, kind), older.size);
		if (live === undefined) return;
		this.#note(claim, kind, live);
		const ids = new Set(live.map(({ id }) => id));
		for (const id of older.keys()) if (!ids.has(id)) this.#evidence.noteUnlisted(noun, id);
	}

	#isCompared(claim: Identity, kind: KnownKind): boolean {
		return this.#compared.get(ownerAndKind(claim, kind)) === kind.older.size;
	}

	/** Reads an object that no list shows, unless enough such objects were read. */
	async #readAlone(kind: KnownKind, id: string): Promise<Loaded> {
		const key = `read ${kind.noun} ${id}`;
		if (!this.#loads.has(key)) {
			if (this.#readsLeft === 0 || this.#evidence.isSettled(kind.noun, id)) return undefined;
			this.#readsLeft -= 1;
		}
		return this.#load(key, async () => [await kind.read(id)]);
	}

	async #findReleased(id: string): Promise<Referenced | undefined> {
		return (await this.#releasedNumbers())?.find((record) => record.id === id);
	}

	#releasedNumbers(): Promise<Loaded> {
		return this.#load("released", () => firstPages(this.#options.released()));
	}

	/** Loads once in a run. @throws TelephonyError if another run may succeed; the next call loads again */
	#load(key: string, load: () => Promise<Loaded>): Promise<Loaded> {
		const cached = this.#loads.get(key);
		if (cached !== undefined) return cached;
		const loading = load().catch((error: unknown) => {
			if (!isTransient(error)) return undefined;
			this.#loads.delete(key);
			throw error;
		});
		this.#loads.set(key, loading);
		return loading;
	}

	#note(claim: Identity, { noun, older, made }: KnownKind, records: Loaded = []): void {
		for (const record of records) {
			if (made.has(record.id)) continue;
			this.#evidence.noteShown(claim, { kind: noun, record, saved: older.get(record.id) });
		}
	}

	async #track<T>(reading: Promise<T>): Promise<T> {
		this.#reading.add(reading);
		try {
			return await reading;
		} finally {
			this.#reading.delete(reading);
		}
	}

	/** Waits until this time, unless there is proof. */
	async #pauseUntil(time: number, isProven: () => boolean): Promise<void> {
		const { clock } = this.#options;
		if (!isProven() && time > clock.now()) await clock.sleep(time - clock.now());
	}
}

const ownerAndKind = ({ state, earlier, stackName }: Identity, { noun }: KnownKind): string =>
	JSON.stringify([noun, state, earlier?.state, stackName]);

const cause = "The API key is probably another account's.";
const fix = "Check the key and telephony:baseUrl. If you deleted all, set TELEPHONY_ACCEPT_EMPTY_ACCOUNT=yes.";
/** The fix where an account has nothing of a state. */
export const checkKey = `${cause} ${fix}`;

const wrongAccount = (message: string, ids: readonly string[], error?: unknown): TelephonyError =>
	new TelephonyError("Config", message, {
		operation: "listNumbers",
		messageCode: "wrong-account",
		values: { ids },
		cause: error,
	});

async function firstPages(pages: AsyncIterable<readonly Referenced[]>): Promise<readonly Referenced[]> {
	const found: Referenced[] = [];
	let pagesLeft = maxPages;
	for await (const page of pages) {
		found.push(...page);
		if (--pagesLeft === 0) break;
	}
	return found;
}
