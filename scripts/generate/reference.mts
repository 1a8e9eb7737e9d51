/** The tables of docs/reference. */
import type { DriftDefinition } from "../../provider/drift/definition.ts";
import type { FunctionDefinition } from "../../provider/functions/definition.ts";
import type { Field, Fields, Form, Variants } from "../../provider/properties/form.ts";
import type { Output, Property } from "../../provider/properties/table.ts";
import { byState, neverDrift, typeOf } from "./tables.mts";
import { capital, changeWords, defaultOf, itemOf, kebab, kindOf, limitsOf, summary, wordsOf } from "./words.mts";

/** The inputs of a resource, with the severity of their drift, the fields of these inputs, and the outputs. */
export function referenceOf({ properties, outputs }: DriftDefinition): string {
	const inputs = Object.entries(properties);
	const fields = inputs.flatMap(([name, property]) => rowsWithin(name, property));
	return [
		"| Input | Type, default | Meaning | A change | Drift |",
		"|---|---|---|---|---|",
		...inputs.map(([name, property]) =>
			row(nameOf(name, property), typeWords(property), meaningOf(property), effectOf(property), driftOf(property)),
		),
		"",
		...(fields.length === 0 ? [] : ["| Field of an input | Type, default | Meaning |", "|---|---|---|", ...fields, ""]),
		"| Output | Type | Meaning |",
		"|---|---|---|",
		...Object.entries(outputs).flatMap(([name, output]) => outputRows(name, output)),
	].join("\n");
}

function outputRows(name: string, output: Output): string[] {
	const marks = `${output.secret ? ", secret" : ""}${output.required ? "" : ", or undefined"}`;
	const { drift } = output;
	// The page's table of statuses has the rest.
	const note = drift.startsWith(neverDrift) || drift === byState ? "" : ` ${capital(drift)}.`;
	return [row(name, `${kindOf(output)}${marks}`, `${summary(output.description)}${note}`), ...rowsWithin(name, output)];
}

/** The effect of a change. The page explains a replacement once, below its table. */
const effectOf = (property: Property): string =>
	changeWords(property)
		.replace(/^(replaces [^:]+): buys .*/, "$1")
		.replace(/^nothing at the service$/, "nothing");

/** The severity of a change made outside Pulumi; empty if there is none. */
function driftOf({ wire, severity, writeOnly, fixed }: Property): string {
	// The resource's own code compares a property that has a severity, but no name at the service.
	if (fixed || (wire === undefined && severity === undefined)) return "";
	return `${severity ?? "medium"}${writeOnly ? ", if the service reports that it has none" : ""}`;
}

/** A description with its example, if it has none of its own. */
function meaningOf(field: Field): string {
	const { description, example } = field;
	const text = summary(description);
	const hasExample = example === undefined || text.includes("such as") || wordsOf(typeOf(field)) !== undefined;
	return hasExample ? text : `${text} Example: \`${literal(example)}\`.`;
}

/** A value as a program writes it. */
const literal = (value: unknown): string =>
	JSON.stringify(value)
		.replace(/"(\w+)":/g, " $1: ")
		.replaceAll(/,(?=["{])/g, ", ")
		.replaceAll("}", " }");

/** A section for each function: its arguments and its result. */
export const functionsReference = (
	functions: Readonly<Record<string, FunctionDefinition>>,
	resources: Readonly<Record<string, { readonly drift: DriftDefinition }>>,
): string =>
	Object.entries(functions)
		.map(([name, { description, inputs, outputs }]) =>
			[
				`## ${name}`,
				"",
				description,
				"",
				"| Argument | Type, default | Meaning |",
				"|---|---|---|",
				...Object.entries(inputs).map(([key, field]) => row(nameOf(key, field), typeWords(field), meaningOf(field))),
				"",
				"| Result | Type | Meaning |",
				"|---|---|---|",
				...resultRows("", outputs.fields, resources),
			].join("\n"),
		)
		.join("\n\n");

function resultRows(
	path: string,
	fields: Fields,
	resources: Readonly<Record<string, { readonly drift: DriftDefinition }>>,
): string[] {
	const record = resourceOf(fields, resources);
	if (record !== undefined) return [row(`${path}id`, "string", summary(fields.id?.description ?? "")), record];
	return Object.entries(fields).flatMap(([key, field]) => {
		const name = `${path}${key}`;
		const owner = Object.entries(resources).find(([, { drift }]) => drift.outputs[key]?.form === field.form);
		if (owner !== undefined && field.form?.kind === "object") {
			const page = `[\`${owner[0]}\`](${kebab(owner[0])}.md#inputs-and-outputs)`;
			return [row(nameOf(name, field), `as in ${page}`, summary(field.description))];
		}
		const item = field.form?.kind === "list" ? itemOf(field).form : undefined;
		const rows = item?.kind === "object" ? resultRows(`${name}[].`, item.fields, resources) : rowsWithin(name, field);
		return [row(nameOf(name, field), typeWords(field), summary(field.description)), ...rows];
	});
}

/** A row for all fields of a resource's object, which its own page lists. */
function resourceOf(
	{ id, ...fields }: Fields,
	resources: Readonly<Record<string, { readonly drift: DriftDefinition }>>,
): string | undefined {
	const names = Object.keys(fields);
	const found = Object.entries(resources).find(([, { drift }]) => {
		const all = { ...drift.properties, ...drift.outputs };
		return id !== undefined && names.length > 3 && names.every((name) => name in all);
	});
	if (found === undefined) return undefined;
	const [type, { drift }] = found;
	const hidden = Object.keys({ ...drift.properties, ...drift.outputs }).filter((name) => !names.includes(name));
	const except = hidden.map((name) => `\`${name}\``).join(", ");
	return `| the other fields | as in [\`${type}\`](${kebab(type)}.md#inputs-and-outputs) | All inputs and outputs of a \`${type}\`, except ${except}. |`;
}

const row = (name: string, ...cells: readonly string[]): string =>
	`| ${[`\`${name}\``, ...cells.map((cell) => cell.replaceAll("|", "\\|"))].join(" | ")} |`;

const nameOf = (name: string, { required }: Field): string => (required ? name : `${name}?`);

function typeWords(field: Field): string {
	const [limits, otherwise] = [limitsOf(field), defaultOf(field)];
	return [
		`${kindOf(field)}${limits && `, ${limits}`}`,
		...(field.secret ? ["secret"] : []),
		...(otherwise === undefined ? [] : [`default ${otherwise}`]),
	].join("; ");
}

/** A row for each field of an object. */
function rowsWithin(path: string, field: Pick<Field, "type" | "form">, within?: Variants): string[] {
	const { form } = field;
	if (form?.kind === "set" || form?.kind === "list") return rowsWithin(`${path}[]`, itemOf(field), within);
	// A failover has the variants of the routing around it.
	if (form?.kind !== "object" || (form.variants !== undefined && form.variants === within)) return [];
	return Object.entries(form.fields).flatMap(([name, member]) => [
		row(nameOf(`${path}.${name}`, member), typeWords(member), `${kindsWith(name, form)}${meaningOf(member)}`),
		...rowsWithin(`${path}.${name}`, member, form.variants),
	]);
}

/** Returns the variants that have a field, as text. */
function kindsWith(name: string, { tag, variants }: Extract<Form, { kind: "object" }>): string {
	const kinds = Object.entries(variants?.of ?? {}).filter(([, fields]) => name in fields);
	return kinds.map(([kind]) => `\`${tag}: "${kind}"\`. `).join("");
}
