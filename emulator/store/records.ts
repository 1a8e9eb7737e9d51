import { crc32 } from "node:zlib";
import type { Write } from "./table";

export type Change = readonly [table: string, ...Write];

/** Of the rows in a file; another one once older emulators could not read them. */
export const format = 1;

const checksum = (json: Buffer | string): string => crc32(json).toString(16).padStart(8, "0");

/** One line for what belongs together: all of it is there after a crash, or nothing. */
export const encode = (content: unknown): string => {
	const json = JSON.stringify(content);
	return `${checksum(json)} ${json}\n`;
};

export interface Decoded {
	readonly records: readonly unknown[];
	/** Where the whole records end. */
	readonly end: number;
	/** The line that is broken though others follow, counted from 1. */
	readonly broken: number | undefined;
}

const newline = 10;

/** Reads until the first record that isn't whole. */
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
	// A write that was cut short is the last one: what has a whole line behind it was broken later.
	const rest = file.indexOf(newline, end);
	const follows = rest >= 0 && rest + 1 < file.length;
	return { records, end, broken: follows ? records.length + 1 : undefined };
};
