/**
 * Whether this is the account that the state's objects are on. If a run asks for two or more objects and finds none,
 * either all are gone or the key is another account's. Then nothing counts as gone unless the user confirms it.
 */
import type { Clock } from "../api/clock";
import { isGone, TelephonyError } from "../api/errors";

export interface PresenceOptions {
	readonly clock: Clock;
	/** The user has confirmed that everything is really gone: `TELEPHONY_ALL_GONE=yes`. */
	readonly allGone: boolean;
	/** Pages of the numbers that the account has released, newest or oldest first. */
	released(): AsyncIterable<readonly { readonly id: string }[]>;
}

/** Reads that the engine sends together arrive within this time of each other, ms. */
const gatheringMs = 500;
const mostPages = 10;

export class Presence {
	readonly #options: PresenceOptions;
	readonly #asked = new Set<string>();
	#since: number | undefined;
	/** At least one object that this run asked for is on the account. */
	#proven: boolean;
	/** Reads that are neither answered nor held. */
	#open = 0;
	/** Reads that found nothing, held until it is known what that means. */
	#held: (() => void)[] = [];
	#settling = false;
	#released: Promise<ReadonlySet<string>> | undefined;

	constructor(options: PresenceOptions) {
		this.#options = options;
		this.#proven = options.allGone;
	}

	/**
	 * The answer to a look at one object. "Not found" is held back until another one is found, or all are answered.
	 * @throws TelephonyError as `look`; Config if no object that this run asked for is on the account
	 */
	async judge<R>(id: string, look: () => Promise<R>): Promise<R> {
		this.#asked.add(id);
		this.#since ??= this.#options.clock.now();
		this.#open += 1;
		try {
			const record = await look().finally(() => {
				this.#open -= 1;
			});
			this.#proven = true;
			this.#decide();
			return record;
		} catch (error) {
			if (!isGone(error)) {
				this.#decide();
				throw error;
			}
			if (!this.#proven) {
				const decided = new Promise<void>((resolve) => this.#held.push(resolve));
				this.#decide();
				await decided;
			}
			if (!this.#proven && this.#asked.size > 1) throw wrongAccount(id, this.#asked.size, error);
			throw error;
		}
	}

	/** Answers the held reads once nothing can change their answers any more. */
	#decide(): void {
		if (this.#held.length === 0) return;
		if (this.#proven) this.#release();
		else if (this.#open === 0 && !this.#settling) void this.#settle();
	}

	async #settle(): Promise<void> {
		const { clock } = this.#options;
		this.#settling = true;
		await clock.sleep(Math.max(0, (this.#since ?? 0) + gatheringMs - clock.now()));
		// The account shows one of them as released, so it is the right one.
		if (!this.#proven && this.#asked.size > 1)
			this.#proven = [...(await this.#releasedOnes())].some((id) => this.#asked.has(id));
		this.#settling = false;
		// Reads that came in meanwhile decide when they end.
		if (this.#open === 0 || this.#proven) this.#release();
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
		let left = mostPages;
		try {
			for await (const page of this.#options.released()) {
				for (const { id } of page) found.add(id);
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

const wrongAccount = (id: string, count: number, cause: unknown): TelephonyError =>
	new TelephonyError(
		"Config",
		`${id} is not on the account, nor is any other of the ${count} objects that this run has asked for. Is this the right account? Nothing was taken out of the state. Check TELEPHONY_API_KEY and TELEPHONY_BASE_URL (or telephony:apiKey and telephony:baseUrl). If all of them are really gone, run again with TELEPHONY_ALL_GONE=yes.`,
		{ operation: "listNumbers", messageCode: "wrong-account", cause },
	);
