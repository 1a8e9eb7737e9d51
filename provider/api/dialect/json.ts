/** JSON objects, and what is at a path of them. */

import { fold } from "./names";

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
	typeof value === "object" && value !== null && !Array.isArray(value);

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

/** The path that one of these names ends, or else begins; `fits` says which values may stand there. */
export function pathIn(
	value: unknown,
	names: readonly string[],
	fits: (found: unknown) => boolean,
): string | undefined {
	const paths = pathsIn(value).filter((path) => fits(at(value, path)));
	const ends = (path: string, name: string) => fold(path.split(".").at(-1) ?? "") === name;
	const begins = (path: string, name: string) => fold(path.split(".")[0] ?? "") === name;
	return [ends, begins].flatMap((is) => names.flatMap((name) => paths.filter((path) => is(path, name))))[0];
}
