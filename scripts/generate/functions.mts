/** The functions of the SDK: their types, docstrings and calls, as their definitions say. */
import type { FunctionDefinition } from "../../provider/functions/definition.ts";
import type { Form } from "../../provider/properties/form.ts";
import { comment, docOf, members, namedTypes, typeText } from "./classes.mts";
import type { resources } from "./tables.mts";

const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** Types of values that programs pass hold Inputs; a result holds none. */
function passedNames(all: typeof resources): Set<string> {
	const names = new Set<string>();
	const visit = (form: Form | undefined): void => {
		if (form?.kind === "set" || form?.kind === "list") visit(form.item);
		if (form?.kind !== "object") return;
		for (const type of [form.named, form.variants]) if (type !== undefined) names.add(type.name);
		for (const field of Object.values(form.fields)) visit(field.form);
	};
	for (const { drift } of Object.values(all)) for (const { form } of Object.values(drift.properties)) visit(form);
	return names;
}

/** Types that the SDK already declares, and types that only functions have. */
export function functionsOf(functions: Readonly<Record<string, FunctionDefinition>>, all: typeof resources): string {
	const passed = passedNames(all);
	const seen = new Set(passed);
	for (const { drift } of Object.values(all)) {
		namedTypes(drift.properties, "passed", seen);
		namedTypes(drift.outputs, "shown", seen);
	}
	const unwrapped = (text: string) =>
		[...passed].reduce(
			(rest, name) => rest.replace(new RegExp(`(?<=: )${name}\\b`, "g"), `pulumi.Unwrap<${name}>`),
			text,
		);
	return Object.entries(functions)
		.map(([name, { description, example, inputs, outputs }]) => {
			const [args, result] = [`${pascal(name)}Args`, `${pascal(name)}Result`];
			const optional = Object.values(inputs).every(({ required }) => !required) ? " = {}" : "";
			const given = Object.entries(inputs).map(
				([key, property]) =>
					`${comment(docOf(property))}${key}${property.required ? "" : "?"}: ${typeText(property, "plain")};`,
			);
			const types = namedTypes(outputs.fields, "shown", seen).map(unwrapped);
			const namedType = outputs.named;
			const whole = `{\n${members(outputs.fields, "shown")}\n}`;
			const resultType = (): string => {
				if (namedType === undefined) return `export interface ${result} ${whole}`;
				const alias = `export type ${result} = ${namedType.name};`;
				if (seen.has(namedType.name)) return alias;
				return `${comment([namedType.description])}export interface ${namedType.name} ${whole}\n\n${alias}`;
			};
			const declaredResult = unwrapped(resultType());
			if (namedType !== undefined) seen.add(namedType.name);
			return [
				`export interface ${args} {\n${given.join("\n")}\n}`,
				...types,
				declaredResult,
				`${comment([description, `@example export const result = telephony.${name}(${example});`])}export const ${name} = (args: ${args}${optional}): Promise<${result}> => call("${name}", args);`,
				`${comment([`As {@link ${name}}; its arguments may be outputs of resources.`])}export const ${name}Output = (args: Inputs<${args}>${optional}): pulumi.Output<${result}> => later(args, ${name});`,
			].join("\n\n");
		})
		.join("\n\n");
}
