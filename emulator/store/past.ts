/** Longest lag of a read, in ms. */
export const longestLag = 60_000;

/** Rows as they are now or as they were. */
export interface View<Row> extends Iterable<Row> {
	get(id: string): Row | undefined;
}

/** A row from a time on; undefined if it was deleted then. */
interface Version<Row> {
	readonly from: number;
	readonly row: Row | undefined;
}

/** Earlier versions of rows, as far back as reads may lag. */
export class Past<Row extends { readonly id: string }> {
	/** By id; the oldest version first. */
	readonly #versions = new Map<string, Version<Row>[]>();
	/** Times of deletions, by id. */
	readonly #ends = new Map<string, number>();

	note(id: string, from: number, row: Row | undefined): void {
		const versions = this.#versions.get(id) ?? [];
		const needed = versions.findLastIndex((version) => version.from <= from - longestLag);
		this.#versions.set(id, [...versions.slice(Math.max(needed, 0)), { from, row }]);
		this.#ends.delete(id);
		if (row === undefined) this.#ends.set(id, from);
		for (const [ended, at] of this.#ends) {
			if (at > from - longestLag) break;
			this.#ends.delete(ended);
			this.#versions.delete(ended);
		}
	}

	clear(): void {
		this.#versions.clear();
		this.#ends.clear();
	}

	/** The version at a time, or the first one after it. */
	since(id: string, time: number): Row | undefined {
		const versions = this.#versions.get(id) ?? [];
		return (versions.findLast(({ from }) => from <= time) ?? versions[0])?.row;
	}

	/** True if an earlier version is known. */
	hasChanged(id: string): boolean {
		return (this.#versions.get(id)?.length ?? 0) > 1;
	}

	/** All rows as they were at a time. */
	at(time: number): View<Row> {
		const versions = this.#versions;
		const then = (id: string) => versions.get(id)?.findLast(({ from }) => from <= time)?.row;
		return {
			get: then,
			*[Symbol.iterator]() {
				for (const id of versions.keys()) {
					const row = then(id);
					if (row !== undefined) yield row;
				}
			},
		};
	}
}
