/** The usage of a month, as the service charges it. */
import type { Money, UsageRecord } from "../../provider/api/contract";
import { grouped } from "../report/model";
import { type Amounts, type Line, sumOf } from "./amounts";

interface Usage {
	readonly lines: readonly Line[];
	readonly total: readonly Money[];
	readonly notes: readonly string[];
}

const otherCharges = "other charges for numbers";

/** Returns a line for each kind of usage; for numbers, only the difference from their prices. */
export function usageOf(records: readonly UsageRecord[], numbers: readonly Line[], amounts: Amounts): Usage {
	const costs = records.map(({ category, quantity, unit, cost }) => {
		const money = amounts.read(cost, `The cost of ${category} in the usage`);
		return { category, quantity, unit, cost: money };
	});
	const total = sumOf(costs.flatMap(({ cost }) => cost ?? [])).amounts();
	const kinds = grouped(
		costs.filter(({ category }) => category !== "numbers"),
		({ category, unit }) => JSON.stringify([category, unit]),
	);
	const lines = kinds.map((records): Line => {
		const [{ category, unit }] = records;
		const quantity = records.reduce((sum, each) => sum + each.quantity, 0);
		const cost = sumOf(records.flatMap((each) => each.cost ?? [])).amounts();
		// Removes the noise of binary fractions.
		return { of: category, quantity: Number(quantity.toFixed(6)), unit, cost };
	});
	const prices = numbers.flatMap(({ cost }) => cost);
	const charges = costs.filter(({ category }) => category === "numbers").map(({ cost }) => cost);
	if (charges.length === 0 || charges.includes(undefined)) {
		const note = "The usage has no charges for numbers. Their cost is taken from their prices.";
		return { lines, total, notes: prices.every(isZero) ? [] : [note] };
	}
	const rest = sumOf(charges.flatMap((cost) => cost ?? []));
	rest.addAll(sumOf(prices), -1);
	const cost = rest.amounts().filter((money) => !isZero(money));
	if (cost.length === 0) return { lines, total, notes: [] };
	const note = `"${otherCharges}" is the difference between the charges in the usage and the prices of the account's numbers: released numbers, numbers not charged yet, other prices.`;
	return { lines: [...lines, { of: otherCharges, cost }], total, notes: [note] };
}

const isZero = ({ amount }: Money): boolean => !/[1-9]/.test(amount);
