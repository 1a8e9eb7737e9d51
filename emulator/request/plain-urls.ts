import type { z } from "zod";
import { validate } from "./validate";

/** The place of a value in a body. */
type Path = readonly (string | number)[];

const isUrlField = (name: string | number | undefined): boolean => /(^|_)url$/.test(String(name));

/**
 * Like `validate`, but a URL of plain http passes if `isNamed` accepts it. The contract doesn't know the receivers of
 * `deliverTo`.
 */
export const validateUrls = <Schema extends z.ZodType>(
	schema: Schema,
	value: unknown,
	isNamed: (url: string) => boolean,
): z.output<Schema> => {
	const plain: { readonly path: Path; readonly url: string }[] = [];
	const secured = (part: unknown, path: Path): unknown => {
		if (Array.isArray(part)) return part.map((item, index) => secured(item, [...path, index]));
		if (typeof part === "object" && part !== null)
			return Object.fromEntries(Object.entries(part).map(([name, item]) => [name, secured(item, [...path, name])]));
		if (typeof part !== "string" || !isUrlField(path.at(-1)) || !/^http:/i.test(part) || !isNamed(part)) return part;
		plain.push({ path, url: part });
		return part.replace(/^http:/i, "https:");
	};
	const copy = secured(value, []);
	if (plain.length === 0) return validate(schema, value);
	const parsed = validate(schema, copy);
	for (const { path, url } of plain) {
		const holder = path.slice(0, -1).reduce((part: unknown, name) => (part as Record<string, unknown>)[name], parsed);
		(holder as Record<string | number, unknown>)[path.at(-1) ?? ""] = url;
	}
	return parsed;
};
