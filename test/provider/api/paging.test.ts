/** Lists that page in another way than the contract. */
import { describe, expect, test } from "vitest";
import { isIncomplete } from "../../../provider/api/paging";
import { failureOf } from "../../helpers/provider";
import { refusal, reply, useScriptedServer } from "../../helpers/scripted-server";

const server = useScriptedServer();
const numbers = (count: number, first = 0) =>
	Array.from({ length: count }, (_, index) => ({ id: `num_${first + index}` }));

/** Reads the list: the numbers that it shows, and whether it is incomplete. */
async function read(service?: object): Promise<[count: number, isIncomplete: boolean]> {
	let count = 0;
	try {
		for await (const _ of server.client({ service }).numbers.list()) count += 1;
		return [count, false];
	} catch (error) {
		if (!isIncomplete(error)) throw error;
		return [count, true];
	}
}

interface Shown {
	readonly headers?: Record<string, string>;
	/** Of its only page. Default: 3. */
	readonly numbers?: number;
	readonly [field: string]: unknown;
}
const show = ({ headers = {}, numbers: count = 3, ...body }: Shown) => {
	server.script = (response) => reply(response, 200, { data: numbers(count), ...body }, headers);
};
/** Two pages of three; a path with this text requests the second. */
const showTwo = (second: string, bodies: readonly [first: object, second: object]) => {
	server.script = (response, received) => {
		const at = received.at(-1)?.path.includes(second) ? 1 : 0;
		reply(response, 200, { data: numbers(3, at * 3), ...bodies[at] });
	};
};

const next = "/numbers?page=2";
const ended = { next_cursor: null };
test.each<Shown>([
	{ has_more: true },
	{ is_truncated: true, next_cursor: "" },
	{ meta: { page: 1, total_pages: 2 } },
	{ meta: { current_page: 1, last_page: 2 }, ...ended },
	{ next },
	{ links: { self: "/numbers", next } },
	{ _links: { next: { href: next } } },
	{ links: [{ rel: "next", href: next }] },
	{ paging: { next_token: "b" } },
	{ total_count: "4", ...ended },
	{ count: 4 },
	{ limit: 3, offset: 0 },
	{ headers: { link: '</numbers?page=1>; rel="prev", </numbers?page=3>; rel="next"' } },
	{ headers: { link: "</numbers?page=2>; rel=next" }, ...ended },
	{ headers: { "content-range": "items 0-2/4" } },
	{ more: "yes" },
	{ page: { isLast: false } },
	{ remaining_items: 5 },
	{ trunks_total: 4 },
	{ pagination: { total_items: 4 } },
	{ totalItems: 4, ...ended },
	{ total: { value: 4, relation: "eq" } },
	{ LastEvaluatedKey: { id: "num_2" } },
	{ nextRecordsUrl: "/query/2" },
	{ links: [{ rel: ["next"], uri: next }] },
	{ link: "</numbers?page=2>; rel=next" },
	{ headers: { "x-next-page": "2" } },
	{ headers: { "x-total": "4" } },
	{ headers: { "x-pagination": '{"CurrentPage":1,"TotalPages":2}' } },
])("reports a list as incomplete if more follows: %j", async (response) => {
	show(response);
	expect(await read()).toEqual([3, true]);
});

test.each<Shown>([
	{},
	{ numbers: 99 },
	{ numbers: 100, has_more: false },
	{ numbers: 100, meta: { page: 1, total_pages: 1, per_page: 100 } },
	{ count: 3, next: null, previous: null },
	{ links: { self: "/numbers", next: null, last: "/numbers?page=1" } },
	{ has_more: false, end_cursor: "b" },
	{ cursor: { prev: null, next: null, current: "a" } },
	{ headers: { link: '</v2>; rel="next-archive", </docs>; rel="help"' }, ...ended },
	{ headers: { "content-range": "items 0-2/*" } },
	{ headers: { "x-next-page": "", "x-total": "3", "x-ratelimit-remaining": "9" } },
	{ last: true, total: { value: 3 }, has_more: "no" },
	{ total_monthly: 12, total_ms: 12, totalDurationMs: 40, quota: { total: 50 } },
])("takes a list for complete: %j", async (response) => {
	show(response);
	expect(await read()).toEqual([response.numbers ?? 3, false]);
});

test("reports a full page without a cursor as incomplete", async () => {
	show({ numbers: 100 });
	expect(await read()).toEqual([100, true]);
	// A service that takes no limit chooses one of the usual sizes.
	show({ numbers: 50 });
	expect(await read({ lists: { limit: false } })).toEqual([50, true]);
});

test("reports partial content as incomplete, unless it has a total", async () => {
	const respond = (headers: Record<string, string>, body = { data: numbers(3) }) => {
		server.script = (response) => reply(response, 206, body, headers);
	};
	respond({});
	expect(await read()).toEqual([3, true]);
	respond({}, { data: [] });
	expect(await read()).toEqual([0, true]);
	respond({ "content-range": "items 0-2/3" });
	expect(await read()).toEqual([3, false]);
});

test("compares totals with all pages, as they were before the scan", async () => {
	for (const [before, after, isIncomplete] of [
		[6, 7, false],
		[9, 9, true],
	] as const) {
		showTwo("cursor", [
			{ next_cursor: "b", total: before },
			{ total: after, ...ended },
		]);
		expect(await read()).toEqual([6, isIncomplete]);
	}
});

test("follows the cursor that the service description names, also a number", async () => {
	showTwo("page=2", [
		{ links: { next }, total: 99 },
		{ links: { next: null }, total: 99 },
	]);
	expect(await read()).toEqual([3, true]);
	expect(await read({ lists: { next: "links.next", cursor: "page" } })).toEqual([6, false]);
	showTwo("page=2", [{ next_page: 2 }, { next_page: null }]);
	expect(await read({ lists: { next: "next_page", cursor: "page" } })).toEqual([6, false]);
});

test.each<[Shown, cursor: string]>([
	[{ paging: { next_token: "b" } }, "paging.next_token"],
	[{ _links: { next: { href: next } } }, "_links.next.href"],
	[{ headers: { "x-next-page": "2" } }, "FIELD"],
	[{ links: [{ rel: "next", href: next }] }, "FIELD"],
	[{ "@odata.nextLink": next }, "FIELD"],
])("names a cursor only as a service description can: %j", async (response, cursor) => {
	show(response);
	const list = server.client().numbers.pages();
	await list.next();
	expect((await failureOf(list.next())).message).toContain(`lists: { next: ${cursor}, cursor: PARAMETER }`);
});

test("believes a description that lists are whole, unless more follows", async () => {
	const service = { lists: { paged: false } };
	show({ numbers: 100, total: 250 });
	expect(await read()).toEqual([100, true]);
	expect(await read(service)).toEqual([100, false]);
	show({ has_more: true });
	const list = server.client({ service }).numbers.pages();
	await list.next();
	const { messageCode, message } = await failureOf(list.next());
	expect(messageCode).toBe("list-incomplete");
	// That wouldn't help.
	expect(message).not.toContain("If this is the whole list");
});

describe("a response without items", () => {
	/** Responds with this body; undefined for 204. */
	const respond = (body: unknown, headers: Record<string, string> = {}) => {
		server.script = (response) => reply(response, body === undefined ? 204 : 200, body ?? "", headers);
	};

	test.each([
		undefined,
		{ data: null },
		{ data: {} },
		{},
		{ next_cursor: null },
		{ data: null, next_cursor: null, total: 0 },
		{ data: {}, meta: { page: 1, last_page: 1, total: 0 }, links: { next: null } },
		{ data: null, success: true, message: "No numbers found." },
		{ data: null, status: "ok", errors: [] },
		{ has_more: false, meta: { total_count: 0 }, request_id: "req_7" },
		{ next_cursor: null, code: 0, message: "OK" },
		{ object: "list", has_more: false, meta: { timestamp: "2026-01-01T00:00:00Z" } },
	])("is an empty list: %j", async (body) => {
		respond(body);
		expect(await read()).toEqual([0, false]);
	});

	test.each<[body: unknown, headers?: Record<string, string>]>([
		[{ data: null, total: 4 }],
		[{ data: {}, has_more: true }],
		[{ meta: { total: 4 } }],
		[{ data: null, pagination: { total_items: 4 } }],
		[{ data: null, links: { next: "/numbers?page=2" } }],
		[{ next: "/numbers?page=2" }],
		[undefined, { "x-total-count": "4" }],
		[{ data: null }, { link: "</numbers?page=2>; rel=next" }],
	])("is incomplete if more follows: %j %j", async (body, headers) => {
		respond(body, headers);
		expect(await read()).toEqual([0, true]);
		expect(await read({ lists: { paged: false } })).toEqual([0, true]);
	});

	test.each([
		{ numbers: [] },
		{ numbers: null },
		{ result: {} },
		{ items: [{ id: "num_1" }] },
		{ data: null, numbers: [{ id: "num_1" }] },
		{ data: { items: [] } },
		{ data: null, errors: [{ title: "Overloaded" }] },
		{ data: null, error: { code: 7 } },
		{ data: null, success: false },
		{ data: {}, status: "error" },
		{ data: null, message: "Maintenance until noon." },
		{ code: 500 },
		{ ok: true, plan: 2 },
		{ object: "number", request_id: "req_7" },
		{ data: "" },
		{ data: 0 },
		[],
		null,
	])("can't be read if it may be something else: %j", async (body) => {
		respond(JSON.stringify(body));
		expect((await failureOf(read())).messageCode).toBe("unreadable-response");
	});

	test("is tried again if its body is missing", async () => {
		respond("");
		expect((await failureOf(read())).kind).toBe("Unavailable");
		expect(server.received.length).toBe(5);
	});

	test("is a page before the last one, or the last page", async () => {
		showTwo("cursor", [
			{ data: null, next_cursor: "b" },
			{ total: 3, ...ended },
		]);
		expect(await read()).toEqual([3, false]);
		showTwo("cursor", [
			{ next_cursor: "b", total: 3 },
			{ data: null, total: 3, ...ended },
		]);
		expect(await read()).toEqual([3, false]);
	});

	test("is an empty list at the place that the service description names", async () => {
		const service = { lists: { items: "result.numbers" } };
		for (const result of [{}, { numbers: null }, { numbers: {}, total: 0 }]) {
			respond({ result });
			expect(await read(service)).toEqual([0, false]);
		}
		respond({ result: { numbers: null, items: [{ id: "a" }] } });
		expect((await failureOf(read(service))).messageCode).toBe("unreadable-response");
	});
});

describe("a list that takes no limit", () => {
	const paths = () => server.received.map(({ path }) => path);
	/** Refuses all parameters but these. */
	const take = (...names: string[]) => {
		server.script = (response, received) => {
			const { pathname, searchParams } = new URL(received.at(-1)?.path ?? "", "http://service");
			const odd = [...searchParams.keys()].find((name) => !names.includes(name));
			if (odd !== undefined) return reply(response, 400, refusal("bad_request", { message: `No ${odd}.` }));
			if (pathname !== "/numbers") return reply(response, 404, refusal("not_found"));
			const isSecond = searchParams.has("cursor");
			return reply(response, 200, { data: [{ id: isSecond ? "b" : "a" }], next_cursor: isSecond ? null : "b" });
		};
	};
	const listed = async (options = {}, client = server.client()) => {
		const ids: string[] = [];
		for await (const { id } of client.numbers.list(options)) ids.push(id);
		return ids.join("");
	};

	test("gets none after its first refusal, and another refusal is reported", async () => {
		take("cursor");
		const refused = async () => (await failureOf(listed({ status: "released" }))).message;
		expect([await refused(), await refused()]).toEqual(Array(2).fill(expect.stringContaining("No status")));
		const before = server.received.length;
		expect([await listed(), await listed()]).toEqual(["ab", "ab"]);
		const rest = ["/numbers", "/numbers?cursor=b"];
		expect(paths().slice(before)).toEqual(["/numbers?limit=100", ...rest, ...rest]);
		const client = server.client();
		expect((await failureOf(client.numbers.getById("c"))).kind).toBe("NotFound");
		expect(await Promise.all([listed({}, client), listed({}, client)])).toEqual(["ab", "ab"]);
	});
});
