import { expect, test } from "vitest";
import type { Wire } from "../../helpers/emulator";
import { day, minute, useVirtualEmulator } from "../fixture";

const { clock, post, buy, read } = useVirtualEmulator();

test("continues after the last item, though a number was bought meanwhile", async () => {
	for (const _ of "ab") {
		const { number: from } = await buy();
		await post("/messages", { from, to: "+14155550123", text: "Hi" });
	}
	clock.advance(minute);
	const key = ({ number_id, category }: Wire) => `${category} ${number_id}`;
	const whole = (await read("/usage?group_by=number")).data.map(key);
	expect(whole).toHaveLength(4);
	const first = await read("/usage?group_by=number&limit=3");
	await buy();
	clock.advance(minute);
	const second = await read(`/usage?group_by=number&limit=3&cursor=${first.next_cursor}`);
	expect([...first.data, ...second.data].map(key)).toEqual(whole);
	expect(second.next_cursor).toBeNull();
});

test("all pages of usage by day hold each item once", async () => {
	for (const _ of "abcde") {
		const { number: from } = await buy();
		await post("/messages", { from, to: "+14155550123", text: "Hi" });
		clock.advance(day);
	}
	const whole = (await read("/usage?group_by=day")).data;
	const pages: unknown[] = [];
	for (let cursor: string | null = ""; cursor !== null; ) {
		const page = await read(`/usage?group_by=day&limit=1${cursor && `&cursor=${cursor}`}`);
		pages.push(...page.data);
		cursor = page.next_cursor;
	}
	expect(pages).toEqual(whole);
});
