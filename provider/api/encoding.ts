/** Decodes the content codings of a response. The client requests none, but some gateways compress all the same. */
import type { ZlibOptions } from "node:zlib";

/** Decoded bytes of a response. A page of 100 items is about 100 kB. */
export const largestBody = 16 * 1024 * 1024;

type Decoder = (bytes: Buffer, options: Pick<ZlibOptions, "maxOutputLength">) => Buffer;

function findDecoder(coding: string): Decoder | undefined {
	const zlib = require("node:zlib") as typeof import("node:zlib");
	switch (coding) {
		case "gzip":
			return zlib.gunzipSync;
		case "deflate":
			// Some services leave out the zlib header (RFC 9110 §8.4.1.2).
			return (bytes, options) =>
				hasZlibHeader(bytes) ? zlib.inflateSync(bytes, options) : zlib.inflateRawSync(bytes, options);
		case "br":
			return zlib.brotliDecompressSync;
		case "zstd":
			return zlib.zstdDecompressSync;
		default:
			return undefined;
	}
}

const hasZlibHeader = (bytes: Buffer): boolean =>
	bytes.length > 1 && ((bytes[0] ?? 0) & 15) === 8 && bytes.readUInt16BE() % 31 === 0;

/** Values of Content-Encoding that leave the bytes as they are. Some services name the charset there. */
const plain = /^(|identity|none|utf-?8|iso-8859-1|us-ascii|(7|8)bit|binary)$/;

/** The coding that the first bytes show. A gateway may remove the header, and JSON never begins like this. */
function shownCoding(bytes: Buffer): string[] {
	if (bytes.length > 3 && bytes.readUInt32LE() === 0xfd2fb528) return ["zstd"];
	return bytes.length > 1 && bytes.readUInt16BE() === 0x1f8b ? ["gzip"] : [];
}

/** A gateway that decodes a body may leave the header. */
const isText = (bytes: Buffer): boolean => /^\uFEFF?\s*[[{<]/.test(bytes.toString("utf8", 0, 64));

export interface Decoded {
	readonly body: Buffer;
	/** The content coding that can't be decoded; absent for a decoded body. */
	readonly undecoded?: string;
}

/** @param header Content-Encoding @throws Error with a code for a body that is too large */
export function decoded(bytes: Buffer, header = ""): Decoded {
	if (bytes.length === 0) return { body: bytes };
	const named = header
		.toLowerCase()
		.split(",")
		.map((coding) => coding.replace(/;.*/, "").trim().replace(/^x-/, ""));
	const codings = named.filter((coding) => !plain.test(coding));
	let body = bytes;
	for (const coding of codings.length > 0 ? codings.reverse() : shownCoding(bytes)) {
		const decode = findDecoder(coding);
		if (decode === undefined) return { body: bytes, undecoded: coding };
		try {
			body = decode(body, { maxOutputLength: largestBody });
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw error;
			return isText(bytes) ? { body: bytes } : { body: bytes, undecoded: coding };
		}
	}
	return { body };
}
