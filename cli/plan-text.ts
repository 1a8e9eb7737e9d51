/** The plan in words: its first lines, the table for a terminal, and Markdown. */
import { formatMoney } from "../provider/api/money";
import { columns, wrapped } from "./columns";
import { code, escaped, fitting, inCell, longest, narrow } from "./markdown";
import { type Buy, grouped, kindOf, type PlanReport, type ReleaseEntry, times } from "./plan-report";
import { originOf, printable } from "./report";

type Amounts = PlanReport["monthly"];

const money = (amounts: Amounts): string => amounts.map(formatMoney).join(" + ") || "0";

/** With its sign: what is added and what is saved. */
const change = (amounts: Amounts): string =>
	amounts.map((each) => `${each.amount.startsWith("-") ? "" : "+"}${formatMoney(each)}`).join(", ") || "+0";

/** `plan: buys 14, releases 3, keeps 9 numbers, stack prod`. */
export function planHeadline({ buys, releases, leaves, keeps, resumes, changes, waits, stack }: PlanReport): string {
	const count = buys.reduce((sum, each) => sum + each.count, 0);
	const rest = [
		...(leaves.length > 0 ? [`leaves ${leaves.length}`] : []),
		...(resumes.length > 0 ? [`resumes ${resumes.length}`] : []),
		`keeps ${keeps} ${keeps === 1 ? "number" : "numbers"}`,
		...(waits.length > 0 ? [`waits for ${waits.length}`] : []),
		...(changes.length > 0 ? [`changes ${changes.length} ${changes.length === 1 ? "resource" : "resources"}`] : []),
	];
	return `plan: buys ${count}, releases ${releases.length}, ${rest.join(", ")}, stack ${stack}`;
}

/** What it costs, with what isn't known of that. */
export function costLine({ setup, monthly, monthlyChange, unpriced, releases }: PlanReport): string {
	const unknown = unpriced.reduce((sum, { count }) => sum + count, 0);
	const unsaved = releases.filter((each) => each.monthly === undefined).length;
	const without = [
		...(unknown > 0 ? [`${unknown} without a known price`] : []),
		...(unsaved > 0 ? [`${unsaved} of the releases without one`] : []),
	];
	const more = without.length === 0 ? "" : `; not in it: ${without.join(", ")}`;
	return `cost: ${money(setup)} setup, ${money(monthly)} a month; monthly bill ${change(monthlyChange)}${more}`;
}

// ---- Rows ---------------------------------------------------------------------------------------------------------------

interface Row {
	readonly count: string;
	readonly what: string;
	readonly why: string;
	readonly setup: string;
	readonly monthly: string;
	readonly names: readonly string[];
}

const whys: Readonly<Record<Buy["why"] | ReleaseEntry["why"], string>> = {
	new: "new",
	lost: "in place of a lost one",
	replacement: "replacement",
	generation: "generation",
	growth: "growth of a pool",
	rename: "rename without aliases",
	move: "move without aliases",
	removed: "removed from the program",
	shrinking: "shrinking of a pool",
	excluded: "excluded from a pool",
};

const mostNames = 5;

const namesOf = (names: readonly string[], shown = (name: string) => name): string =>
	[
		...names.slice(0, mostNames).map(shown),
		...(names.length > mostNames ? [`and ${names.length - mostNames} more`] : []),
	].join(", ");

const rowsOf = ({ buys, releases }: PlanReport): Row[] => [
	...buys.map(
		(buy): Row => ({
			count: `+${buy.count}`,
			what: kindOf({ ...buy }),
			why: whys[buy.why],
			setup: buy.setup === undefined ? "unknown" : formatMoney(buy.setup),
			monthly: buy.monthly === undefined ? "unknown" : `+${formatMoney(buy.monthly)}`,
			names: buy.names.map((name, at) => (buy.were === undefined ? name : `${name} (was ${buy.were[at]})`)),
		}),
	),
	...releaseRows(releases),
];

/** Like numbers that go for the same reason are one row. */
function releaseRows(releases: readonly ReleaseEntry[]): Row[] {
	const groups = grouped(
		releases,
		(each) => `${each.why} ${kindOf({ ...each })} ${each.monthly && formatMoney(each.monthly)}`,
	);
	return groups.flatMap((group) => {
		const [first] = group;
		if (first === undefined) return [];
		const saved = first.monthly && times(first.monthly, group.length);
		return [
			{
				count: `−${group.length}`,
				what: kindOf({ ...first }),
				why: whys[first.why],
				setup: "",
				monthly: saved === undefined ? "unknown" : `−${formatMoney(saved)}`,
				names: group.map(({ name, e164, id }) => `${name} ${e164 ?? id}`),
			},
		];
	});
}

// ---- Notes --------------------------------------------------------------------------------------------------------------

const mostNotes = 20;

/** One sentence each, what stops the run first. */
function notesOf({
	over,
	warnings,
	leaves,
	forgets,
	unpriced,
	resumes,
	adopts,
	releases,
	comesBack,
	waits,
	changes,
	stack,
}: PlanReport): string[] {
	const titled = ({ name, id, e164 }: { name: string; id: string; e164?: string }) => `${code(name)} (${e164 ?? id})`;
	return [
		...over.map(({ limit, needed }) => `Over a limit: \`${limit}\`, and it comes to ${needed}.`),
		...warnings,
		...few(leaves, (each) => `Leaves ${titled(each)} on the account, because ${each.because}. ${rentOf(each)}.`),
		...(leaves.length === 0
			? []
			: [`To release left numbers after the run: \`telephony release --left --stack ${stack}\`.`]),
		...few(forgets, (each) => `The state forgets ${titled(each)}: ${each.owner} has claimed it.`),
		...unpriced.map(({ names, why }) => `No price is known of ${namesOf(names)}: ${why}.`),
		...few(resumes, (each) => `Resumes ${titled(each)}, which the account has for this resource: nothing is bought.`),
		...few(adopts, ({ name, wanted }) => `${code(name)} adopts ${wanted}: nothing is bought.`),
		...(releases.length === 0 || comesBack === undefined ? [] : [`Released numbers: ${comesBack}`]),
		...(waits.length === 0 ? [] : [`Waits for ${namesOf(waits)}, which ${waits.length === 1 ? "is" : "are"} pending.`]),
		...few(
			changes,
			({ op, type, name, paths }) =>
				`${verbs[op]} ${type} ${code(name)}${paths.length === 0 ? "" : `: ${paths.join(", ")}`}.`,
		),
	];
}

const rentOf = ({ monthly }: PlanReport["leaves"][number]): string =>
	monthly === undefined ? "You are still billed for it" : `You are still billed ${formatMoney(monthly)} a month`;

const verbs: Readonly<Record<PlanReport["changes"][number]["op"], string>> = {
	create: "Creates",
	update: "Changes",
	replace: "Replaces",
	delete: "Deletes",
	same: "Keeps",
};

function few<T>(items: readonly T[], text: (item: T) => string): string[] {
	const more = items.length - mostNotes;
	return [...items.slice(0, mostNotes).map(text), ...(more > 0 ? [`${more} more are in the JSON report.`] : [])];
}

// ---- Whole reports ------------------------------------------------------------------------------------------------------

const headings: Row = {
	...{ count: "count", what: "kind", why: "why", setup: "setup", monthly: "monthly", names: ["resources"] },
};
const cellsOf = ({ count, what, why, setup, monthly }: Row) => [count, what, why, setup, monthly];
const widestNames = 48;

export function planText(report: PlanReport): string {
	const rows = rowsOf(report);
	const lines = (row: Row) => [
		...cellsOf(row).map((cell) => [printable(cell)]),
		wrapped(printable(namesOf(row.names)), widestNames),
	];
	const table = rows.length === 0 ? [] : ["", columns([headings, ...rows].map(lines))];
	const notes = notesOf(report).map(printable);
	const head = [planHeadline(report), costLine(report), originOf(report)].map(printable);
	return `${[...head, ...table, ...(notes.length === 0 ? [] : ["", ...notes])].join("\n")}\n`;
}

/** Under 60,000 characters. The rest is counted here, and is in the JSON. */
export function planMarkdown(report: PlanReport): string {
	const head = `${escaped(planHeadline(report))}\n\n${escaped(costLine(report))}\n\n${escaped(originOf(report))}\n`;
	const room = longest - head.length;
	const table = rowsOf(report).map((row) => {
		const cells = [...cellsOf(row).map(escaped), namesOf(row.names, (name) => code(narrow(name)))];
		return `| ${cells.map(inCell).join(" | ")} |\n`;
	});
	const notes = notesOf(report).map((note) => `- ${escaped(note)}\n`);
	const rows = fitting(table, room / 2);
	const bullets = fitting(notes, room - rows.reduce((sum, { length }) => sum + length, 0));
	const cut = table.length - rows.length + notes.length - bullets.length;
	return [
		head,
		...(rows.length === 0
			? []
			: ["\n| Count | Kind | Why | Setup | Monthly | Resources |\n|--:|---|---|--:|--:|---|\n", ...rows]),
		...(bullets.length === 0 ? [] : ["\n", ...bullets]),
		cut > 0 ? `\n${cut} more are in the JSON report.\n` : "",
	].join("");
}
