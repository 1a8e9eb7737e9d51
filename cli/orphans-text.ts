/** The report of orphans for a terminal, and as Markdown. */
import { columns } from "./columns";
import type { OwnProvider } from "./held";
import { code, escaped, fitting, inCell, longest } from "./markdown";
import { type Orphan, type OrphansReport, orphansHeadline, shownMoney, titleOf, type Whose } from "./orphans-report";
import { originOf, printable } from "./report";

const headings = ["type", "object", "label", "status", "age", "a month", "whose"];

const age = ({ ageDays }: Orphan): string => (ageDays === undefined ? "" : `${ageDays} d`);
const price = ({ monthly }: Orphan): string => (monthly === undefined ? "" : shownMoney([monthly]));
const whoseIn = ({ whose, of }: Orphan): string =>
	of === undefined ? whose : `${whose}${whose === "left behind" ? " by" : ":"} ${of}`;

/** The label of what isn't named by it. */
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

/** The ways out of one of each kind; all that differ are the ids. */
function examples({ orphans }: OrphansReport): Orphan[] {
	const kinds = new Map<Whose, Orphan>();
	for (const orphan of orphans) if (!kinds.has(orphan.whose)) kinds.set(orphan.whose, orphan);
	return [...kinds.values()];
}

/** What to do about an account that isn't looked at. */
export const otherAccount = ({ stack, name, account }: OwnProvider): string =>
	`stack ${stack} has a provider ${name} with ${account === undefined ? "a key" : `an address (${account})`} of its own, perhaps of another account, which is not looked at: run this again with that account's TELEPHONY_API_KEY and TELEPHONY_BASE_URL.`;

export function orphansTable(report: OrphansReport): string {
	const rows = [headings, ...report.orphans.map(cells)].map((row) => row.map((cell) => [printable(cell)]));
	const ways = examples(report).map(
		(orphan) =>
			`What is ${orphan.whose}, such as ${printable(titleOf(orphan))}:\n${orphan.ways.map((way) => `  - ${printable(way)}`).join("\n")}`,
	);
	return [columns(rows), ...ways].join("\n\n");
}

export function orphansMarkdown(report: OrphansReport): string {
	const others = report.otherAccounts.map((provider) => `\n${escaped(printable(otherAccount(provider)))}\n`).join("");
	const head = `${escaped(orphansHeadline(report))}\n\n${escaped(originOf(report))}\n${others}`;
	if (report.orphans.length === 0) return `${head}\nEvery object of the account is in one of the stacks.\n`;
	const ways = examples(report).map(
		(orphan) => `\n### ${orphan.whose}\n\n${orphan.ways.map((way) => `- ${escaped(way)}\n`).join("")}`,
	);
	const rows = report.orphans.map(
		(orphan) =>
			`| ${cells(orphan)
				.map((cell) => inCell(cell === "" ? "" : code(cell)))
				.join(" | ")} |\n`,
	);
	const shown = fitting(rows, longest - head.length - ways.join("").length);
	return [
		head,
		`\n| ${headings.join(" | ")} |\n|${headings.map(() => "---|").join("")}\n`,
		...shown,
		shown.length < rows.length ? `\n${rows.length - shown.length} more are in the JSON report.\n` : "",
		...ways,
	].join("");
}
