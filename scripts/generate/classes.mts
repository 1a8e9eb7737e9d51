/** The parts of the SDK's classes that say what the tables of properties say: types, lists, fields, docstrings. */
import type { z } from "zod";
import type { DriftDefinition } from "../../provider/drift/definition.ts";
import type { Field, Fields, Form, Named } from "../../provider/properties/form.ts";
import type { Property } from "../../provider/properties/table.ts";
import { isCountryType } from "./countries.mts";
import { typeOf } from "./tables.mts";
import {
	capital,
	changeWords,
	defaultOf,
	itemOf,
	knownWordsOf,
	limitsOf,
	paragraphs,
	summary,
	wordsOf,
} from "./words.mts";

type Value = Pick<Field, "type" | "form">;
/** As a program passes it (`plain`: not as an Input), as it gets an input back, as it gets an output. */
type Way = "passed" | "plain" | "back" | "shown";

const scalars: Readonly<Record<string, string>> = { string: "string", number: "number", boolean: "boolean" };

export function typeText(value: Value, way: Way): string {
	const { form } = value;
	switch (form?.kind) {
		case "map":
			return way === "passed" ? "Record<string, pulumi.Input<string>>" : "Record<string, string>";
		case "set":
		case "list":
			return listOf(typeText(itemOf(value), way), way);
		case "object":
			return objectText(form, way);
	}
	const isPassed = way === "passed" || way === "plain";
	if (isPassed && isFile(form)) return "string | pulumi.asset.FileAsset";
	if (isCountryType(value.type)) return isPassed ? "Country" : "string";
	if (form?.named !== undefined) return form.named.name;
	const type = typeOf(value);
	const words = literalsOf(type);
	if (words !== undefined) return words.join(" | ");
	if (type.def.type === "union")
		return (type as z.ZodUnion<readonly z.ZodType[]>).def.options
			.map((option) => typeText({ type: () => option }, way))
			.join(" | ");
	const scalar = scalars[type.def.type];
	if (scalar === undefined) throw new Error(`The SDK has no type for ${type.def.type}.`);
	return scalar;
}

/** Editors complete the known words of a choice that takes any string. */
const literalsOf = (type: z.ZodType): string[] | undefined =>
	wordsOf(type)
		?.map((word) => JSON.stringify(word))
		.concat(knownWordsOf(type) === undefined ? [] : "(string & {})");

function objectText(form: Extract<Form, { kind: "object" }>, way: Way): string {
	const name = nameOf(form)?.name;
	// A path comes back as a string, whatever the program has passed.
	const isRespelled = way === "back" && Object.values(form.fields).some((field) => isFile(field.form));
	if (name === undefined || isRespelled) return `{ ${members(form.fields, way, false)} }`;
	return way === "back" ? `pulumi.Unwrap<${name}>` : name;
}

const isFile = (form: Form | undefined): boolean => form?.kind === "scalar" && form.isFile === true;

function listOf(item: string, way: Way): string {
	if (way === "passed") return `${input(item)}[]`;
	return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
}

const input = (type: string) => `pulumi.Input<${type}>`;

/** An optional input takes an optional output of another resource, as in Pulumi's generated SDKs. */
const inputOf = ({ required, takesOptional }: Field, type: string): string =>
	input(required && !takesOptional ? type : `${type} | undefined`);

/** Returns the type name that programs use for an object. */
export const nameOf = (form: Form): Named | undefined =>
	form.kind === "object" ? (form.named ?? form.variants) : form.kind === "scalar" ? form.named : undefined;

export const members = (fields: Fields, way: Way, documented = true): string =>
	Object.entries(fields)
		.map(([name, field]) => {
			const type = typeText(field, way);
			const doc = documented ? comment(docOf(field)) : "";
			return `${doc}${name}${field.required ? "" : "?"}: ${way === "passed" ? inputOf(field, type) : type};`;
		})
		.join(documented ? "\n" : " ");

/** Everything that there is to say about a field, in paragraphs. */
export function docOf(field: Field, ...more: readonly string[]): string[] {
	const [first = "", ...rest] = paragraphs(field.description);
	const [limits, fallback] = [limitsOf(field), defaultOf(field as Property)];
	const facts = [
		first,
		...(limits === "" ? [] : [`${capital(limits)}.`]),
		...(field.form?.kind === "set" ? ["A set."] : []),
		...(field.secret ? ["A secret."] : []),
		...(fallback === undefined ? [] : [`Default: ${fallback}.`]),
		...(field.example === undefined ? [] : [`Example: \`${JSON.stringify(field.example)}\`.`]),
		...more,
	];
	return [facts.join(" "), ...rest];
}

export function inputDoc(property: Property): string[] {
	const words = changeWords(property);
	if (property.change === undefined && property.wire === undefined) return docOf(property);
	if (words.startsWith("in place")) return docOf(property, `Changes ${words}.`);
	if (words.startsWith("replaces")) return docOf(property, `A change ${words}.`);
	return docOf(property, words.startsWith("refused") ? `A change is ${words}.` : `After a change, ${words}.`);
}

const width = 112;

export function comment(text: readonly string[]): string {
	const lines = text.flatMap((paragraph, index) => [...(index === 0 ? [] : [""]), ...wrapped(paragraph)]);
	if (lines.length === 1) return `/** ${lines[0]} */\n`;
	return `/**\n${lines.map((line) => ` *${line && ` ${line}`}\n`).join("")} */\n`;
}

function wrapped(paragraph: string): string[] {
	const lines = [""];
	for (const word of paragraph.split(" ")) {
		const last = lines.length - 1;
		const line = lines[last] ? `${lines[last]} ${word}` : word;
		if (line.length <= width) lines[last] = line;
		else lines.push(word);
	}
	return lines;
}

/** The declarations of all named types in these fields, each once, in the order in which they need each other. */
export function namedTypes(fields: Fields, way: Way, seen: Set<string>): string[] {
	return Object.values(fields).flatMap((field) => typesIn(field, way, seen));
}

function typesIn(value: Value, way: Way, seen: Set<string>): string[] {
	const { form } = value;
	if (form?.kind === "set" || form?.kind === "list") return typesIn(itemOf(value), way, seen);
	if (form?.kind === "scalar" && form.named !== undefined)
		return once(form.named, seen, `= ${(literalsOf(typeOf(value)) ?? []).map((word) => `| ${word}`).join("")};`);
	if (form?.kind !== "object") return [];
	const inner = namedTypes(form.fields, way, seen);
	const { variants, named, fields, tag = "" } = form;
	if (variants === undefined) {
		if (named === undefined) return inner;
		return [...inner, ...once(named, seen, `{\n${members(fields, way)}\n}`, "interface")];
	}
	const kinds = Object.entries(variants.of).map(
		([kind, variant]) => `${comment([variantDoc(variant)])}| { ${tag}: "${kind}"; ${members(variant, way, false)} }`,
	);
	const ownNames = new Set([tag, ...Object.values(variants.of).flatMap((variant) => Object.keys(variant))]);
	const common = Object.fromEntries(Object.entries(fields).filter(([name]) => !ownNames.has(name)));
	return [
		...inner,
		...once(variants, seen, `=\n${kinds.join("\n")};`),
		...(named === undefined ? [] : once(named, seen, `= ${variants.name} & {\n${members(common, way)}\n};`)),
	];
}

/** Of one field what it is; of more, each with its name. */
const variantDoc = (fields: Fields): string => {
	const docs = Object.entries(fields).map(([name, field]) => [name, docOf(field).join(" ")] as const);
	return docs.length === 1 ? (docs[0]?.[1] ?? "") : docs.map(([name, doc]) => `\`${name}\`: ${doc}`).join(" ");
};

function once({ name, description }: Named, seen: Set<string>, body: string, word = "type"): string[] {
	if (seen.has(name)) return [];
	seen.add(name);
	return [`${comment([description])}export ${word} ${name} ${body}`];
}

/** The names of the types that the arguments need. */
export function namesIn({ properties }: DriftDefinition): Set<string> {
	const seen = new Set<string>();
	namedTypes(properties, "passed", seen);
	return seen;
}

/** The interface of the arguments, all types that it and the outputs need (but for `known` ones), and what the class registers. */
export function typesOf(
	type: string,
	handler: string,
	{ properties, outputs, kept }: DriftDefinition,
	knownTypes: ReadonlySet<string>,
): string {
	const seen = new Set(knownTypes);
	const args = Object.entries(properties).map(([name, property]) => {
		const text = `${name}${property.required ? "" : "?"}: ${inputOf(property, typeText(property, "passed"))};`;
		return comment(inputDoc(property)) + text;
	});
	const list = (names: readonly string[]) => JSON.stringify(names);
	const secret = Object.entries({ ...properties, ...outputs }).flatMap(([name, property]) =>
		property.secret ? [name] : [],
	);
	return [
		...namedTypes(properties, "passed", seen),
		`/** Properties that a program declares. */\nexport interface ${type}Args {\n${args.join("\n")}\n}`,
		...namedTypes(outputs, "shown", seen),
		`const definition: Definition = {
			handler: "${handler}",
			type: "${type}",
			inputs: ${list(Object.keys(properties))},
			outputs: ${list([...Object.keys(outputs), ...kept])},
			secretOutputs: ${list(secret)},
		};`,
	].join("\n\n");
}

/** The class's fields: inputs as they come back, then outputs. */
export function fieldsOf({ properties, outputs }: DriftDefinition): string {
	const field = (name: string, type: string, isThere: boolean) =>
		`declare readonly ${name}: pulumi.Output<${type}${isThere ? "" : " | undefined"}>;`;
	const inputs = Object.entries(properties).map(([name, property]) => {
		const { required, default: value, filled } = property;
		const isThere = required === true || filled === true || value !== undefined;
		return comment([summary(property.description)]) + field(name, typeText(property, "back"), isThere);
	});
	const outputFields = Object.entries(outputs).map(
		([name, output]) => comment(docOf(output)) + field(name, typeText(output, "shown"), output.required === true),
	);
	return [inputs.join("\n"), outputFields.join("\n")].join("\n\n");
}
