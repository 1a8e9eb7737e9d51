/** An account in memory that counts its requests, and reads of it as the engine sends them. */
import { TelephonyError } from "../../provider/api/errors";
import type { Source } from "../../provider/reads/reads";
import { SharedReads } from "../../provider/reads/reads";
import { FakeClock } from "./clock";

export interface Item {
	readonly id: string;
	readonly version?: number;
}

/** An account of so many objects, listed by 100; counts its requests. */
export class Account implements Source<Item> {
	requests = 0;
	gets = 0;
	readonly items: Map<string, Item>;
	/** Hidden from the list, as by a service whose list lags. */
	readonly unlisted = new Set<string>();
	fail: (request: number) => boolean = () => false;

	/** "none": its list is all there is. "denied": it answers so to what it doesn't offer. "away": an outage of a part. */
	singles: "all" | "none" | "denied" | "away" = "all";
	readonly pageSize: number;

	constructor(size: number, pageSize = 100) {
		this.pageSize = pageSize;
		this.items = new Map(Array.from({ length: size }, (_, index) => [`n${index}`, { id: `n${index}`, version: 1 }]));
	}

	#ask(): void {
		this.requests++;
		if (this.fail(this.requests)) throw new TelephonyError("Unavailable", "no response");
	}

	async *pages() {
		const listed = [...this.items.values()].filter(({ id }) => !this.unlisted.has(id));
		for (let start = 0; start === 0 || start < listed.length; start += this.pageSize) {
			this.#ask();
			yield listed.slice(start, start + this.pageSize);
		}
	}

	async get(id: string): Promise<Item> {
		this.#ask();
		if (this.singles === "none") throw new TelephonyError("NotOffered", "no such operation");
		this.gets++;
		if (this.singles === "away") throw new TelephonyError("Unavailable", "no response");
		const item = this.singles === "denied" ? undefined : this.items.get(id);
		if (item === undefined) throw new TelephonyError("NotFound", "gone");
		return item;
	}
}

export const ids = (count: number, offset = 0) => Array.from({ length: count }, (_, index) => `n${index + offset}`);

/** Reads all, so many at a time, as the engine does. */
export async function readAll(
	reads: Pick<SharedReads<Item>, "read">,
	wanted: readonly string[],
	parallel: number,
): Promise<Item[]> {
	const remaining = [...wanted];
	const items: Item[] = [];
	const work = async () => {
		for (let id = remaining.shift(); id !== undefined; id = remaining.shift()) items.push(await reads.read(id));
	};
	await Promise.all(Array.from({ length: parallel }, work));
	return items;
}

export function account(size: number, pageSize = 100) {
	const source = new Account(size, pageSize);
	return { source, reads: new SharedReads<Item>(source, new FakeClock()) };
}
