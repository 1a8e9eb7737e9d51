/** Reads and lists that lag behind writes, and pages that go wrong. */
import { describe, expect, test } from "vitest";
import type { SettingsPatch } from "../../../emulator";
import { useVirtualEmulator } from "../fixture";

const virtual = useVirtualEmulator();
const { clock, emulator, call, patch, remove, read, buy, set, state } = virtual;

const listed = async (path: string, query = "") => (await read(`${path}?limit=100${query}`)).data;

const has = async (path: string, id: string) => [
	(await call("GET", `${path}/${id}`)).status,
	(await listed(path)).length,
];

test.each([
	["/numbers", virtual.buy],
	["/trunks", virtual.trunk],
	["/kyc/profiles", virtual.profile],
	["/kyc/documents", virtual.document],
	["/port_orders", virtual.port],
] as const)("shows an earlier state in a read that lags: %s", async (path, create) => {
	set({ readLagMs: 2_000 });
	const { id } = await create();
	expect(await has(path, id)).toEqual([404, 0]);
	clock.advance(2_000);
	expect(await has(path, id)).toEqual([200, 1]);
	if (path === "/kyc/documents") return;
	await patch(`${path}/${id}`, { reference: "new" });
	clock.advance(1_999);
	expect(await read(`${path}/${id}`)).toMatchObject({ reference: null });
	clock.advance(1);
	expect(await read(`${path}/${id}`)).toMatchObject({ reference: "new" });
	if (path === "/port_orders") return;
	await remove(`${path}/${id}`);
	expect(await has(path, id)).toEqual([200, 1]);
	clock.advance(2_000);
	expect(await has(path, id)).toEqual([404, 0]);
});

test("a list may lag alone, or hide pending numbers", async () => {
	set({ listLagMs: 5_000, listHidesPending: true });
	const [{ id }, dutch] = [await buy("DE"), await buy("NL")];
	expect(await listed("/numbers")).toEqual([]);
	expect((await call("GET", `/numbers/${dutch.id}`)).status).toBe(200);
	clock.advance(5_000);
	expect(await listed("/numbers")).toHaveLength(1);
	expect(await listed("/numbers", "&status=pending")).toMatchObject([{ id }]);
});

describe("pageChaos", () => {
	const walk = async () => {
		const pages: string[][] = [];
		for (let cursor: string | null = ""; cursor !== null; ) {
			const { status, body } = await call("GET", `/numbers?limit=4${cursor && `&cursor=${cursor}`}`);
			if (status !== 200) return { pages, all: pages.flat(), status };
			pages.push(body.data.map(({ id }) => id));
			cursor = body.next_cursor;
		}
		return { pages, all: pages.flat(), status: 200 };
	};
	const chaos = async (...pageChaos: NonNullable<SettingsPatch["pageChaos"]>) => {
		for (let n = 0; n < 20; n++) await buy();
		set({ pageChaos });
		return state().numbers.map(({ id }) => id);
	};

	test("makes pages short, empty or repetitive, and loses nothing", async () => {
		const ids = await chaos("short");
		const short = await walk();
		expect(short.all).toEqual(ids);
		expect(new Set(short.pages.map(({ length }) => length)).size).toBeGreaterThan(1);
		set({ pageChaos: ["duplicated"] });
		const duplicated = await walk();
		expect([...new Set(duplicated.all)]).toEqual(ids);
		expect(duplicated.all.length).toBeGreaterThan(ids.length);
		set({ pageChaos: ["empty"] });
		const empty = await walk();
		expect(empty.all).toEqual(ids);
		expect(empty.pages).toContainEqual([]);
	});

	test.each(["moved", "expired"] as const)("spoils one scan, again after a reset: %s", async (kind) => {
		for (let time = 0; time < 2; time++) {
			emulator.control.reset();
			const ids = await chaos(kind);
			const { all, status } = await walk();
			expect(all.length).toBeLessThan(ids.length);
			expect(status).toBe(kind === "expired" ? 400 : 200);
			expect((await walk()).all).toEqual(ids);
		}
	});
});
