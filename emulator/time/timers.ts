/** A callback that is due at a time. */
export interface Timer {
	readonly time: number;
	readonly callback: () => void;
}

interface Entry extends Timer {
	/** Orders timers of the same time by their creation. */
	readonly order: number;
	place: number;
}

const isBefore = (a: Entry, b: Entry): boolean => (a.time === b.time ? a.order < b.order : a.time < b.time);

/** Timers by time, in a binary heap. */
export class Timers {
	#entries: Entry[] = [];
	#count = 0;

	get next(): Timer | undefined {
		return this.#entries[0];
	}

	/** Returns a function that removes it. */
	add(time: number, callback: () => void): () => void {
		const entry: Entry = { time, callback, order: this.#count++, place: this.#entries.length };
		this.#entries.push(entry);
		this.#rise(entry);
		return () => this.#remove(entry);
	}

	/** Removes and returns the next one. */
	shift(): Timer | undefined {
		const [first] = this.#entries;
		if (first !== undefined) this.#remove(first);
		return first;
	}

	clear(): void {
		this.#entries = [];
	}

	#remove(entry: Entry): void {
		if (this.#entries[entry.place] !== entry) return;
		const last = this.#entries.pop() as Entry;
		if (last === entry) return;
		this.#put(last, entry.place);
		this.#rise(last);
		this.#sink(last);
	}

	#put(entry: Entry, place: number): void {
		this.#entries[place] = entry;
		entry.place = place;
	}

	#rise(entry: Entry): void {
		while (entry.place > 0) {
			const above = this.#entries[(entry.place - 1) >> 1] as Entry;
			if (!isBefore(entry, above)) return;
			this.#swap(above, entry);
		}
	}

	#sink(entry: Entry): void {
		for (;;) {
			const leftChild = this.#entries[2 * entry.place + 1];
			const rightChild = this.#entries[2 * entry.place + 2];
			const below = leftChild && rightChild && isBefore(rightChild, leftChild) ? rightChild : leftChild;
			if (below === undefined || !isBefore(below, entry)) return;
			this.#swap(entry, below);
		}
	}

	#swap(above: Entry, below: Entry): void {
		const { place } = above;
		this.#put(above, below.place);
		this.#put(below, place);
	}
}
