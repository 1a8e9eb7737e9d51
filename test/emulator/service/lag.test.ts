import { describe, expect, test } from "vitest";
import type { SettingsPatch } from "../../../emulator";
import { Past } from "../../../emulator/store/past";
import { useVirtualEmulator } from "../fixture";

const { clock, emulator, call, buy, trunk, hook, document, profile, port, set } = useVirtualEmulator();

const listed = async (path: string, query = "") => (await call("GET", `${path}?limit=100${query}`)).body.data;

describe("a read that lags", () => {
	test.each([
		["/numbers", () => buy()],
		["/trunks", () => trunk()],
		["/webhooks", () => hook()],
		["/kyc/profiles", () => profile()],
	])("answers with the state of that long ago: %s", async (path, make) => {
		set({ readLagMs: 2_000 });
		const { id } = await make();
		const get = () => call("GET", `${path}/${id}`);
		expect((await get()).status).toBe(404);
		expect(await listed(path)).toEqual([]);
		clock.advance(2_000);
		expect((await get()).status).toBe(200);
		expect(await listed(path)).toHaveLength(1);
		await call("PATCH", `${path}/${id}`, { reference: "new" });
		expect((await get()).body.reference).toBeNull();
		clock.advance(1_999);
		expect((await get()).body.reference).toBeNull();
		clock.advance(1);
		expect((await get()).body.reference).toBe("new");
		await call("DELETE", `${path}/${id}`);
		expect((await get()).status).toBe(200);
		clock.advance(2_000);
		expect((await get()).status).toBe(404);
		expect(await listed(path)).toEqual([]);
	});

	test.each([
		["/kyc/documents", () => document()],
		["/port_orders", () => port()],
	])("also where nothing is ever deleted: %s", async (path, make) => {
		set({ readLagMs: 2_000 });
		const { id } = await make();
		const seen = async () => [(await call("GET", `${path}/${id}`)).status, (await listed(path)).length];
		expect(await seen()).toEqual([404, 0]);
		clock.advance(2_000);
		expect(await seen()).toEqual([200, 1]);
	});

	test("shows a port order's stage of then", async () => {
		const { id } = await port();
		clock.advance(1);
		set({ readLagMs: 2_000 });
		expect((await call("POST", `/port_orders/${id}/submit`)).body.status).toBe("submitted");
		clock.advance(1_999);
		expect(await listed("/port_orders")).toMatchObject([{ status: "draft" }]);
		clock.advance(1);
		expect((await call("GET", `/port_orders/${id}`)).body.status).toBe("submitted");
	});

	test("may lag in lists only, and writes never do", async () => {
		set({ listLagMs: 5_000 });
		const { id } = await buy();
		expect(await listed("/numbers")).toEqual([]);
		expect((await call("GET", `/numbers/${id}`)).status).toBe(200);
		expect((await call("PATCH", `/numbers/${id}`, { label: "at once" })).body.label).toBe("at once");
		clock.advance(5_000);
		expect(await listed("/numbers")).toMatchObject([{ id, label: "at once" }]);
	});

	test("leaves nothing behind of what is gone for longer than it may lag", () => {
		const past = new Past<{ id: string }>();
		for (const id of ["one", "two"]) past.note(id, 0, { id });
		past.note("one", 1_000, undefined);
		past.note("two", 60_999, { id: "two" });
		expect(past.since("one", 999)).toEqual({ id: "one" });
		past.note("two", 61_000, { id: "two" });
		expect(past.since("one", 999)).toBeUndefined();
		expect([...past.at(61_000)]).toEqual([{ id: "two" }]);
	});

	test("switched on later knows what was before", async () => {
		const { id } = await buy();
		clock.advance(600_000);
		await call("PATCH", `/numbers/${id}`, { label: "one" });
		clock.advance(1_000);
		await call("PATCH", `/numbers/${id}`, { label: "two" });
		set({ readLagMs: 500 });
		expect((await call("GET", `/numbers/${id}`)).body.label).toBe("one");
	});
});

test("listHidesPending leaves pending numbers out, unless they are asked for", async () => {
	set({ listHidesPending: true });
	const { id } = await buy("DE");
	await buy("NL");
	expect(await listed("/numbers")).toHaveLength(1);
	expect(await listed("/numbers", "&status=pending")).toMatchObject([{ id }]);
});

describe("pages", () => {
	const walk = async () => {
		const pages: string[][] = [];
		const statuses: number[] = [];
		for (let cursor: string | null = ""; cursor !== null; ) {
			const { status, body } = await call("GET", `/numbers?limit=4${cursor && `&cursor=${cursor}`}`);
			statuses.push(status);
			if (status !== 200) break;
			pages.push(body.data.map(({ id }) => id));
			cursor = body.next_cursor;
		}
		return { pages, found: [...new Set(pages.flat())], all: pages.flat(), statuses };
	};
	const chaos = async (...pageChaos: NonNullable<SettingsPatch["pageChaos"]>) => {
		for (let n = 0; n < 20; n++) await buy();
		const ids = emulator.control.state().numbers.map(({ id }) => id);
		set({ pageChaos });
		return ids;
	};

	test("may be short", async () => {
		const ids = await chaos("short");
		const { pages, all } = await walk();
		expect(all).toEqual(ids);
		expect(new Set(pages.map(({ length }) => length)).size).toBeGreaterThan(1);
	});

	test("may be empty, and lead on", async () => {
		const ids = await chaos("empty");
		const { pages, all } = await walk();
		expect(all).toEqual(ids);
		expect(pages).toContainEqual([]);
	});

	test("may repeat items", async () => {
		const ids = await chaos("duplicated");
		const { found, all } = await walk();
		expect(found).toEqual(ids);
		expect(all.length).toBeGreaterThan(ids.length);
	});

	test("may miss an item that moves while they are read; the next scan has it", async () => {
		const ids = await chaos("moved");
		expect((await walk()).found.length).toBeLessThan(ids.length);
		expect((await walk()).found).toEqual(ids);
	});

	test("may end in a cursor that has expired; the scan that begins anew runs through", async () => {
		const ids = await chaos("expired");
		expect((await walk()).statuses).toEqual([200, 400]);
		expect((await walk()).found).toEqual(ids);
	});

	test("go wrong the same after a reset", async () => {
		for (let time = 0; time < 2; time++) {
			emulator.control.reset();
			await chaos("expired");
			expect((await walk()).statuses).toEqual([200, 400]);
		}
	});
});
