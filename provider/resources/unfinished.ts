/**
 * An update that failed half-way leaves the engine with the inputs from before it, and with the outputs that it ended
 * with. A refresh compares with those inputs, and would show the program's own edit backwards as drift. So such an entry
 * is marked, and what a read finds is compared with what the write left.
 */
import { isTelephonyError } from "../api/errors";
import type { Properties, Values } from "./properties";

/** The output that marks an entry: the outputs that the write was about when it failed, and may have changed unseen. */
export const marker = "unfinished";

/** What the last write may have changed unseen; undefined where it was finished. */
export const attemptIn = (outputs: Values): readonly string[] | undefined =>
	Array.isArray(outputs[marker]) ? outputs[marker].map(String) : undefined;

/** The requests of one write, by what each is about. */
export class Attempt {
	#about: readonly string[] = [];

	/** A request that sends these properties, and what is behind other outputs: the lease, a secret. */
	async send<T>(
		properties: Properties,
		body: Values,
		others: readonly string[],
		request: () => Promise<T>,
	): Promise<T> {
		const sent = Object.entries(properties).filter(([, { wire }]) => wire !== undefined && wire in body);
		this.#about = [...sent.map(([key]) => key), ...others];
		const answer = await request();
		this.#about = [];
		return answer;
	}

	/** What is saved of a failed write. A refusal has changed nothing; what came of a request without an answer, nobody knows. */
	mark(outputs: Values, { __provider }: Values, error: unknown): Values {
		const isRefused = isTelephonyError(error) && error.status !== undefined && error.status < 500;
		return { ...outputs, [marker]: isRefused ? [] : this.#about, __provider };
	}
}

/** The marked entries that this run has read. The engine compares right after the read. */
export class Unfinished {
	readonly #left = new Map<string, Values>();

	seen(props: Values): void {
		if (attemptIn(props) !== undefined) this.#left.set(String(props.resourceUrn), props);
	}

	/** The program's turn: from here on its own inputs count. */
	forget({ resourceUrn }: Values): void {
		this.#left.delete(String(resourceUrn));
	}

	/** Both sides of a comparison: after the read of a marked entry, what is live and what the write left. */
	sides(olds: Values, news: Values): readonly [Values, Values] {
		const left = this.#left.get(String(olds.resourceUrn));
		if (left === undefined) return [olds, news];
		this.forget(olds);
		const unseen = Object.fromEntries((attemptIn(left) ?? []).map((key) => [key, left[key]]));
		return [{ ...olds, ...unseen }, left];
	}
}
