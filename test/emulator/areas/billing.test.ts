import { describe, expect, test } from "vitest";
import { all, day, refusal, useEvents } from "../fixture";

const events = useEvents();
const { clock, emulator, call, buy, listen, advance, receiver } = events;

const usd = (amount: string) => ({ amount, currency: "USD" });
const iso = (time: number | string) => new Date(time).toISOString();

/** The tests of one file share a clock: each begins at noon on the first of a month of its own. */
const toNextMonth = () => {
	const now = new Date(clock.now());
	const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
	clock.advance(next - clock.now());
	emulator.control.reset();
	clock.advance(day / 2);
	return next;
};
const monthAfter = (time: number) => Date.UTC(new Date(time).getUTCFullYear(), new Date(time).getUTCMonth() + 1);

const usage = (query: Parameters<typeof events.client.billing.usage>[0] = {}) =>
	all(events.client.billing.usage(query));
const invoices = () => all(events.client.billing.invoices());

const talk = async (from: unknown) => {
	await call("POST", "/calls", { from, to: "+14155550123", record: true });
	await advance(120_000);
};
const text = async (from: unknown, words = "Hello") => {
	await call("POST", "/messages", { from, to: "+14155550123", text: words });
	await advance(60_000);
};

describe("usage", () => {
	test("adds up from purchases, calls, recordings and messages", async () => {
		const from = toNextMonth();
		const mobile = await buy("US", "mobile");
		await buy("NL", "geographic");
		await talk(mobile.number);
		await text(mobile.number);
		await text(mobile.number, "x".repeat(200));
		const state = emulator.control.state();
		const [spoken] = state.calls;
		const rows = await usage();
		expect(rows.map(({ category, quantity, unit, cost }) => [category, quantity, unit, cost])).toEqual([
			["numbers", 2, "month", usd("3.00")],
			["calls", 1, "minute", spoken?.price],
			["sms", 3, "segment", usd("0.0225")],
			["recordings", 1, "minute", state.recordings[0]?.price],
		]);
		for (const row of rows) expect(row).toMatchObject({ period_start: iso(from), period_end: iso(clock.now()) });
	});

	test("is told by day and by number", async () => {
		toNextMonth();
		const one = await buy("US", "mobile");
		await text(one.number);
		clock.advance(day);
		const two = await buy("US", "mobile");
		await text(two.number);
		await text(two.number);
		const days = (await usage({ group_by: "day" })).map(({ category, quantity, period_start }) => [
			category,
			quantity,
			period_start.slice(8, 10),
		]);
		expect(days).toEqual([
			["numbers", 1, "01"],
			["sms", 1, "01"],
			["numbers", 1, "02"],
			["sms", 2, "02"],
		]);
		const numbers = (await usage({ group_by: "number" })).map(({ category, quantity, number_id }) => [
			category,
			quantity,
			number_id,
		]);
		expect(numbers).toEqual([
			["numbers", 1, one.id],
			["numbers", 1, two.id],
			["sms", 1, one.id],
			["sms", 2, two.id],
		]);
	});

	test("counts a number for each month begun, from its activation to its release", async () => {
		const first = toNextMonth();
		const open = await buy("US", "mobile");
		const waiting = await buy("DE", "mobile");
		const second = monthAfter(first);
		clock.advance(second - clock.now());
		expect(await usage({ from: iso(first), to: iso(second) })).toMatchObject([{ quantity: 1, cost: usd("2.00") }]);
		emulator.control.decide(waiting.id, "approve");
		expect(await usage()).toEqual([]);
		clock.advance(1);
		expect(await usage()).toMatchObject([{ quantity: 2, cost: usd("4.00") }]);
		await call("DELETE", `/numbers/${open.id}`);
		clock.advance(monthAfter(second) - clock.now() + 1);
		expect(await usage()).toMatchObject([{ quantity: 1, cost: usd("2.00") }]);
	});

	test("ends now, whatever it is asked until", async () => {
		await buy("US", "mobile");
		clock.advance(1);
		const until = await usage();
		expect(await usage({ to: "9999-12-31T23:59:59Z" })).toEqual(until);
		expect(await usage({ from: iso(clock.now() + 1_000), to: "9999-12-31T23:59:59Z" })).toEqual([]);
	});

	test("comes whole, whatever the size of its pages", async () => {
		toNextMonth();
		for (let count = 0; count < 7; count++) await buy("US", "mobile");
		clock.advance(1);
		emulator.control.settings({ pageSize: 2 });
		expect(await usage({ group_by: "number" })).toHaveLength(7);
	});

	test.each([
		["from=yesterday", "from"],
		["group_by=mood", "group_by"],
		["from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", "to"],
		["colour=red", "colour"],
	])("refuses ?%s", async (query, field) => {
		const answer = await call("GET", `/usage?${query}`);
		expect(answer).toMatchObject({ ...refusal(400, "validation_failed"), body: { details: [{ field }] } });
	});
});

describe("an invoice", () => {
	test("comes at the end of each month in which something was used, and adds up to its usage", async () => {
		const first = toNextMonth();
		await listen(["invoice.created"]);
		const { number } = await buy("US", "mobile");
		await buy("NL", "toll_free");
		await talk(number);
		await text(number);
		expect(await invoices()).toEqual([]);
		const second = monthAfter(first);
		await advance(second - clock.now());
		const used = await usage({ from: iso(first), to: iso(second) });
		const [invoice, ...others] = await invoices();
		expect(others).toEqual([]);
		expect(used.map(({ category, cost }) => [category, cost])).toEqual([
			["numbers", usd("5.00")],
			["calls", usd("0.01")],
			["sms", usd("0.0075")],
			["recordings", usd("0.0025")],
		]);
		// What has to be paid is in whole cents, and the total is the sum of its lines.
		expect(invoice?.lines?.map(({ cost }) => cost.amount)).toEqual(["2.00", "3.00", "0.01", "0.01", "0.00"]);
		expect(invoice?.total).toEqual(usd("5.02"));
		expect(invoice).toMatchObject({
			number: `INV-${iso(first).slice(0, 7)}`,
			status: "open",
			period_start: iso(first),
			period_end: iso(second),
			due_at: iso(second + 14 * day),
			paid_at: null,
		});
		expect(invoice?.lines?.map(({ description }) => description)).toEqual([
			"US mobile numbers",
			"NL toll_free numbers",
			"outbound calls",
			"outbound SMS",
			"recordings",
		]);
		expect(receiver.posts.map(({ event }) => [event.type, event.data])).toEqual([["invoice.created", invoice]]);

		clock.advance(14 * day);
		const [paid] = await all(events.client.billing.invoices({ status: "paid" }));
		expect(paid).toMatchObject({ id: invoice?.id, paid_at: iso(second + 14 * day) });
		expect(await events.client.billing.invoice(String(paid?.id))).toEqual(paid);

		for (const row of await all(events.client.numbers.list())) await call("DELETE", `/numbers/${row.id}`);
		clock.advance(100 * day);
		// The second month had begun with both numbers; the ones after had nothing.
		expect((await invoices()).map(({ total }) => total)).toEqual([invoice?.total, usd("5.00")]);
	});

	test("can be opened: a page with its lines and its total", async () => {
		const first = toNextMonth();
		await buy("US", "mobile");
		clock.advance(monthAfter(first) - clock.now());
		const [{ id, document_url, number } = { id: "" }] = await invoices();
		expect(document_url).toBe(`/invoices/${id}/document`);
		const { type, bytes } = await events.client.billing.invoiceDocument(id);
		expect(type).toBe("text/html; charset=utf-8");
		const page = new TextDecoder().decode(bytes);
		expect(page).toMatch(/^<!doctype html>/);
		for (const words of [String(number), "US mobile numbers", "2.00"]) expect(page).toContain(words);
	});

	test("is made up for when the emulator's time jumps over several months", async () => {
		toNextMonth();
		await buy("US", "geographic");
		clock.advance(100 * day);
		const found = await invoices();
		expect(found.map(({ total, status }) => [total, status])).toEqual([
			[usd("1.00"), "paid"],
			[usd("1.00"), "paid"],
			[usd("1.00"), expect.any(String)],
		]);
		expect(new Set(found.map(({ period_start }) => period_start)).size).toBe(3);
		expect(found[1]?.period_start).toBe(found[0]?.period_end);
	});

	test("is for what counted in its month, whatever is changed about a number afterwards", async () => {
		const first = toNextMonth();
		const { id } = await buy("US", "mobile");
		clock.advance(1);
		emulator.control.patchNumber(id, { status: "ported_out" });
		clock.advance(100 * day);
		emulator.control.patchNumber(id, { label: "long gone" });
		clock.advance(100 * day);
		expect((await invoices()).map(({ period_start, total }) => [period_start, total])).toEqual([
			[iso(first), usd("2.00")],
		]);
		expect(await usage({ from: iso(first) })).toMatchObject([{ quantity: 1, cost: usd("2.00") }]);
	});

	test("leaves out the months between a release and a restoration, and counts none twice", async () => {
		const first = toNextMonth();
		const { id } = await buy("US", "mobile");
		clock.advance(monthAfter(first) - 2 * day - clock.now());
		await call("DELETE", `/numbers/${id}`);
		clock.advance(3 * day);
		expect((await invoices()).map(({ total }) => total)).toEqual([usd("2.00")]);
		await call("POST", `/numbers/${id}/restore`);
		await call("DELETE", `/numbers/${id}`);
		clock.advance(day);
		await call("POST", `/numbers/${id}/restore`);
		clock.advance(1);
		expect(await usage()).toMatchObject([{ quantity: 1 }]);
		expect((await invoices()).map(({ total }) => total)).toEqual([usd("2.00")]);
	});

	test("is not sought by a status that there isn't", async () => {
		expect(await call("GET", "/invoices?status=lost")).toMatchObject(refusal(400, "validation_failed"));
	});
});
