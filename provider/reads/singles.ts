/** Single reads of one kind of object, and how far this service's can be trusted. */

import { isGone, isTelephonyError, TelephonyError } from "../api/errors";
import { defined } from "../api/json";
import type { Listing } from "./listing";
import { shared } from "./shared";

/** How many listed objects are asked for, to learn what "not found" means. */
const witnesses = 2;

export class Singles<T extends { readonly id: string }> {
	readonly #get: (id: string) => Promise<T>;
	readonly #list: Listing<T>;
	#work: boolean | undefined;

	constructor(get: (id: string) => Promise<T>, list: Listing<T>) {
		this.#get = get;
		this.#list = list;
	}

	/** False if there are none, or if they deny what the list shows. */
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

	/** Whether "not found" means something here: a service may answer that to any request that it doesn't know. */
	tellGone(id: string): Promise<boolean> {
		return this.#work === undefined ? this.#prove(id) : Promise.resolve(this.#work);
	}

	readonly #prove = shared(async (id: string): Promise<boolean> => {
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
		// What the list no longer shows was removed meanwhile, perhaps by this very run: that is no denial.
		const still = await Promise.all(asked.map((other) => this.#list.latest(other)));
		const isDenied = still.some((record) => record !== undefined);
		if (isDenied) this.#work = false;
		return !isDenied;
	});
}

export const removed = (id: string): TelephonyError => new TelephonyError("NotFound", `${id} was removed by this run.`);

/** Whether the error says nothing about the object: an outage, a gateway, or an unreadable answer. */
export const isUnanswered = (error: unknown): boolean =>
	isTelephonyError(error, "Unavailable") || isTelephonyError(error, "ContractMismatch");

/** The error for a failed single read, which leaves open whether the object exists. */
export function unread(id: string, error: unknown): unknown {
	if (!isTelephonyError(error)) return error;
	const { kind, operation, status, errorCode, requestId } = error;
	return new TelephonyError(
		kind,
		`${id} is not in the account's list, and reading it failed. A list alone doesn't prove a deletion, so the state keeps it. ${error.message}`,
		{ ...defined({ operation, status, errorCode, requestId }), cause: error },
	);
}
