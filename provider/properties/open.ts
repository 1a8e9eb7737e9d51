/**
 * What a write has left open, in the output `open` of its entry; without it, nothing is open. A value that the program
 * has dropped and the service may still have is owed: it is cleared by each write until the service has confirmed it.
 */
import { createHash } from "node:crypto";
import { canonical, covers, scalar } from "./form";
import { declaredOutputs, type Properties, sentProperties, type Values } from "./table";

export interface Open {
	/** The leases of writes without an answer, the last one first. A late request may still bring one of them. */
	readonly leases: readonly string[];
	/** The properties that are owed, each with a hash of what the service had: the state holds no value for it. */
	readonly owed: Readonly<Record<string, string>>;
	/** If the last write failed, the outputs that it may have changed unseen; none if it was refused. */
	readonly unseen?: readonly string[] | undefined;
	/** What the last read has found in place of the entry's own reference, which the next write puts right. */
	readonly verdict?: "vacant" | "superseded" | undefined;
}

export function openIn(outputs: Values): Open {
	const { leases, owed, unseen, verdict } = (outputs.open ?? {}) as Values & Partial<Open>;
	return {
		leases: Array.isArray(leases) ? leases.filter((lease) => typeof lease === "string" && lease !== "") : [],
		owed: owed ?? {},
		unseen: Array.isArray(unseen) ? unseen.map(String) : undefined,
		verdict,
	};
}

/** The output of what is open; no output if nothing is. */
export function openOutputs({ leases = [], owed = {}, unseen, verdict }: Partial<Open>): Values {
	const open = {
		...(leases.length > 0 && { leases }),
		...(Object.keys(owed).length > 0 && { owed }),
		...(unseen && { unseen }),
		...(verdict && { verdict }),
	};
	return Object.keys(open).length > 0 ? { open } : {};
}

export const withoutOpen = ({ open, ...outputs }: Values): Values => outputs;

/** With the values that the failed write of `left` wanted, for what it may have changed unseen. */
export const withUnseen = (outputs: Values, left: Values): Values => ({
	...outputs,
	...Object.fromEntries((openIn(left).unseen ?? []).map((key) => [key, left[key]])),
});

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

/** The declared properties after a read. What is owed is shown while the service still has it. */
export function readOutputs(properties: Properties, props: Values, live: Values): Values {
	const owed = Object.entries(openIn(props).owed).filter(
		([key, print]) => printOf(properties, key, live[key]) === print,
	);
	return {
		...declaredOutputs(properties, props, live),
		...Object.fromEntries(owed.map(([key]) => [key, live[key]])),
	};
}
