/** Finds the prose of a Markdown page: paragraphs, items of lists and cells of tables, without code. */
import type { Text } from "./rules.mts";

export function textsOfPage(content: string): Text[] {
	const found: Text[] = [];
	let isParagraph = false;
	for (const [index, line] of withoutMarkup(content).split("\n").entries()) {
		const isRow = /^\s*\|/.test(line);
		const texts = isRow
			? line
					.trim()
					.slice(1, -1)
					.split(/(?<!\\)\|/)
			: [line.replace(listMark, "")];
		const last = found.at(-1);
		if (last && isParagraph && !isRow && line.trim() !== "" && !listMark.test(line))
			found[found.length - 1] = { ...last, text: `${last.text} ${plain(line)}` };
		else found.push(...texts.map((text) => ({ kind: "page", line: index + 1, text: plain(text) }) as const));
		isParagraph = !isRow && line.trim() !== "";
	}
	return found.filter(({ text }) => /[a-z]/i.test(text));
}

const listMark = /^\s*(?:[-*>]|\d+\.)\s+/;

/** Blanks front matter, comments, code, headings and HTML, and keeps the count of lines. */
const withoutMarkup = (content: string): string =>
	content.replaceAll(
		/^---\n[\s\S]*?\n---$|<!--[\s\S]*?-->|^[ \t]*(`{3,})[\s\S]*?^[ \t]*\1|^[ \t]*(#|<|\[!\[).*$/gm,
		(text) => text.replaceAll(/[^\n]/g, ""),
	);

/** Keeps the text of a link, and drops its address. */
const plain = (text: string): string =>
	text
		.trim()
		.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
		.replaceAll(/<br>/g, ". ")
		.replaceAll("**", "");
