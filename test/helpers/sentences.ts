/** Every sentence in our code that a person may read, as it stands there: `{name}` where a value goes, `{…}` for more. */
import ts from "typescript";
import { files, read } from "./repository";

/** What `pulumi`, `telephony` and the emulator's API say. The console is HTML: it is read in a browser. */
const roots = /^(provider\/|cli\/|sdk\/[\w-]+\.ts|emulator\/(?!console\/)|node-version\.ts)/;

export function sentencesOfCode(): string {
	return files
		.filter((file) => roots.test(file))
		.map((file) => ({ file, sentences: [...new Set(sentencesOf(file, read(file)))] }))
		.filter(({ sentences }) => sentences.length > 0)
		.map(({ file, sentences }) => `# ${file}\n${sentences.map((each) => `  ${each}\n`).join("")}`)
		.join("\n");
}

function sentencesOf(file: string, code: string): string[] {
	const found: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
		if (ts.isStringLiteralLike(node)) add(node.text);
		else if (ts.isTemplateExpression(node)) add(textOf(node));
		ts.forEachChild(node, visit);
	};
	const add = (text: string) => {
		if (isSentence(text)) found.push(text.trim().replaceAll("\n", "\\n").replaceAll("\t", "\\t"));
	};
	visit(ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true));
	return found;
}

const textOf = ({ head, templateSpans }: ts.TemplateExpression): string =>
	head.text + templateSpans.map(({ expression, literal }) => `{${nameOf(expression)}}${literal.text}`).join("");

/** What stands in for a value: its name where it has one. */
function nameOf(expression: ts.Expression): string {
	if (ts.isIdentifier(expression)) return expression.text;
	if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
	if (ts.isCallExpression(expression) && ts.isIdentifier(expression.expression)) return expression.expression.text;
	return "…";
}

/** By shape: at least two words, and no markup, style or code. */
const isSentence = (text: string): boolean =>
	/[a-z]{2,}.* .*[a-z]{2,}/i.test(text.replaceAll(/\{[^}]*\}/g, "")) && !/^(flowchart|\s*classDef) |=> /.test(text);
