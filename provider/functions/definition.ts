/** The definition of a function that programs call. The schema, the plugin and the SDK are made from it. */
import { z } from "zod";
import { defined, mapValues, pickBy } from "../api/json";
import type { MessageCode } from "../api/message-codes";
import { type Field, type Fields, type Form, listOf, type ObjectForm, typeOf } from "../properties/form";
import { objectOf } from "../properties/object";
import { aString } from "../properties/outputs";
import type { Outputs, Properties, Values } from "../properties/table";
import type { Service } from "../session/session";

export interface FunctionDefinition {
	/** Markdown. */
	readonly description: string;
	/** Arguments of a call, in TypeScript. */
	readonly example: string;
	readonly inputs: Properties;
	readonly outputs: ObjectForm;
	/** `args` are valid, and all are known. @throws TelephonyError */
	run(service: Service, args: Values, warn: Warn): Promise<Values>;
}

export type Warn = (code: MessageCode, text: string) => void;

/** The fields of an object's record, under the resource's names, without secrets. */
export const shownFields = (properties: Properties, outputs: Outputs): Fields =>
	publicFields({
		id: required(aString, "The service's id."),
		...mapValues(
			pickBy(properties, ({ wire }) => wire !== undefined),
			({ type, form, description, required }) => ({ type, description, ...defined({ form, required }) }),
		),
		...outputs,
	});

const isPublic = ({ secret, writeOnly }: Field): boolean => !secret && !writeOnly;

const publicFields = (fields: Fields): Fields =>
	mapValues(pickBy(fields, isPublic), (field) => (field.form ? { ...field, form: publicForm(field.form) } : field));

/** A type without some of its fields gets another name. */
function publicForm(form: Form): Form {
	if (form.kind !== "object" || form.variants === undefined || Object.values(form.fields).every(isPublic)) return form;
	const { variants } = form;
	return {
		...form,
		fields: publicFields(form.fields),
		variants: {
			...variants,
			name: `Public${variants.name}`,
			of: mapValues(variants.of, publicFields),
		},
	};
}

/** A field that a result always has. */
export const required = (shape: Pick<Field, "type" | "form">, description: string): Field => ({
	...shape,
	required: true,
	description,
});

/** A result with one list of objects, and whatever else it has. */
export const resultWith = (
	name: string,
	item: ReturnType<typeof objectOf>,
	description: string,
	others: Fields = {},
): ObjectForm =>
	objectOf({
		...others,
		[name]: required({ type: () => z.array(typeOf(item)), form: listOf(item.form) }, description),
	}).form;
