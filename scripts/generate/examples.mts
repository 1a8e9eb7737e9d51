/** Examples, cut out of programs that tests run in every language: for schema.json, docs/reference and the registry. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Place {
	/** Program of examples/. */
	readonly example: string;
	/** Variables of its statements, in their order; the last one is the subject. */
	readonly names: readonly string[];
}

interface Language {
	readonly name: string;
	readonly file: string;
	/** Expressions for a statement: the last line of all but the shortest is indented as the first. */
	readonly within: (name: string) => string;
	/** The text before the statements of a program. */
	readonly head?: string;
}

const script = (name: string) => `^const ${name} = (?:.*\\);$|[^]*?^\\}\\);$)`;

const languages: Readonly<Record<string, Language>> = {
	typescript: {
		name: "TypeScript",
		file: "typescript/index.ts",
		within: script,
		head: 'import * as telephony from "pulumi-telephony";\n\n',
	},
	javascript: {
		name: "JavaScript",
		file: "javascript/index.js",
		within: script,
		head: 'const telephony = require("pulumi-telephony");\n\n',
	},
	python: {
		name: "Python",
		file: "python/__main__.py",
		within: (name) => `^${name} = (?:.*\\)$|[^]*?^\\)$)`,
		head: "import pulumi_telephony as telephony\n\n",
	},
	go: { name: "Go", file: "go/main.go", within: (name) => `^\\t\\t${name}(?:, err)? := [^]*?^\\t\\t\\}?\\)$` },
	yaml: { name: "YAML", file: "yaml/Pulumi.yaml", within: (name) => `^  ${name}:\\n(?: {4}.*\\n?)+` },
};

const programOf = (example: string, file: string): string =>
	readFileSync(join(import.meta.dirname, "../../examples", example, file), "utf8");

/** Returns the statement of a program that creates `name`. */
function cut(example: string, language: string, name: string, more = ""): string {
	const { file = "", within } = languages[language] ?? {};
	const [text] = new RegExp(`${within?.(name)}${more}`, "m").exec(programOf(example, file)) ?? [];
	if (text === undefined) throw new Error(`examples/${example}/${file} has no ${name}, which an example needs.`);
	return language === "go" ? text.replaceAll(/^\t\t/gm, "") : text;
}

/** Returns the first program that creates a resource of the type, or calls functions, with the statements it refers to. */
function placeOf(type: string): Place | undefined {
	const expression = type === "functions" ? "telephony\\.get\\w+\\(" : `new telephony\\.${type}\\(`;
	for (const example of ["plugin", "reference"]) {
		const program = programOf(example, "typescript/index.ts");
		const variables = [...program.matchAll(/^const (\w+) = /gm)].map(([, name = ""]) => name);
		const subjects = variables.filter((name) => new RegExp(`^const ${name} = ${expression}`, "m").test(program));
		const needed = new Set<string>();
		const need = (name: string) => {
			needed.add(name);
			const statement = cut(example, "typescript", name);
			for (const variable of variables)
				if (!needed.has(variable) && new RegExp(`\\b${variable}\\.`).test(statement)) need(variable);
		};
		(type === "functions" ? subjects : subjects.slice(0, 1)).forEach(need);
		if (needed.size > 0) return { example, names: variables.filter((name) => needed.has(name)) };
	}
	return undefined;
}

const inSchema = ["SipTrunk", "Number", "NumberPool", "Webhook", "Activation"];

/** The section of a resource's description in schema.json that has its example; empty if there is none. */
export function examplesOf(type: string): string {
	const { example, names } = placeOf(type) ?? {};
	const name = names?.at(-1);
	if (!inSchema.includes(type) || example === undefined || name === undefined) return "";
	const blocks = ["typescript", "python", "go", "yaml"].map((language) => {
		const text = cut(example, language, name);
		const code = language === "yaml" ? `resources:\n${text}` : text;
		return `\`\`\`${language}\n${code.trimEnd()}\n\`\`\`\n`;
	});
	return `\n\n{{% examples %}}\n## Example Usage\n{{% example %}}\n\n${blocks.join("")}{{% /example %}}\n{{% /examples %}}`;
}

/** The example of a resource, or of the functions, in every language: its fence's language, its name, and the code. */
export function programsOf(type: string): readonly { language: string; name: string; code: string }[] {
	const { example, names } = placeOf(type) ?? { example: "", names: [] };
	const handled = "(?:\\n\\t\\tif err != nil \\{\\n\\t\\t\\treturn err\\n\\t\\t\\})?";
	return Object.entries(languages).map(([language, { name, head = "" }]) => {
		const texts = names.map((name) => cut(example, language, name, language === "go" ? handled : ""));
		const isYaml = language === "yaml";
		const section = type === "functions" ? "variables:\n" : "resources:\n";
		const code = `${isYaml ? section : head}${texts.map((text) => text.trimEnd()).join(isYaml ? "\n" : "\n\n")}`;
		return { language, name, code };
	});
}

const fences: Readonly<Record<string, string>> = { typescript: "ts", javascript: "js" };

/** True if a program of examples/ has the resource. */
export const hasExample = (type: string): boolean => placeOf(type) !== undefined;

/** Returns the programs as fences that follow each other. The site turns them into tabs. */
export const tabsOf = (type: string): string =>
	programsOf(type)
		.map(({ language, name, code }) => `\n\`\`\`${fences[language] ?? language} tab="${name}"\n${code}\n\`\`\`\n`)
		.join("");
