/** Single reads of one kind of object, and what they are worth at this service. */
import { isGone, isTelephonyError, TelephonyError } from "../api/errors";
import type { Listing } from "./listing";

/** So many of what the list shows are asked for, to learn what a "not found" means. */
const witnesses = 2;

export class Singles<T extends { readonly id: string }> {
	readonly #get: (id: string) => Promise<T>;
	readonly #list: Listing<T>;
	#work: boolean | undefined;
	#proof: Promise<boolean> | undefined;

	constructor(get: (id: string) => Promise<T>, list: Listing<T>) {
		this.#get = get;
		this.#list = list;
	}

	/** False: there are none, or they deny what the list shows. */
	get offered(): boolean {
		return this.#work !== false;
	}

	/** @throws TelephonyError NotFound, NotOffered */
	async get(id: string): Promise<T> {
		try {
			const record = await this.#get(id);
			this.#work = true;
			return record;
		} catch (error) {
			if (isTelephonyError(error, "NotOffered")) this.#work = false;
			throw error;
		}
	}

	/** Whether "not found" means something here: a service may answer so to any request that it doesn't know. */
	tellGone(id: string): Promise<boolean> {
		if (this.#work !== undefined) return Promise.resolve(this.#work);
		this.#proof ??= this.#prove(id).finally(() => {
			this.#proof = undefined;
		});
		return this.#proof;
	}

	async #prove(id: string): Promise<boolean> {
		await this.#list.firstPage();
		const shown = this.#list.shown().filter((other) => other !== id);
		const asked = shown.slice(0, witnesses);
		for (const other of asked) {
			try {
				await this.get(other);
				return true;
			} catch (error) {
				if (!isGone(error)) throw error;
			}
		}
		// What the list shows no more was removed meanwhile, by this very run perhaps: that is no denial.
		const still = await Promise.all(asked.map((other) => this.#list.latest(other)));
		const isDenied = still.some((record) => record !== undefined);
		if (isDenied) this.#work = false;
		return !isDenied;
	}
}

export const removed = (id: string): TelephonyError =>
	new TelephonyError("NotFound", `${id} was removed by this very run.`);

/** No word of the service on the object: an outage, a gateway, or an answer that nobody can read. */
export const isUnanswered = (error: unknown): boolean =>
	isTelephonyError(error, "Unavailable") || isTelephonyError(error, "ContractMismatch");

/** A single read that fails leaves it open whether the object is there. */
export function unread(id: string, error: unknown): unknown {
	if (!isTelephonyError(error)) return error;
	const { kind, operation, status, errorCode, requestId } = error;
	return new TelephonyError(
		kind,
		`${id} is not in the account's list, and the single read that would tell whether it is gone failed. A list alone proves nothing, so the state keeps it. ${error.message}`,
		{ ...JSON.parse(JSON.stringify({ operation, status, errorCode, requestId })), cause: error },
	);
}
