import { describe, expect, test } from "vitest";
import { digest, refusal } from "./fixture";
import { everything, mobile, newFolder, open } from "./folders";

describe("a snapshot", () => {
	test("is loaded by another emulator, which goes on from there", async () => {
		const one = await open({ kyc: "10d", clock: "virtual" });
		const number = (await one.call("POST", "/numbers", mobile("DE"))).body;
		const trunk = (await one.call("POST", "/trunks", { name: "office", auth: digest, capacity: 30 })).body;
		await one.outside("POST", "/_emulator/clock", { advance: "9d" });
		const { id } = (await one.call("POST", "/numbers", mobile("FR"), { "Idempotency-Key": "k" })).body;
		const snapshot = (await one.outside("GET", "/_emulator/snapshot")).body;

		const data = newFolder();
		const two = await open({ data });
		const before = (await two.call("POST", "/numbers", mobile("DE"))).body;
		expect((await two.outside("POST", "/_emulator/restore", snapshot)).status).toBe(204);
		expect(everything(two)).toEqual(everything(one));
		expect(two.control.clock()).toEqual(one.control.clock());
		const replayed = await two.call("POST", "/numbers", mobile("FR"), { "Idempotency-Key": "k" });
		expect(replayed.body.id).toBe(id);
		two.control.clock({ advance: "1d" });
		expect((await two.call("GET", `/numbers/${number.id}`)).body.status).toBe("active");
		expect((await two.call("GET", `/trunks/${trunk.id}`)).status).toBe(200);
		const after = (await two.call("POST", "/numbers", mobile("DE"))).body;
		expect([before.number, number.number]).not.toContain(after.number);
		const whole = everything(two);
		await two.close();
		expect(everything(await open({ data }))).toEqual(whole);
	});

	test("of ten thousand numbers is no matter of size", async () => {
		const emulator = await open({});
		await emulator.call("POST", "/numbers", mobile("US"));
		const snapshot = emulator.control.snapshot();
		const [[, row] = []] = snapshot.tables.numbers ?? [];
		const numbers = Array.from({ length: 10_000 }, (_, index): [string, object] => {
			const id = `num_${index}`;
			return [id, { ...(row as object), id, seq: index + 1 }];
		});
		const body = { ...snapshot, tables: { ...snapshot.tables, numbers } };
		expect((await emulator.outside("POST", "/_emulator/restore", body)).status).toBe(204);
		expect((await emulator.call("GET", "/numbers/num_9999")).status).toBe(200);
	});

	test.each([
		["no format", { tables: {} }],
		["another format", { format: 2, tables: {} }],
		["an unknown table", { format: 1, tables: { nobody: [] } }],
		["a row under another id", { format: 1, tables: { numbers: [["num_1", { id: "num_2", seq: 1 }]] } }],
		["a row that is none", { format: 1, tables: { trunks: [["trk_1", null]] } }],
		["a wrong policy", { format: 1, tables: { account: [["kycPolicy", "soon"]] } }],
		["wrong settings", { format: 1, tables: { account: [["settings", { pageSize: 0 }]] } }],
		["a clock without time", { format: 1, tables: { account: [["clock", { mode: "virtual" }]] } }],
	])("with %s is refused, and changes nothing", async (_, snapshot) => {
		const emulator = await open({});
		await emulator.call("POST", "/numbers", mobile("US"));
		const before = everything(emulator);
		expect(await emulator.outside("POST", "/_emulator/restore", snapshot)).toMatchObject(
			refusal(400, "validation_failed"),
		);
		expect(everything(emulator)).toEqual(before);
	});
});
