/** The report of orphans for a terminal, and as Markdown. */
import { formatMoney } from "../provider/api/money";
import { columns } from "./columns";
import { escaped, longest, tableIn } from "./markdown";
import { type Orphan, type OrphansReport, orphansHeadline, titleOf, type Whose } from "./orphans-report";
import { printable } from "./report";
import { headOf } from "./stacks";

const headings = ["type", "object", "label", "status", "age", "a month", "whose"];

const age = ({ ageDays }: Orphan): string => (ageDays === undefined ? "" : `${ageDays} d`);
const price = ({ monthly }: Orphan): string => (monthly === undefined ? "" : formatMoney(monthly));
const whoseIn = ({ whose, of }: Orphan): string =>
	of === undefined ? whose : `${whose}${whose === "left behind" ? " by" : ":"} ${of}`;

/** The label of a number; other objects have it in their title. */
const label = ({ type, label: text = "" }: Orphan): string => (type === "Number" ? text : "");

const cells = (orphan: Orphan): string[] => [
	orphan.type,
	titleOf(orphan),
	label(orphan),
	orphan.status ?? "",
	age(orphan),
	price(orphan),
	whoseIn(orphan),
];

/** One orphan of each kind: the ways out of the others differ only in their ids. */
function examples({ orphans }: OrphansReport): Orphan[] {
	const kinds = new Map<Whose, Orphan>();
	for (const orphan of orphans) if (!kinds.has(orphan.whose)) kinds.set(orphan.whose, orphan);
	return [...kinds.values()];
}

export function orphansTable(report: OrphansReport): string {
	const rows = [headings, ...report.orphans.map(cells)].map((row) => row.map((cell) => [printable(cell)]));
	const ways = examples(report).map(
		(orphan) =>
			`Fix for ${orphan.whose}, such as ${printable(titleOf(orphan))}:\n${orphan.ways.map((way) => `  - ${printable(way)}`).join("\n")}`,
	);
	return [columns(rows), ...ways].join("\n\n");
}

export function orphansMarkdown(report: OrphansReport): string {
	const head = headOf(orphansHeadline(report), report);
	if (report.orphans.length === 0) return `${head}\nEvery object of the account is in one of the stacks.\n`;
	const ways = examples(report).map(
		(orphan) => `\n### ${orphan.whose}\n\n${orphan.ways.map((way) => `- ${escaped(way)}\n`).join("")}`,
	);
	const room = longest - head.length - ways.join("").length;
	return [head, `\n${tableIn(headings, report.orphans.map(cells), room)}`, ...ways].join("");
}
