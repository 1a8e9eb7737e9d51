import { expect, test } from "vitest";
import { TelephonyError } from "../../../provider/api/errors";
import { type Page, pages } from "../../../provider/api/pages";

interface Item {
	readonly id: string;
}
type Pages = Record<string, Page<Item> | (() => Page<Item> | undefined)>;
const page = (ids: string, next_cursor: string | null): Page<Item> => ({
	data: [...ids].map((id) => ({ id })),
	next_cursor,
});
const idOf = ({ id }: Item) => id;
const incomplete = { messageCode: "list-incomplete" };

/** Reads a list of pages by cursor ("" for the first); an expired cursor has none. */
async function read(all: Pages) {
	const requests: string[] = [];
	const order: string[] = [];
	const fetchPage = async (cursor = "") => {
		requests.push(cursor);
		const page = all[cursor];
		const result = typeof page === "function" ? page() : page;
		if (result === undefined) throw new TelephonyError("Invalid", "expired", { errorCode: "invalid_cursor" });
		return result;
	};
	for await (const items of pages(fetchPage, idOf)) order.push(items.map(idOf).join(""));
	return { requests, found: order };
}

test.each<[string, Pages, string[]]>([
	["follows cursors to the end", { "": page("ab", "x"), x: page("c", "y"), y: page("e", null) }, ["ab", "c", "e"]],
	["continues after an empty page", { "": page("", "x"), x: page("a", "y"), y: page("", null) }, ["", "a", ""]],
	["yields an item once", { "": page("aab", "x"), x: page("bc", null) }, ["ab", "c"]],
	["ends at an empty page with its own cursor", { "": page("a", "x"), x: page("", "x") }, ["a", ""]],
])("%s", async (_, all, found) => {
	expect(await read(all)).toEqual({ requests: Object.keys(all), found });
});

test("reports a list whose cursor repeats, or never ends, as incomplete", async () => {
	const loop = read({ "": page("a", "x"), x: page("b", "y"), y: page("c", "x") });
	await expect(loop).rejects.toMatchObject(incomplete);
	await expect(read({ "": page("a", "x"), x: page("a", "x") })).rejects.toMatchObject(incomplete);
	let requests = 0;
	const endless = pages(async () => page("a", String(requests++)), idOf);
	for (let count = 0; count < 1_000; count++) await endless.next();
	await endless.next();
	await expect(endless.next()).rejects.toMatchObject(incomplete);
	expect(requests).toBe(1_001);
});

test("restarts once after an expired cursor, and yields nothing twice", async () => {
	let hasExpired = false;
	const second = () => {
		if (hasExpired) return page("c", null);
		hasExpired = true;
		return undefined;
	};
	const restarted = await read({ "": page("ab", "x"), x: second });
	expect(restarted).toEqual({ requests: ["", "x", "", "x"], found: ["ab", "", "c"] });
	for (const expired of [{ "": page("ab", "x") }, {}]) await expect(read(expired)).rejects.toThrow("expired");
});
