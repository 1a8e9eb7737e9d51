/** The bill for people. */
import { formatMoneys } from "../../provider/api/money";
import { otherAccountNotes, stackList } from "../account/stacks";
import { type Column, counted, type Report } from "../report/model";
import type { Line } from "./amounts";
import type { BillReport } from "./report";

const columns: readonly Column[] = ["for", "count", "a month", "setup", "cost"].map((title) => ({ title }));

export const billView = (report: BillReport): Report => ({
	headline: headlineOf(report),
	origin: report,
	tables: [{ columns, rows: report.lines.map(lineRow) }],
	notes: [...report.notes, ...otherAccountNotes(report)],
});

/** `bill of 2026-07: 12.47 USD charged so far, 4 numbers at 9.00 USD a month; stacks dev, prod`. */
function headlineOf({ month, isOver, usage, total, monthly, stacks }: BillReport): string {
	const charged = usage === undefined ? "" : `${formatMoneys(usage) || "nothing"} charged${isOver ? "" : " so far"}, `;
	const price = monthly.length === 0 ? "" : ` at ${formatMoneys(monthly)} a month`;
	return `bill of ${month}: ${charged}${counted(total, "number")}${price}; ${stackList(stacks)}`;
}

const lineRow = (line: Line): string[] => [
	line.of,
	countText(line),
	formatMoneys(line.monthly ?? []),
	formatMoneys(line.setup ?? []),
	formatMoneys(line.cost),
];

function countText({ numbers, quantity = 0, unit }: Line): string {
	if (numbers !== undefined) return counted(numbers.length, "number");
	return unit === undefined ? "" : counted(quantity, unit);
}
