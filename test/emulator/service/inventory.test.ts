import { describe, expect, test } from "vitest";
import { all, day, refusal, useVirtualEmulator } from "../fixture";

const virtual = useVirtualEmulator();
const { clock, emulator, call, buy, set } = virtual;

const first = async <Item>(list: AsyncIterable<Item>): Promise<Item | undefined> => {
	for await (const item of list) return item;
	return undefined;
};

describe("a search", () => {
	test.each([
		["NL", "geographic", "20"],
		["DE", "mobile", undefined],
		["US", "toll_free", undefined],
		["GB", "national", "Springfield"],
	] as const)("shows first what a purchase gets next: %s %s %s", async (country, type, area) => {
		const { numbers } = virtual.client;
		const criteria = { country, type, ...(area === undefined ? {} : { area }) };
		const found = await first(numbers.search(criteria));
		const { data: bought } = await numbers.buy(criteria);
		expect(bought.number).toBe(found?.number);
		expect(found).toMatchObject({ ...criteria, capabilities: bought.capabilities, price: bought.price });
		expect(found?.kyc_required).toBe(bought.kyc_required ?? false);
		expect((await first(numbers.search(criteria)))?.number).not.toBe(bought.number);
	});

	test("buys nothing", async () => {
		await first(virtual.client.numbers.search({ country: "NL" }));
		expect(emulator.control.state().numbers).toEqual([]);
		expect(emulator.control.ledger()).toEqual([]);
	});

	test("has an end, and shows no number twice, whatever the size of its pages", async () => {
		set({ pageSize: 37 });
		const found = await all(virtual.client.numbers.search({ country: "NL", type: "geographic", area: "20" }));
		expect(new Set(found.map(({ number }) => number)).size).toBe(1000);
		expect(found).toHaveLength(1000);
	});

	test("goes on behind where it was when numbers are bought between two pages", async () => {
		const path = "/available_numbers?country=NL&type=mobile&limit=2";
		const { data, next_cursor } = (await call("GET", path)).body;
		await buy("NL");
		await buy("NL");
		const rest = (await call("GET", `${path}&cursor=${next_cursor}`)).body.data;
		const shown = [...data, ...rest].map(({ number }) => Number(number));
		expect(shown).toEqual([0, 1, 2, 3].map((count) => Number(data[0]?.number) + count));
	});

	test("finds all types, what has the digits, and what can do what is asked", async () => {
		const { numbers } = virtual.client;
		const types = new Set((await all(numbers.search({ country: "US" }))).map(({ type }) => type));
		expect([...types]).toEqual(["geographic", "mobile", "toll_free", "national"]);
		const lucky = await all(numbers.search({ country: "US", type: "mobile", contains: "777" }));
		expect(lucky.length).toBeGreaterThan(0);
		expect(lucky.every(({ number }) => number.includes("777"))).toBe(true);
		const texting = await all(numbers.search({ country: "US", capabilities: ["sms", "voice"] }));
		expect(new Set(texting.map(({ type }) => type))).toEqual(new Set(["mobile", "toll_free"]));
		expect(await all(numbers.search({ country: "US", capabilities: ["fax"] }))).toEqual([]);
	});

	test.each([
		["validation_failed", "", "country"],
		["validation_failed", "country=us", "country"],
		["unsupported_market", "country=JP", "country"],
		["validation_failed", "country=US&type=fax", "type"],
		["validation_failed", "country=US&contains=abc", "contains"],
		["validation_failed", "country=US&capabilities=voice,telepathy", "capabilities"],
		["validation_failed", "country=US&colour=red", "colour"],
	])("refuses with %s: ?%s", async (error, query, field) => {
		const answer = await call("GET", `/available_numbers?${query}`);
		expect(answer).toMatchObject({ ...refusal(400, error), body: { error, details: [{ field }] } });
	});
});

describe("a released number", () => {
	test("is restored within its quarantine: the same number, active, without its routing", async () => {
		const { numbers } = virtual.client;
		const { id, number } = await buy();
		await numbers.patch(id, { routing: { type: "forward", to: "+12125550100" }, label: "desk" });
		await numbers.release(id);
		clock.advance(7 * day - 1);
		const restored = await numbers.restore(id);
		expect(restored).toMatchObject({ id, number, status: "active", routing: null, label: "desk" });
		expect(restored).toMatchObject({ released_at: null, quarantine_until: null });
		expect(await numbers.get(id)).toEqual(restored);
		expect(emulator.control.ledger().map(({ kind }) => kind)).toEqual(["purchase", "release", "restore"]);
	});

	test("is gone after it", async () => {
		const { id } = await buy();
		await virtual.client.numbers.release(id);
		clock.advance(7 * day);
		await expect(virtual.client.numbers.restore(id)).rejects.toMatchObject({ kind: "NotFound", errorCode: "gone" });
	});

	test("whose KYC had not cleared goes on waiting for it", async () => {
		const { id } = await buy("DE");
		await virtual.client.numbers.release(id);
		expect(await virtual.client.numbers.restore(id)).toMatchObject({ status: "pending", activated_at: null });
		emulator.control.decide(id, "approve");
		expect(await virtual.client.numbers.get(id)).toMatchObject({ status: "active" });
	});

	test("can only be restored once, and a live one not at all", async () => {
		const { id } = await buy();
		expect(await call("POST", `/numbers/${id}/restore`)).toMatchObject(refusal(409, "not_restorable"));
		await call("DELETE", `/numbers/${id}`);
		expect((await call("POST", `/numbers/${id}/restore`)).status).toBe(200);
		expect(await call("POST", `/numbers/${id}/restore`)).toMatchObject(refusal(409, "not_restorable"));
		expect(await call("POST", `/numbers/${id}/restore`, { force: true })).toMatchObject(
			refusal(400, "validation_failed"),
		);
	});
});
