/**
 * Whether the account is the one that the state's objects are on. Each of two or more objects that a run asks for "not
 * found" may mean that all are gone, or that the key is another account's: then nothing counts as gone unasked.
 */
import type { Clock } from "../api/clock";
import { isGone, TelephonyError } from "../api/errors";

export interface PresenceOptions {
	readonly clock: Clock;
	/** Somebody has said that all is really gone: `TELEPHONY_ALL_GONE=yes`. */
	readonly allGone: boolean;
	/** Pages of the numbers that the account has released, newest or oldest first. */
	released(): AsyncIterable<readonly { readonly id: string }[]>;
}

/** Reads that the engine sends at the same time arrive within this of each other, ms. */
const gatheringMs = 500;
const mostPages = 10;

export class Presence {
	readonly #options: PresenceOptions;
	readonly #asked = new Set<string>();
	#since: number | undefined;
	/** Something that this run has asked for is on the account. */
	#proven: boolean;
	/** Reads that are neither answered nor held. */
	#open = 0;
	/** Of what is not found, until it is known what that means. */
	#held: (() => void)[] = [];
	#settling = false;
	#released: Promise<ReadonlySet<string>> | undefined;

	constructor(options: PresenceOptions) {
		this.#options = options;
		this.#proven = options.allGone;
	}

	/**
	 * The answer to a look at one object. "Not found" is held back until another one is found, or all are answered.
	 * @throws TelephonyError as `look`; Config where nothing that this run has asked for is on the account
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

	/** Answers those who are held once nothing more can change what they are told. */
	#decide(): void {
		if (this.#held.length === 0) return;
		if (this.#proven) this.#release();
		else if (this.#open === 0 && !this.#settling) void this.#settle();
	}

	async #settle(): Promise<void> {
		const { clock } = this.#options;
		this.#settling = true;
		await clock.sleep(Math.max(0, (this.#since ?? 0) + gatheringMs - clock.now()));
		// The account remembers one of them as released: it is the right one.
		if (!this.#proven && this.#asked.size > 1)
			this.#proven = [...(await this.#releasedOnes())].some((id) => this.#asked.has(id));
		this.#settling = false;
		// Who has come meanwhile decides at its own end.
		if (this.#open === 0 || this.#proven) this.#release();
	}

	/** Whether a number that isn't found is gone for certain: the account remembers it as released, or somebody has said so. */
	async isGone(id: string): Promise<boolean> {
		return this.#options.allGone || (await this.#releasedOnes()).has(id);
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
			// A service may not know of such a list, which then says nothing.
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
		{ operation: "listNumbers", cause },
	);
