/** JSON objects, and what is at a path of them. */

import { fold } from "./names";

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** Parses JSON, which may begin with a byte order mark. @throws SyntaxError */
export const parseText = (text: string, reviver?: Parameters<typeof JSON.parse>[1]): unknown =>
	JSON.parse(text.replace(/^\uFEFF/, ""), reviver);

/** The same object with other values. */
export const mapValues = (object: Json, change: (value: unknown, key: string) => unknown): Json =>
	Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));

/** Only the fields that have a value. */
export const defined = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
	Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
		[K in keyof T]?: Exclude<T[K], undefined>;
	};

/** The value at a path such as `paging.next`. */
export const at = (value: unknown, path: string): unknown =>
	path.split(".").reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);

/** Every path into an object, the upper ones first; no further than three names deep, and into no list. */
export function pathsIn(value: unknown, depth = 3): readonly string[] {
	if (!isObject(value) || depth === 0) return [];
	const below = Object.entries(value).flatMap(([key, inner]) =>
		pathsIn(inner, depth - 1).map((path) => `${key}.${path}`),
	);
	return [...Object.keys(value), ...below];
}

type Fits = (found: unknown) => boolean;

function pathBy(value: unknown, names: readonly string[], fits: Fits, part: 0 | -1): string | undefined {
	const paths = pathsIn(value).filter((path) => fits(at(value, path)));
	return names.flatMap((name) => paths.filter((path) => fold(path.split(".").at(part) ?? "") === name))[0];
}

/** The path that one of these names ends; `fits` says which values may stand there. */
export const pathEnding = (value: unknown, names: readonly string[], fits: Fits): string | undefined =>
	pathBy(value, names, fits, -1);

/** The path that one of these names ends, or else begins. */
export const pathIn = (value: unknown, names: readonly string[], fits: Fits): string | undefined =>
	pathEnding(value, names, fits) ?? pathBy(value, names, fits, 0);
