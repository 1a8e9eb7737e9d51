/** Most that a read may lag behind, ms: what was before that is forgotten. */
export const longestLag = 60_000;

/** Rows as somebody sees them: now, or as they were a while ago. */
export interface View<Row> extends Iterable<Row> {
	get(id: string): Row | undefined;
}

/** What a row was from that time on; undefined after its end. */
interface Version<Row> {
	readonly from: number;
	readonly row: Row | undefined;
}

/** What rows were, as far back as a read may lag. */
export class Past<Row extends { readonly id: string }> {
	/** By id, in order of creation; of each the oldest first. */
	readonly #versions = new Map<string, Version<Row>[]>();
	/** When rows ended, by id, the first end first. */
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

	/** Brings all closer to the beginning of time. */
	hasten(by: number): void {
		for (const [id, versions] of this.#versions) {
			this.#versions.set(
				id,
				versions.map(({ from, row }) => ({ from: from - by, row })),
			);
		}
		for (const [id, at] of this.#ends) this.#ends.set(id, at - by);
	}

	clear(): void {
		this.#versions.clear();
		this.#ends.clear();
	}

	/** A row as it was at that time, or as it was made if that was later. */
	since(id: string, time: number): Row | undefined {
		const versions = this.#versions.get(id) ?? [];
		return (versions.findLast(({ from }) => from <= time) ?? versions[0])?.row;
	}

	/** Everything as it was at that time. */
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
