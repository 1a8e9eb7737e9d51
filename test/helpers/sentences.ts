/** Every sentence in our code that a person may read, as it stands there: `{name}` where a value goes, `{…}` for more. */
import ts from "typescript";
import { files, read } from "./repository";

export interface Sentence {
	readonly file: string;
	readonly text: string;
	/** It is all that an error or a warning says, but for its code. */
	readonly isMessage: boolean;
}

/** What `pulumi`, `telephony` and the emulator's API say. The console is HTML: it is read in a browser. */
const roots = /^(provider\/|cli\/|sdk\/[\w-]+\.ts|emulator\/(?!console\/)|node-version\.ts)/;

export const sentencesOfCode = (): Sentence[] => files.filter((file) => roots.test(file)).flatMap(sentencesOf);

function sentencesOf(file: string): Sentence[] {
	const found: Sentence[] = [];
	const messages = new Set<ts.Node>();
	const visit = (node: ts.Node): void => {
		if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
		if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
			const text = messageIn(node);
			if (text !== undefined) messages.add(text);
		}
		if (ts.isStringLiteralLike(node)) add(node, node.text);
		else if (ts.isTemplateExpression(node)) add(node, textOf(node));
		ts.forEachChild(node, visit);
	};
	const add = (node: ts.Node, raw: string) => {
		const text = raw.trim().replaceAll("\n", "\\n").replaceAll("\t", "\\t");
		if (isSentence(raw)) found.push({ file, text, isMessage: messages.has(node) });
	};
	visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true));
	return found;
}

/** The text that a call makes an error or a warning of: the nth argument. */
const saying: Readonly<Record<string, number>> = { TelephonyError: 1, coded: 0, warn: 2 };

function messageIn({ expression, arguments: given }: ts.CallExpression | ts.NewExpression): ts.Expression | undefined {
	const called = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
	const place = ts.isIdentifier(called) ? saying[called.text] : undefined;
	return place === undefined ? undefined : given?.[place];
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
