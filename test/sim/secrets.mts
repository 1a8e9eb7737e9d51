/** Secrets of a story, and the forms in which a service may repeat them. */
import type { Random } from "./random.mts";

/** The key of every emulated account. */
export const apiKey = 'canary-"key\\of-the-account';

export const passwordOf = (random: Random): string => `canary-"${random.int(1e6, 1e7)}\\pass/word?`;

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

export const formsOf = (secret: string): string[] => [
	secret,
	escaped(secret),
	escaped(escaped(secret)),
	encodeURIComponent(secret),
	Buffer.from(secret).toString("base64"),
];
