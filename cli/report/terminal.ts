/** Renders a report for a terminal. */
import {
	type Cell,
	type Column,
	originLine,
	printable,
	printableFile,
	type Report,
	type Section,
	type Table,
} from "./model";

export function terminalText(report: Report): string {
	const { headline, summary, origin, tables, notes, steps = [], hints = [], file } = report;
	const lines = [headline, summary, originLine(origin)].filter((line) => line !== undefined);
	const head = lines.map(printable).join("\n");
	const sentences = [...notes, ...hints].map(printable).join("\n");
	const filled = tables.filter(({ rows }) => rows.length > 0);
	const parts = [head, ...filled.map(tableText), ...steps.map(sectionText)];
	if (sentences !== "") parts.push(sentences);
	if (file !== undefined) parts.push(`${printable(file.title)}:\n\n${printableFile(file.text)}`);
	return `${parts.join("\n\n")}\n`;
}

const sectionText = ({ title, items }: Section): string =>
	[`${printable(title)}:`, ...items.map((item) => `  - ${printable(item)}`)].join("\n");

/** Each column is as wide as its widest line. */
export function tableText({ columns, rows }: Table): string {
	const grid = [
		columns.map(({ title }) => [title]),
		...rows.map((row) => row.map((cell, at) => linesOf(cell, columns[at]))),
	];
	const widestIn = (lines: readonly string[]) => lines.reduce((widest, line) => Math.max(widest, widthOf(line)), 0);
	const widths = columns.map((_, at) => widestIn(grid.flatMap((row) => row[at] ?? [])));
	return grid.flatMap((row) => rowLines(row, widths)).join("\n");
}

function linesOf(cell: Cell, column: Column | undefined): readonly string[] {
	const lines = (typeof cell === "string" ? [cell] : cell.lines).map(printable);
	const width = column?.width;
	return width === undefined ? lines : lines.flatMap((line) => wrapped(line, width));
}

function rowLines(row: readonly (readonly string[])[], widths: readonly number[]): string[] {
	const height = Math.max(...row.map((cell) => cell.length));
	return Array.from({ length: height }, (_, line) =>
		row
			.map((cell, at) => padded(cell[line] ?? "", widths[at] ?? 0))
			.join("  ")
			.trimEnd(),
	);
}

/** Characters that take two columns. */
const wide =
	/[\u{1100}-\u{115f}\u{3000}-\u{303e}\u{ff01}-\u{ff60}\u{ffe0}-\u{ffe6}\p{Emoji_Presentation}]|(?![\u{ff61}-\u{ffdc}])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const combining = /[\p{Mn}\p{Me}\u{1160}-\u{11ff}]/u;

const widthOf = (text: string): number => {
	let width = 0;
	for (const character of text) width += combining.test(character) ? 0 : wide.test(character) ? 2 : 1;
	return width;
};
const padded = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)));

/** Breaks a text at spaces into lines of at most `width` characters, and a longer word into pieces. */
function wrapped(text: string, width: number): string[] {
	const lines = [""];
	for (const word of text.split(" ").flatMap((part) => pieces(part, width))) {
		const last = lines.at(-1) ?? "";
		if (last === "") lines[lines.length - 1] = word;
		else if (widthOf(last) + 1 + widthOf(word) <= width) lines[lines.length - 1] = `${last} ${word}`;
		else lines.push(word);
	}
	return lines;
}

function pieces(word: string, width: number): string[] {
	const found = [""];
	for (const character of word) {
		const last = found.at(-1) ?? "";
		if (last !== "" && widthOf(last) + widthOf(character) > width) found.push(character);
		else found[found.length - 1] = last + character;
	}
	return found;
}
