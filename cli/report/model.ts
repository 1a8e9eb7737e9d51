/** A report for people, before it is rendered for a terminal (`terminal.ts`) or as Markdown (`markdown.ts`). */

import type { Money } from "../../provider/api/contract";
import { Sum } from "../../provider/api/money";

/** Account, service and time of a report. */
export interface Origin {
	/** The service's address; absent if neither environment nor configuration gives it. */
	readonly account?: string | undefined;
	/** `telephony:owner`. */
	readonly owner?: string | undefined;
	/** RFC 3339, UTC. */
	readonly at: string;
}

export interface Column {
	readonly title: string;
	/** A terminal wraps longer texts. */
	readonly width?: number;
	/** Right-aligned in Markdown. */
	readonly isAmount?: true;
	/** Left out of Markdown. */
	readonly isTerminalOnly?: true;
}

/** The Markdown differs from the escaped text if it has code spans or line breaks. */
export type Cell = string | { readonly lines: readonly string[]; readonly markdown: string };

export interface Table {
	readonly columns: readonly Column[];
	readonly rows: readonly (readonly Cell[])[];
}

/** Sentences under a heading. Code spans have backticks, as in notes. */
export interface Section {
	readonly title: string;
	/** A line below the heading. */
	readonly subtitle?: string;
	readonly items: readonly string[];
}

export interface Report {
	readonly headline: string;
	/** A line below the headline. */
	readonly summary?: string | undefined;
	readonly origin: Origin;
	readonly tables: readonly Table[];
	/** One sentence each, the most important first. */
	readonly notes: readonly string[];
	/** Steps that solve each kind of row. */
	readonly steps?: readonly Section[];
	/** Shown in Markdown only. */
	readonly details?: readonly Section[];
	/** Shown in a terminal only, which has no details. */
	readonly hints?: readonly string[];
	/** A file in YAML that the report proposes. */
	readonly file?: { readonly title: string; readonly text: string } | undefined;
}

/** `account https://api.example.com/v1 · owner acme · 2026-11-22T06:00:00Z`. */
export const originLine = ({ account, owner, at }: Origin): string =>
	[`account ${account ?? "unknown"}`, ...(owner === undefined ? [] : [`owner ${owner}`]), at].join(" · ");

/** Puts a text on one line, without characters that could control a terminal. */
export const printable = (text: string): string =>
	text
		.trim()
		.replace(/\s+/g, " ")
		.replace(/[\p{Cc}\p{Cf}]/gu, "?");

/** Keeps lines and their indentation, without characters that could control a terminal. */
export const printableFile = (text: string): string =>
	text.trimEnd().replace(/[\p{Cc}\p{Cf}]/gu, (character) => (character === "\n" ? character : "?"));

/** `1 number`, `2 numbers`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Adds up the known amounts. */
export function sumOf(amounts: readonly (Money | undefined)[]): Sum {
	const sum = new Sum();
	for (const money of amounts) if (money !== undefined) sum.add(money);
	return sum;
}

const maxNames = 5;

/** The first names of many, such as `a, b and 3 more`. */
export const shortList = (names: readonly string[]): string =>
	names.length <= maxNames
		? names.join(", ")
		: `${names.slice(0, maxNames).join(", ")}, and ${names.length - maxNames} more`;

/** Groups items with the same key, in the order of the first ones. */
export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): (readonly [T, ...T[]])[] {
	const groups = new Map<string, [T, ...T[]]>();
	for (const item of items) {
		const group = groups.get(keyOf(item));
		if (group === undefined) groups.set(keyOf(item), [item]);
		else group.push(item);
	}
	return [...groups.values()];
}
