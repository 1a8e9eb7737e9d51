/** The lines of a bill for numbers: one for each stack, and one for numbers that no stack holds. */
import type { NumberRecord } from "../../provider/api/contract";
import { nameOf } from "../../provider/api/record";
import type { Account, Owned, Unreadable } from "../account/account";
import { type Holding, holdingFinder } from "../account/holdings";
import { counted, sumOf } from "../report/model";
import type { Amounts, BilledNumber, Line, Month } from "./amounts";

interface Facts {
	readonly holdings: readonly Holding[];
	readonly stacks: readonly string[];
	readonly month: Month;
	readonly amounts: Amounts;
}

interface NumberLines {
	readonly lines: readonly Line[];
	readonly billed: readonly BilledNumber[];
	readonly notes: readonly string[];
}

export function numberLines(
	{ objects, unreadable }: Account,
	{ holdings, stacks, month, amounts }: Facts,
): NumberLines {
	const holdingOf = holdingFinder(holdings);
	const found = [...objects, ...unreadable].map((object) => ({ record: recordOf(object), holding: holdingOf(object) }));
	// A number without a date counts.
	const current = found.filter(({ record }) => !(createdAt(record) >= month.to));
	const billed = current.map((item) => ({ stack: item.holding?.stack, number: billedNumber(item, month, amounts) }));
	const ofStack = (wanted: string | undefined) =>
		billed.filter(({ stack }) => stack === wanted).map(({ number }) => number);
	const free = ofStack(undefined);
	const held = new Set(found.map(({ holding }) => holding));
	return {
		lines: [
			...stacks.map((stack) => lineOf(`stack ${stack}`, ofStack(stack))),
			...(free.length === 0 ? [] : [lineOf("no stack", free)]),
		],
		billed: billed.map(({ number }) => number),
		notes: [...unpricedNotes(current), ...unlistedNotes(holdings.filter((holding) => !held.has(holding)))],
	};
}

interface Found {
	readonly record: Partial<NumberRecord>;
	readonly holding: Holding | undefined;
}

/** An unreadable record has at most its id. */
function recordOf(object: Owned | Unreadable): Partial<NumberRecord> {
	if ("record" in object) return object.type === "Number" ? object.record : {};
	return object.id === undefined ? {} : { id: object.id };
}

const createdAt = ({ created_at: time }: Partial<NumberRecord>): number => Date.parse(time ?? "");

/** The service's price is newer than the state's. */
const priceOf = ({ record, holding }: Found) => record.price ?? holding?.price;

function billedNumber(found: Found, { from }: Month, amounts: Amounts): BilledNumber {
	const { record, holding } = found;
	const price = priceOf(found);
	const monthly = amounts.read(price?.monthly, `The monthly price of ${nameOf(record)}`);
	const isNew = createdAt(record) >= from;
	const setup = isNew ? amounts.read(price?.setup, `The setup price of ${nameOf(record)}`) : undefined;
	return { id: record.id, e164: record.number ?? undefined, name: holding?.name, monthly, setup };
}

function lineOf(title: string, numbers: readonly BilledNumber[]): Line {
	const monthly = numbers.map((number) => number.monthly);
	const setup = numbers.map((number) => number.setup);
	return {
		subject: title,
		numbers,
		monthly: sumOf(monthly).amounts(),
		setup: sumOf(setup).amounts(),
		cost: sumOf([...monthly, ...setup]).amounts(),
	};
}

function unpricedNotes(numbers: readonly Found[]): string[] {
	const unpriced = numbers.filter((found) => priceOf(found) === undefined);
	const [first] = unpriced;
	if (first === undefined) return [];
	return [`The price of ${counted(unpriced.length, "number")} is unknown, such as ${nameOf(first.record)}: left out.`];
}

/** Notes about numbers of a state that the account doesn't list. */
function unlistedNotes(holdings: readonly Holding[]): string[] {
	// A number whose port is in progress isn't listed yet.
	const missing = holdings.filter(({ type, id }) => type === "Number" && !id.startsWith("+"));
	const [first] = missing;
	if (first === undefined) return [];
	const example = `${first.name} in stack ${first.stack} (${first.id})`;
	return [`The account doesn't list ${counted(missing.length, "number")} of the stacks, such as ${example}: left out.`];
}
