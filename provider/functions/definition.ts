/** A function that programs call: what it takes, what it answers, and how. Schema, plugin and SDK are made from it. */
import type { MessageCode } from "../api/message-codes";
import type { Field, Fields, Form, ObjectForm } from "../properties/form";
import { objectOf } from "../properties/object";
import { aString } from "../properties/outputs";
import type { Outputs, Properties, Values } from "../properties/table";
import type { Service } from "../session/session";

export interface FunctionDefinition {
	/** For people, in Markdown. */
	readonly description: string;
	/** What it reads, in TypeScript: the arguments of a call. */
	readonly example: string;
	readonly inputs: Properties;
	readonly outputs: ObjectForm;
	/** `args` have passed check, and all are known. @throws TelephonyError */
	run(service: Service, args: Values, warn: Warn): Promise<Values>;
}

/** Tells the user, and goes on. */
export type Warn = (code: MessageCode, text: string) => void;

export const anId = { ...aString, required: true, description: "The service's id." } as const;

/** What the service shows of an object, under the resource's names, and no secret. */
export const shownFields = (properties: Properties, outputs: Outputs): Fields =>
	publicFields({
		id: anId,
		...Object.fromEntries(
			Object.entries(properties)
				.filter(([, { wire }]) => wire !== undefined)
				.map(([key, { type, form, description, required }]) => [
					key,
					{ type, description, ...(form && { form }), ...(required && { required }) },
				]),
		),
		...outputs,
	});

const isPublic = ({ secret, writeOnly }: Field): boolean => !secret && !writeOnly;

const publicFields = (fields: Fields): Fields =>
	Object.fromEntries(
		Object.entries(fields)
			.filter(([, field]) => isPublic(field))
			.map(([key, field]) => [key, field.form === undefined ? field : { ...field, form: publicForm(field.form) }]),
	);

/** A type that loses a field gets a name of its own. */
function publicForm(form: Form): Form {
	if (form.kind !== "object" || form.variants === undefined || Object.values(form.fields).every(isPublic)) return form;
	const { variants } = form;
	return {
		...form,
		fields: publicFields(form.fields),
		variants: {
			...variants,
			name: `Public${variants.name}`,
			of: Object.fromEntries(Object.entries(variants.of).map(([kind, fields]) => [kind, publicFields(fields)])),
		},
	};
}

/** An answer that no other function has a part of. */
export const answerOf = (fields: Fields): ObjectForm => objectOf(fields).form;

export const withoutAbsent = (values: Values): Values =>
	Object.fromEntries(Object.entries(values).filter(([, value]) => value != null));
