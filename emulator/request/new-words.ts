/** Words of a newer service: events, codecs and kinds that the contract doesn't have yet. */
import type { z } from "zod";
import { withText } from "./plain-urls";

/** Accepts a body with known words in place of new ones, and puts these back. */
export const withNewWords = <Body>(schema: z.ZodType, value: unknown, accept: (value: unknown) => Body): Body => {
	const newWords = (schema.safeParse(value).error?.issues ?? []).flatMap((issue) => {
		if (issue.code !== "invalid_value") return [];
		const word = issue.path.reduce((part, name) => (part as Record<PropertyKey, unknown> | undefined)?.[name], value);
		return typeof word === "string" && word !== ""
			? [{ path: issue.path, word, contractWord: String(issue.values[0]) }]
			: [];
	});
	const contractBody = newWords.reduce((part, { path, contractWord }) => withText(part, path, contractWord), value);
	return newWords.reduce((part: unknown, { path, word }) => withText(part, path, word), accept(contractBody)) as Body;
};
