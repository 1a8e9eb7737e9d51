/** The plan for people. */
import { formatMoney } from "../../provider/api/money";
import { code, narrow } from "../report/markdown";
import { type Column, counted, grouped, type Report, shortList } from "../report/model";
import type { FoundNumber } from "./forecast";
import { type Buy, criteriaText, type PlanReport, type ReleaseEntry, times } from "./report";

const columns: readonly Column[] = [
	{ title: "count", isAmount: true },
	{ title: "kind" },
	{ title: "why" },
	{ title: "setup", isAmount: true },
	{ title: "monthly", isAmount: true },
	{ title: "resources", width: 48 },
];

export const planView = (report: PlanReport): Report => ({
	headline: planHeadline(report),
	summary: costLine(report),
	origin: report,
	tables: [{ columns, rows: [...report.buys.map(buyRow), ...releaseRows(report.releases)] }],
	notes: notesOf(report),
});

/** `plan: buys 14, releases 3, keeps 9 numbers, stack prod`. */
export function planHeadline({ buys, releases, leaves, keeps, resumes, changes, waits, stack }: PlanReport): string {
	const count = buys.reduce((sum, each) => sum + each.count, 0);
	const rest = [
		...(leaves.length > 0 ? [`leaves ${leaves.length}`] : []),
		...(resumes.length > 0 ? [`resumes ${resumes.length}`] : []),
		`keeps ${counted(keeps, "number")}`,
		...(waits.length > 0 ? [`waits for ${waits.length}`] : []),
		...(changes.length > 0 ? [`changes ${counted(changes.length, "resource")}`] : []),
	];
	return `plan: buys ${count}, releases ${releases.length}, ${rest.join(", ")}, stack ${stack}`;
}

type Amounts = PlanReport["monthly"];

const money = (amounts: Amounts): string => amounts.map(formatMoney).join(" + ") || "0";

const signedMoney = (amounts: Amounts): string =>
	amounts.map((each) => `${each.amount.startsWith("-") ? "" : "+"}${formatMoney(each)}`).join(", ") || "+0";

export function costLine({ setup, monthly, monthlyChange, unpriced, releases }: PlanReport): string {
	const unknownBuys = unpriced.reduce((sum, { count }) => sum + count, 0);
	const unknownReleases = releases.filter((each) => each.monthly === undefined).length;
	const excluded = [
		...(unknownBuys > 0 ? [`${unknownBuys} without a known price`] : []),
		...(unknownReleases > 0 ? [`${unknownReleases} of the releases without a known price`] : []),
	];
	const more = excluded.length === 0 ? "" : `; not in it: ${excluded.join(", ")}`;
	return `cost: ${money(setup)} setup, ${money(monthly)} a month; monthly bill ${signedMoney(monthlyChange)}${more}`;
}

// ---- Rows ---------------------------------------------------------------------------------------------------------------

const reasons: Readonly<Record<Buy["why"] | ReleaseEntry["why"], string>> = {
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

const namesCell = (names: readonly string[]) => ({
	lines: [shortList(names)],
	markdown: shortList(names.map((name) => code(narrow(name)))),
});

function buyRow(buy: Buy) {
	const { count, why, setup, monthly, names, were } = buy;
	return [
		`+${count}`,
		criteriaText({ ...buy }),
		reasons[why],
		setup === undefined ? "unknown" : formatMoney(setup),
		monthly === undefined ? "unknown" : `+${formatMoney(monthly)}`,
		namesCell(names.map((name, at) => (were === undefined ? name : `${name} (was ${were[at]})`))),
	];
}

/** Returns one row for matching numbers that are released for the same reason. */
const releaseRows = (releases: readonly ReleaseEntry[]) =>
	grouped(releases, ({ why, monthly, ...rest }) =>
		[why, criteriaText({ ...rest }), monthly && formatMoney(monthly)].join(" "),
	).map((group) => {
		const [{ why, monthly, ...rest }] = group;
		return [
			`−${group.length}`,
			criteriaText({ ...rest }),
			reasons[why],
			"",
			monthly === undefined ? "unknown" : `−${formatMoney(times(monthly, group.length))}`,
			namesCell(group.map(({ name, e164, id }) => `${name} ${e164 ?? id}`)),
		];
	});

// ---- Notes --------------------------------------------------------------------------------------------------------------

const maxNotes = 20;

/** Returns one sentence for each fact; the reasons why the run would fail come first. */
function notesOf(report: PlanReport): string[] {
	const { over, warnings, leaves, forgets, unpriced, resumes, adopts, releases, comesBack, waits, changes } = report;
	return [
		...over.map(({ limit, needed }) => `Limit exceeded: \`${limit}\` (this run would use ${needed}).`),
		...warnings,
		...limited(leaves, (each) => `Leaves ${titleOf(each)} on the account, because ${each.because}. ${rentOf(each)}.`),
		...(leaves.length === 0
			? []
			: [`To release left numbers after the run: \`telephony release --left --stack ${report.stack}\`.`]),
		...limited(forgets, (each) => `The state forgets ${titleOf(each)}: ${each.owner} has claimed it.`),
		...unpriced.map(({ names, why }) => `The price of ${shortList(names)} is unknown: ${why}.`),
		...limited(resumes, (each) => `Resumes ${titleOf(each)}, which is on the account for this resource. Buys nothing.`),
		...limited(adopts, ({ name, wanted }) => `${code(name)} adopts ${wanted}. Buys nothing.`),
		...(releases.length === 0 || comesBack === undefined ? [] : [comesBack]),
		...(waits.length === 0
			? []
			: [`Waits for ${shortList(waits)}, which ${waits.length === 1 ? "is" : "are"} pending.`]),
		...limited(changes, changeNote),
	];
}

const titleOf = ({ name, id, e164 }: FoundNumber): string => `${code(name)} (${e164 ?? id})`;

const rentOf = ({ monthly }: PlanReport["leaves"][number]): string =>
	monthly === undefined ? "You are still billed for it" : `You are still billed ${formatMoney(monthly)} a month`;

type Change = PlanReport["changes"][number];

const verbs: Readonly<Record<Change["op"], string>> = {
	create: "Creates",
	update: "Changes",
	replace: "Replaces",
	delete: "Deletes",
	same: "Keeps",
};

const changeNote = ({ op, type, name, paths }: Change): string =>
	`${verbs[op]} ${type} ${code(name)}${paths.length === 0 ? "" : `: ${paths.join(", ")}`}.`;

function limited<T>(items: readonly T[], text: (item: T) => string): string[] {
	const omitted = items.length - maxNotes;
	return [
		...items.slice(0, maxNotes).map(text),
		...(omitted > 0 ? [`${omitted} more like this are in the JSON report.`] : []),
	];
}
