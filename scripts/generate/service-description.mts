/** docs/reference/service-description.md: the keys of the grammar, and the names that a description may use. */
import type { z } from "zod";
import { forms, type KeyText, type Section, sections } from "./description-texts.mts";
import { descriptionSchema, fieldsOf, operations, recordNames, recordOf } from "./tables.mts";

/** Stands for the names of a map, by the map's path. */
const names: Readonly<Record<string, string>> = {
	operations: "NAME",
	records: "RECORD",
	"records.RECORD": "FIELD",
	envelopes: "RECORD",
	send: "NAME",
};

const unwrapped = (type: z.ZodType): z.ZodType =>
	type.def.type === "optional" ? unwrapped((type as z.ZodOptional<z.ZodType>).unwrap()) : type;

const optionsOf = (type: z.ZodType): readonly z.ZodType[] =>
	type.def.type === "union" ? (type as z.ZodUnion<readonly z.ZodType[]>).def.options : [type];

const inside = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

/** The paths of the grammar's keys. A request inside an object is a value of the object's own key. */
function* keysIn(given: z.ZodType, path = ""): Generator<string> {
	const type = unwrapped(given);
	const placeholder = names[path];
	if (placeholder !== undefined) {
		yield* keysIn((type as z.ZodRecord).def.valueType as z.ZodType, inside(path, placeholder));
		return;
	}
	const isGroup = type.def.type === "object";
	if (!isGroup) yield path;
	for (const [name, field] of optionsOf(type).flatMap(fieldsOfObject))
		if (isGroup || name !== "request") yield* keysIn(field, inside(path, name));
}

const fieldsOfObject = (type: z.ZodType): readonly (readonly [name: string, field: z.ZodType])[] =>
	type.def.type === "object" ? Object.entries((type as z.ZodObject<Record<string, z.ZodType>>).shape) : [];

const paths = new Set(keysIn(descriptionSchema()));

function row(path: string, { prefix }: Section, { meaning, otherwise, example }: KeyText): string {
	if (!paths.has(path)) throw new Error(`${path} has a text, but a service description has no such key.`);
	const name = prefix !== "" && path !== prefix ? path.slice(prefix.length + 1) : path;
	const text = otherwise === undefined ? meaning : `${meaning} Default: ${otherwise}.`;
	const cells = [`\`${name}\``, text, `\`${example}\``];
	return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function sectionText(section: Section): string {
	const { heading, intro, keys } = section;
	return [
		`## ${heading}`,
		intro,
		[
			"| Key | Meaning | Example |",
			"|---|---|---|",
			...Object.entries(keys).map(([path, text]) => row(path, section, text)),
		].join("\n"),
	].join("\n\n");
}

/** The keys, a section for each part. */
export function descriptionKeys(): string {
	const described = new Set(sections.flatMap(({ keys }) => Object.keys(keys)));
	const lacking = [...paths].filter((path) => !described.has(path));
	if (lacking.length > 0)
		throw new Error(`No text for ${lacking.join(", ")}: write it in scripts/generate/description-texts.mts.`);
	return sections.map(sectionText).join("\n\n");
}

interface Tree {
	[name: string]: Tree;
}

/** `price.{{setup,monthly}.{amount,currency}}`. A failover has the fields of the route around it, so they aren't repeated. */
function fieldTexts(tree: Tree): string[] {
	const texts = new Map<string, string[]>();
	for (const [name, inner] of Object.entries(tree)) {
		const parts = name === "failover" ? [] : fieldTexts(inner);
		const rest = parts.length > 0 ? `.{${parts.join(",")}}` : "";
		texts.set(rest, [...(texts.get(rest) ?? []), name]);
	}
	return [...texts].flatMap(([rest, group]) => {
		if (rest === "") return group;
		return [group.length === 1 ? `${group[0]}${rest}` : `{${group.join(",")}}${rest}`];
	});
}

function fieldsText(record: string): string {
	const tree: Tree = {};
	for (const path of fieldsOf(record).keys()) {
		let branch = tree;
		for (const name of path.split(".")) {
			branch[name] ??= {};
			branch = branch[name];
		}
	}
	return fieldTexts(tree)
		.map((text) => `\`${text}\``)
		.join(", ");
}

type Operations = readonly (readonly [name: string, operation: { readonly method: string; readonly path: string }])[];

const requests = Object.entries(operations) as Operations;
const rootOf = (path: string) => path.replace(/\/\{id\}.*$/, "");

/** An operation without a record in its response belongs to the record whose requests have its path. */
function ownerOf(name: string, path: string): string | undefined {
	const hasPath = (record: string) =>
		requests.some((entry) => recordOf(entry[0] as never) === record && entry[1].path.includes(rootOf(path)));
	return recordOf(name as never) ?? recordNames.find(hasPath);
}

/** The path of a record, below which its operations have their usual requests. */
function pathOfRecord(record: string): string {
	const [, request] =
		requests.find(([name, { path }]) => recordOf(name as never) === record && isUsual(name, path)) ?? [];
	return request === undefined ? "–" : `\`${rootOf(request.path)}\``;
}

/** A list has the path alone, a change the method PATCH, and so on. Only other requests are written out. */
const isUsual = (name: string, path: string): boolean =>
	/^(list|get|patch|delete|create)/.test(name) && /^\/[\w/]+(\/\{id\})?$/.test(path);

const operationsText = (record: string): string =>
	requests
		.filter(([name, { path }]) => ownerOf(name, path) === record)
		.map(([name, { method, path }]) => (isUsual(name, path) ? `\`${name}\`` : `\`${name}\` (${method} ${path})`))
		.join(", ");

/** The records that resources and commands use. The client uses others too. */
const ofResources = recordNames.filter(
	(record) => !["call", "delivery", "invoice", "message", "recording"].includes(record),
);

/** These records with their operations and fields. */
export const descriptionNames = (): string =>
	[
		"| Record | Path | Operations | Fields |",
		"|---|---|---|---|",
		...ofResources.map(
			(record) => `| \`${record}\` | ${pathOfRecord(record)} | ${operationsText(record)} | ${fieldsText(record)} |`,
		),
	].join("\n");

export const descriptionForms = (): string =>
	[
		"| Form | Field | Value at the service |",
		"|---|---|---|",
		...Object.entries(forms).map(([form, [field, value]]) => `| \`${form}\` | ${field} | \`${value}\` |`),
	].join("\n");
