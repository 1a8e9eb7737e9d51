/** The bill for people. */
import { formatMoney, formatMoneys } from "../../provider/api/money";
import { otherAccountNotes, stackList } from "../account/stacks";
import { type Column, counted, type Report } from "../report/model";
import type { Line } from "./amounts";
import type { BillReport } from "./report";
import type { Invoice } from "./usage";

const columnsOf = (...titles: string[]): Column[] => titles.map((title) => ({ title }));
const lineColumns = columnsOf("for", "count", "monthly", "setup", "cost");
const invoiceColumns = columnsOf("invoice", "from", "to", "status", "due", "total");

export const billView = (report: BillReport): Report => ({
	headline: headlineOf(report),
	origin: report,
	tables: [
		{ columns: lineColumns, rows: report.lines.map(lineRow) },
		{ columns: invoiceColumns, rows: (report.invoices ?? []).map(invoiceRow) },
	],
	notes: [...report.notes, ...otherAccountNotes(report)],
});

/** `bill of 2026-07: 12.47 USD charged so far, 4 numbers at 9.00 USD a month; stacks dev, prod`. */
function headlineOf({ month, isOver, usage, total, monthly, stacks }: BillReport): string {
	const charged = usage === undefined ? "" : `${formatMoneys(usage) || "nothing"} charged${isOver ? "" : " so far"}, `;
	const price = monthly.length === 0 ? "" : ` at ${formatMoneys(monthly)} a month`;
	return `bill of ${month}: ${charged}${counted(total, "number")}${price}; ${stackList(stacks)}`;
}

const lineRow = (line: Line): string[] => [
	line.subject,
	countText(line),
	formatMoneys(line.monthly ?? []),
	formatMoneys(line.setup ?? []),
	formatMoneys(line.cost),
];

function countText({ numbers, quantity = 0, unit }: Line): string {
	if (numbers !== undefined) return counted(numbers.length, "number");
	return unit === undefined ? "" : counted(quantity, unit);
}

const day = (time = ""): string => time.slice(0, 10);

const invoiceRow = ({ id, number = id, status = "", from, to, dueAt, total }: Invoice): string[] => [
	number,
	day(from),
	day(to),
	status,
	day(dueAt),
	total === undefined ? "" : formatMoney(total),
];
