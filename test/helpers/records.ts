/** Arbitrary records of the contract. */
import fc from "fast-check";
import { z } from "zod";

const word = fc.stringMatching(/^[a-z][a-z0-9 ]{0,6}[a-z0-9]$/);
const moment = fc.integer({ min: 0, max: 4e12 }).map((ms) => new Date(ms).toISOString());
const amount = fc.integer({ min: 0, max: 1e7 }).map((value) => (value / 100).toFixed(2));

function textOf(type: z.ZodType, name: string): fc.Arbitrary<string> {
	const knownValues = type.meta()?.["x-known-values"];
	if (Array.isArray(knownValues)) return fc.constantFrom(...(knownValues as string[]));
	return type.meta()?.format === "date-time" ? moment : name === "amount" ? amount : word;
}

function valuesOf(type: unknown, name: string): fc.Arbitrary<unknown> {
	if (type instanceof z.ZodOptional) return valuesOf(type.unwrap(), name);
	if (type instanceof z.ZodNullable) return fc.option(valuesOf(type.unwrap(), name), { freq: 4 });
	if (type instanceof z.ZodArray) return fc.array(valuesOf(type.element, name), { minLength: 1, maxLength: 3 });
	if (type instanceof z.ZodRecord) return fc.dictionary(word, word, { minKeys: 1, maxKeys: 3 });
	if (type instanceof z.ZodNumber) return fc.integer();
	if (type instanceof z.ZodBoolean) return fc.boolean();
	if (type instanceof z.ZodObject) return recordOf(type);
	return textOf(type as z.ZodType, name);
}

/** Returns records with any of the fields except `state`, another name of `status`. */
export function recordOf({ shape }: z.ZodObject): fc.Arbitrary<Record<string, unknown>> {
	const fields = Object.entries(shape).filter(([name]) => name !== "state");
	const model = Object.fromEntries(fields.map(([name, type]) => [name, valuesOf(type, name)]));
	const requiredKeys = fields.flatMap(([name, type]) => (type instanceof z.ZodOptional ? [] : [name]));
	return fc.record(model, { requiredKeys });
}
