/** Differences between a state and the service, by path, with secrets masked. */
import { defined, isObject, mapValues } from "../api/json";
import { masked, maskWhole } from "../properties/display";
import type { Form } from "../properties/form";
import type { Properties, Values } from "../properties/table";

export interface Change {
	/** `routing.to`, `auth.allowedCidrs`. */
	readonly path: string;
	/** Absent if nothing is declared; masked if it is a secret. */
	readonly declared?: unknown;
	readonly live?: unknown;
}

/** The parts of a resource's definition that a comparison needs. */
export interface Comparable {
	readonly properties: Properties;
	/** The output with a secret that the service shows once, and the output that changes with it. */
	readonly secret?: {
		readonly output: string;
		readonly marker: string;
		declared?(inputs: Values): unknown;
	};
}

export interface ResourceValues {
	readonly inputs: Values;
	readonly outputs: Values;
}

export interface Compared {
	readonly declared: ResourceValues;
	readonly live: ResourceValues;
	readonly ignored: readonly string[];
}

/** A secret is compared by its marker, and the claim by its lease, as neither has an input. */
export function changesOf(
	{ properties, secret }: Comparable,
	{ declared, live }: Compared,
	ignored: readonly string[] = [],
): Change[] {
	const wanted = withIgnored(declared.inputs, live.inputs, ignored);
	const changes = Object.keys(properties).flatMap((key) =>
		differences(key, wanted[key], live.inputs[key], properties[key]?.form),
	);
	if (secret !== undefined && !ignored.includes(secret.marker)) {
		const [was, is] = [declared.outputs[secret.marker], live.outputs[secret.marker]];
		// The state doesn't know the secret of an adopted object.
		const isKnown = declared.outputs[secret.output] !== undefined;
		if (isKnown && was !== undefined && was !== is) changes.push({ path: secret.marker, declared: was, live: is });
	}
	const isCleared = live.outputs.lease === "" && declared.outputs.lease !== "";
	if (isCleared) changes.push({ path: "reference", declared: "this stack's", live: "vacant" });
	return changes;
}

export function isIgnored(definition: Comparable, observed: Compared): boolean {
	const { ignored, declared } = observed;
	if (ignored.length === 0) return false;
	const hidden = maskedInputs(definition, declared).some((path) => covers(ignored, path));
	return hidden || changesOf(definition, observed).length > 0;
}

/** Compares raw values, as a read keeps the program's spelling for values that mean the same. */
function differences(path: string, declared: unknown, live: unknown, form: Form | undefined): Change[] {
	if (JSON.stringify(declared) === JSON.stringify(live)) return [];
	const { tag = undefined, fields = {} } = form?.kind === "object" ? form : {};
	// Two variants have no field in common.
	const alike = isObject(declared) && isObject(live) && (tag === undefined || declared[tag] === live[tag]);
	if (!alike) return [{ path, declared, live }];
	return [...new Set([...Object.keys(declared), ...Object.keys(live)])].flatMap((key) =>
		differences(`${path}.${key}`, ownEntry(declared, key), ownEntry(live, key), fields[key]?.form),
	);
}

/** The engine masks a secret only where it was declared. Other values beside it may be secret, and are masked here. */
export const maskedLive = ({ properties }: Comparable, declared: ResourceValues, live: Values): Values =>
	mapValues(live, (value, key) => maskedBeside(declared.inputs[key], value, properties[key]?.form));

function maskedBeside(declared: unknown, live: unknown, form: Form | undefined): unknown {
	if (maskedPaths("", declared, form).length === 0) return live;
	const { tag = undefined, fields = {} } = form?.kind === "object" ? form : {};
	if (!isObject(declared) || !isObject(live) || (tag !== undefined && declared[tag] !== live[tag]))
		return maskWhole(live);
	return mapValues(live, (item, key) =>
		Object.hasOwn(declared, key) ? maskedBeside(declared[key], item, fields[key]?.form) : maskWhole(item),
	);
}

/** The engine masks secrets on both sides, so a difference that can't be seen is in one of them. */
export function hiddenChanges(definition: Comparable, { declared }: Compared): Change[] {
	const { secret } = definition;
	const paths = maskedInputs(definition, declared);
	if (paths.length === 0 && secret !== undefined && declared.outputs[secret.output] === masked)
		paths.push(secret.output);
	return paths.length === 0 ? [] : [{ path: paths.join(" or "), declared: masked, live: masked }];
}

const maskedInputs = ({ properties }: Comparable, { inputs }: ResourceValues): string[] =>
	Object.entries(properties).flatMap(([key, { form }]) => maskedPaths(key, inputs[key], form));

function maskedPaths(path: string, value: unknown, form: Form | undefined): string[] {
	if (value === masked) return [path];
	if (Array.isArray(value)) return value.includes(masked) ? [path] : [];
	if (!isObject(value)) return [];
	const fields = form?.kind === "object" ? form.fields : {};
	return Object.entries(value).flatMap(([key, item]) =>
		fields[key]?.writeOnly ? [] : maskedPaths(`${path}.${key}`, item, fields[key]?.form),
	);
}

// ---- Paths under `ignoreChanges`, where the engine uses the live values instead of the declared ones ----------------------

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
const ownEntry = (values: Values, key: string): unknown => (Object.hasOwn(values, key) ? values[key] : undefined);

/** True if the path, as reports spell it, is at or below one of these. */
function covers(paths: readonly string[], path: string): boolean {
	const names = parsed(path);
	return paths
		.map(parsed)
		.some((ignored) => ignored.length > 0 && ignored.every((name, index) => name === "*" || name === names[index]));
}
