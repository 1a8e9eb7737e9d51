/** The lines of a bill for numbers: one for each stack, and one for what none holds. */
import type { NumberRecord } from "../provider/api/contract";
import { nameOf } from "../provider/api/record";
import type { Account, Owned, Unreadable } from "./account";
import { type Amounts, type BilledNumber, counted, type Line, type Month, sumOf } from "./bill-lines";
import { type Holding, holders } from "./held";

export function numberLines(
	{ objects, unreadable }: Account,
	held: readonly Holding[],
	stacks: readonly string[],
	month: Month,
	amounts: Amounts,
): { readonly lines: readonly Line[]; readonly numbers: readonly BilledNumber[]; readonly notes: readonly string[] } {
	const holderOf = holders(held);
	const found = [...objects, ...unreadable].map((each) => ({ record: recordOf(each), holder: holderOf(each) }));
	// A number without a date may have been there.
	const there = found.filter(({ record }) => !(since(record) >= month.to));
	const billed = there.map((each) => ({ stack: each.holder?.stack, number: numberOf(each, month, amounts) }));
	const ofStack = (stack: string | undefined) => billed.flatMap((each) => (each.stack === stack ? [each.number] : []));
	const free = ofStack(undefined);
	const lines = stacks.map((stack) => lineOf(`stack ${stack}`, ofStack(stack)));
	const numbers = billed.map(({ number }) => number);
	const listed = new Set(found.map(({ holder }) => holder));
	return {
		lines: free.length === 0 ? lines : [...lines, lineOf("no stack", free)],
		numbers,
		notes: [...unpriced(there), ...unlisted(held.filter((holding) => !listed.has(holding)))],
	};
}

interface Found {
	readonly record: Partial<NumberRecord>;
	readonly holder: Holding | undefined;
}

/** Of one that can't be read, the id is known at most. */
function recordOf(each: Owned | Unreadable): Partial<NumberRecord> {
	if ("record" in each) return each.type === "Number" ? each.record : {};
	return each.id === undefined ? {} : { id: each.id };
}

const since = ({ created_at: time = "" }: Partial<NumberRecord>): number => Date.parse(time ?? "");

/** The service's is newer than the state's. */
const priceOf = ({ record, holder }: Found) => record.price ?? holder?.price;

function numberOf(found: Found, { from }: Month, amounts: Amounts): BilledNumber {
	const { record, holder } = found;
	const price = priceOf(found);
	const monthly = amounts.read(price?.monthly, `The monthly price of ${nameOf(record)}`);
	const isNew = since(record) >= from;
	const setup = isNew ? amounts.read(price?.setup, `The setup price of ${nameOf(record)}`) : undefined;
	return {
		...(record.id !== undefined && { id: record.id }),
		...(record.number != null && { e164: record.number }),
		...(holder && { name: holder.name }),
		...(monthly && { monthly }),
		...(setup && { setup }),
	};
}

function lineOf(of: string, numbers: readonly BilledNumber[]): Line {
	const monthly = numbers.flatMap((number) => number.monthly ?? []);
	const setup = numbers.flatMap((number) => number.setup ?? []);
	return {
		of,
		numbers,
		monthly: sumOf(monthly).amounts(),
		setup: sumOf(setup).amounts(),
		cost: sumOf([...monthly, ...setup]).amounts(),
	};
}

function unpriced(numbers: readonly Found[]): string[] {
	const without = numbers.filter((found) => priceOf(found) === undefined);
	const [first] = without;
	if (first === undefined) return [];
	const count = counted(without.length, "number");
	return [`The price of ${count} is unknown, such as ${nameOf(first.record)}: left out.`];
}

/** Numbers of a state that the account doesn't list. */
function unlisted(holdings: readonly Holding[]): string[] {
	// One that is still being ported isn't there yet.
	const gone = holdings.filter(({ type, id }) => type === "Number" && !id.startsWith("+"));
	const [first] = gone;
	if (first === undefined) return [];
	const such = `${first.name} in stack ${first.stack} (${first.id})`;
	return [`The account doesn't list ${counted(gone.length, "number")} of the stacks, such as ${such}: left out.`];
}
