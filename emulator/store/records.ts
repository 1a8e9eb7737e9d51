import { crc32 } from "node:zlib";
import type { Write } from "./table";

export type Change = readonly [table: string, ...Write];

/** Version of the rows in a file; it changes when older emulators can't read them. */
export const format = 1;

const checksum = (json: Buffer | string): string => crc32(json).toString(16).padStart(8, "0");

/** One line for what belongs together: after a crash, all of it is there or nothing. */
export const encode = (content: unknown): string => {
	const json = JSON.stringify(content);
	return `${checksum(json)} ${json}\n`;
};

export interface Decoded {
	readonly records: readonly unknown[];
	/** Offset where the whole records end. */
	readonly end: number;
	/** The number of a broken line that others follow, counted from 1. */
	readonly broken: number | undefined;
}

const newline = 10;

/** Reads up to the first record that isn't whole. */
export const decode = (file: Buffer): Decoded => {
	const records: unknown[] = [];
	let end = 0;
	while (end < file.length) {
		const next = file.indexOf(newline, end);
		const json = next < 0 ? undefined : file.subarray(end + 9, next);
		if (json === undefined || file.toString("latin1", end, end + 9) !== `${checksum(json)} `) break;
		records.push(JSON.parse(json.toString()));
		end = next + 1;
	}
	// Only the last write can be cut short: a broken line with a whole one after it was damaged later.
	const rest = file.indexOf(newline, end);
	const follows = rest >= 0 && rest + 1 < file.length;
	return { records, end, broken: follows ? records.length + 1 : undefined };
};
