/** A value set, a key deleted, or all keys deleted. */
export type Write = readonly [key: string, value: unknown] | readonly [key: string] | readonly [];

export interface Watcher {
	wrote(...write: Write): void;
}

/** Values by key, in order of first setting. A folder can keep a table. */
export class Table<Value> {
	readonly #values = new Map<string, Value>();
	watcher: Watcher | undefined;
	/** Number of changes so far. */
	changes = 0;

	get(key: string): Value | undefined {
		return this.#values.get(key);
	}

	has(key: string): boolean {
		return this.#values.has(key);
	}

	/** Stores the value itself: it must not be changed afterwards. */
	set(key: string, value: Value): void {
		this.#values.set(key, value);
		this.changes += 1;
		this.watcher?.wrote(key, value);
	}

	delete(key: string): void {
		if (!this.#values.delete(key)) return;
		this.changes += 1;
		this.watcher?.wrote(key);
	}

	clear(): void {
		if (this.#values.size === 0) return;
		this.#values.clear();
		this.changes += 1;
		this.watcher?.wrote();
	}

	get size(): number {
		return this.#values.size;
	}

	keys(): IterableIterator<string> {
		return this.#values.keys();
	}

	values(): IterableIterator<Value> {
		return this.#values.values();
	}

	entries(): IterableIterator<[string, Value]> {
		return this.#values.entries();
	}
}
