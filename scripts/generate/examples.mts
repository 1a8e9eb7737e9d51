/** Examples in schema.json, cut out of examples/plugin, whose programs tests run in every language. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The name of each resource in the programs. */
const names: Readonly<Record<string, string>> = {
	SipTrunk: "office",
	Number: "desk",
	NumberPool: "support",
	Webhook: "sms",
	Activation: "ready",
};

/** Each program, and an expression for a resource in it. */
const programs = [
	["typescript", "typescript/index.ts", (name: string) => `^const ${name} = [^]*?^\\}\\);$`],
	["python", "python/__main__.py", (name: string) => `^${name} = [^]*?^\\)$`],
	["go", "go/main.go", (name: string) => `^\\t\\t${name}, err := [^]*?^\\t\\t\\}\\)$`],
	["yaml", "yaml/Pulumi.yaml", (name: string) => `^  ${name}:\\n(?: {4}.*\\n?)+`],
] as const;

/** The section of a resource's description that has its example in every language; empty if there is none. */
export function examplesOf(type: string): string {
	const name = names[type];
	if (name === undefined) return "";
	const blocks = programs.map(([language, file, within]) => {
		const program = readFileSync(join(import.meta.dirname, "../../examples/plugin", file), "utf8");
		const [text] = new RegExp(within(name), "m").exec(program) ?? [];
		if (text === undefined) throw new Error(`examples/plugin/${file} has no ${name}, which is the example of ${type}.`);
		const code =
			language === "go" ? text.replaceAll(/^\t\t/gm, "") : language === "yaml" ? `resources:\n${text}` : text;
		return `\`\`\`${language}\n${code.trimEnd()}\n\`\`\`\n`;
	});
	return `\n\n{{% examples %}}\n## Example Usage\n{{% example %}}\n\n${blocks.join("")}{{% /example %}}\n{{% /examples %}}`;
}
