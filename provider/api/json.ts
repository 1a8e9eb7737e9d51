export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
	typeof value === "object" && value !== null && !Array.isArray(value);

const labelOfUtf16 = (first: number): string | undefined => {
	if (first === 0xfffe || (first > 0xff && (first & 0xff) === 0)) return "utf-16le";
	return first === 0xfeff || (first > 0 && first <= 0xff) ? "utf-16be" : undefined;
};

/**
 * The text of a file or a response. UTF-16 shows in the first two bytes, as a byte order mark or as an ASCII character.
 * Anything else is UTF-8, as JSON has to be. Bytes that aren't UTF-8 are in the charset that the service names, or in the
 * usual one of old services.
 */
export function textIn(bytes: Buffer, charset = "utf-8"): string {
	const utf16 = bytes.length < 2 ? undefined : labelOfUtf16(bytes.readUInt16BE());
	if (utf16 !== undefined) return new TextDecoder(utf16).decode(bytes);
	return findText(bytes, "utf-8") ?? findText(bytes, charset) ?? new TextDecoder("windows-1252").decode(bytes);
}

/** Undefined for bytes that don't fit the charset, and for an unknown one. */
function findText(bytes: Buffer, charset: string): string | undefined {
	try {
		return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		return undefined;
	}
}

/** Parses JSON, which may begin with a byte order mark. @throws SyntaxError */
export const parseText = (text: string, reviver?: Parameters<typeof JSON.parse>[1]): unknown =>
	JSON.parse(text.replace(/^\uFEFF/, ""), reviver);

/** The value of a text in JSON; undefined if it isn't JSON. */
export function findJson(...parsed: Parameters<typeof parseText>): unknown {
	try {
		return parseText(...parsed);
	} catch {
		return undefined;
	}
}

type Dictionary<T> = Readonly<Record<string, T>>;

export const mapValues = <T, U>(object: Dictionary<T>, change: (value: T, key: string) => U): Record<string, U> =>
	Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));

export const pickBy = <T>(object: Dictionary<T>, isKept: (value: T, key: string) => unknown): Record<string, T> =>
	Object.fromEntries(Object.entries(object).filter(([key, value]) => isKept(value, key)));

export const withoutAbsent = (object: Json): Json => pickBy(object, (value) => value != null);

/** Changes each value that is neither a list nor an object, at any depth. */
export function mapLeaves(value: unknown, change: (leaf: unknown) => unknown): unknown {
	if (Array.isArray(value)) return value.map((item) => mapLeaves(item, change));
	return isObject(value) ? mapValues(value, (item) => mapLeaves(item, change)) : change(value);
}

export const defined = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
	Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
		[K in keyof T]?: Exclude<T[K], undefined>;
	};

/** The value at a path such as `paging.next`. */
export const at = (value: unknown, path: string): unknown =>
	path.split(".").reduce<unknown>((inner, key) => {
		if (Array.isArray(inner)) return /^\d+$/.test(key) ? inner[Number(key)] : undefined;
		return isObject(inner) ? inner[key] : undefined;
	}, value);

/** Sets one value at a path, beside the other values there. */
export function mergeAt(into: Json, path: string, value: unknown): Json {
	const [key = "", ...rest] = path.split(".");
	const inner = into[key];
	return { ...into, [key]: rest.length === 0 ? value : mergeAt(isObject(inner) ? inner : {}, rest.join("."), value) };
}

/** The values of `over` win. Objects in both are merged. */
export const overlaid = (under: Json, over: Json): Json => ({
	...under,
	...mapValues(over, (value, key) => {
		const here = under[key];
		return isObject(here) && isObject(value) ? overlaid(here, value) : value;
	}),
});
