/** Decodes the content coding of a response. The client requests none, but some gateways compress all the same. */
import type { ZlibOptions } from "node:zlib";

/** Decoded bytes of a response. A page of 100 items is about 100 kB. */
export const largestBody = 16 * 1024 * 1024;

type Decoder = (bytes: Buffer, options: Pick<ZlibOptions, "maxOutputLength">) => Buffer;

function findDecoder(coding: string): Decoder | undefined {
	const zlib = require("node:zlib") as typeof import("node:zlib");
	switch (coding.trim().toLowerCase()) {
		case "gzip":
		case "x-gzip":
			return zlib.gunzipSync;
		case "deflate":
			return zlib.inflateSync;
		case "br":
			return zlib.brotliDecompressSync;
		case "zstd":
			return zlib.zstdDecompressSync;
		default:
			return undefined;
	}
}

/**
 * Returns the body as it is if its coding is unknown, or not the one that the header names: a gateway that decodes a body
 * may leave the header.
 *
 * @param coding Content-Encoding @throws Error with a code for a body that is too large
 */
export function decoded(bytes: Buffer, coding = ""): Buffer {
	if (bytes.length === 0) return bytes;
	try {
		return findDecoder(coding)?.(bytes, { maxOutputLength: largestBody }) ?? bytes;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw error;
		return bytes;
	}
}
