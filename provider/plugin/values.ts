/** Translates the values of the engine's protocol to plain JSON with one mark for unknown values, and back. */
import { mapValues } from "../api/json";
import type { Field, Form } from "../properties/form";
import { signature, unknownValue, type Values } from "../properties/table";

/** Kinds of marked objects. Fixed by the protocol, like all marks here. */
const signatures = {
	secret: "1b47061264138c4ac30d75fd1eb44270",
	output: "d0e6a833031e9bbcd3f4e8bde6ca49a4",
} as const;

/** Marks of unknown values, one for each type. */
const unknownMarks: ReadonlySet<unknown> = new Set([
	unknownValue,
	"1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
	"3eeb2bf0-c639-47a8-9e75-3b44932eb421",
	"6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
	"030794c1-ac77-496b-92df-f27374a8bd58",
	"e48ece36-62e2-4504-bad9-02848725956a",
	"dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** Removes the marks of secrets, and unifies those of unknown values. Check refuses assets and references. */
export function opened(value: unknown): unknown {
	if (unknownMarks.has(value)) return unknownValue;
	if (Array.isArray(value)) return value.map(opened);
	if (typeof value !== "object" || value === null) return value;
	const marked = value as Values;
	if (marked[signature] === signatures.secret) return opened(marked.value);
	if (marked[signature] === signatures.output) return "value" in marked ? opened(marked.value) : unknownValue;
	return mapValues(marked, opened);
}

export const openedValues = (values: Values | undefined): Values => opened(values ?? {}) as Values;

type Shape = Pick<Field, "form" | "secret">;

/** Marks the values, and parts of values, that are secret by the table. */
export const sealed = (shapes: Readonly<Record<string, Shape>>, values: Values): Values =>
	mapValues(values, (value, key) => sealedOne(shapes[key], value));

function sealedOne(shape: Shape | undefined, value: unknown): unknown {
	if (shape === undefined || value === undefined || value === null || value === unknownValue) return value;
	return shape.secret ? secret(value) : sealedIn(shape.form, value);
}

function sealedIn(form: Form | undefined, value: unknown): unknown {
	if (form?.kind === "object" && typeof value === "object" && value !== null)
		return sealed(form.fields, value as Values);
	if ((form?.kind === "set" || form?.kind === "list") && Array.isArray(value))
		return value.map((item) => sealedIn(form.item, item));
	return value;
}

export const secret = (value: unknown): unknown => ({ [signature]: signatures.secret, value });
