/** The bill of an account in a month: its numbers by stack, everything else by kind of usage. */
import type { Money } from "../../provider/api/contract";
import type { Account } from "../account/account";
import type { Holding } from "../account/holdings";
import type { StacksReport } from "../account/stacks";
import { sumOf } from "../report/model";
import { Amounts, type Line, type Month } from "./amounts";
import { numberLines } from "./numbers";
import { absenceNotes, type Billing, type Invoice, invoicesOf, usageOf } from "./usage";

interface Bill {
	/** `2026-07`. */
	readonly month: string;
	/** True if the month has ended. */
	readonly isOver: boolean;
	/** How many numbers the account had in this month and still has. */
	readonly total: number;
	/** Their monthly prices. */
	readonly monthly: readonly Money[];
	/** All usage of the month; absent if the service shows none. */
	readonly usage?: readonly Money[] | undefined;
	/** The most expensive first. If the service charges for numbers, their costs add up to the usage. */
	readonly lines: readonly Line[];
	/** Invoices of this month; absent if the service shows none. */
	readonly invoices?: readonly Invoice[] | undefined;
	/** Sentences about amounts that are left out. */
	readonly notes: readonly string[];
}

/** The JSON of `--json`. */
export interface BillReport extends Bill, StacksReport {}

interface Facts {
	readonly account: Account;
	readonly holdings: readonly Holding[];
	readonly stacks: readonly string[];
	readonly month: Month;
	readonly billing: Billing;
}

export function billOf({ account, holdings, stacks, month, billing }: Facts): Bill {
	const amounts = new Amounts();
	const numbers = numberLines(account, { holdings, stacks, month, amounts });
	const usage = billing.usage && usageOf(billing.usage.records, numbers.lines, amounts);
	const invoices = billing.invoices && invoicesOf(billing.invoices.records, month, amounts);
	const { lines, billed, notes } = numbers;
	return {
		month: month.name,
		isOver: month.isOver,
		total: billed.length,
		monthly: sumOf(billed.map(({ monthly }) => monthly)).amounts(),
		usage: usage?.total,
		lines: [...lines, ...(usage?.lines ?? [])].sort(byCost),
		invoices: invoices?.invoices,
		notes: [
			...absenceNotes(billing),
			...(invoices?.notes ?? []),
			...(usage?.notes ?? []),
			...notes,
			...amounts.notes(),
		],
	};
}

/** By the amounts alone: different currencies have no order. */
const byCost = (a: Line, b: Line): number => highest(b) - highest(a) || (a.subject < b.subject ? -1 : 1);
const highest = ({ cost }: Line): number => Math.max(0, ...cost.map(({ amount }) => Number(amount)));
