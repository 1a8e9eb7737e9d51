import { describe, expect, test } from "vitest";
import { day, iso, minute, sendRaw, usd, useEvents } from "../fixture";

const { clock, emulator, post, read, list, remove, buy, listen, advance, receiver, state } = useEvents();

/** The tests of a file share a clock: each begins at noon on the first of a month of its own. */
const toNextMonth = () => {
	const today = new Date(clock.now());
	const [first, next] = [1, 2].map((months) => Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months));
	clock.advance(Number(first) - clock.now());
	emulator.control.reset();
	clock.advance(day / 2);
	return [Number(first), Number(next)] as const;
};

const usage = (query = "") => list(`/usage?limit=2${query}`);
const brief = (rows: Awaited<ReturnType<typeof usage>>, ...names: string[]) =>
	rows.map((row) => ["category", "quantity", ...names].map((name) => row[name]));
const talk = async (from: unknown) => {
	await post("/calls", { from, to: "+14155550123", record: true });
	await advance(2 * minute);
};
const text = async (from: unknown, words = "Hello") => {
	await post("/messages", { from, to: "+14155550123", text: words });
	await advance(minute);
};

describe("usage", () => {
	test("adds up numbers, calls, recordings and SMS", async () => {
		const [from] = toNextMonth();
		const { number } = await buy();
		await buy("NL", "geographic");
		await talk(number);
		await text(number);
		await text(number, "x".repeat(200));
		const rows = await usage();
		expect(brief(rows, "unit", "cost")).toEqual([
			["numbers", 2, "month", usd("3.00")],
			["calls", 1, "minute", state().calls[0]?.price],
			["sms", 3, "segment", usd("0.0225")],
			["recordings", 1, "minute", state().recordings[0]?.price],
		]);
		for (const row of rows) expect(row).toMatchObject({ period_start: iso(from), period_end: iso(clock.now()) });
		expect(await usage("&to=9999-12-31T23:59:59Z")).toEqual(rows);
		expect(await usage(`&from=${iso(clock.now() + 1_000)}&to=9999-12-31T23:59:59Z`)).toEqual([]);
	});

	test("counts a restored number once, and a pending one never", async () => {
		toNextMonth();
		const { id } = await buy();
		await buy("DE");
		await remove(`/numbers/${id}`);
		clock.advance(day);
		await post(`/numbers/${id}/restore`);
		expect(brief(await usage())).toEqual([["numbers", 1]]);
	});

	test("is grouped by day or by number", async () => {
		const [from] = toNextMonth();
		const early = await buy();
		await text(early.number);
		clock.advance(day);
		const late = await buy();
		await text(late.number);
		await text(late.number);
		const brief = async (query: string, name: string) =>
			(await usage(query)).map((row) => `${row.category} ${row.quantity} ${row[name]}`);
		const [first, second] = [iso(from), iso(from + day)];
		const byDay = [`numbers 1 ${first}`, `sms 1 ${first}`, `numbers 1 ${second}`, `sms 2 ${second}`];
		expect(await brief("&group_by=day", "period_start")).toEqual(byDay);
		const byNumber = [`numbers 1 ${early.id}`, `numbers 1 ${late.id}`, `sms 1 ${early.id}`, `sms 2 ${late.id}`];
		expect(await brief("&group_by=number", "number_id")).toEqual(byNumber);
	});
});

test("an invoice ends each month, in whole cents, and is paid later", async () => {
	const [first, second] = toNextMonth();
	await listen(["invoice.created"]);
	const { number } = await buy();
	await buy("NL", "toll_free");
	await talk(number);
	await text(number);
	expect(await list("/invoices")).toEqual([]);
	await advance(second - clock.now());
	const [invoice, ...others] = await list("/invoices");
	expect(others).toEqual([]);
	const lines = ["2.00", "3.00", "0.01", "0.01", "0.00"].map((amount) => ({ cost: usd(amount) }));
	const period = { period_start: iso(first), period_end: iso(second), due_at: iso(second + 14 * day) };
	const open = { number: `INV-${iso(first).slice(0, 7)}`, status: "open", paid_at: null };
	expect(invoice).toMatchObject({ ...open, ...period, lines, total: usd("5.02") });
	expect(receiver.posts).toMatchObject([{ event: { type: "invoice.created", data: invoice } }]);
	expect(brief(await usage(`&from=${iso(first)}&to=${iso(second)}`), "cost")).toEqual([
		["numbers", 2, usd("5.00")],
		["calls", 1, usd("0.01")],
		["sms", 1, usd("0.0075")],
		["recordings", 1, usd("0.0025")],
	]);

	clock.advance(14 * day);
	const [paid] = await list("/invoices?status=paid");
	expect(paid).toMatchObject({ id: invoice?.id, paid_at: iso(second + 14 * day) });
	expect(await read(`/invoices/${paid?.id}`)).toEqual(paid);
	const page = await sendRaw(emulator.url + paid?.document_url, { authorization: `Bearer ${emulator.apiKey}` });
	for (const part of [String(paid?.number), "US mobile numbers", "2.00"]) expect(page.text).toContain(part);
	for (const { id } of await list("/numbers")) await remove(`/numbers/${id}`);
	clock.advance(100 * day);
	// Both numbers counted in the second month, none in the months after it.
	expect((await list("/invoices")).map(({ total }) => total)).toEqual([usd("5.02"), usd("5.00")]);
});
