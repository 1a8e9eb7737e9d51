/**
 * After an update that failed half-way, the engine has the inputs from before it and the outputs that it ended with. A
 * refresh compares with those inputs, and would show the program's own edit in reverse as drift. So a read of such an
 * entry is compared with the result of that write.
 */
import { openIn, withUnseen } from "../properties/open";
import type { Values } from "../properties/table";

export interface Sides {
	readonly olds: Values;
	readonly news: Values;
	/** What was read is compared with the state, and not with the program. */
	readonly isRefresh: boolean;
}

/** The entries that this run has read. In a refresh, the engine compares right after the read. */
export class Refreshed {
	/** By URN, with the outputs of those whose last write failed: of all, they would be most of the memory of a large stack. */
	readonly #read = new Map<string, Values | undefined>();

	seen(props: Values): void {
		this.#read.set(String(props.resourceUrn), openIn(props).unseen && props);
	}

	/** From here on, the program's own inputs count. */
	forget({ resourceUrn }: Values): void {
		this.#read.delete(String(resourceUrn));
	}

	/** Both sides of a comparison: after the read of an entry whose write failed, what is live and what the write left. */
	sides(olds: Values, news: Values): Sides {
		const urn = String(olds.resourceUrn);
		const [isRefresh, left] = [this.#read.has(urn), this.#read.get(urn)];
		this.forget(olds);
		return left === undefined ? { olds, news, isRefresh } : { olds: withUnseen(olds, left), news: left, isRefresh };
	}
}
