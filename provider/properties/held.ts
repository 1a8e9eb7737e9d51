/** Values that the state or the service already has. Check never refuses them, whatever the limits of this version. */
import { isObject } from "../api/json";
import { covers, type Form, isUnset, scalar } from "./form";

/** A rule that a value breaks, at a path inside it. */
export interface Breach {
	/** As zod names the rule. */
	readonly code?: string | undefined;
	readonly path: readonly PropertyKey[];
}

/** True if `held` has the value at the path, in any spelling and at any place of a list. */
export function isHeld(form: Form, value: unknown, held: unknown, { code, path }: Breach): boolean {
	const [key, ...rest] = path;
	// An empty value is held where there is none.
	if (isUnset(held)) return key === undefined && covers(form, value, held);
	if (key === undefined) return covers(form, value, held) || isPartOf(form, value, held, code);
	if (form.kind === "set" || form.kind === "list") {
		const item = (value as readonly unknown[])[Number(key)];
		return Array.isArray(held) && held.some((heldItem) => isHeld(form.item, item, heldItem, { code, path: rest }));
	}
	const name = String(key);
	if (form.kind === "scalar" || !isObject(value) || !isObject(held) || !Object.hasOwn(held, name)) return false;
	// The key itself is at fault, and its value may change.
	if (code === "invalid_key") return true;
	const inner = form.kind === "map" ? scalar : (form.fields[name]?.form ?? scalar);
	return isHeld(inner, value[name], held[name], { code, path: rest });
}

/** True for a part of a list or a map that is too long: the service accepts the whole. */
function isPartOf(form: Form, value: unknown, held: unknown, code: string | undefined): boolean {
	if (form.kind === "map" && isObject(value) && isObject(held))
		return Object.entries(value).every(([key, item]) => Object.hasOwn(held, key) && covers(scalar, item, held[key]));
	if (!("item" in form) || code !== "too_big" || !Array.isArray(value) || !Array.isArray(held)) return false;
	const isIn = (item: unknown) => held.some((heldItem) => covers(form.item, item, heldItem));
	return value.length <= held.length && value.every(isIn);
}
