import { describe, expect, test } from "vitest";
import type { TestEmulator } from "../../helpers/emulator";
import { digest, refusal } from "../fixture";
import { everything, mobile, newFolder, open } from "../folders";

const row = { seq: 1, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };

const number = {
	...row,
	id: "num_1",
	number: "+12025550100",
	country: "US",
	area: null,
	type: "mobile",
	status: "active",
	kyc_required: false,
	kyc: null,
	capabilities: ["voice"],
	routing: null,
	sms_webhook_url: null,
	label: null,
	reference: null,
	metadata: {},
	release_protection: false,
	reconciling: false,
	source: "purchase",
	activated_at: null,
	released_at: null,
	billed: [],
	quarantine_until: null,
};

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

	test("never lets an id come again, though the same seed has made it", async () => {
		const make = async ({ call }: TestEmulator) => {
			const ids: string[] = [];
			for (let count = 0; count < 5; count++) ids.push((await call("POST", "/numbers", mobile("US"))).body.id);
			return ids;
		};
		const one = await open({ seed: 1 });
		const before = await make(one);
		const snapshot = one.control.snapshot();
		const later = await make(one);
		one.control.restore(snapshot);
		const restored = await make(one);
		one.control.restore(snapshot);
		const own = [...before, ...later, ...restored, ...(await make(one))];
		expect(new Set(own).size).toBe(20);

		const others: string[][] = [];
		for (let count = 0; count < 2; count++) {
			const two = await open({ seed: 1 });
			await two.outside("POST", "/_emulator/restore", snapshot);
			others.push([...before, ...(await make(two))]);
			expect(two.control.state().numbers.map(({ id }) => id)).toEqual(others.at(-1));
		}
		expect(new Set(others[0]).size).toBe(10);
		// And yet the same seed gives the same ids.
		expect(others[1]).toEqual(others[0]);
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
		["a row without times", { format: 1, tables: { numbers: [["num_1", { id: "num_1", seq: 1 }]] } }],
		[
			"a next step at no time",
			{ format: 1, tables: { deliveries: [["dlv_1", { ...row, id: "dlv_1", next_at: "soon" }]] } },
		],
		...(
			[
				["no status", { status: undefined }],
				["no capabilities", { capabilities: null }],
				["no time that it was billed for", { billed: undefined }],
				["a routing that is none", { routing: "trunk" }],
				["an end at no time", { released_at: "soon" }],
			] as const
		).map(([what, wrong]): [string, object] => [
			`a number with ${what}`,
			{ format: 1, tables: { numbers: [["num_1", { ...number, ...wrong }]] } },
		]),
		["a message without a text", { format: 1, tables: { messages: [["msg_1", { ...row, id: "msg_1" }]] } }],
		["a line of the ledger without its time", { format: 1, tables: { ledger: [["1", { kind: "purchase" }]] } }],
		["a count that is none", { format: 1, tables: { used: [["US/mobile", "many"]] } }],
		["a clock beyond all dates", { format: 1, tables: { account: [["clock", { mode: "virtual", now: 1e16 }]] } }],
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

	test("that says no more than it must is taken", async () => {
		const emulator = await open({});
		const snapshot = { format: 1, tables: { numbers: [["num_1", number]] } };
		expect((await emulator.outside("POST", "/_emulator/restore", snapshot)).status).toBe(204);
		expect((await emulator.call("GET", "/numbers/num_1")).body).toMatchObject({ number: number.number });
	});
});
