/** Random histories of an account, and what holds of its bills. `BILLING_RUNS=2000` tries as many of each kind. */
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ServiceError } from "../../../emulator";
import { useEmulator } from "../../helpers/emulator";
import { submitPort } from "../../helpers/ports";
import { day, hour, iso, start } from "../fixture";

const numRuns = Number(process.env.BILLING_RUNS ?? 40);

const emulator = useEmulator({ startAt: iso(start), kyc: "3d" });
const { call } = emulator;
const control = () => emulator.control;
const currentTime = () => Date.parse(control().clock().now);
const monthAfter = (time: number) => Date.UTC(new Date(time).getUTCFullYear(), new Date(time).getUTCMonth() + 1);
const advance = (ms: number) => control().clock({ to: iso(currentTime() + ms) });

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: start }));
afterEach(() => void vi.useRealTimers());

const outside = "+12025550143";
const pick = <Item>(items: readonly [Item, ...Item[]], n: number): Item => items[n % items.length] ?? items[0];
const statuses = ["active", "suspended", "ported_out", "failed", "released", "pending"] as const;

/** Events of a number; `n` is drawn. */
const moves: Record<string, (row: { readonly id: string; readonly number: string | null }, n: number) => unknown> = {
	buy: (_, n) =>
		call("POST", "/numbers", { country: pick(["US", "DE", "NL"], n), type: pick(["mobile", "national"], n) }),
	port: async (_, n) =>
		control().decidePortOrder(String(await submitPort(emulator, [`+3120${1_000_000 + n}`])), "complete"),
	release: ({ id }) => call("DELETE", `/numbers/${id}`),
	restore: ({ id }) => call("POST", `/numbers/${id}/restore`),
	edit: ({ id }, n) => control().patchNumber(id, { status: pick(statuses, n) }),
	label: ({ id }, n) => control().patchNumber(id, { label: String(n) }),
	decide: ({ id }, n) => control().decide(id, pick(["approve", "reject", "expire"], n)),
	send: ({ number: from }, n) => call("POST", "/messages", { from, to: outside, text: "x".repeat(1 + (n % 400)) }),
	receive: ({ number }) => control().receiveMessage({ to: String(number), from: outside, text: "Hello" }),
	call: ({ id, number }, n) => {
		control().settings({ callSeconds: 1 + (n % 400) });
		control().patchNumber(id, { routing: { type: "forward", to: outside } });
		control().receiveCall({ to: String(number), from: outside });
	},
	tick: () => advance(1),
	months: (_, n) => advance((1 + (n % 1680)) * hour),
	back: (_, n) => {
		vi.setSystemTime(Math.max(currentTime() - (1 + (n % 2880)) * hour, start));
		control().clock({ mode: "real" });
		control().clock({ mode: "virtual" });
	},
};

const historyOf = (names: readonly string[]) =>
	fc.array(fc.record({ name: fc.constantFrom(...names), index: fc.nat({ max: 5 }), n: fc.nat({ max: 1_000_000 }) }), {
		minLength: 10,
		maxLength: 40,
	});

/** Makes a move; the service may refuse it. */
const live = async (name: string, index: number, n: number): Promise<void> => {
	const { numbers } = control().state();
	try {
		await moves[name]?.(numbers[index % numbers.length] ?? { id: "num_0", number: "+10" }, n);
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
	}
};

type Line = Readonly<Record<"category" | "number_id" | "period_start" | "period_end" | "id", string>> & {
	readonly quantity: number;
	readonly cost: { readonly amount: string };
};
type Invoice = Line & { readonly lines: readonly Line[]; readonly total: Line["cost"] };
const read = async <Item = Invoice>(path: string) => (await call("GET", path)).body.data as unknown as readonly Item[];
const units = ({ amount }: { amount: string }) => Math.round(Number(amount) * 10_000);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** An invoice covers a month, and its lines add up to the month's usage, category by category. */
const checkInvoice = async ({ period_start, period_end, lines, total }: Invoice): Promise<void> => {
	const from = new Date(period_start);
	expect(from.getTime() % day).toBe(0);
	expect(from.getUTCDate()).toBe(1);
	expect(Date.parse(period_end)).toBe(monthAfter(from.getTime()));
	for (const { cost } of lines) expect(cost.amount).toMatch(/^\d+\.\d\d$/);
	expect(units(total)).toBe(sum(lines.map(({ cost }) => units(cost))));
	const used = await read(`/usage?from=${period_start}&to=${period_end}`);
	expect(new Set(lines.map(({ category }) => category))).toEqual(new Set(used.map(({ category }) => category)));
	for (const { category, quantity, cost } of used) {
		const ofCategory = lines.filter((line) => line.category === category);
		expect(sum(ofCategory.map((line) => line.quantity))).toBe(quantity);
		// Rounding changes each line by half a cent at most.
		expect(Math.abs(sum(ofCategory.map((line) => units(line.cost))) - units(cost))).toBeLessThanOrEqual(
			50 * ofCategory.length,
		);
	}
};

test("invoices add up to the usage of their months, and never change", async () => {
	let invoices = 0;
	await fc.assert(
		fc.asyncProperty(historyOf(Object.keys(moves)), async (history) => {
			vi.setSystemTime(start);
			control().reset();
			const seen = new Map<string, string>();
			for (const { name, index, n } of [...history, { name: "months", index: 0, n: 40 * 24 }]) {
				await live(name, index, n);
				const all = await read("/invoices?limit=100");
				expect(new Set(all.map(({ period_start }) => period_start)).size).toBe(all.length);
				for (const invoice of all) {
					const print = JSON.stringify({ ...invoice, status: "", paid_at: "", updated_at: "" });
					expect(print).toBe(seen.get(invoice.id) ?? print);
					await checkInvoice(invoice);
					seen.set(invoice.id, print);
				}
				expect(seen.size).toBe(all.length);
			}
			invoices += seen.size;
		}),
		{ numRuns },
	);
	expect(invoices).toBeGreaterThan(numRuns);
});

test("a number costs one month for each month in which it is active", async () => {
	await fc.assert(
		fc.asyncProperty(historyOf(Object.keys(moves).filter((name) => name !== "back")), async (history) => {
			control().reset();
			const months = new Map<string, Set<string>>();
			const note = () => {
				const month = iso(currentTime()).slice(0, 7);
				for (const { id, status, activated_at } of control().state().numbers) {
					if (!activated_at || /released|ported_out|failed/.test(status)) continue;
					months.set(id, (months.get(id) ?? new Set()).add(month));
				}
			};
			for (const { name, index, n } of history) {
				if (name === "months") {
					// With a stop at the end of each month, so that none passes unseen.
					const until = currentTime() + n * 7200;
					for (let end = monthAfter(currentTime()) - 1; end < until; end = monthAfter(end + 1) - 1) {
						if (end > currentTime()) advance(end - currentTime());
						note();
					}
					advance(until + 1 - currentTime());
				} else await live(name, index, n);
				note();
			}
			advance(1);
			note();
			const used = await read(`/usage?from=${iso(start)}&group_by=number&limit=100`);
			const counted = used.filter(({ category }) => category === "numbers");
			const expected = new Map([...months].map(([id, { size }]) => [id, size]));
			expect(new Map(counted.map(({ number_id, quantity }) => [number_id, quantity]))).toEqual(expected);
		}),
		{ numRuns },
	);
});
