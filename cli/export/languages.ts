/** Writes a program in YAML and in TypeScript, and the file that imports its resources. */
import type { Values } from "../../provider/properties/table";
import { nounOf } from "../account/account";
import { UsageError } from "../report/usage";
import { yamlOf } from "../report/yaml";
import { type Declared, type Program, Reference } from "./program";

/** Returns the file for `pulumi import --file`. */
export function importFile({ resources, groups }: Program): string {
	const components = groups.map((name) => ({ type: componentType(name), name, component: true }));
	const imported = resources.map(({ type, name, id, group }) => ({
		type: `telephony:index:${type}`,
		name,
		id,
		...(group && { parent: group }),
	}));
	return `${JSON.stringify({ resources: [...components, ...imported] }, null, 2)}\n`;
}

export const pascal = (group: string): string => group.charAt(0).toUpperCase() + group.slice(1);
export const componentType = (group: string): string => `exported:index:${pascal(group)}`;

/** Returns `Pulumi.yaml`. */
export const projectFile = (name: string, runtime: string, more: object = {}): string =>
	yamlOf({
		name,
		runtime,
		plugins: { providers: [{ name: "telephony", path: "node_modules/pulumi-telephony/bin" }] },
		...more,
	});

/** Returns the notes of a program as its first lines. */
export const comments = (sign: string, notes: readonly string[]): string =>
	notes.map((note) => `${sign} ${note}\n`).join("");

/** Pulumi reads `$$` as `$`, and `${` as the start of an expression. */
const literal = (text: string): string => text.split("$").join("$$");

/** Returns files by their names. @throws UsageError for a value that YAML can't express */
export function yamlFiles(name: string, { resources, notes }: Program): Record<string, string> {
	const value = (each: unknown): unknown => {
		if (each instanceof Reference) return `\${${each.name}.id}`;
		if (typeof each === "string") return literal(each);
		if (Array.isArray(each)) return each.map(value);
		if (typeof each !== "object" || each === null) return each;
		return Object.fromEntries(Object.entries(each).map(([key, item]) => [literal(key), value(item)]));
	};
	for (const each of resources) assertKeys(each);
	const all = Object.fromEntries(
		resources.map(({ type, name, inputs }) => [name, { type: `telephony:${type}`, properties: value(inputs) }]),
	);
	const project = projectFile(name, "yaml", resources.length > 0 ? { resources: all } : {});
	return { "Pulumi.yaml": comments("#", notes) + project };
}

/** Keys that Pulumi's YAML has no escape for, with what it reads them as. */
const misreadKeys = [
	[/^fn::/i, "a function call"],
	[/^<<$/, "a merge of maps"],
] as const;

/** @throws UsageError for a key that Pulumi's YAML doesn't read as text */
function assertKeys({ type, id, inputs }: Declared): void {
	for (const key of Object.keys((inputs.metadata ?? {}) as Values)) {
		const [, meaning] = misreadKeys.find(([pattern]) => pattern.test(key)) ?? [];
		if (meaning !== undefined)
			throw new UsageError(
				"usage",
				`the ${nounOf(type)} ${id} has the metadata key ${JSON.stringify(key)}, which Pulumi's YAML reads as ${meaning}. Choose another --language, or leave the object out with --filter.`,
			);
	}
}

/** Returns files by their names. The program uses the plugin's classes. */
export function typescriptFiles(name: string, { resources, groups, notes }: Program): Record<string, string> {
	const value = (each: unknown, indent: string): string => {
		if (each instanceof Reference) return `${each.name}.id`;
		if (Array.isArray(each)) return `[${each.map((item) => value(item, indent)).join(", ")}]`;
		if (typeof each !== "object" || each === null) return JSON.stringify(each);
		const deeper = `${indent}\t`;
		const lines = Object.entries(each).map(([key, item]) => `${deeper}${keyOf(key)}: ${value(item, deeper)},\n`);
		return `{\n${lines.join("")}${indent}}`;
	};
	// A key __proto__ sets the prototype, unless it is computed.
	const keyOf = (key: string) =>
		/^[a-z]\w*$/i.test(key) ? key : key === "__proto__" ? '["__proto__"]' : JSON.stringify(key);
	const created = ({ type, name, inputs }: Declared, indent: string, options = "") =>
		`new telephony.${type}("${name}", ${value(inputs, indent)}${options});\n`;
	const single = resources.filter(({ group }) => group === undefined);
	const component = (group: string) => {
		const members = resources.filter((each) => each.group === group);
		return [
			`class ${pascal(group)} extends pulumi.ComponentResource {\n`,
			"\tconstructor(name: string, options?: pulumi.ComponentResourceOptions) {\n",
			`\t\tsuper("${componentType(group)}", name, {}, options);\n`,
			...members.map((each) => `\t\t${created(each, "\t\t", ", { parent: this }")}`),
			"\t\tthis.registerOutputs();\n\t}\n}\n\n",
			`new ${pascal(group)}("${group}");\n`,
		].join("");
	};
	const imports = [
		comments("//", notes),
		...(groups.length > 0 ? ['import * as pulumi from "@pulumi/pulumi";\n'] : []),
		'import * as telephony from "pulumi-telephony/plugin";\n',
	].join("");
	return {
		"Pulumi.yaml": projectFile(name, "nodejs"),
		"index.ts": [
			imports,
			...single.map((each) => `const ${each.name} = ${created(each, "")}`),
			...groups.map(component),
		].join("\n"),
	};
}
