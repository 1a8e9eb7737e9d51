/** The plan for people. */
import { formatMoney } from "../../provider/api/money";
import { pinCommand } from "../../provider/reads/account-pin";
import { code, narrow } from "../report/markdown";
import { type Column, counted, grouped, type Report, shortList, sumOf } from "../report/model";
import type { Change, FoundObject, RemovedObject } from "./forecast";
import { type Buy, criteriaText, type PlanReport } from "./report";

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

/** `plan: buys 14, releases 3, 9 unchanged, stack prod`. */
export function planHeadline(report: PlanReport): string {
	const { buys, releases, retains, resumes, unchanged, waits, changes, refusals, stack } = report;
	const parts = [`buys ${buys.reduce((sum, { count }) => sum + count, 0)}`, `releases ${releases.length}`];
	if (retains.length > 0) parts.push(`retains ${retains.length}`);
	if (resumes.length > 0) parts.push(`resumes ${resumes.length}`);
	parts.push(`${unchanged} unchanged`);
	if (waits.length > 0) parts.push(`waits for ${waits.length}`);
	if (changes.length > 0) parts.push(`changes ${counted(changes.length, "resource")}`);
	if (refusals.length > 0) parts.push(`fails at ${refusals.length}`);
	return `plan: ${parts.join(", ")}, stack ${stack}`;
}

type Amounts = PlanReport["monthly"];

const money = (amounts: Amounts): string => amounts.map(formatMoney).join(" + ") || "0";

const signedMoney = (amounts: Amounts): string =>
	amounts.map((money) => `${money.amount.startsWith("-") ? "" : "+"}${formatMoney(money)}`).join(", ") || "+0";

export function costLine({ setup, monthly, monthlyChange, unpriced, releases }: PlanReport): string {
	const unknownBuys = unpriced.reduce((sum, { count }) => sum + count, 0);
	const unknownReleases = releases.filter((release) => release.monthly === undefined).length;
	const excluded: string[] = [];
	if (unknownBuys > 0) excluded.push(`${unknownBuys} without a known price`);
	if (unknownReleases > 0) excluded.push(`${unknownReleases} of the releases without a known price`);
	const more = excluded.length === 0 ? "" : `; not in it: ${excluded.join(", ")}`;
	return `cost: ${money(setup)} setup, ${money(monthly)} a month; monthly bill ${signedMoney(monthlyChange)}${more}`;
}

// ---- Rows ---------------------------------------------------------------------------------------------------------------

const reasons: Readonly<Record<Buy["why"] | RemovedObject["why"], string>> = {
	new: "new",
	deleted: "replaces a deleted number",
	replacement: "replacement",
	generation: "generation",
	growth: "pool grown",
	rename: "rename without aliases",
	move: "move without aliases",
	removed: "removed from the program",
	shrinking: "pool shrunk",
	excluded: "excluded from a pool",
};

const namesCell = (names: readonly string[]) => ({
	lines: [shortList(names)],
	markdown: shortList(names.map((name) => code(narrow(name)))),
});

const namesOf = ({ names, formerNames }: Buy): string[] =>
	names.map((name, at) =>
		formerNames === undefined || formerNames[at] === name ? name : `${name} (was ${formerNames[at]})`,
	);

const buyRow = (buy: Buy) => [
	`+${buy.count}`,
	criteriaText({ ...buy }),
	reasons[buy.why],
	buy.setup === undefined ? "unknown" : formatMoney(buy.setup),
	buy.monthly === undefined ? "unknown" : `+${formatMoney(buy.monthly)}`,
	namesCell(namesOf(buy)),
];

/** Returns one row for matching numbers that are released for the same reason. */
function releaseRows(releases: readonly RemovedObject[]) {
	const keyOf = (release: RemovedObject) =>
		[release.why, criteriaText({ ...release }), release.monthly && formatMoney(release.monthly)].join(" ");
	return grouped(releases, keyOf).map((group) => {
		const [first] = group;
		const [monthly] = sumOf(group.map((release) => release.monthly)).amounts();
		return [
			`−${group.length}`,
			criteriaText({ ...first }),
			reasons[first.why],
			"",
			monthly === undefined ? "unknown" : `−${formatMoney(monthly)}`,
			namesCell(group.map(({ name, e164, id }) => `${name} ${e164 ?? id}`)),
		];
	});
}

// ---- Notes --------------------------------------------------------------------------------------------------------------

const maxNotes = 20;

/** Returns one sentence for each fact; the reasons why the run would fail come first. */
function notesOf(report: PlanReport): string[] {
	const { over, refusals, warnings, retains, forgets, unpriced, resumes, adopts, releases, waits, changes } = report;
	const notes = over.map(({ limit, needed }) => `Limit exceeded: \`${limit}\` (this run would use ${needed}).`);
	notes.push(...limited(refusals, ({ name, message }) => `\`up\` fails at ${name}: ${message}`));
	if (refusals.length > 0 && releases.length + retains.length > 0)
		notes.push("`up` ends in an error, so it may keep the numbers of removed resources until a later run.");
	notes.push(...warnings, ...report.buys.flatMap(aliasNote));
	notes.push(...limited(retains, retainedNote));
	const retainedNumbers = retains.filter(isNumber);
	if (retainedNumbers.some(({ hasReference }) => hasReference))
		notes.push(`To release retained numbers after the run: \`telephony release --retained --stack ${report.stack}\`.`);
	if (retainedNumbers.some(({ hasReference }) => !hasReference))
		notes.push(
			"The service keeps no references, so no later run recognizes retained numbers: note their ids. To use or release one, name its id in `adopt`.",
		);
	notes.push(...limited(forgets, (object) => `The state forgets ${titleOf(object)}: ${object.owner} has claimed it.`));
	for (const { names, why } of unpriced) notes.push(`The price of ${shortList(names)} is unknown: ${why}.`);
	notes.push(
		...limited(resumes, (object) => `Resumes ${titleOf(object)}, which is on the account for this resource.`),
		...limited(adopts, ({ name, wanted }) => `${code(name)} adopts ${wanted}.`),
	);
	if (report.comesBack !== undefined) notes.push(report.comesBack);
	if (waits.length > 0)
		notes.push(`Waits for ${shortList(waits)}, which ${waits.length === 1 ? "is" : "are"} pending.`);
	notes.push(...limited(changes, changeNote), pinNote(report.pin));
	return notes;
}

const pinNote = ({ pinned, proposed }: PlanReport["pin"]): string => {
	if (pinned !== undefined) return `The stack is pinned to the account of ${pinned}.`;
	const step = proposed === undefined ? "Set `telephony:account`" : `Run \`${pinCommand(proposed)}\``;
	return `The stack isn't pinned to an account. ${step}, so that no run with another account's key can buy.`;
};

/** Advice for resources that buy numbers in place of removed ones. */
const aliasNote = (buy: Buy): string[] =>
	buy.alias === undefined
		? []
		: [
				`${shortList(namesOf(buy))}: a removed resource of another name or parent has such a number. With \`${buy.alias}\` the resource keeps it, and nothing is bought.`,
			];

const isNumber = ({ kind }: FoundObject): boolean => kind === "number";

const titleOf = (object: FoundObject): string =>
	`${isNumber(object) ? "" : `${object.kind} `}${code(object.name)} (${object.e164 ?? object.id})`;

function retainedNote(object: PlanReport["retains"][number]): string {
	const price = object.monthly === undefined ? "for it" : `${formatMoney(object.monthly)} a month`;
	const cost = isNumber(object) ? ` You are still billed ${price}.` : "";
	return `Retains ${titleOf(object)} on the account, because ${object.because}.${cost}`;
}

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
	const texts = items.slice(0, maxNotes).map(text);
	if (items.length > maxNotes) texts.push(`${items.length - maxNotes} more like this are in the JSON report.`);
	return texts;
}
