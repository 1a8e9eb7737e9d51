/** docs/reference/drift.md's tables, from the definitions: kind of each property, comparison, effect of a change. */

import type { DriftDefinition } from "../../provider/drift/definition.ts";
import type { Field, Form } from "../../provider/properties/form.ts";
import type { Property } from "../../provider/properties/table.ts";
import { changeWords } from "./words.mts";

const heading = "| Property | Kind | Ignored differences | Changed outside Pulumi | Changed in the program |";
const rule = "|---|---|---|---|---|";

/** One section for each resource, in Markdown. */
export const driftTables = (resources: Readonly<Record<string, { readonly drift: DriftDefinition }>>): string =>
	Object.entries(resources)
		.map(([type, { drift: definition }]) => [`### ${type}`, "", heading, rule, ...rowsOf(definition)].join("\n"))
		.join("\n\n");

function rowsOf({ properties, outputs, kept }: DriftDefinition): string[] {
	return [
		...Object.entries(properties).flatMap(([key, property]) => [
			row(key, whatItIs(property), sameness(property.form), behindTheBack(property), changeWords(property)),
			...fieldRows(key, property, property.form),
		]),
		...Object.entries(outputs).map(([key, { drift }]) => row(key, "computed", "", drift, "")),
		...(kept.includes("lease")
			? [row("lease", "computed", "", "another `reference` at the service: drift, medium", "")]
			: []),
	];
}

const row = (...cells: readonly string[]): string =>
	`| ${[`\`${cells[0]}\``, ...cells.slice(1)].map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

/** Where the resource's own code compares it, the table gives no name at the service, but says how much drift matters. */
const isOurs = ({ wire, severity }: Property): boolean => wire === undefined && severity === undefined;

function whatItIs(property: Property): string {
	const { required, default: value, writeOnly } = property;
	const kind = isOurs(property) ? "declared, read by the provider only" : writeOnly ? "write-only" : "declared";
	if (required) return `${kind}, required`;
	return value === undefined ? kind : `${kind}, default \`${JSON.stringify(value)}\``;
}

function behindTheBack(property: Property): string {
	const { fixed, writeOnly, severity = "medium" } = property;
	if (isOurs(property)) return "can't change there";
	if (writeOnly) return `drift, ${severity}, where the service says that it has none`;
	return fixed ? "never drift: fixed when it is made" : `drift, ${severity}`;
}

/** Differences that a comparison ignores, in words. */
function sameness(form: Form | undefined): string {
	switch (form?.kind) {
		case "set": {
			const items = sameness(form.item);
			return `order and repetition${items === "" ? "" : `; of each: ${items}`}`;
		}
		case "map":
			return "order of its keys";
		case "object":
			return form.tag === undefined ? "" : `compared field by field within one \`${form.tag}\``;
		case "list":
			return `${sameness(form.item) || "nothing"}; its order counts`;
		default:
			return form?.same ?? "";
	}
}

function fieldRows(path: string, property: Property, form: Form | undefined): string[] {
	if (form?.kind === "set") return fieldRows(`${path}[]`, property, form.item);
	if (form?.kind !== "object") return [];
	return Object.entries(form.fields).flatMap(([name, field]) => [
		row(
			`${path}.${name}`,
			field.writeOnly ? "write-only" : "declared",
			fieldSameness(field),
			field.writeOnly ? "never compared: the service doesn't show it" : behindTheBack(property),
			"in place",
		),
		...(name === "failover" ? [] : fieldRows(`${path}.${name}`, property, field.form)),
	]);
}

function fieldSameness({ form, serverDefault }: Field): string {
	const same = sameness(form);
	return serverDefault
		? `any value that the service chooses, if the program declares none${same && `; ${same}`}`
		: same;
}
