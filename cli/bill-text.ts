/** The bill for a terminal, and as Markdown. */
import { formatMoney, formatMoneys } from "../provider/api/money";
import { counted, type Line } from "./bill-lines";
import { type BillReport, billHeadline } from "./bill-report";
import type { Invoice } from "./bill-service";
import { columns } from "./columns";
import { escaped, longest, tableIn } from "./markdown";
import { originOf, printable } from "./report";
import { headOf } from "./stacks";

const headings = ["for", "count", "a month", "setup", "cost"];

const countIn = ({ numbers, quantity = 0, unit }: Line): string =>
	numbers !== undefined ? counted(numbers.length, "number") : unit !== undefined ? counted(quantity, unit) : "";

const cells = (line: Line): string[] => [
	line.of,
	countIn(line),
	formatMoneys(line.monthly ?? []),
	formatMoneys(line.setup ?? []),
	formatMoneys(line.cost),
];

const invoiceHeadings = ["invoice", "from", "to", "status", "due", "total"];

const day = (time = ""): string => time.slice(0, 10);

const invoiceCells = ({ id, number = id, status = "", from, to, dueAt, total }: Invoice): string[] => [
	number,
	day(from),
	day(to),
	status,
	day(dueAt),
	total === undefined ? "" : formatMoney(total),
];

const table = (rows: readonly (readonly string[])[]): string =>
	columns(rows.map((row) => row.map((cell) => [printable(cell)])));

export function billText(report: BillReport): string {
	const { lines, invoices = [], notes } = report;
	const head = `${printable(billHeadline(report))}\n${printable(originOf(report))}`;
	const parts = [
		head,
		table([headings, ...lines.map(cells)]),
		...(invoices.length === 0 ? [] : [table([invoiceHeadings, ...invoices.map(invoiceCells)])]),
		...(notes.length === 0 ? [] : [notes.map(printable).join("\n")]),
	];
	return `${parts.join("\n\n")}\n`;
}

export function billMarkdown(report: BillReport): string {
	const { lines, invoices = [], notes } = report;
	const head = headOf(billHeadline(report), report);
	const last = notes.map((note) => `\n${escaped(note)}\n`).join("");
	const room = longest - head.length - last.length;
	const bills = invoices.length === 0 ? "" : `\n${tableIn(invoiceHeadings, invoices.map(invoiceCells), room / 2)}`;
	return `${head}\n${tableIn(headings, lines.map(cells), room - bills.length)}${bills}${last}`;
}
