/** The bill of an account in a month: its numbers by stack, all else by kind of usage. */
import type { Money } from "../provider/api/contract";
import { formatMoneys } from "../provider/api/money";
import type { Account } from "./account";
import { Amounts, counted, type Line, type Month, sumOf } from "./bill-lines";
import { numberLines } from "./bill-numbers";
import { absences, type Billing, type Invoice, invoicesOf, usageOf } from "./bill-service";
import type { Holding } from "./held";
import { named, type StacksReport } from "./stacks";

interface Bill {
	/** `2026-07`. */
	readonly month: string;
	/** Whether the month has ended. */
	readonly isOver: boolean;
	/** Numbers of the account that it had in this month, and still has. */
	readonly total: number;
	/** Their prices a month. */
	readonly monthly: readonly Money[];
	/** All usage of the month; absent where the service shows none. */
	readonly usage?: readonly Money[];
	/** The biggest first. Where the service charges for numbers, their costs add up to the usage. */
	readonly lines: readonly Line[];
	/** Of this month; absent where the service shows none. */
	readonly invoices?: readonly Invoice[];
	/** Sentences about what the figures leave out. */
	readonly notes: readonly string[];
}

/** The JSON of `--json`. */
export interface BillReport extends Bill, StacksReport {}

export function billOf(
	account: Account,
	held: readonly Holding[],
	stacks: readonly string[],
	month: Month,
	billing: Billing,
): Bill {
	const amounts = new Amounts();
	const own = numberLines(account, held, stacks, month, amounts);
	const usage = billing.usage && usageOf(billing.usage.records, own.lines, amounts);
	const found = billing.invoices && invoicesOf(billing.invoices.records, month, amounts);
	return {
		month: month.name,
		isOver: month.isOver,
		total: own.numbers.length,
		monthly: sumOf(own.numbers.flatMap(({ monthly }) => monthly ?? [])).amounts(),
		...(usage && { usage: usage.total }),
		lines: [...own.lines, ...(usage?.lines ?? [])].sort(byCost),
		...(found && { invoices: found.invoices }),
		notes: [...absences(billing), ...(found?.notes ?? []), ...(usage?.notes ?? []), ...own.notes, ...amounts.notes()],
	};
}

/** The biggest first, whatever its currency. */
const byCost = (one: Line, other: Line): number => most(other) - most(one) || (one.of < other.of ? -1 : 1);
const most = ({ cost }: Line): number => Math.max(0, ...cost.map(({ amount }) => Number(amount)));

/** `bill of 2026-07: 12.47 USD charged so far, 4 numbers at 9.00 USD a month; stacks dev, prod`. */
export function billHeadline({ month, isOver, usage, total, monthly, stacks }: BillReport): string {
	const charged = usage === undefined ? "" : `${formatMoneys(usage) || "nothing"} charged${isOver ? "" : " so far"}, `;
	const price = monthly.length === 0 ? "" : ` at ${formatMoneys(monthly)} a month`;
	return `bill of ${month}: ${charged}${counted(total, "number")}${price}; ${named(stacks)}`;
}
