/** JSON objects, and what is at a path of them. */

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** The value at a path such as `paging.next`. */
export const at = (value: unknown, path: string): unknown =>
	path.split(".").reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
