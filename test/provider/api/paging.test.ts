/** Lists that page in another way than the contract. */
import { describe, expect, test } from "vitest";
import { createEmulator } from "../../../emulator";
import { Client } from "../../../provider/api/client";
import { isIncomplete } from "../../../provider/api/paging";
import { answer, useScriptedServer } from "../../helpers/scripted-server";

const server = useScriptedServer();
const numbers = (count: number, first = 0) =>
	Array.from({ length: count }, (_, index) => ({ id: `num_${first + index}` }));

/** Reads the list: how many numbers it shows, and whether it is incomplete. */
async function read(service?: object): Promise<[count: number, isIncomplete: boolean]> {
	let count = 0;
	try {
		for await (const _ of server.client({ service }).numbers.list()) count += 1;
		return [count, false];
	} catch (error) {
		if (!isIncomplete(error)) throw error;
		expect(error.message).toContain("[telephony:list-incomplete]");
		return [count, true];
	}
}

/** Each list has these numbers on its only page. */
const shows = (body: object, headers: Record<string, string> = {}, count = 3) => {
	server.script = (response) => answer(response, 200, { data: numbers(count), ...body }, headers);
};

describe("a list is incomplete if more follows and there is no cursor", () => {
	test.each<[object, Record<string, string>?]>([
		[{ has_more: true }],
		[{ has_more: true, next_cursor: null }],
		[{ meta: { hasMore: "true" } }],
		[{ pagination: { has_next_page: true } }],
		[{ is_truncated: true, next_cursor: "" }],
		[{ last: false }],
		[{ meta: { page: 1, total_pages: 2 } }],
		[{ meta: { current_page: 1, last_page: 2 }, next_cursor: null }],
		[{ page_count: "2" }],
		[{ next: "https://service.example/v1/numbers?page=2" }],
		[{ next: 2 }],
		[{ links: { self: "/numbers", next: "/numbers?page=2" } }],
		[{ _links: { next: { href: "/numbers?page=2" } } }],
		[{ links: [{ rel: "next", href: "/numbers?page=2" }] }],
		[{ "@odata.nextLink": "/numbers?$skip=3" }],
		[{ paging: { next_token: "b" } }],
		[{ paging: { cursors: { after: "b" } } }],
		[{ continuation: "b" }],
		[{}, { link: '</numbers?page=1>; rel="prev", </numbers?page=3>; rel="next"' }],
		[{ next_cursor: null }, { link: "</numbers?page=2>; rel=next" }],
		[{}, { "x-total-count": "4" }],
		[{}, { "content-range": "items 0-2/4" }],
		[{ total: 4 }],
		[{ total_count: "4", next_cursor: null }],
		[{ meta: { pagination: { total_items: 4 } } }],
		[{ count: 4 }],
		[{ limit: 3, offset: 0 }],
		[{ meta: { per_page: 3 } }],
	])("%j %j", async (body, headers) => {
		shows(body, headers);
		expect(await read()).toEqual([3, true]);
	});

	test("and a page has as many items as were requested", async () => {
		shows({}, {}, 100);
		expect(await read()).toEqual([100, true]);
	});

	test("and a page of a service that takes no limit has a usual size", async () => {
		shows({}, {}, 50);
		expect(await read({ lists: { limit: false } })).toEqual([50, true]);
	});
});

describe("a list is complete", () => {
	test.each<[object, Record<string, string>?, number?]>([
		[{}],
		[{ next_cursor: null }],
		[{ next_cursor: "" }],
		[{ next_cursor: false }],
		[{}, {}, 0],
		[{}, {}, 99],
		[{ next_cursor: null }, {}, 100],
		[{ has_more: false }, {}, 100],
		[{ total: 100 }, {}, 100],
		[{ meta: { page: 1, total_pages: 1, per_page: 100 } }, {}, 100],
		[{ count: 3, next: null, previous: null }],
		[{ links: { self: "/numbers", next: null, last: "/numbers?page=1" } }],
		[{ _links: { self: { href: "/numbers" } } }],
		[{ has_more: false, end_cursor: "b" }],
		[{ next_cursor: null, cursor: "a" }],
		[{ cursor: { prev: null, next: null, current: "a" } }],
		[{ limit: 100, offset: 0 }],
		[{ next_cursor: null }, { link: '</v2>; rel="next-archive", </docs>; rel="help"' }],
		[{}, { "content-range": "items 0-2/*" }],
	])("%j %j %s", async (body, headers, count = 3) => {
		shows(body, headers, count);
		expect(await read()).toEqual([count, false]);
	});

	test("if totals only count what was made while it was read", async () => {
		server.script = (response, received) => {
			const isLast = received.at(-1)?.path.includes("cursor") === true;
			const body = isLast
				? { data: numbers(3, 3), next_cursor: null, total: 7 }
				: { data: numbers(3), next_cursor: "b", total: 6 };
			answer(response, 200, body);
		};
		expect(await read()).toEqual([6, false]);
	});
});

test("a list whose totals are greater than its last page shows is incomplete", async () => {
	server.script = (response, received) => {
		const isLast = received.at(-1)?.path.includes("cursor") === true;
		answer(response, 200, { data: numbers(3, isLast ? 3 : 0), next_cursor: isLast ? null : "b", total: 9 });
	};
	expect(await read()).toEqual([6, true]);
});

test("a service that ignores the cursor shows its first page only", async () => {
	shows({ next_cursor: "b" });
	expect(await read()).toEqual([3, true]);
});

test("follows the cursor that the service description names, until null", async () => {
	server.script = (response, received) => {
		const { searchParams } = new URL(received.at(-1)?.path ?? "", "http://service");
		const next = searchParams.get("page") === "2" ? null : "/v1/numbers?page=2&limit=100";
		answer(response, 200, { data: numbers(3, next === null ? 3 : 0), links: { next }, total: 99 });
	};
	expect(await read()).toEqual([3, true]);
	expect(await read({ lists: { next: "links.next", cursor: "page" } })).toEqual([6, false]);
});

test("a number may be a cursor", async () => {
	server.script = (response, received) => {
		const isLast = received.at(-1)?.path.includes("page=2") === true;
		answer(response, 200, { data: numbers(3, isLast ? 3 : 0), next_page: isLast ? null : 2 });
	};
	expect(await read({ lists: { next: "next_page", cursor: "page" } })).toEqual([6, false]);
});

test("a service description states that lists are whole", async () => {
	const service = { lists: { paged: false } };
	shows({ total: 250 }, {}, 100);
	expect(await read()).toEqual([100, true]);
	expect(await read(service)).toEqual([100, false]);
	shows({ has_more: true });
	expect(await read(service)).toEqual([3, true]);
});

test("the emulator of such a service shows all numbers on one page", async () => {
	const service = { lists: { paged: false } };
	const emulator = await createEmulator({ service, kyc: "immediate" });
	try {
		const client = new Client({ baseUrl: emulator.url, apiKey: emulator.apiKey, service });
		for (let index = 0; index < 101; index++) await client.numbers.buy({ country: "NL", type: "mobile" });
		const list = client.numbers.pages();
		expect([(await list.next()).value?.length, (await list.next()).done]).toEqual([101, true]);
		await client.close();
	} finally {
		await emulator.close();
	}
});
