import { describe, expect, test } from "vitest";
import { useVirtualEmulator } from "../fixture";

const { emulator, post, read, list, set } = useVirtualEmulator();

const search = async (criteria: Record<string, string>) =>
	(await read(`/available_numbers?${new URLSearchParams(criteria)}`)).data;

describe("a search", () => {
	test.each([
		{ country: "NL", type: "geographic", area: "20" },
		{ country: "DE", type: "mobile" },
		{ country: "US", type: "toll_free" },
		{ country: "GB", type: "national", area: "Springfield" },
	])("shows first what the next purchase gets: %j", async (criteria) => {
		const [found] = await search(criteria);
		expect(emulator.control.ledger()).toEqual([]);
		const { number, capabilities, price, kyc_required = false } = (await post("/numbers", criteria)).body;
		expect(found).toMatchObject({ ...criteria, number, capabilities, price, kyc_required });
		expect((await search(criteria))[0]?.number).not.toBe(number);
	});

	test("ends after 1,000 different numbers, whatever the page size", async () => {
		set({ pageSize: 37 });
		const found = await list("/available_numbers?country=NL&type=geographic&area=20");
		expect(found).toHaveLength(1000);
		expect(new Set(found.map(({ number }) => number)).size).toBe(1000);
	});

	test("finds by type, digits and capabilities", async () => {
		const types = async (query: string) =>
			new Set((await list(`/available_numbers?country=US${query}`)).map((each) => each.type));
		expect([...(await types(""))]).toEqual(["geographic", "mobile", "toll_free", "national"]);
		expect([...(await types("&capabilities=sms,voice"))].sort()).toEqual(["mobile", "toll_free"]);
		expect([...(await types("&capabilities=fax"))]).toEqual([]);
		const lucky = await list("/available_numbers?country=US&type=mobile&contains=777");
		expect(lucky.length).toBeGreaterThan(0);
		expect(lucky.filter(({ number }) => !String(number).includes("777"))).toEqual([]);
	});
});
