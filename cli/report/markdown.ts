/** Renders a report as Markdown, for a comment, an issue or a job's summary. */
import { capitalized } from "../../provider/properties/display";
import { type Cell, originLine, printable, printableFile, type Report, type Section, type Table } from "./model";

/** In characters: a comment on GitHub takes 65,536. */
const maxLength = 59_000;

/** A part of the report: items that don't fit are counted. */
interface Block {
	readonly before: string;
	readonly items: readonly string[];
	/** Part of the remaining room. */
	readonly share: number;
}

/** Returns less than 60,000 characters. The JSON report has the rest. */
export function markdownText(report: Report): string {
	const { headline, summary, origin, tables, notes, steps = [], details = [], file } = report;
	const lines = [headline, summary, originLine(origin)].filter((line) => line !== undefined);
	const head = lines.map((line) => `${escaped(line)}\n`).join("\n");
	const sections = [...steps, ...details];
	const blocks: Block[] = [
		// The details follow the tables, so these leave room for them.
		...tables.map((table) => ({ ...tableBlock(table), share: 0.5 })),
		{ before: "\n", items: notes.map((note) => `- ${escaped(note)}\n`), share: 1 },
		{ before: "", items: sections.map(sectionText), share: 1 },
	];
	if (file !== undefined)
		blocks.push({ before: `\n### ${escaped(file.title)}\n\n`, items: [yamlBlock(file.text)], share: 1 });
	let text = head;
	let omitted = 0;
	for (const { before, items, share } of blocks.filter((block) => block.items.length > 0)) {
		const fitting = firstItems(items, (maxLength - text.length) * share);
		omitted += items.length - fitting.length;
		if (fitting.length > 0) text += before + fitting.join("");
	}
	return omitted === 0 ? text : `${text}\n${omitted} more are in the JSON report.\n`;
}

function firstItems(items: readonly string[], room: number): readonly string[] {
	let used = 0;
	return items.filter((item) => {
		used += item.length;
		return used <= room;
	});
}

function tableBlock({ columns, rows }: Table): Pick<Block, "before" | "items"> {
	const isShown = (_: unknown, at: number) => columns[at]?.isTerminalOnly !== true;
	const headings = columns.filter(isShown);
	const rule = headings.map(({ isAmount }) => (isAmount ? "--:" : "---")).join("|");
	return {
		before: `\n${rowText(headings.map(({ title }) => capitalized(title)))}|${rule}|\n`,
		items: rows.map((row) => rowText(row.filter(isShown).map(cellText))),
	};
}

const rowText = (cells: readonly string[]): string => `| ${cells.map(inCell).join(" | ")} |\n`;
const cellText = (cell: Cell): string => (typeof cell === "string" ? escaped(narrow(cell)) : cell.markdown);
const sectionText = ({ title, subtitle, items }: Section): string =>
	[
		`\n### ${escaped(title)}\n`,
		...(subtitle === undefined ? [] : [`\n${escaped(subtitle)}\n`]),
		"\n",
		...items.map((item) => `- ${escaped(capitalized(item))}\n`),
	].join("");

/** A cell breaks only at spaces: a longer word would push the table off the page. */
const widestWord = 32;

/** Shortens long words, which the details and the JSON report show in full. */
export const narrow = (text: string): string =>
	text.replace(/\S+/g, (word) => {
		const characters = [...word];
		return characters.length > widestWord ? `${characters.slice(0, widestWord - 1).join("")}…` : word;
	});

/** A bar after an odd number of backslashes doesn't separate cells. */
const inCell = (text: string): string =>
	text.replace(/\\*\|/g, (bar) => (bar.length % 2 === 0 ? `\\\\${bar}` : `\\${bar}`));

/** Returns backticks that are longer than any run of them in the text. */
const fenceFor = (text: string, least: number): string =>
	"`".repeat(Math.max(least - 1, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) + 1);

function yamlBlock(text: string): string {
	const fence = fenceFor(text, 3);
	return `${fence}yaml\n${printableFile(text)}\n${fence}\n`;
}

/** Returns a code span. */
export function code(text: string): string {
	// Two backticks with nothing between them are not a code span.
	const plain = printable(text) || " ";
	const fence = fenceFor(plain, 1);
	const pad = plain.startsWith("`") || plain.endsWith("`") ? " " : "";
	return `${fence}${pad}${plain}${pad}${fence}`;
}

/**
 * A code span, a word that a forge turns into a mention or a link, or a character with a meaning in Markdown. An
 * underscore inside a word has none.
 */
const marks =
	/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|(\S*(?:@|#\w|:\/\/|www\.)\S*)|[\\`*[\]<>#~&]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/giu;

/** Keeps code spans and removes the meaning of everything else: the text mentions nobody and has no markup. */
export const escaped = (text: string): string =>
	printable(text).replace(marks, (mark, fence?: string, word?: string, at = 0, whole = "") => {
		if (fence !== undefined) return mark;
		if (word === undefined) return `&#${mark.charCodeAt(0)};`;
		// A forge makes a mention of an entity, but not of code. Two fences that touch would be one.
		return `${whole[at - 1] === "`" ? " " : ""}${code(word)}`;
	});
