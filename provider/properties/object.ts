/** Makes the type and the form of a value with fields from one table of the fields. */
import { z } from "zod";
import { mapValues } from "../api/json";
import { type Field, type Fields, type Named, type ObjectForm, typeOf, type Variants } from "./form";

interface TypeAndForm extends Pick<Field, "type"> {
	readonly form: ObjectForm;
}

const typesOf = (fields: Fields): Record<string, z.ZodType> =>
	mapValues(fields, (field) => (field.required ? typeOf(field) : typeOf(field).optional()));

/** Without a name, the generated SDK spells the type out. */
export const objectOf = (fields: Fields, named?: Named): TypeAndForm => ({
	type: () => z.strictObject(typesOf(fields)),
	form: { kind: "object", named, fields },
});

export interface Union {
	/** The key that distinguishes variants, and its description. */
	readonly tag: string;
	readonly says: string;
	readonly variants: Variants;
	/** The fields that every variant has. */
	readonly common?: Fields;
	readonly named?: Named;
	/** The message for an unknown variant. */
	readonly error: string;
}

export function unionOf({ tag, says, variants, common = {}, named, error }: Union): TypeAndForm {
	const options = () =>
		Object.entries(variants.of).map(([name, fields]) =>
			z.strictObject({ [tag]: z.literal(name), ...typesOf(fields), ...typesOf(common) }),
		);
	const tagField: Field = { type: () => z.enum(Object.keys(variants.of)), description: says, required: true };
	return {
		type: () => z.discriminatedUnion(tag, options() as [z.ZodObject, ...z.ZodObject[]], { error }),
		form: {
			kind: "object",
			named,
			tag,
			variants,
			fields: { [tag]: tagField, ...Object.assign({}, ...Object.values(variants.of)), ...common },
		},
	};
}
