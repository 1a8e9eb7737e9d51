/** Writes a program in YAML and in TypeScript, and the file that imports its resources. */
import type { Values } from "../../provider/properties/table";
import { nounOf } from "../account/account";
import { UsageError } from "../report/usage";
import { yamlOf } from "../report/yaml";
import { type Declared, type Program, Reference } from "./program";

/** Returns the file for `pulumi import --file`. */
export function importFile({ resources }: Program): string {
	const imported = resources.map(({ type, name, id }) => ({ type: `telephony:index:${type}`, name, id }));
	return `${JSON.stringify({ resources: imported }, null, 2)}\n`;
}

/** Returns `Pulumi.yaml` of a program that uses the plugin. */
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
	const escaped = (value: unknown): unknown => {
		if (value instanceof Reference) return `\${${value.name}.id}`;
		if (typeof value === "string") return literal(value);
		if (Array.isArray(value)) return value.map(escaped);
		if (typeof value !== "object" || value === null) return value;
		return Object.fromEntries(Object.entries(value).map(([key, item]) => [literal(key), escaped(item)]));
	};
	for (const declared of resources) assertKeys(declared, lostInYaml);
	const all = Object.fromEntries(
		resources.map(({ type, name, inputs }) => [name, { type: `telephony:${type}`, properties: escaped(inputs) }]),
	);
	const project = projectFile(name, "yaml", resources.length > 0 ? { resources: all } : {});
	return { "Pulumi.yaml": comments("#", notes) + project };
}

/** Keys of metadata that no program can pass on, with the reason. */
type LostKeys = readonly (readonly [key: RegExp, reason: string])[];

const lostInYaml: LostKeys = [
	[/^fn::/i, "Pulumi's YAML reads as a function call"],
	[/^<<$/, "Pulumi's YAML reads as a merge of maps"],
];

const lostInNode: LostKeys = [[/^(toString|__proto__)$/, "Pulumi's SDK for Node.js doesn't pass on"]];

/** @throws UsageError for a key that the language loses */
function assertKeys({ type, id, inputs }: Declared, lost: LostKeys): void {
	for (const key of Object.keys((inputs.metadata ?? {}) as Values)) {
		const [, reason] = lost.find(([pattern]) => pattern.test(key)) ?? [];
		if (reason !== undefined)
			throw new UsageError(
				"usage",
				`the ${nounOf(type)} ${id} has the metadata key ${JSON.stringify(key)}, which ${reason}. Choose another --language, or leave the object out with --filter.`,
			);
	}
}

const keyOf = (key: string): string => (/^[a-z]\w*$/i.test(key) ? key : JSON.stringify(key));

/** Returns files by their names. @throws UsageError for a key that the SDK loses */
export function typescriptFiles(name: string, { provider, resources, notes }: Program): Record<string, string> {
	for (const declared of resources) assertKeys(declared, lostInNode);
	const textOf = (value: unknown, indent: string): string => {
		if (value instanceof Reference) return `${value.name}.id`;
		if (Array.isArray(value)) return `[${value.map((item) => textOf(item, indent)).join(", ")}]`;
		if (typeof value !== "object" || value === null) return JSON.stringify(value);
		const deeper = `${indent}\t`;
		const lines = Object.entries(value).map(([key, item]) => `${deeper}${keyOf(key)}: ${textOf(item, deeper)},\n`);
		return `{\n${lines.join("")}${indent}}`;
	};
	const created = ({ type, name, inputs }: Declared) =>
		`const ${name} = new telephony.${type}("${name}", ${textOf(inputs, "")});\n`;
	const entry = provider === "plugin" ? "pulumi-telephony/plugin" : "pulumi-telephony";
	const imports = `${comments("//", notes)}import * as telephony from "${entry}";\n`;
	// Without `main`, the engine runs the program of a package.json in a parent folder, which may buy numbers.
	const main = { main: "index.ts" };
	return {
		"Pulumi.yaml":
			provider === "plugin" ? projectFile(name, "nodejs", main) : yamlOf({ name, runtime: "nodejs", ...main }),
		"index.ts": [imports, ...resources.map(created)].join("\n"),
	};
}
