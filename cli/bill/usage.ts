/** Usage and invoices of the service. */
import type { InvoiceRecord, Money, UsageRecord } from "../../provider/api/contract";
import { counted, grouped, sumOf } from "../report/model";
import type { Amounts, Line, Month } from "./amounts";

/** Records of a list, and the number of unreadable ones. */
export interface Listed<T> {
	readonly records: readonly T[];
	readonly unreadable: number;
}

/** Lists are absent if the service doesn't offer them. */
export interface Billing {
	readonly usage?: Listed<UsageRecord> | undefined;
	readonly invoices?: Listed<InvoiceRecord> | undefined;
}

export interface Invoice {
	readonly id: string;
	/** Human-readable text. */
	readonly number?: string | undefined;
	readonly status?: string | undefined;
	/** RFC 3339, like the other times. */
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	readonly dueAt?: string | undefined;
	readonly total?: Money | undefined;
}

interface Cost extends Pick<UsageRecord, "category" | "quantity" | "unit"> {
	readonly cost: Money | undefined;
}

interface Usage {
	readonly lines: readonly Line[];
	readonly total: readonly Money[];
	readonly notes: readonly string[];
}

const otherCharges = "other charges for numbers";

/** Returns a line for each kind of usage; for numbers, only the difference from their prices. */
export function usageOf(records: readonly UsageRecord[], numbers: readonly Line[], amounts: Amounts): Usage {
	const costs = records.map(({ category, quantity, unit, cost }) => ({
		category,
		quantity,
		unit,
		cost: amounts.read(cost, `The cost of ${category} in the usage`),
	}));
	const total = sumOf(costs.map(({ cost }) => cost)).amounts();
	const lines = kindsIn(costs.filter(({ category }) => category !== "numbers"));
	const prices = numbers.flatMap(({ cost }) => cost);
	const charges = costs.filter(({ category }) => category === "numbers").map(({ cost }) => cost);
	if (charges.length === 0 || charges.includes(undefined)) {
		const isFree = prices.every(isZero);
		return {
			lines,
			total,
			notes: isFree ? [] : ["The usage has no charges for numbers. Their cost is taken from their prices."],
		};
	}
	const rest = sumOf(charges);
	rest.addAll(sumOf(prices), -1);
	const cost = rest.amounts().filter((money) => !isZero(money));
	if (cost.length === 0) return { lines, total, notes: [] };
	const note = `"${otherCharges}" is the difference between the charges in the usage and the prices of the account's numbers: released numbers, numbers not charged yet, other prices.`;
	return { lines: [...lines, { subject: otherCharges, cost }], total, notes: [note] };
}

const isZero = ({ amount }: Money): boolean => !/[1-9]/.test(amount);

function kindsIn(costs: readonly Cost[]): Line[] {
	return grouped(costs, ({ category, unit }) => JSON.stringify([category, unit])).map((records) => {
		const quantity = records.reduce((sum, record) => sum + record.quantity, 0);
		const [{ category, unit }] = records;
		const cost = sumOf(records.map(({ cost }) => cost)).amounts();
		// Removes the noise of binary fractions.
		return { subject: category, quantity: Number(quantity.toFixed(6)), unit, cost };
	});
}

interface Invoices {
	readonly invoices: readonly Invoice[];
	readonly notes: readonly string[];
}

/** Returns the invoices whose period overlaps the month. */
export function invoicesOf(records: readonly InvoiceRecord[], month: Month, amounts: Amounts): Invoices {
	const places = records.map((record) => ({ record, place: placeOf(record, month) }));
	const invoices = places.flatMap(({ record, place }) => (place === "inside" ? [invoiceOf(record, amounts)] : []));
	const undated = places.filter(({ place }) => place === "unknown").length;
	return {
		invoices,
		notes: [
			...(invoices.length === 0 ? [`There is no invoice for ${month.name}.`] : []),
			...(undated > 0 ? [`The service shows ${counted(undated, "invoice")} without a period: left out.`] : []),
		],
	};
}

function placeOf(record: InvoiceRecord, { from, to }: Month): "inside" | "outside" | "unknown" {
	const start = Date.parse(record.period_start ?? "");
	if (Number.isNaN(start)) return "unknown";
	const end = Date.parse(record.period_end ?? "");
	const isBefore = Number.isNaN(end) ? start < from : end <= from;
	return isBefore || start >= to ? "outside" : "inside";
}

function invoiceOf(record: InvoiceRecord, amounts: Amounts): Invoice {
	const { id, number, status, period_start: from, period_end: to, due_at: dueAt } = record;
	const total = amounts.read(record.total, `The total of the invoice ${number ?? id}`);
	return { id, number, status, from, to, dueAt: dueAt ?? undefined, total };
}

/** Notes about lists that are missing or incomplete. */
export function absenceNotes({ usage, invoices }: Billing): string[] {
	const missing = Object.entries({ usage, invoices })
		.filter(([, list]) => list === undefined)
		.map(([name]) => name);
	const prices = usage === undefined ? ": the cost is the sum of the numbers' prices" : "";
	const lists = [
		{ noun: "usage record", unreadable: usage?.unreadable ?? 0 },
		{ noun: "invoice", unreadable: invoices?.unreadable ?? 0 },
	];
	const notes = lists
		.filter(({ unreadable }) => unreadable > 0)
		.map(({ noun, unreadable }) => `The service shows ${counted(unreadable, noun)} that can't be read: left out.`);
	if (missing.length > 0) notes.unshift(`The service shows no ${missing.join(" or ")}${prices}.`);
	return notes;
}
