import { expect, test } from "vitest";
import { TelephonyError } from "../../../provider/api/errors";
import { type Page, pages } from "../../../provider/api/pages";

interface Item {
	readonly id: string;
}
const page = (ids: string, next_cursor: string | null): Page<Item> => ({
	data: [...ids].map((id) => ({ id })),
	next_cursor,
});
const idOf = ({ id }: Item) => id;
const incomplete = { messageCode: "list-incomplete" };

/** Reads a list of pages by cursor ("" for the first); an expired cursor has none. */
async function read(all: Record<string, Page<Item> | (() => Page<Item> | undefined)>) {
	const requests: string[] = [];
	const found: string[] = [];
	const fetchPage = async (cursor = "") => {
		requests.push(cursor);
		const each = all[cursor];
		const result = typeof each === "function" ? each() : each;
		if (result === undefined) throw new TelephonyError("Invalid", "expired", { errorCode: "invalid_cursor" });
		return result;
	};
	for await (const items of pages(fetchPage, idOf)) found.push(items.map(idOf).join(""));
	return { requests, found };
}

test.each<[string, Record<string, Page<Item>>, string[]]>([
	["follows cursors to the end", { "": page("ab", "x"), x: page("c", "y"), y: page("e", null) }, ["ab", "c", "e"]],
	["goes on after an empty page", { "": page("", "x"), x: page("a", "y"), y: page("", null) }, ["", "a", ""]],
	["yields an item once", { "": page("aab", "x"), x: page("bc", null) }, ["ab", "c"]],
	["ends at an empty page with its own cursor", { "": page("a", "x"), x: page("", "x") }, ["a", ""]],
])("%s", async (_, all, found) => {
	expect(await read(all)).toEqual({ requests: Object.keys(all), found });
});

test("reports a list whose cursor repeats as incomplete", async () => {
	const loop = read({ "": page("a", "1"), "1": page("b", "2"), "2": page("c", "1") });
	await expect(loop).rejects.toMatchObject(incomplete);
	await expect(read({ "": page("a", "1"), "1": page("a", "1") })).rejects.toMatchObject(incomplete);
});

test("restarts once after an expired cursor, and yields nothing twice", async () => {
	let hasExpired = false;
	const second = () => {
		if (hasExpired) return page("c", null);
		hasExpired = true;
		return undefined;
	};
	const restarted = await read({ "": page("ab", "1"), "1": second });
	expect(restarted).toEqual({ requests: ["", "1", "", "1"], found: ["ab", "", "c"] });
	await expect(read({ "": page("ab", "1") })).rejects.toThrow("expired");
	await expect(read({})).rejects.toThrow("expired");
});

/** A list with a new item on each nth page, without an end or with one. */
async function readSparse(every: number, length = Number.POSITIVE_INFINITY) {
	let requests = 0;
	const fetchPage = async () =>
		page(String.fromCharCode(Math.floor(requests / every)), requests++ < length ? String(requests) : null);
	let found = 0;
	let error: unknown;
	try {
		for await (const items of pages(fetchPage, idOf)) found += items.length;
	} catch (reason) {
		error = reason;
	}
	return { requests, found, error };
}

test("gives up after a thousand pages in a row with nothing new", async () => {
	const endless = { requests: 1001, found: 1, error: expect.objectContaining(incomplete) };
	expect(await readSparse(Number.POSITIVE_INFINITY)).toEqual(endless);
	expect(await readSparse(3, 3_000)).toEqual({ requests: 3_001, found: 1_001, error: undefined });
});

test("requests a page only once it is needed, and passes errors on", async () => {
	let requests = 0;
	const list = pages(async () => page("a", String(++requests)), idOf);
	await list.next();
	await list.next();
	expect(requests).toBe(2);
	const failing = pages<Item>(() => Promise.reject(new Error("boom")), idOf);
	await expect(failing.next()).rejects.toThrow("boom");
});
