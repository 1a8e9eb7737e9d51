import { crc32 } from "node:zlib";
import type { Write } from "./table";

export type Change = readonly [table: string, ...Write];

/** Version of the rows in a file; it changes when older emulators can't read them. */
export const format = 2;

export const isReadable = (header: unknown): boolean =>
	typeof header === "object" && header !== null && (header as { format?: unknown }).format === format;

const checksum = (text: Buffer | string): string => crc32(text).toString(16).padStart(8, "0");

/**
 * One line for what belongs together: after a crash, all of it is there or nothing. The number is that of the line,
 * counted from 0, so that a lost line is noticed.
 */
export const encode = (number: number, content: unknown): string => {
	const line = `${number} ${JSON.stringify(content)}`;
	return `${checksum(line)} ${line}\n`;
};

export interface Decoded {
	readonly records: readonly unknown[];
	/** Offset where the whole records end. */
	readonly end: number;
	/** The number of a broken line that others follow, counted from 1. */
	readonly broken: number | undefined;
	/** The number of the first line that is missing, counted from 1. */
	readonly missing: number | undefined;
}

const newline = 10;

/** Number and content of a whole line; undefined if it is damaged. */
const parse = (line: Buffer): readonly [number: number, content: unknown] | undefined => {
	const rest = line.subarray(9);
	if (line.toString("latin1", 0, 9) !== `${checksum(rest)} `) return undefined;
	const text = rest.toString();
	const space = text.indexOf(" ");
	return [Number(text.slice(0, space)), JSON.parse(text.slice(space + 1))];
};

/** Reads up to the first record that isn't whole, or isn't the next one. */
export const decode = (file: Buffer): Decoded => {
	const records: unknown[] = [];
	let end = 0;
	let missing: number | undefined;
	while (end < file.length) {
		const next = file.indexOf(newline, end);
		const parsed = next < 0 ? undefined : parse(file.subarray(end, next));
		if (parsed === undefined) break;
		const [number, content] = parsed;
		if (number !== records.length) {
			missing = records.length + 1;
			break;
		}
		records.push(content);
		end = next + 1;
	}
	// Only the last write can be cut short: a broken line with a whole one after it was damaged later.
	const rest = file.indexOf(newline, end);
	const follows = rest >= 0 && rest + 1 < file.length;
	return { records, end, broken: follows && missing === undefined ? records.length + 1 : undefined, missing };
};
