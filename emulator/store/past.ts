/** How far a read may lag behind at most, in ms; anything older is forgotten. */
export const longestLag = 60_000;

/** Rows as a reader sees them: now, or as they were a while ago. */
export interface View<Row> extends Iterable<Row> {
	get(id: string): Row | undefined;
}

/** The row from that time on; undefined after its end. */
interface Version<Row> {
	readonly from: number;
	readonly row: Row | undefined;
}

/** Earlier versions of rows, as far back as a read may lag. */
export class Past<Row extends { readonly id: string }> {
	/** By id, in order of creation; each list has the oldest first. */
	readonly #versions = new Map<string, Version<Row>[]>();
	/** When rows ended, by id, in order of their ends. */
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

	/** Moves all times back by `by` ms. */
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

	/** The row as it was at that time, or its first version if that is later. */
	since(id: string, time: number): Row | undefined {
		const versions = this.#versions.get(id) ?? [];
		return (versions.findLast(({ from }) => from <= time) ?? versions[0])?.row;
	}

	/** Whether there was another version before the present one, as far back as is known. */
	hasChanged(id: string): boolean {
		return (this.#versions.get(id)?.length ?? 0) > 1;
	}

	/** Every version that has been replaced after that time, even one that lasted for no time at all. */
	*replacedAfter(time: number): Iterable<Row> {
		for (const versions of this.#versions.values()) {
			for (const [index, { row }] of versions.entries()) {
				const next = versions[index + 1];
				if (row !== undefined && next !== undefined && next.from > time) yield row;
			}
		}
	}

	/** All rows as they were at that time. */
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
