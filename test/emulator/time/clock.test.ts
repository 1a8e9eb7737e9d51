import { describe, expect, test } from "vitest";
import { createEmulator } from "../../../emulator";
import { useEmulator } from "../../helpers/emulator";
import { eventually } from "../../helpers/eventually";
import { day, hour, iso, mobile, refusal, start } from "../fixture";
import { newFolder, open, start as startCommand } from "../folders";

const emulator = useEmulator({ kyc: "10d" });
const { call, outside } = emulator;

const turn = async (patch: object) => (await outside("POST", "/_emulator/clock", patch)).body;
const clock = async () => (await outside("GET", "/_emulator/clock")).body;
const serviceTime = async () => Date.parse(String((await clock()).now));
const buy = async () => (await call("POST", "/numbers", mobile("DE"))).body;
const read = async ({ id }: { id: string }) => (await call("GET", `/numbers/${id}`)).body;
describe("the clock", () => {
	test("follows the real time until it is virtual, then stands still", async () => {
		const real = await clock();
		expect(real).toMatchObject({ mode: "real" });
		expect(Math.abs(Date.parse(String(real.now)) - Date.now())).toBeLessThan(600_000);
		const frozen = await turn({ mode: "virtual" });
		await new Promise((done) => setTimeout(done, 3));
		expect(await clock()).toEqual(frozen);
		for (const [advance, ms] of Object.entries({ "30s": 30_000, "10m": 600_000, "2h": 2 * hour, "10d": 10 * day })) {
			const then = (await serviceTime()) + ms;
			expect(await turn({ advance })).toEqual({ mode: "virtual", now: iso(then) });
			expect((await call("GET", "/numbers")).headers.get("Date")).toBe(new Date(then).toUTCString());
		}
		const to = iso((await serviceTime()) + 20 * day);
		expect(await turn({ to: to.replace("Z", "+00:00") })).toEqual({ mode: "virtual", now: to });
		const back = await outside("POST", "/_emulator/clock", { to: "2026-01-01T00:00:00Z" });
		expect(back).toMatchObject(refusal(400, "validation_failed", "to"));
	});

	test("runs what falls due in order, each at its own time", async () => {
		await turn({ mode: "virtual" });
		const slow = await buy();
		await turn({ advance: "1h" });
		emulator.control.kyc("2h");
		const fast = await buy();
		emulator.control.kyc("99999999999999999999999d");
		const never = await buy();
		await turn({ advance: "36500d" });
		const due = (from: unknown, after: number) => iso(Date.parse(String(from)) + after);
		expect(await read(slow)).toMatchObject({ activated_at: due(slow.created_at, 10 * day) });
		expect(await read(fast)).toMatchObject({ activated_at: due(fast.created_at, 2 * hour) });
		expect(await read(never)).toMatchObject({ status: "pending" });
	});

	const long = "9".repeat(400).concat("d");
	test.each([
		["bad_request", { advance: "1h" }],
		["bad_request", { to: "9999-01-01T00:00:00Z" }],
		["validation_failed", { mode: "virtual", advance: "5y" }],
		["validation_failed", { mode: "virtual", advance: long }],
		["validation_failed", { mode: "virtual", to: "tomorrow" }],
		["validation_failed", { mode: "virtual", to: "10000-01-01T00:00:00Z" }],
		["validation_failed", { mode: "virtual", to: "9999-01-01T00:00:00Z", advance: "1s" }],
		["validation_failed", { speed: 2 }],
	])("is unchanged after %s: %j", async (error, patch) => {
		expect(await outside("POST", "/_emulator/clock", patch)).toMatchObject(refusal(400, error));
		expect(emulator.control.clock().mode).toBe("real");
	});

	test("lets the rest of a wait pass in real time", async () => {
		await turn({ mode: "virtual" });
		const number = await buy();
		await turn({ advance: "863995s" });
		expect(await turn({ mode: "real" })).toMatchObject({ mode: "real" });
		expect(await serviceTime()).toBeGreaterThanOrEqual(Date.parse(String(number.created_at)) + 863_995_000);
		expect(await read(number)).toMatchObject({ status: "pending" });
		for (const mode of ["virtual", "virtual", "real", "real"]) await turn({ mode });
		await eventually(async () => expect(await read(number)).toMatchObject({ status: "active" }));
	});

	test("stays ahead when it runs again, also after a restart, until a reset", async () => {
		const data = newFolder();
		const first = await open({ data });
		first.control.clock({ mode: "virtual", advance: "10d" });
		const leadOf = ({ control }: typeof first) => Date.parse(control.clock({ mode: "real" }).now) - Date.now();
		expect(Math.abs(leadOf(first) - 10 * day)).toBeLessThan(hour);
		await first.close();
		const second = await open({ data });
		expect(Math.abs(leadOf(second) - 10 * day)).toBeLessThan(hour);
		const copy = await open();
		copy.control.restore(second.control.snapshot());
		expect(Math.abs(leadOf(copy) - 10 * day)).toBeLessThan(hour);
		second.control.reset();
		expect(Math.abs(leadOf(second))).toBeLessThan(hour);
	});

	test("catches up with the machine's clock when it runs again", async () => {
		const late = await open();
		late.control.clock({ mode: "virtual" });
		const frozenAt = Date.parse(late.control.clock().now);
		await new Promise((done) => setTimeout(done, 5));
		expect(Date.parse(late.control.clock({ mode: "real" }).now)).toBeGreaterThanOrEqual(frozenAt + 5);
	});

	test("starts as its options say, again after each reset", async () => {
		const startAt = "2027-01-01T00:00:00.000Z";
		const { control } = await open({ startAt });
		control.clock({ advance: "40d" });
		control.clock({ mode: "real" });
		control.reset();
		expect(control.clock()).toEqual({ mode: "virtual", now: startAt });
		await expect(createEmulator({ startAt, clock: "real" })).rejects.toThrow("startAt");
		const fixed = await open({ clock: { now: () => start, at: () => () => {} } });
		expect(() => fixed.control.clock({ mode: "virtual" })).toThrow();
		const { url } = await startCommand(["--memory", "--clock", "virtual"]);
		const response = await fetch(new URL("/_emulator/clock", url), { method: "POST", body: "" });
		expect(await response.json()).toMatchObject({ mode: "virtual" });
	});
});
