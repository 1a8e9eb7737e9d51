/** docs/drift.md's tables, from the definitions: kind of each property, comparison, effect of a change. */

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

function whatItIs({ required, default: value, wire }: Property): string {
	const kind = wire === undefined ? "declared, read by the provider only" : "declared";
	if (required) return `${kind}, required`;
	return value === undefined ? kind : `${kind}, default \`${JSON.stringify(value)}\``;
}

function behindTheBack({ wire, fixed, severity = "medium" }: Property): string {
	if (wire === undefined) return "can't change there";
	return fixed ? "never drift: fixed by the purchase" : `drift, ${severity}`;
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
			field.writeOnly ? "never compared: its time or version shows a change" : behindTheBack(property),
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
