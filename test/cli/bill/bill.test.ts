/** `telephony bill`, with states in files. */
import { describe, expect, test } from "vitest";
import type { BillReport } from "../../../cli/bill/report";
import { sumOf } from "../../../cli/report/model";
import type { Money } from "../../../provider/api/contract";
import { useEmulator } from "../../helpers/emulator";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { aNumber, aPool, create, openProvider } from "../../helpers/provider";
import { useStates } from "../../helpers/states";

/** Each test begins at this time, and the clock stands still. */
const emulator = useEmulator({ kyc: "immediate", startAt: "2026-07-10T12:00:00Z" });
const proxy = useFaultProxy(emulator);
const states = useStates<BillReport>("bill", emulator);
const { state } = states;

/** Prices of the emulator, in USD a month: mobile 2, geographic 1, toll-free 3, national 1.5. */
const buy = async (type: string) => {
	const { body } = await emulator.call("POST", "/numbers", { country: "NL", type });
	// Usage ends before this very moment.
	emulator.control.clock({ advance: "1m" });
	return body.id;
};
const e164Of = (id: string) => String(emulator.row(id)?.number);
const text = async (from: string) => {
	await emulator.call("POST", "/messages", { from, to: "+14155550123", text: "Hello" });
	emulator.control.clock({ advance: "1m" });
};
const usd = (amount: string): Money => ({ amount, currency: "USD" });

const bill = (stacks: readonly string[], ...args: string[]) => states.report(stacks, { args });
/** Runs the command with rewritten responses. */
const rewritten = (stacks: readonly string[], start: string, rewrite: (text: string) => string) => {
	proxy.rewrite = (text, method, path) =>
		method === "GET" && path.replace("/v1", "").startsWith(start) ? rewrite(text) : text;
	return states.report(stacks, { url: proxy.url });
};

/** Returns the cost of each line, in the report's order; stacks by the name of their file. */
const costsIn = ({ lines }: BillReport) =>
	lines.map(({ subject, cost }) => [
		subject.replace(/stack .*\/(\w+)\.json/, "stack $1"),
		cost.map(({ amount, currency }) => `${amount} ${currency}`).join(" + "),
	]);
const totalOf = ({ lines }: BillReport) => sumOf(lines.flatMap(({ cost }) => cost)).amounts();

test("splits the usage of a month by stack and by kind", async () => {
	const [cheap, dear, free] = [await buy("geographic"), await buy("toll_free"), await buy("mobile")];
	const second = await buy("mobile");
	await text(e164Of(free));
	const [dev, prod] = [
		state([{ id: cheap, name: "desk" }]),
		state([{ id: dear }, { id: second, name: "other" }], "prod.json"),
	];
	const before = emulator.requests().length;
	const done = await bill([dev, prod]);
	expect(done.code, done.output).toBe(0);
	expect(costsIn(done.report), done.output).toEqual([
		["stack prod", "5.00 USD"],
		["no stack", "2.00 USD"],
		["stack dev", "1.00 USD"],
		["sms", "0.0075 USD"],
	]);
	const used = sumOf((await emulator.call("GET", "/usage")).body.data.map(({ cost }) => cost as Money)).amounts();
	expect(used).toEqual([usd("8.0075")]);
	expect(done.report.usage, "the usage of the report").toEqual(used);
	expect(totalOf(done.report), "all lines").toEqual(used);
	expect(done.report).toMatchObject({ month: "2026-07", isOver: false, total: 4, monthly: [usd("8.00")] });
	expect(done.report.lines.at(-1)).toEqual({ subject: "sms", quantity: 1, unit: "segment", cost: [usd("0.0075")] });
	expect(done.report.lines[2]?.numbers, "each number").toEqual([
		{ id: cheap, e164: e164Of(cheap), name: "desk", monthly: usd("1.00"), setup: usd("0.00") },
	]);
	const requests = emulator.requests(before);
	expect(requests.slice(0, -1)).toEqual(["GET /numbers", "GET /usage", "GET /invoices"]);
	expect(done.stdout).toContain("bill of 2026-07: 8.0075 USD charged so far, 4 numbers at 8.00 USD a month; stacks ");
	expect(done.stdout).toMatch(/^no stack +1 number +2\.00 USD +0\.00 USD +2\.00 USD$/m);
	expect(done.stdout).toMatch(/^sms +1 segment +0\.0075 USD$/m);
	expect(done.markdown).toContain("| no stack | 1 number | 2.00 USD | 0.00 USD | 2.00 USD |");
	expect(done.output + done.markdown).not.toContain(emulator.apiKey);
});

test("shows invoice, numbers and releases of a past month", async () => {
	const [kept, gone] = [await buy("mobile"), await buy("toll_free")];
	await text(e164Of(kept));
	await emulator.call("DELETE", `/numbers/${gone}`);
	emulator.control.clock({ to: "2026-08-05T00:00:00Z" });
	const later = await buy("geographic");
	const stack = state([{ id: kept }, { id: later, name: "later" }]);
	const july = await bill([stack], "--month", "2026-07");
	expect(costsIn(july.report), july.output).toEqual([
		["other charges for numbers", "3.00 USD"],
		["stack dev", "2.00 USD"],
		["sms", "0.0075 USD"],
	]);
	expect(july.report).toMatchObject({ isOver: true, total: 1, usage: totalOf(july.report) });
	const [invoice] = emulator.control.state().invoices;
	expect(invoice?.total, "the emulator's invoice").toEqual(usd("5.01"));
	expect(july.report.invoices).toEqual([
		expect.objectContaining({ id: invoice?.id, number: "INV-2026-07", status: "open", total: usd("5.01") }),
	]);
	expect(july.stdout).toMatch(/^INV-2026-07 +2026-07-01 +2026-08-01 +open +2026-08-15 +5\.01 USD$/m);
	expect(july.markdown).toContain("| INV-2026-07 | 2026-07-01 | 2026-08-01 | open | 2026-08-15 | 5.01 USD |");
	expect(july.stdout).toContain("5.0075 USD charged, 1 number at");
	expect(july.report.notes).toEqual([expect.stringContaining("released numbers")]);

	const august = await bill([stack]);
	expect(costsIn(august.report), august.output).toEqual([["stack dev", "3.00 USD"]]);
	expect(august.report).toMatchObject({ month: "2026-08", invoices: [], notes: ["There is no invoice for 2026-08."] });
	const [main, bought] = august.report.lines[0]?.numbers ?? [];
	expect(main?.setup, "the setup of a number of the month before").toBeUndefined();
	expect(bought?.setup, "the setup of a number of this month").toEqual(usd("0.00"));
});

test("counts a setup price in the month of the purchase", async () => {
	const stack = state([{ id: await buy("mobile") }]);
	const done = await rewritten([stack], "/numbers", (text) =>
		text.replace('"setup":{"amount":"0.00"', '"setup":{"amount":"7.50"'),
	);
	expect(done.report.lines, done.output).toMatchObject([
		{ monthly: [usd("2.00")], setup: [usd("7.50")], cost: [usd("9.50")] },
		{ subject: "other charges for numbers", cost: [usd("-7.50")] },
	]);
});

describe("a service without usage and invoices", () => {
	test.each([
		["returns an error", () => void emulator.control.settings({ features: { billing: false } }), {}],
		["is declared so", () => undefined, { TELEPHONY_FEATURES: "-billing" }],
	])("that %s: uses the prices of the numbers, with a note", async (_, prepare, env) => {
		prepare();
		const stack = state([{ id: await buy("mobile") }]);
		const before = emulator.requests().length;
		const done = await states.report([stack], { env });
		expect(done.code, done.output).toBe(0);
		expect(costsIn(done.report), done.output).toEqual([["stack dev", "2.00 USD"]]);
		expect(done.report, "the report").not.toHaveProperty("usage");
		expect(done.report, "the report").not.toHaveProperty("invoices");
		const why = "The service shows no usage or invoices: the cost is the sum of the numbers' prices.";
		expect(done.report.notes).toEqual([why]);
		for (const text of [done.stdout, done.markdown]) expect(text).toContain(why);
		expect(emulator.requests(before)).toEqual(["GET /numbers"]);
	});
});

describe("an amount that can't be added", () => {
	const invoiced = async () => {
		const id = await buy("mobile");
		emulator.control.clock({ to: "2026-08-05T00:00:00Z" });
		return id;
	};

	test.each([
		["a number's price", "/numbers", "2,00", "The monthly price of"],
		["usage", "/usage", "1,000", "The cost of numbers in the usage"],
		["an invoice", "/invoices", "two", "The total of the invoice INV-2026-07"],
	])("is left out with a note: %s", async (_, path, invalid, note) => {
		const stack = state([{ id: await invoiced() }]);
		proxy.rewrite = (text, __, at) =>
			at.startsWith(`/v1${path}`) ? text.replaceAll('"amount":"2.00"', `"amount":"${invalid}"`) : text;
		const done = await states.report([stack], { url: proxy.url, args: ["--month", "2026-07"] });
		expect(done.code, done.output).toBe(0);
		const notes = done.report.notes.filter((text) => text.startsWith(note));
		expect(notes, done.output).toEqual([expect.stringContaining(`"${invalid} USD", isn't a decimal: it is left out.`)]);
		expect(done.stdout).not.toContain("NaN");
	});

	test("shares one note with others like it", async () => {
		const ids = [await buy("mobile"), await buy("mobile"), await buy("mobile")];
		const stack = state(ids.map((id) => ({ id, name: id })));
		const done = await rewritten([stack], "/numbers", (text) =>
			text.replaceAll('"2.00","currency":"USD"', '"2.00","currency":""'),
		);
		expect(
			done.report.notes.filter((note) => note.includes("has no currency")),
			done.output,
		).toEqual([expect.stringMatching(/^The monthly price of .*, and 2 more like it\.$/)]);
		expect(done.report.monthly, done.output).toEqual([]);
	});
});

test("takes prices from the state if the list has none", async () => {
	const { id, outs } = await create(openProvider(emulator).number, aNumber());
	const pool = await create(openProvider(emulator).numberPool, aPool({ count: 2 }));
	await buy("mobile");
	const stack = state([
		{ id, outs },
		{ type: "telephony:index:NumberPool", name: "support", ...pool },
	]);
	const done = await rewritten([stack], "/numbers", (text) =>
		text.replace(/"price":\{"setup":\{[^}]*\},"monthly":\{[^}]*\}\}/g, '"price":null'),
	);
	expect(done.report.notes, done.output).toEqual(
		expect.arrayContaining([expect.stringMatching(/^The price of 3 numbers is unknown, such as \+/)]),
	);
	expect(done.report, done.output).toMatchObject({ total: 4, monthly: [usd("2.00")] });
	const all = await bill([stack]);
	expect(costsIn(all.report), "with the list's prices").toEqual([
		["stack dev", "6.00 USD"],
		["no stack", "2.00 USD"],
	]);
});

test("never adds two currencies", async () => {
	const [mobileId, tollFreeId] = [await buy("mobile"), await buy("toll_free")];
	const stack = state([{ id: mobileId }, { id: tollFreeId, name: "other" }]);
	const inEuro = (text: string) => text.replaceAll('"3.00","currency":"USD"', '"3.00","currency":"EUR"');
	proxy.rewrite = (text, method, path) => {
		if (method !== "GET" || !path.startsWith("/v1/usage")) return inEuro(text);
		const page = JSON.parse(text);
		const [record] = page.data;
		return JSON.stringify({
			...page,
			data: ["USD", "EUR"].map((currency) => ({
				...record,
				quantity: 1,
				cost: { amount: currency === "USD" ? "2.00" : "3.25", currency },
			})),
		});
	};
	const { report, stdout, output } = await states.report([stack], { url: proxy.url });
	const eur = (amount: string): Money => ({ amount, currency: "EUR" });
	expect(report.monthly, output).toEqual([eur("3.00"), usd("2.00")]);
	expect(report.usage, output).toEqual([eur("3.25"), usd("2.00")]);
	expect(costsIn(report)).toEqual([
		["stack dev", "3.00 EUR + 2.00 USD"],
		["other charges for numbers", "0.25 EUR"],
	]);
	expect(stdout).toContain("3.25 EUR + 2.00 USD charged so far");
});

test("notes numbers of a state that the account doesn't list", async () => {
	const id = await buy("mobile");
	const outs = { price: { setup: usd("0.00"), monthly: usd("9.00") } };
	const waiting = { id: "+31201234567", name: "ported" };
	const done = await bill([state([{ id }, { id: "num_gone", name: "gone", outs }, waiting])]);
	expect(done.report, done.output).toMatchObject({ total: 1, monthly: [usd("2.00")] });
	expect(done.report.notes).toContainEqual(
		expect.stringMatching(/^The account doesn't list 1 number of the stacks, such as gone in stack .* \(num_gone\)/),
	);
});

test("bills an unreadable number to its stack, at the state's price", async () => {
	const id = await buy("mobile");
	const outs = { price: { setup: usd("0.00"), monthly: usd("2.00") } };
	const done = await rewritten([state([{ id, outs }])], "/numbers", (text) => text.replaceAll('"NL"', "7"));
	expect(costsIn(done.report), done.output).toEqual([["stack dev", "2.00 USD"]]);
});

test("reads all pages, and counts a number of two states once", async () => {
	const ids = [await buy("mobile"), await buy("mobile"), await buy("geographic")];
	await text(e164Of(String(ids[0])));
	const both = [state(ids.map((id) => ({ id, name: id }))), state([{ id: String(ids[0]) }], "copy.json")];
	emulator.control.settings({ pageSize: 1 });
	const before = emulator.requests().length;
	const done = await bill(both);
	const requests = emulator.requests(before);
	const pages = (path: string) => requests.filter((request) => request === `GET ${path}`).length;
	expect([pages("/numbers"), pages("/usage"), pages("/invoices")], requests.join()).toEqual([3, 2, 1]);
	expect(costsIn(done.report), done.output).toEqual([
		["stack dev", "5.00 USD"],
		["sms", "0.0075 USD"],
		["stack copy", ""],
	]);
});

describe("a wrong call", () => {
	test.each([
		["an invalid month", ["--month", "2026-13"], '--month "2026-13" is invalid: it must be YYYY-MM'],
		["an empty month", ["--month", ""], '--month "" is invalid: it must be YYYY-MM'],
		["a future month", ["--month", "2026-08"], "--month 2026-08 has not begun"],
	])("is refused in one sentence: %s", async (_, args, says) => {
		const done = await bill([state([])], ...args);
		expect(done.output).toContain(says);
		expect(done.code, done.output).toBe(2);
		expect(done.output).toMatch(/^telephony: .*\[telephony:usage\]\n$/);
	});

	test.each([
		["a rejected key", "wrong", 3, "[telephony:rejected-key]"],
		["a missing key", "", 1, "There is no API key"],
	])("is refused in one sentence: %s", async (_, key, exit, says) => {
		const done = await states.report([state([])], { env: { TELEPHONY_API_KEY: key } });
		expect(done.output).toContain(says);
		expect(done.code, done.output).toBe(exit);
	});
});
