/** What holds of bills whatever has happened. `BILLING_RUNS=2000` tries as many histories of each kind. */
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { VirtualClock } from "../../../emulator";
import { invoiceRecord, usageOf, usedUntil } from "../../../emulator/areas/billing/billing";
import { messageHandlers } from "../../../emulator/areas/messages/routes";
import { numberHandlers, portNumber } from "../../../emulator/areas/numbers/routes";
import { createControl } from "../../../emulator/control/control";
import { createAnswers } from "../../../emulator/http/normalise";
import { ServiceError } from "../../../emulator/request/errors";
import { createService } from "../../../emulator/service/service";
import { seededRandom } from "../../../emulator/store/random";
import { day, start } from "../fixture";

const numRuns = Number(process.env.BILLING_RUNS ?? 60);

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: start }));
afterEach(() => void vi.useRealTimers());

const open = (seed: number) => {
	const clock = new VirtualClock(start);
	const service = createService({
		...{ clock, ownsClock: true, random: seededRandom(String(seed)) },
		...{ apiKey: "k", profile: "full", kycPolicy: "3d" },
	});
	const control = createControl(service);
	return { clock, service, control, ...numberHandlers(service, createAnswers(service)), ...messageHandlers(service) };
};
type Account = ReturnType<typeof open>;

const which = fc.nat({ max: 5 });
const hours = (max: number) => fc.integer({ min: 1, max: max * 24 }).map((count) => count * 3_600_000);
const moves = {
	buy: fc.tuple(fc.constantFrom("US", "DE", "NL"), fc.constantFrom("mobile", "geographic", "toll_free")),
	port: fc.integer({ min: 1_000_000, max: 9_999_999 }),
	release: which,
	restore: which,
	edit: fc.tuple(which, fc.constantFrom("active", "suspended", "ported_out", "failed", "released", "pending")),
	label: fc.tuple(which, fc.string({ maxLength: 3 })),
	decide: fc.tuple(which, fc.constantFrom("approve", "reject", "expire")),
	send: fc.tuple(which, fc.integer({ min: 1, max: 400 })),
	receive: which,
	call: fc.tuple(which, fc.integer({ min: 1, max: 400 })),
	advance: fc.oneof(hours(3), hours(70), fc.constant(1)),
} as const;
const back = { back: hours(120) } as const;
type Move =
	| { name: "buy"; of: [country: "US", type: "mobile"] }
	| { name: "port" | "release" | "restore" | "receive" | "advance" | "back"; of: number }
	| { name: "edit" | "label" | "decide"; of: [index: number, word: string] }
	| { name: "send" | "call"; of: [index: number, size: number] };

const historyOf = (model: object) =>
	fc.array(fc.oneof(...Object.entries(model).map(([name, of]) => fc.record({ name: fc.constant(name), of }))), {
		minLength: 1,
		maxLength: 40,
	}) as fc.Arbitrary<Move[]>;

const cause = { query: undefined, requestId: "req_1", key: null } as const;

const carryOut = (account: Account, { name, of }: Move): void => {
	const { clock, control, service } = account;
	const rows = control.state().numbers;
	const row = (index: number) => rows[index % rows.length] ?? { id: "num_0", number: "+10" };
	const at = Array.isArray(of) ? of[0] : of;
	const { id, number } = row(Number.isInteger(at) ? Number(at) : 0);
	switch (name) {
		case "buy":
			account.buyNumber({ ...cause, id: "", body: { country: of[0], type: of[1] } });
			break;
		case "port":
			portNumber(service, `+1415${of}`);
			break;
		case "release":
			account.releaseNumber({ ...cause, id, body: undefined });
			break;
		case "restore":
			account.restoreNumber({ ...cause, id, body: undefined });
			break;
		case "edit":
			control.patchNumber(id, { status: of[1] });
			break;
		case "label":
			control.patchNumber(id, { label: of[1] });
			break;
		case "decide":
			control.decide(id, of[1] as "approve");
			break;
		case "send":
			account.sendMessage({
				...cause,
				...{ id: "", body: { from: number, to: "+12025550143", text: "x".repeat(of[1]) } },
			});
			break;
		case "receive":
			control.receiveMessage({ to: number, from: "+12025550143", text: "Hello" });
			break;
		case "call":
			control.settings({ callSeconds: of[1] });
			control.patchNumber(id, { routing: { type: "forward", to: "+12025550143" } });
			control.receiveCall({ to: number, from: "+12025550144" });
			break;
		case "advance":
			clock.advance(of);
			break;
		case "back":
			vi.setSystemTime(Math.max(clock.now() - of, start));
			control.clock({ mode: "real" });
			control.clock({ mode: "virtual" });
			break;
	}
};

/** What the service refuses, it refuses: the history goes on. */
const live = (account: Account, move: Move): void => {
	try {
		carryOut(account, move);
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
	}
};

const units = ({ amount }: { amount: string }) => Math.round(Number(amount) * 10_000);
const invoicesOf = ({ service }: Account) => [...service.store.invoices].map((row) => invoiceRecord(service, row));
const sum = (values: readonly number[] = []) => values.reduce((total, value) => total + value, 0);

/** By category, what was used in a period and what is on an invoice. */
const checkInvoice = ({ service }: Account, invoice: ReturnType<typeof invoiceRecord>): void => {
	const [from, to] = [Date.parse(String(invoice.period_start)), Date.parse(String(invoice.period_end))];
	const next = new Date(from);
	expect(next.getUTCDate()).toBe(1);
	expect(from % day).toBe(0);
	expect(to).toBe(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1));
	const used = usageOf(service, from, Math.min(to, usedUntil(service)), "category");
	const lines = invoice.lines ?? [];
	for (const { cost } of lines) expect(cost.amount).toMatch(/^\d+\.\d\d$/);
	expect(units(invoice.total ?? { amount: "" })).toBe(sum(lines.map(({ cost }) => units(cost))));
	expect(new Set(lines.map(({ category }) => category))).toEqual(new Set(used.map(({ category }) => category)));
	for (const { category, quantity, cost } of used) {
		const own = lines.filter((line) => line.category === category);
		expect(sum(own.map((line) => line.quantity))).toBe(quantity);
		// Each line is off by half a cent at most.
		expect(Math.abs(sum(own.map((line) => units(line.cost))) - units(cost))).toBeLessThanOrEqual(50 * own.length);
	}
};

test("invoices add up to what was used, months don't overlap and past ones never change, whatever happens", () => {
	fc.assert(
		fc.property(fc.nat(), historyOf({ ...moves, ...back }), (seed, history) => {
			vi.setSystemTime(start);
			const account = open(seed);
			const seen = new Map<string, string>();
			const all: Move[] = [...history, { name: "advance", of: 40 * day }];
			for (const move of all) {
				live(account, move);
				const invoices = invoicesOf(account);
				expect(new Set(invoices.map(({ period_start }) => period_start)).size).toBe(invoices.length);
				for (const invoice of invoices) {
					const { id, number, period_start, period_end, lines, total, created_at } = invoice;
					const print = JSON.stringify({ number, period_start, period_end, lines, total, created_at });
					expect(print).toBe(seen.get(id) ?? print);
					seen.set(id, print);
					checkInvoice(account, invoice);
				}
				expect(seen.size).toBe(invoices.length);
			}
			const { service } = account;
			const billed = usageOf(service, 0, service.billedUntil, "category");
			const lines = invoicesOf(account).flatMap(({ lines = [] }) => lines);
			expect(sum(lines.map(({ quantity }) => quantity))).toBe(sum(billed.map(({ quantity }) => quantity)));
		}),
		{ numRuns },
	);
});

test("a number costs one month for each in which it counted", () => {
	fc.assert(
		fc.property(fc.nat(), historyOf(moves), (seed, history) => {
			const account = open(seed);
			const { clock, control, service } = account;
			const months = new Map<string, Set<string>>();
			const counted = () =>
				control
					.state()
					.numbers.filter(({ status, activated_at }) => activated_at && !/released|ported_out|failed/.test(status))
					.map(({ id }) => id);
			const note = (ids: readonly string[]) => {
				const month = new Date(clock.now()).toISOString().slice(0, 7);
				for (const id of ids) months.set(id, (months.get(id) ?? new Set()).add(month));
			};
			for (const move of history) {
				// Hour by hour, so that no month passes unseen.
				const steps = move.name === "advance" ? Math.ceil(move.of / (6 * 3_600_000)) : 1;
				for (let step = 0; step < steps; step++) {
					live(account, move.name === "advance" ? { name: "advance", of: move.of / steps } : move);
					note(counted());
				}
			}
			clock.advance(1);
			note(counted());
			const used = usageOf(service, 0, clock.now(), "number").filter(({ category }) => category === "numbers");
			expect(new Map(used.map(({ number_id, quantity }) => [number_id, quantity]))).toEqual(
				new Map([...months].map(([id, { size }]) => [id, size])),
			);
		}),
		{ numRuns },
	);
});
