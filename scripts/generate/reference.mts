/** The tables of docs/reference. */
import type { DriftDefinition } from "../../provider/drift/definition.ts";
import type { FunctionDefinition } from "../../provider/functions/definition.ts";
import type { Field, Form, Variants } from "../../provider/properties/form.ts";
import { changeWords, defaultOf, itemOf, kindOf, limitsOf, summary } from "./words.mts";

export const referenceOf = ({ properties, outputs }: DriftDefinition): string =>
	[
		"| Input | Type, default | Meaning | A change |",
		"|---|---|---|---|",
		...Object.entries(properties).flatMap(([name, property]) => [
			row(nameOf(name, property), typeOf(property), summary(property.description), changeWords(property)),
			...rowsWithin(name, property, [""]),
		]),
		"",
		"| Output | Type | Meaning |",
		"|---|---|---|",
		...Object.entries(outputs).flatMap(([name, output]) => {
			const marks = `${output.secret ? ", secret" : ""}${output.required ? "" : ", or undefined"}`;
			return [row(name, `${kindOf(output)}${marks}`, summary(output.description)), ...rowsWithin(name, output, [])];
		}),
	].join("\n");

/** A section for each function: what it does, takes and answers. */
export const functionsReference = (functions: Readonly<Record<string, FunctionDefinition>>): string =>
	Object.entries(functions)
		.map(([name, { description, inputs, outputs }]) =>
			[
				`## ${name}`,
				"",
				description,
				"",
				"| Argument | Type, default | Meaning |",
				"|---|---|---|",
				...Object.entries(inputs).map(([each, field]) =>
					row(nameOf(each, field), typeOf(field), summary(field.description)),
				),
				"",
				"| Result | Type | Meaning |",
				"|---|---|---|",
				...Object.entries(outputs.fields).flatMap(([each, field]) => [
					row(nameOf(each, field), typeOf(field), summary(field.description)),
					...rowsWithin(each, field, []),
				]),
			].join("\n"),
		)
		.join("\n\n");

const row = (name: string, ...cells: readonly string[]): string =>
	`| ${[`\`${name}\``, ...cells.map((cell) => cell.replaceAll("|", "\\|"))].join(" | ")} |`;

const nameOf = (name: string, { required }: Field): string => (required ? name : `${name}?`);

function typeOf(field: Field): string {
	const [limits, otherwise] = [limitsOf(field), defaultOf(field)];
	return [
		`${kindOf(field)}${limits && `, ${limits}`}`,
		...(field.secret ? ["secret"] : []),
		...(otherwise === undefined ? [] : [`default ${otherwise}`]),
	].join("; ");
}

/** A row for each field of an object. @param rest the last cells, which only the property's own row fills */
function rowsWithin(
	path: string,
	field: Pick<Field, "type" | "form">,
	rest: readonly string[],
	within?: Variants,
): string[] {
	const { form } = field;
	if (form?.kind === "set" || form?.kind === "list") return rowsWithin(`${path}[]`, itemOf(field), rest, within);
	// A failover has the variants of the routing around it.
	if (form?.kind !== "object" || (form.variants !== undefined && form.variants === within)) return [];
	return Object.entries(form.fields).flatMap(([name, each]) => [
		row(nameOf(`${path}.${name}`, each), typeOf(each), `${kindsWith(name, form)}${summary(each.description)}`, ...rest),
		...rowsWithin(`${path}.${name}`, each, rest, form.variants),
	]);
}

/** Returns the variants that have a field, as text. */
function kindsWith(name: string, { tag, variants }: Extract<Form, { kind: "object" }>): string {
	const kinds = Object.entries(variants?.of ?? {}).filter(([, fields]) => name in fields);
	return kinds.map(([kind]) => `\`${tag}: "${kind}"\`. `).join("");
}
