/** Snapshots that are cut short, edited by hand or made by another program. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { mobile } from "../fixture";
import { newFolder, open } from "../folders";

const row = { id: "num_x", seq: 1, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
const trunk = { ...row, id: "trk_x", capacity: 1 };

test.each<[string, object]>([
	["null", { numbers: [["num_x", null]] }],
	["a text", { numbers: [["num_x", "row"]] }],
	["a row without its place", { trunks: [["trk_x", { ...trunk, seq: undefined }]] }],
	["a row under another id", { trunks: [["trk_y", trunk]] }],
	["a row without times", { trunks: [["trk_x", { ...trunk, created_at: undefined }]] }],
	["a port order without numbers", { portOrders: [["port_x", { ...row, id: "port_x" }]] }],
])("refuses a snapshot with %s, and keeps the account, on disk too", async (_, tables) => {
	const data = newFolder();
	const emulator = await open({ data, startAt: "2026-01-05T00:00:00Z" });
	const { body: bought } = await emulator.call("POST", "/numbers", mobile());
	await emulator.call("POST", "/numbers", mobile("DE"));
	await emulator.outside("PATCH", "/_emulator/settings", { callSeconds: 7 });
	const before = (await emulator.outside("GET", "/_emulator/state")).body;
	const restored = await emulator.outside("POST", "/_emulator/restore", { format: 1, tables });
	expect(restored.status).toBe(400);
	expect((await emulator.outside("GET", "/_emulator/state")).body).toEqual(before);
	expect((await emulator.outside("POST", `/_emulator/clock`, { advance: "1d" })).status).toBe(200);
	await emulator.close();
	const reopened = await open({ data, startAt: "2026-01-05T00:00:00Z" });
	const { body: listed } = await reopened.call("GET", "/numbers?limit=1");
	expect(listed.data).toMatchObject([{ id: bought.id }]);
	const { body: next } = await reopened.call("GET", `/numbers?limit=1&cursor=${listed.next_cursor}`);
	expect(next).toMatchObject({ data: [{ country: "DE" }], next_cursor: null });
	const { body: third } = await reopened.call("POST", "/numbers", mobile());
	expect(third.number).not.toBe(bought.number);
	expect(reopened.control.state().numbers.every(({ seq }) => Number.isInteger(seq))).toBe(true);
});

test("drops settings of an older version from a snapshot and a folder", async () => {
	const data = newFolder();
	const emulator = await open({ data });
	const expected = { ...emulator.control.settings(), callSeconds: 7 };
	const old = { ...expected, churnLimit: 1 };
	emulator.control.restore({ format: 1, tables: { account: [["settings", old]] } });
	expect(emulator.control.settings()).toEqual(expected);
	await emulator.close();
	const database = new DatabaseSync(join(data, "state.sqlite"));
	database.prepare("UPDATE entries SET value = ? WHERE key = 'settings'").run(JSON.stringify(old));
	database.close();
	expect((await open({ data })).control.settings()).toEqual(expected);
});
