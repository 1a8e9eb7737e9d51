import type { z } from "zod";
import {
	InvoiceRecord,
	type UsageRecord,
	type usageCategories,
	type usageGroups,
} from "../../../provider/api/contract";
import { recordOf } from "../../http/record";
import { secondsTalked } from "../../http/traffic";
import { money, monthlyPrice, payable, type Units, unitsOf } from "../../service/prices";
import { edit, newRow, put, type Service, setTimer, timeOf } from "../../service/service";
import type { InvoiceRow, NumberRow } from "../../store/store";
import { timestamp } from "../../time/clock";
import { emit } from "../webhooks/events";

type Category = (typeof usageCategories)[number];

/** A cost at a time, derived from rows and prices. */
interface Charge {
	readonly category: Category;
	readonly description: string;
	readonly number_id: string;
	readonly at: number;
	readonly quantity: number;
	readonly unit: "month" | "minute" | "segment";
	readonly cost: Units;
}

/** Returns the start (UTC) of the month of `time`, or of the month `later` months after it. */
export const monthOf = (time: number, later = 0): number => {
	const date = new Date(time);
	return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
};

const dayOf = (time: number): number => Math.floor(time / 86_400_000) * 86_400_000;

const minutes = (seconds: number): number => Math.ceil(seconds / 60);

/**
 * When a number costs its monthly price, with `from` <= time < `to`: as it begins to count, and as each further month
 * begins. A month in which it counted before is paid for.
 */
function* monthsOf({ billed }: NumberRow, from: number, to: number): Iterable<number> {
	let paid = Number.NEGATIVE_INFINITY;
	for (const period of billed) {
		const began = Date.parse(period.from);
		if (monthOf(began) > paid && began >= from && began < to) yield began;
		const end = period.to === null ? Number.POSITIVE_INFINITY : Date.parse(period.to);
		const first = Math.max(monthOf(began, 1), from);
		for (let at = monthOf(first) === first ? first : monthOf(first, 1); at < end && at < to; at = monthOf(at, 1))
			yield at;
		paid = monthOf(Math.max(began, end - 1));
	}
}

function* numberCharges({ store }: Service, from: number, to: number): Iterable<Charge> {
	for (const row of store.numbers) {
		const description = `${row.country} ${row.type} numbers`;
		const cost = monthlyPrice(row.type);
		for (const at of monthsOf(row, from, to))
			yield { category: "numbers", description, number_id: row.id, at, quantity: 1, unit: "month", cost };
	}
}

function* trafficCharges({ store }: Service): Iterable<Charge> {
	for (const { direction, number_id, price, ...row } of store.calls) {
		if (price === null || row.ended_at === null || row.answered_at === null) continue;
		const description = `${direction} calls`;
		const at = Date.parse(row.charged_at ?? row.ended_at);
		const quantity = minutes(secondsTalked(row));
		yield { category: "calls", description, number_id, at, quantity, unit: "minute", cost: unitsOf(price) };
	}
	for (const { direction, number_id, price, segments: quantity, ...row } of store.messages) {
		if (price === null) continue;
		const description = `${direction} SMS`;
		const at = Date.parse(row.sent_at ?? row.created_at);
		yield { category: "sms", description, number_id, at, quantity, unit: "segment", cost: unitsOf(price) };
	}
	for (const { price, duration_seconds, call_id, ...row } of store.recordings) {
		const number_id = store.calls.get(call_id)?.number_id ?? "";
		const category = "recordings";
		const at = Date.parse(row.created_at);
		const quantity = minutes(duration_seconds);
		yield { category, description: category, number_id, at, quantity, unit: "minute", cost: unitsOf(price) };
	}
}

/** Charges with `from` <= time < `to`. */
function* charges(service: Service, from: number, to: number): Iterable<Charge> {
	yield* numberCharges(service, from, to);
	for (const charge of trafficCharges(service)) if (charge.at >= from && charge.at < to) yield charge;
}

/** Adds up the charges with the same key, in the order of their keys. */
const sums = (list: Iterable<Charge>, keyOf: (charge: Charge) => string | number): Charge[] => {
	const found = new Map<string | number, { -readonly [Part in keyof Charge]: Charge[Part] }>();
	for (const charge of list) {
		const key = keyOf(charge);
		const sum = found.get(key);
		if (sum === undefined) found.set(key, { ...charge });
		else {
			sum.quantity += charge.quantity;
			sum.cost += charge.cost;
		}
	}
	return [...found.values()];
};

/** Returns usage with `from` <= time < `to`, by category and, with a group, by day or number. */
export const usageOf = (
	service: Service,
	from: number,
	to: number,
	group: (typeof usageGroups)[number],
): z.input<typeof UsageRecord>[] => {
	const keys = {
		category: ({ category }: Charge) => category,
		day: ({ category, at }: Charge) => `${dayOf(at)} ${category}`,
		number: ({ category, number_id }: Charge) => `${number_id} ${category}`,
	};
	const found = sums(charges(service, from, to), keys[group]);
	if (group === "day") found.sort((a, b) => dayOf(a.at) - dayOf(b.at));
	return found.map(({ category, number_id, at, quantity, unit, cost }) => ({
		category,
		...(group === "number" ? { number_id } : {}),
		quantity,
		unit,
		cost: money(cost),
		period_start: timestamp(group === "day" ? Math.max(dayOf(at), from) : from),
		period_end: timestamp(group === "day" ? Math.min(dayOf(at) + 86_400_000, to) : to),
	}));
};

const ofInvoice = recordOf(InvoiceRecord);
export const invoiceRecord = (service: Service, row: InvoiceRow): z.input<typeof InvoiceRecord> => ({
	...ofInvoice(service, row),
	document_url: `/invoices/${row.id}/document`,
});

const daysToPay = 14;

const bill = (service: Service, month: number, list: readonly Charge[]): void => {
	// Usage has fractions of a cent, an invoice whole cents.
	const lines = sums(list, ({ category, description }) => `${category} ${description}`).map((line) => ({
		...line,
		cost: payable(line.cost),
	}));
	const total = lines.reduce((sum, { cost }) => sum + cost, 0);
	const due_at = timestamp(service.clock.now() + daysToPay * 86_400_000);
	const row = put(service, "invoices", {
		...newRow(service, "invoices"),
		number: `INV-${timestamp(month).slice(0, 7)}`,
		status: "open",
		period_start: timestamp(month),
		period_end: timestamp(monthOf(month, 1)),
		lines: lines.map(({ category, description, quantity, unit, cost }) => ({
			category,
			description,
			quantity,
			unit,
			cost: money(cost),
		})),
		total: money(total),
		due_at,
		next_at: due_at,
	});
	service.save({ billedUntil: monthOf(month, 1) });
	emit(service, "invoice.created", invoiceRecord(service, row));
};

/** Bills each ended month with usage and without an invoice, and sets the timer for the next one. */
export const scheduleBilling = (service: Service): void => {
	const currentTime = service.clock.now();
	const months = new Map<number, Charge[]>();
	for (const charge of charges(service, service.billedUntil, monthOf(currentTime))) {
		const month = monthOf(charge.at);
		const list = months.get(month);
		if (list === undefined) months.set(month, [charge]);
		else list.push(charge);
	}
	for (const [month, list] of [...months].sort(([a], [b]) => a - b)) bill(service, month, list);
	setTimer(service, "billing", monthOf(currentTime, 1), () => scheduleBilling(service));
};

/** Continues after the existing invoices. */
export const startBilling = (service: Service): void => {
	const ends = [...service.store.invoices].map(({ period_end }) => Date.parse(period_end));
	service.save({ billedUntil: ends.reduce((last, end) => Math.max(last, end), 0) });
	scheduleBilling(service);
};

/** Assumed: an invoice is paid when it is due. */
export const payInvoice = (service: Service, row: InvoiceRow): void => {
	edit(service, "invoices", row, (draft) => {
		draft.status = "paid";
		draft.paid_at = timeOf(service);
		draft.next_at = null;
	});
};
