/** Differences between a state and the service, by path, with secrets masked. */

import { isObject, mapValues } from "../api/json";
import { masked, maskWhole } from "../properties/display";
import type { Form } from "../properties/form";
import type { Properties, Values } from "../properties/table";
import { covers, ownEntry, withIgnored } from "./ignored";

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

export interface Side {
	readonly inputs: Values;
	readonly outputs: Values;
}

export interface Compared {
	readonly declared: Side;
	readonly live: Side;
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
export const maskedLive = ({ properties }: Comparable, declared: Side, live: Values): Values =>
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

const maskedInputs = ({ properties }: Comparable, { inputs }: Side): string[] =>
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
