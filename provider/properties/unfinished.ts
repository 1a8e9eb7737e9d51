/**
 * After an update that failed half-way, the engine has the inputs from before it and the outputs that it ended with. A
 * refresh compares with those inputs, and would show the program's own edit in reverse as drift. So such an entry is
 * marked, and a read is compared with the result of that write. A value that the program has dropped and the service may
 * still have is owed: it is recorded, and cleared by each write until the service has confirmed it.
 */
import { createHash } from "node:crypto";
import { isTelephonyError } from "../api/errors";
import { canonical, covers, scalar } from "./form";
import { declaredOutputs, type Properties, sentProperties, type Values } from "./table";

/** The output that marks such an entry: it lists the outputs that the failed write may have changed unseen. */
export const marker = "unfinished";

/** What the last write may have changed unseen; undefined if it was finished. */
export const attemptIn = (outputs: Values): readonly string[] | undefined =>
	Array.isArray(outputs[marker]) ? outputs[marker].map(String) : undefined;

/** The owed properties, each with a hash of what the service had: the state holds no value for it. */
export const owedIn = ({ owed }: Values): Readonly<Record<string, string>> =>
	(owed ?? {}) as Readonly<Record<string, string>>;

const printOf = (properties: Properties, key: string, value: unknown): string =>
	createHash("sha256")
		.update(JSON.stringify([key, canonical(properties[key]?.form ?? scalar, value) ?? null]))
		.digest("base64url")
		.slice(0, 16);

/** What a request changes without anybody noticing if it fails: the live value doesn't contradict the program. */
export const owedBy = (properties: Properties, news: Values, live: Values, body: Values): Record<string, string> =>
	Object.fromEntries(
		sentProperties(properties, body)
			.filter(
				(key) =>
					live[key] != null && (news[key] == null || covers(properties[key]?.form ?? scalar, news[key], live[key])),
			)
			.map((key) => [key, printOf(properties, key, live[key])]),
	);

/** The outputs saved after a failed write. A refusal has changed nothing; without an answer, nobody knows. */
export function unfinishedOutputs(
	about: readonly string[],
	owed: Readonly<Record<string, string>>,
	error: unknown,
): Values {
	const isRefused = isTelephonyError(error) && error.status !== undefined && error.status < 500;
	return {
		[marker]: isRefused ? [] : about.filter((key) => !(key in owed)),
		...(Object.keys(owed).length === 0 ? {} : { owed }),
	};
}

/** The declared properties after a read. What is owed is shown while the service still has it. */
export function readOutputs(properties: Properties, props: Values, live: Values): Values {
	const owed = Object.entries(owedIn(props)).filter(([key, print]) => printOf(properties, key, live[key]) === print);
	return {
		...declaredOutputs(properties, props, live),
		...Object.fromEntries(owed.map(([key]) => [key, live[key]])),
	};
}

export interface Sides {
	readonly olds: Values;
	readonly news: Values;
	/** What was read is compared with the state, and not with the program. */
	readonly isRefresh: boolean;
}

/** The entries that this run has read. In a refresh, the engine compares right after the read. */
export class Refreshed {
	readonly #read = new Map<string, Values>();

	seen(props: Values): void {
		this.#read.set(String(props.resourceUrn), props);
	}

	/** From here on, the program's own inputs count. */
	forget({ resourceUrn }: Values): void {
		this.#read.delete(String(resourceUrn));
	}

	/** Both sides of a comparison: after the read of a marked entry, what is live and what the write left. */
	sides(olds: Values, news: Values): Sides {
		const left = this.#read.get(String(olds.resourceUrn));
		this.forget(olds);
		const about = left && attemptIn(left);
		if (left === undefined || about === undefined) return { olds, news, isRefresh: left !== undefined };
		const unseen = Object.fromEntries(about.map((key) => [key, left[key]]));
		return { olds: { ...olds, ...unseen }, news: left, isRefresh: true };
	}
}
