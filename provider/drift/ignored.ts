/** Paths under `ignoreChanges`, where the engine uses the live values instead of the declared ones. */
import { defined, isObject } from "../api/json";
import type { Values } from "../properties/table";

/** `metadata.desk`, `metadata["a b"]`, `targets[0].port`, `targets[*].port`: the engine's property paths. */
const part = /\["((?:[^"\\]|\\.)*)"\]|\[(\d+|\*)\]|([^.[\]]+)/g;

const parsed = (path: string): string[] =>
	[...path.matchAll(part)].map(([, quoted, index, name]) => quoted?.replace(/\\(.)/g, "$1") ?? index ?? name ?? "");

/** The declared values as the engine compares them when the program ignores these paths. */
export const withIgnored = (declared: Values, live: Values, paths: readonly string[]): Values =>
	paths
		.map(parsed)
		.filter((names) => names.length > 0)
		.reduce((values, names) => reset(values, live, names) as Values, declared);

/** An addition or removal above the path isn't ignored. */
function reset(declared: unknown, live: unknown, [key, ...rest]: readonly string[]): unknown {
	if (key === undefined) return live;
	const next = (item: unknown, liveItem: unknown) => reset(item, liveItem, rest);
	if (Array.isArray(declared) && Array.isArray(live))
		return declared.map((item, index) =>
			(key === "*" || key === String(index)) && index < live.length ? next(item, live[index]) : item,
		);
	if (!isObject(declared) || !isObject(live)) return declared;
	const keys = key === "*" ? Object.keys({ ...declared, ...live }) : [key];
	const values = Object.fromEntries(keys.map((name) => [name, next(ownEntry(declared, name), ownEntry(live, name))]));
	return defined({ ...declared, ...values });
}

/** A key of `metadata` may be the name of a property that every object inherits, such as `constructor`. */
export const ownEntry = (values: Values, key: string): unknown =>
	Object.hasOwn(values, key) ? values[key] : undefined;

/** True if the path, as reports spell it, is at or below one of these. */
export function covers(paths: readonly string[], path: string): boolean {
	const names = parsed(path);
	return paths
		.map(parsed)
		.some((ignored) => ignored.length > 0 && ignored.every((name, index) => name === "*" || name === names[index]));
}
