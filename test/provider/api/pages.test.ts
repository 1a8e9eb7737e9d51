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

/** Walks a list whose pages are found by cursor ("" for the first); null stands for an expired cursor. */
const idOf = ({ id }: Item) => id;

async function walk(answers: Record<string, Page<Item> | null | (() => Page<Item> | null)>) {
	const asked: string[] = [];
	const found: string[] = [];
	const fetchPage = async (cursor = "") => {
		asked.push(cursor);
		const answer = answers[cursor];
		const result = typeof answer === "function" ? answer() : answer;
		if (result == null) throw new TelephonyError("Invalid", "expired", { errorCode: "invalid_cursor" });
		return result;
	};
	for await (const items of pages(fetchPage, idOf)) found.push(items.map(({ id }) => id).join(""));
	return { asked, found };
}

test("pages follow the cursors to the end", async () => {
	expect(await walk({ "": page("ab", "1"), "1": page("cd", "2"), "2": page("e", null) })).toEqual({
		asked: ["", "1", "2"],
		found: ["ab", "cd", "e"],
	});
});

test("an empty or short page with a cursor is not the end", async () => {
	expect((await walk({ "": page("", "1"), "1": page("a", "2"), "2": page("", null) })).found).toEqual(["", "a", ""]);
});

test("what comes twice is yielded once", async () => {
	expect((await walk({ "": page("aab", "1"), "1": page("bc", null) })).found).toEqual(["ab", "c"]);
});

test("a cursor that comes again is an error, and the list isn't complete", async () => {
	const code = { messageCode: "list-incomplete" };
	await expect(walk({ "": page("a", "1"), "1": page("b", "2"), "2": page("c", "1") })).rejects.toMatchObject(code);
	await expect(walk({ "": page("a", "1"), "1": page("a", "1") })).rejects.toMatchObject(code);
});

test("an empty page with the cursor that led to it is the end", async () => {
	expect((await walk({ "": page("a", "1"), "1": page("", "1") })).found).toEqual(["a", ""]);
});

test("a list whose cursors never end, with nothing new, is an error and no complete list", async () => {
	let asked = 0;
	const endless = pages(async () => page("a", String(asked++)), idOf);
	const walked = (async () => {
		for await (const _ of endless);
	})();
	await expect(walked).rejects.toMatchObject({ messageCode: "list-incomplete" });
	expect(asked).toBe(1001);
});

test("a list that passes over a thousand pages in all, but never in a row, is read to its end", async () => {
	let asked = 0;
	const sparse = pages(
		async () => ({ data: [{ id: String(Math.floor(asked / 3)) }], next_cursor: asked++ < 3000 ? String(asked) : null }),
		idOf,
	);
	let found = 0;
	for await (const items of sparse) found += items.length;
	expect({ asked, found }).toEqual({ asked: 3001, found: 1001 });
});

test("a cursor that expired half-way restarts the walk once, and nothing comes twice", async () => {
	let expired = false;
	const second = () => {
		if (expired) return page("c", null);
		expired = true;
		return null;
	};
	expect(await walk({ "": page("ab", "1"), "1": second })).toEqual({
		asked: ["", "1", "", "1"],
		found: ["ab", "", "c"],
	});
	await expect(walk({ "": page("ab", "1"), "1": null })).rejects.toThrow("expired");
});

test("a first page that is refused is an error at once", async () => {
	await expect(walk({ "": null })).rejects.toThrow("expired");
});

test("any other error goes through", async () => {
	const failing = pages<Item>(async () => {
		throw new Error("boom");
	}, idOf);
	await expect(failing.next()).rejects.toThrow("boom");
});

test("nobody asks for a page that nobody wants", async () => {
	let asked = 0;
	const list = pages(async () => {
		asked++;
		return page("a", String(asked));
	}, idOf);
	await list.next();
	await list.next();
	expect(asked).toBe(2);
});
