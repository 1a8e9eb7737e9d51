import { createHash, randomBytes } from "node:crypto";

/** Returns random bytes, for ids, passwords and secrets. */
export type Random = (size: number) => Buffer;

/** Bytes are drawn in blocks: one call costs as much for ten bytes as for a thousand. */
const block = 4096;
let rest = Buffer.alloc(0);

export const cryptoRandom: Random = (size) => {
	if (rest.length < size) rest = randomBytes(Math.max(block, size));
	const bytes = rest.subarray(0, size);
	rest = rest.subarray(size);
	return bytes;
};

/** Returns the same bytes in the same order for the same seed. */
export const seededRandom = (seed: string): Random => {
	let turn = 0;
	return (size) => {
		const blocks: Buffer[] = [];
		for (let length = 0; length < size; length += 32) {
			blocks.push(createHash("sha256").update(`${seed}:${turn++}`).digest());
		}
		return Buffer.concat(blocks).subarray(0, size);
	};
};

/** Returns another sequence for each name and each call. */
export const branchOf = (random: Random, name: string): Random =>
	random === cryptoRandom ? random : seededRandom(`${random(32).toString("hex")} ${name}`);

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

/** Returns an id such as `num_k3v9…`. It is random, so that no client relies on its order. */
export const newId = (prefix: string, random: Random): string =>
	`${prefix}_${Array.from(random(12), (byte) => alphabet[byte % 32]).join("")}`;

export const newPassword = (random: Random): string => random(18).toString("base64url");

export const newSecret = (random: Random): string => `whsec_${random(24).toString("base64")}`;
