import type { z } from "zod";
import { invalid } from "./errors";
import { validate } from "./validate";

/** The place of a value in a body. */
type Path = readonly PropertyKey[];

interface Place {
	readonly path: Path;
	readonly url: string;
}

/** Receivers of webhooks. */
export interface Receivers {
	/** True if `deliverTo` has the URL's host. */
	names(url: string): boolean;
	/** True for a port of this machine. */
	isLoopback(url: string): boolean;
}

const isUrlField = (name: PropertyKey | undefined): boolean => /(^|_)url$/.test(String(name));

/** Finds the URLs of a body. */
function* urlsIn(part: unknown, path: Path = []): Generator<Place> {
	if (typeof part === "string" && isUrlField(path.at(-1))) yield { path, url: part };
	if (typeof part !== "object" || part === null) return;
	for (const [name, item] of Object.entries(part))
		yield* urlsIn(item, [...path, Array.isArray(part) ? Number(name) : name]);
}

/** Returns a copy with another text at the path. */
export const withText = (part: unknown, [name, ...rest]: Path, text: string): unknown => {
	if (name === undefined) return text;
	const holder = part as Record<PropertyKey, unknown>;
	const copy = Array.isArray(part) ? [...part] : { ...holder };
	(copy as Record<PropertyKey, unknown>)[name] = withText(holder[name], rest, text);
	return copy;
};

/**
 * Like `validate`, but a URL of plain http passes if `deliverTo` names it: the contract doesn't know these receivers. Only
 * programs on this machine can name its ports, as the emulator would otherwise send their services what another host wants.
 */
export const validateUrls = <Schema extends z.ZodType>(
	schema: Schema,
	value: unknown,
	receivers: Receivers,
	isLocal: boolean,
): z.output<Schema> => {
	const urls = [...urlsIn(value)];
	const named = urls.filter(({ url }) => /^http:/i.test(url) && receivers.names(url));
	const copy = named.reduce((part, { path, url }) => withText(part, path, url.replace(/^http:/i, "https:")), value);
	const parsed = validate(schema, copy);
	const foreign = urls.filter(({ url }) => !isLocal && receivers.isLoopback(url) && !receivers.names(url));
	if (foreign.length > 0) throw invalid(foreign.map(({ path }) => ({ field: path.join("."), message: refusal })));
	return named.reduce((part: unknown, { path, url }) => withText(part, path, url), parsed) as z.output<Schema>;
};

const refusal = "names a port of the emulator's machine, and only a program there or --deliver-to can do that";
