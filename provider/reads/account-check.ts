/**
 * The account check: nothing is bought, and nothing counts as not found, on an account that shows nothing of this state.
 * An object that the run itself made proves nothing, and neither does time.
 */
import type { Clock } from "../api/clock";
import { isGone, isTelephonyError, TelephonyError } from "../api/errors";
import { gatheringMs } from "../api/until";
import { type Identity, isSameState } from "../ownership/claim";
import { parseReference } from "../ownership/reference";
import { listed } from "../properties/display";
import { shared } from "./shared";

export interface ShownObject {
	readonly id: string;
	readonly reference?: string | null | undefined;
}

export interface KnownKind {
	/** The objects of the state that existed before this run: by id, the token that the state has for them. */
	readonly older: ReadonlyMap<string, string>;
	readonly made: ReadonlySet<string>;
	/** All live objects: one scan per run. */
	live(): Promise<readonly ShownObject[]>;
	/** One object, as it is now. @throws TelephonyError NotFound */
	read(id: string): Promise<ShownObject>;
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

const maxPages = 10;
/** Objects of the state that are read alone if no list shows them: a list may lag. */
const maxReads = 3;

export class AccountCheck {
	readonly #options: AccountCheckOptions;
	/** True once this run has found an object of this state. */
	#isProven: boolean;
	/** When the first read began, ms. */
	#readingSince: number | undefined;
	/** When the first create began, ms. */
	#creatingSince: number | undefined;
	readonly #readAlone = new Set<string>();
	#released: Promise<readonly ShownObject[]> | undefined;

	constructor(options: AccountCheckOptions) {
		this.#options = options;
		this.#isProven = options.acceptsEmpty;
	}

	/**
	 * Reads an object of the state, and believes "not found" only on a proven account.
	 * @throws TelephonyError as `read`; Config if nothing of this state is on the account
	 */
	async judge<R extends ShownObject>(id: string, claim: Identity, read: () => Promise<R>): Promise<R> {
		this.#readingSince ??= this.#options.clock.now();
		try {
			const record = await read();
			this.#note([record], claim);
			return record;
		} catch (error) {
			if (!isGone(error)) throw error;
			// The engine reads other objects at the same time, which may prove the account.
			await this.#pauseUntil(this.#readingSince + gatheringMs.absences);
			if (!(await this.#prove(claim))) throw this.#wrongAccount("The state is unchanged.", [id], error);
			throw error;
		}
	}

	/**
	 * Refuses to buy or create on an account that shows nothing of this state. `live` is the list of the kind.
	 * @throws TelephonyError Config
	 */
	async assertOwn(claim: Identity, live: readonly ShownObject[]): Promise<void> {
		this.#note(live, claim);
		// The engine creates several resources at a time, and may report the existing ones next.
		this.#creatingSince ??= this.#options.clock.now();
		await this.#pauseUntil(this.#creatingSince + gatheringMs.purchases);
		this.#note(live, claim);
		const ids = this.#options.kinds.flatMap(({ older }) => [...older.keys()]);
		if (ids.length > 0 && !(await this.#prove(claim))) throw this.#wrongAccount("Nothing was bought or created.", ids);
	}

	/** Waits until this time, unless the account is proven. */
	async #pauseUntil(time: number): Promise<void> {
		const { clock } = this.#options;
		if (!this.#isProven && time > clock.now()) await clock.sleep(time - clock.now());
	}

	/** Returns true if the account certainly no longer has the number. */
	async isGone(id: string): Promise<boolean> {
		return this.#options.acceptsEmpty || (await this.isReleased(id));
	}

	/** Returns true if the account lists the number as released. It may miss one that was released later in this run. */
	async isReleased(id: string): Promise<boolean> {
		return (await this.#releasedNumbers()).some((each) => each.id === id);
	}

	/**
	 * Looks for an object of the state: in the lists, then by a few single reads, then in the list of released numbers.
	 * Concurrent checks share the search.
	 */
	readonly #prove = shared(async (claim: Identity): Promise<boolean> => {
		const kinds = this.#options.kinds.toSorted((a, b) => b.older.size - a.older.size);
		for (const { live } of kinds) if (!this.#isProven) this.#note(await live().catch(noneUnlessPassing), claim);
		for (const { older, read } of kinds)
			for (const id of older.keys()) {
				if (this.#isProven || this.#readAlone.size >= maxReads || this.#readAlone.has(id)) continue;
				this.#note(await read(id).then((object) => [object], noneUnlessPassing), claim);
				this.#readAlone.add(id);
			}
		if (!this.#isProven) this.#note(await this.#releasedNumbers(), claim);
		return this.#isProven;
	});

	#note(objects: readonly ShownObject[], claim: Identity): void {
		this.#isProven ||= objects.some((each) => this.#isProof(each, claim));
	}

	/** Ids may be small numbers that every account has, so an object that carries another claim proves nothing. */
	#isProof({ id, reference }: ShownObject, claim: Identity): boolean {
		const { kinds } = this.#options;
		if (kinds.some(({ made }) => made.has(id))) return false;
		const token = kinds.map(({ older }) => older.get(id)).find((each) => each !== undefined);
		if (!reference) return token !== undefined;
		const parsed = parseReference(reference);
		if (parsed === undefined) return false;
		if (parsed.token === token) return true;
		const isOwn = isSameState(claim, parsed) || (claim.earlier !== undefined && isSameState(claim.earlier, parsed));
		return isOwn && (token !== undefined || parsed.stackName === claim.stackName);
	}

	#releasedNumbers(): Promise<readonly ShownObject[]> {
		this.#released ??= firstPages(this.#options.released());
		return this.#released;
	}

	#wrongAccount(outcome: string, ids: readonly string[], cause?: unknown): TelephonyError {
		return new TelephonyError(
			"Config",
			`None of this stack's resources (${listed(ids, ", ")}) exist on the account at ${this.#options.baseUrl}. The API key is probably for another account. ${outcome} Check telephony:apiKey and telephony:baseUrl. If everything was deleted on purpose, run again with TELEPHONY_ACCEPT_EMPTY_ACCOUNT=yes.`,
			{ operation: "listNumbers", messageCode: "wrong-account", values: { ids }, cause },
		);
	}
}

async function firstPages(pages: AsyncIterable<readonly ShownObject[]>): Promise<readonly ShownObject[]> {
	const found: ShownObject[] = [];
	let pagesLeft = maxPages;
	try {
		for await (const page of pages) {
			found.push(...page);
			if (--pagesLeft === 0) break;
		}
	} catch {
		// The service may have no such list. Then nothing is known.
	}
	return found;
}

const passing: ReadonlySet<string> = new Set(["Unavailable", "RateLimited", "Interrupted"]);

/** A kind without a list, or without single reads, shows nothing. @throws the error if another run may succeed */
function noneUnlessPassing(error: unknown): readonly ShownObject[] {
	if (isTelephonyError(error) && passing.has(error.kind)) throw error;
	return [];
}
