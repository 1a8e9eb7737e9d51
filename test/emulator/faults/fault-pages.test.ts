import { describe, expect, test } from "vitest";
import type { FaultRequest } from "../../../emulator";
import { refusal, useVirtualEmulator } from "../fixture";

const { emulator, call, buy } = useVirtualEmulator();

const setFault = (rule: FaultRequest) => emulator.control.faults.set(rule);

describe("a fault of pages", () => {
	const ids = async () => [(await buy()).id, (await buy()).id, (await buy()).id];
	const page = async (path: string) => {
		const { data, next_cursor } = (await call("GET", path)).body;
		return { ids: data?.map(({ id }) => id), next: next_cursor };
	};

	test("repeats an item", async () => {
		const [one, two] = await ids();
		setFault({ operation: "listNumbers", kind: "duplicate" });
		expect((await page("/numbers?limit=2")).ids).toEqual([one, two, two]);
	});

	test("puts empty pages between, whose cursors are new and lead on", async () => {
		const [one, two, three] = await ids();
		setFault({ operation: "*", kind: "empty_page", nth: [1, 3, 4] });
		const pages = [await page("/numbers?limit=2&status=active")];
		for (let next = pages[0]?.next; next; next = pages.at(-1)?.next) {
			pages.push(await page(`/numbers?limit=2&status=active&cursor=${next}`));
		}
		expect(pages.map(({ ids }) => ids)).toEqual([[], [one, two], [], [], [three]]);
		expect(new Set(pages.map(({ next }) => next)).size).toBe(pages.length);
	});

	test("forgets the cursor of the next page, which is good again later", async () => {
		const [, , three] = await ids();
		const rule = setFault({ operation: "listNumbers", kind: "expired_cursor" });
		const { next } = await page("/numbers?limit=2");
		expect(await call("GET", `/numbers?cursor=${next}`)).toMatchObject(refusal(400, "invalid_cursor"));
		expect(emulator.control.faults.list()).toMatchObject([{ id: rule.id, matched: 1, fired: 1 }]);
		expect((await page(`/numbers?cursor=${next}`)).ids).toEqual([three]);
	});
});
