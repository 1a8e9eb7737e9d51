/** The report as Markdown, for a comment, an issue or a job's summary. */
import { type Entry, headline, originOf, printable, type Report, shortType, suspicion } from "./report";
import { changeTexts } from "./table";

/** In characters: a comment on GitHub takes 65,536. */
export const longest = 59_000;

/** Under 60,000 characters. The rest is counted here, and is in the JSON. */
export function markdownOf(report: Report): string {
	const doubt = suspicion(report);
	const head = `${escaped(headline(report))}\n\n${escaped(originOf(report))}\n${doubt === undefined ? "" : `\n${doubt}\n`}`;
	if (report.resources.length === 0) return `${head}\nThe service has what the program declares.\n`;
	const table = tableRows(report.resources);
	const details = report.resources.map(detail);
	const room = longest - head.length;
	// The overview comes first, then details as far as they fit.
	const rows = fitting(table, room / 2);
	const left = room - rows.reduce((sum, { length }) => sum + length, 0);
	const parts = fitting(details, left);
	return [
		head,
		"\n| Severity | Kind | Resource | Declared → live | Consequence |\n|---|---|---|---|---|\n",
		...rows,
		rows.length < table.length ? `\n${table.length - rows.length} more are in the JSON report.\n` : "",
		...parts,
		parts.length < details.length
			? `\nThe details of ${details.length - parts.length} more are in the JSON report.\n`
			: "",
	].join("");
}

/** The first texts that fit into `room` characters. */
export function fitting(texts: readonly string[], room: number): string[] {
	let used = 0;
	return texts.filter((text) => {
		used += text.length;
		return used <= room;
	});
}

/** A table of as many rows as fit into `room` characters; the rest is counted. */
export function tableIn(headings: readonly string[], cells: readonly (readonly string[])[], room: number): string {
	const rows = cells.map((row) => `| ${row.map((cell) => inCell(cell === "" ? "" : code(cell))).join(" | ")} |\n`);
	const shown = fitting(rows, room);
	const more = shown.length < rows.length ? `\n${rows.length - shown.length} more are in the JSON report.\n` : "";
	return `| ${headings.join(" | ")} |\n|${headings.map(() => "---|").join("")}\n${shown.join("")}${more}`;
}

const tableRows = (entries: readonly Entry[]): string[] =>
	entries.map((entry) => {
		const cells = [
			entry.severity,
			entry.kind,
			`${shortType(entry.type)} ${code(narrow(entry.name))}`,
			entry.changes
				.flatMap(changeTexts)
				.map((text) => code(narrow(text)))
				.join("<br>"),
			escaped(narrow(entry.consequence)),
		];
		return `| ${cells.map(inCell).join(" | ")} |\n`;
	});

/** A cell breaks only at spaces: a longer word would push the table off the page, and the details show all of it. */
const widestWord = 32;

export const narrow = (text: string): string =>
	text.replace(/\S+/g, (word) => {
		const signs = [...word];
		return signs.length > widestWord ? `${signs.slice(0, widestWord - 1).join("")}…` : word;
	});

/** A bar after an odd number of backslashes doesn't separate cells. */
export const inCell = (text: string): string =>
	text.replace(/\\*\|/g, (bar) => (bar.length % 2 === 0 ? `\\\\${bar}` : `\\${bar}`));

function detail(entry: Entry): string {
	const { name, type, id, e164, position, severity, kind, consequence, ways } = entry;
	const facts = [
		`id ${code(id)}`,
		...(e164 === undefined ? [] : [code(e164)]),
		...(position === undefined ? [] : [`at ${code(position)}`]),
		`${kind}, ${severity}`,
	];
	return [
		`\n### ${shortType(type)} ${code(name)}\n`,
		`\n${facts.join(" · ")} · ${code(type)}\n\n`,
		...entry.changes.flatMap(changeTexts).map((text) => `- ${code(text)}\n`),
		`- Consequence: ${escaped(consequence)}\n`,
		...ways.map((way) => `- ${escaped(way.charAt(0).toUpperCase() + way.slice(1))}\n`),
	].join("");
}

/** A code span whose fence is longer than any run of backticks inside. */
export function code(text: string): string {
	// Two backticks with nothing between them are not a code span.
	const plain = printable(text) || " ";
	const fence = "`".repeat(Math.max(0, ...[...plain.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
	const pad = plain.startsWith("`") || plain.endsWith("`") ? " " : "";
	return `${fence}${pad}${plain}${pad}${fence}`;
}

/** A code span in Markdown, a word that a forge turns into a mention or a link, or a character with a meaning. */
const marks = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|(\S*(?:@|#\w|:\/\/)\S*)|[\\`*_[\]<>#~&]/gu;

/** For our sentences, which have code spans, and for other people's text: it mentions nobody and has no markup. */
export const escaped = (text: string): string =>
	printable(text).replace(marks, (mark, fence?: string, word?: string, at = 0, whole = "") => {
		if (fence !== undefined) return mark;
		if (word === undefined) return `&#${mark.charCodeAt(0)};`;
		// A forge still makes a mention of an entity, but not of code. Two fences that touch would be one.
		return `${whole[at - 1] === "`" ? " " : ""}${code(word)}`;
	});
