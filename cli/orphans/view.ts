/** The report of orphans for people. */
import { formatMoney, formatMoneys } from "../../provider/api/money";
import { nameOf } from "../../provider/api/record";
import { otherAccountNotes, stackList } from "../account/stacks";
import { type Column, counted, type Report, type Section } from "../report/model";
import type { Orphan, OrphansReport } from "./report";

const columns: readonly Column[] = ["type", "object", "label", "status", "age", "monthly", "claim"].map((title) => ({
	title,
}));

export const orphansView = (report: OrphansReport): Report => ({
	headline: headlineOf(report),
	origin: report,
	tables: [{ columns, rows: report.orphans.map(rowOf) }],
	notes: otherAccountNotes(report),
	steps: examples(report).map(stepsOf),
});

/** `orphans: 2 of 14 objects, 3.00 EUR a month; stacks dev, prod`. */
function headlineOf({ orphaned, total, monthly, stacks }: OrphansReport): string {
	const price = monthly.length === 0 ? "" : `, ${formatMoneys(monthly)} a month`;
	return `orphans: ${orphaned} of ${counted(total, "object")}${price}; ${stackList(stacks)}`;
}

function rowOf(orphan: Orphan): string[] {
	const { type, label = "", status = "", ageDays, monthly } = orphan;
	return [
		type,
		titleOf(orphan),
		// Other objects have their label in the title.
		type === "Number" ? label : "",
		status,
		ageDays === undefined ? "" : `${ageDays} d`,
		monthly === undefined ? "" : formatMoney(monthly),
		claimText(orphan),
	];
}

const claimText = ({ claim, owner }: Orphan): string =>
	owner === undefined ? claim : `${claim}${claim === "superseded" ? " by" : ":"} ${owner}`;

/** `+31201234567 (num_1)`, `office (trk_1)`. */
function titleOf({ type, id, e164, label }: Orphan): string {
	if (type === "Number") return nameOf({ id, number: e164 ?? null });
	return label === undefined ? id : `${label} (${id})`;
}

/** Returns one orphan of each claim: the steps for the others differ only in their ids. */
const examples = ({ orphans }: OrphansReport): Orphan[] => [
	...new Map(orphans.toReversed().map((orphan) => [orphan.claim, orphan])).values(),
];

const stepsOf = (orphan: Orphan): Section => ({
	title: `Claim "${orphan.claim}", such as ${titleOf(orphan)}`,
	items: orphan.steps,
});
