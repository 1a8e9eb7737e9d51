/** Finds everything in TypeScript that a person reads: comments, sentences, test titles and declared names. */
import ts from "typescript";

export interface Text {
	/** `message` is the text of an error or a warning; `string` is any other sentence in code. */
	readonly kind: "comment" | "message" | "string" | "title" | "name";
	readonly line: number;
	readonly text: string;
}

/** Returns the texts of a file. `{name}` stands for a value in a string. */
export function textsOfCode(file: string, content: string): Text[] {
	const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true);
	const found = commentsOf(source);
	const add = (kind: Text["kind"], node: ts.Node, text: string) =>
		found.push({ kind, line: lineAt(source, node.getStart()), text });
	const visit = (node: ts.Node): void => {
		if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
		const name = declaredNameOf(node);
		if (name) add("name", name, name.text);
		const text = textOf(node);
		const kind = kindOf(node);
		if (text !== undefined && (kind === "title" || isSentence(text))) add(kind, node, text);
		ts.forEachChild(node, visit);
	};
	visit(source);
	return found;
}

/** Returns the kind of a string, which its call decides. */
function kindOf(node: ts.Node): "message" | "title" | "string" {
	const call = node.parent;
	if (!call || !(ts.isCallExpression(call) || ts.isNewExpression(call))) return "string";
	if (node === messageOf(call)) return "message";
	return node === call.arguments?.[0] && isTest(call) ? "title" : "string";
}

/** Returns the comments, with line comments that follow each other as one. */
function commentsOf(source: ts.SourceFile): Text[] {
	const ranges = new Map<number, ts.CommentRange>();
	const visit = (node: ts.Node): void => {
		if (ts.isJSDoc(node)) return;
		for (const range of [
			...(ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? []),
			...(ts.getTrailingCommentRanges(source.text, node.getEnd()) ?? []),
		])
			ranges.set(range.pos, range);
		for (const child of node.getChildren(source)) visit(child);
	};
	visit(source);

	const comments: (Text & { end: number; isLine: boolean })[] = [];
	for (const { pos, end, kind } of [...ranges.values()].sort((a, b) => a.pos - b.pos)) {
		const isLine = kind === ts.SyntaxKind.SingleLineCommentTrivia;
		const text = withoutMarks(source.text.slice(pos, end));
		if (/^(biome-ignore|@ts-|#!|<reference)/.test(text)) continue;
		const last = comments.at(-1);
		if (isLine && last?.isLine && /^\s*$/.test(source.text.slice(last.end, pos)))
			comments[comments.length - 1] = { ...last, end, text: `${last.text}\n${text}` };
		else comments.push({ kind: "comment", line: lineAt(source, pos), text, end, isLine });
	}
	return comments.map(({ kind, line, text }) => ({ kind, line, text }));
}

const withoutMarks = (comment: string): string =>
	comment
		.replace(/^\/\*+|\*+\/$|^\/\/+/g, "")
		.replaceAll(/\n[ \t]*\*?/g, "\n")
		.replace(/@example[\s\S]*/, "")
		.trim();

/** The argument that holds the text, for each call that makes an error or a warning. */
const messageArguments: Readonly<Record<string, number>> = { TelephonyError: 1, configError: 0, coded: 0, warn: 2 };

function messageOf({ expression, arguments: given }: ts.CallExpression | ts.NewExpression): ts.Expression | undefined {
	const callee = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
	const place = ts.isIdentifier(callee) ? messageArguments[callee.text] : undefined;
	return place === undefined ? undefined : given?.[place];
}

/** True for `test(…)`, `test.skip(…)`, `describe.each(…)(…)` and the like. */
function isTest({ expression }: ts.CallExpression | ts.NewExpression): boolean {
	let callee: ts.Node = expression;
	while (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) callee = callee.expression;
	return ts.isIdentifier(callee) && ["test", "it", "describe"].includes(callee.text);
}

/** Returns the name that a declaration of a value, a function or a field chooses. */
function declaredNameOf(node: ts.Node): ts.Identifier | undefined {
	const isDeclaration =
		ts.isVariableDeclaration(node) ||
		ts.isParameter(node) ||
		ts.isBindingElement(node) ||
		ts.isFunctionDeclaration(node) ||
		ts.isMethodDeclaration(node) ||
		ts.isMethodSignature(node) ||
		ts.isPropertyDeclaration(node) ||
		ts.isPropertySignature(node);
	return isDeclaration && node.name && ts.isIdentifier(node.name) ? node.name : undefined;
}

function textOf(node: ts.Node): string | undefined {
	if (ts.isStringLiteralLike(node)) return node.text;
	if (!ts.isTemplateExpression(node)) return undefined;
	const rest = node.templateSpans.map(({ expression, literal }) => `{${valueName(expression)}}${literal.text}`);
	return node.head.text + rest.join("");
}

function valueName(expression: ts.Expression): string {
	if (ts.isIdentifier(expression)) return expression.text;
	if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
	if (ts.isCallExpression(expression) && ts.isIdentifier(expression.expression)) return expression.expression.text;
	return "…";
}

/** True for two words or more that aren't markup, style, code or a list of codes. */
const isSentence = (text: string): boolean =>
	/[a-z]{2,}.* .*[a-z]{2,}/i.test(text.replaceAll(/\{[^}]*\}/g, "")) &&
	!/^(flowchart|\s*classDef) |=> |<!doctype|<style|<table|; \}/.test(text) &&
	(text.length < 300 || /[.,:]/.test(text));

const lineAt = (source: ts.SourceFile, position: number): number =>
	source.getLineAndCharacterOfPosition(position).line + 1;
