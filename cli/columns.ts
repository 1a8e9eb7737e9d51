/** Tables for a terminal. */

/** @param rows of cells, each of one or more lines; a column is as wide as its widest line */
export function columns(rows: readonly (readonly (readonly string[])[])[]): string {
	const widths = (rows[0] ?? []).map((_, column) =>
		Math.max(...rows.flatMap((row) => (row[column] ?? []).map(widthOf))),
	);
	return rows
		.flatMap((row) => {
			const lines = Math.max(...row.map((cell) => cell.length));
			return Array.from({ length: lines }, (_, line) =>
				row
					.map((cell, column) => padded(cell[line] ?? "", widths[column] ?? 0))
					.join("  ")
					.trimEnd(),
			);
		})
		.join("\n");
}

const widthOf = (text: string): number => [...text].length;
const padded = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)));

/** Lines of at most `width` characters, broken at spaces; a longer word is cut into pieces. */
export function wrapped(text: string, width: number): string[] {
	const lines = [""];
	for (const word of text.split(" ").flatMap((each) => pieces(each, width))) {
		const last = lines.at(-1) ?? "";
		if (last === "") lines[lines.length - 1] = word;
		else if (widthOf(last) + 1 + widthOf(word) <= width) lines[lines.length - 1] = `${last} ${word}`;
		else lines.push(word);
	}
	return lines;
}

function pieces(word: string, width: number): string[] {
	const signs = [...word];
	const count = Math.max(1, Math.ceil(signs.length / width));
	return Array.from({ length: count }, (_, index) => signs.slice(index * width, (index + 1) * width).join(""));
}
