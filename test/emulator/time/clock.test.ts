import { describe, expect, test, vi } from "vitest";
import { createEmulator, type EmulatorOptions, VirtualClock } from "../../../emulator";
import { numberHandlers } from "../../../emulator/areas/numbers/routes";
import { createControl } from "../../../emulator/control/control";
import { createAnswers } from "../../../emulator/http/normalise";
import { createService } from "../../../emulator/service/service";
import { seededRandom } from "../../../emulator/store/random";
import { useEmulator } from "../../helpers/emulator";
import { day, refusal, start } from "../fixture";
import { mobile, open as openOther, start as startCommand } from "../folders";

const emulator = useEmulator({ kyc: "10d" });
const { call, outside } = emulator;

const turn = async (patch: object) => (await outside("POST", "/_emulator/clock", patch)).body;
const now = async () => Date.parse(String((await outside("GET", "/_emulator/clock")).body.now));
const buy = async () => (await call("POST", "/numbers", { country: "DE", type: "mobile" })).body;
const read = async ({ id }: { id: string }) => (await call("GET", `/numbers/${id}`)).body;
const later = (than: number) => vi.waitFor(() => expect(Date.now()).toBeGreaterThan(than), { interval: 1 });

/** Another one than that of all tests, for the rest of a test. */
const open = async (options: EmulatorOptions) => {
	const other = await openOther(options);
	return { ...other, buy: () => other.call("POST", "/numbers", mobile("DE")) };
};

describe("the clock", () => {
	test("goes by the real time unless it is asked to stand still", async () => {
		const before = Date.now();
		const { body } = await outside("GET", "/_emulator/clock");
		expect(body).toEqual({ mode: "real", now: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) });
		expect(Date.parse(String(body.now))).toBeGreaterThanOrEqual(before);
		expect(Date.parse(String(body.now))).toBeLessThanOrEqual(Date.now());
	});

	test("that stands still moves by what it is advanced, and the Date header with it", async () => {
		const frozen = await turn({ mode: "virtual" });
		await later(Date.now() + 2);
		expect((await outside("GET", "/_emulator/clock")).body).toEqual(frozen);
		const then = Date.parse(String(frozen.now)) + 10 * day;
		expect(await turn({ advance: "10d" })).toEqual({ mode: "virtual", now: new Date(then).toISOString() });
		expect((await call("GET", "/numbers")).headers.get("Date")).toBe(new Date(then).toUTCString());
		const steps = { "30s": 30_000, "10m": 600_000, "2h": 7_200_000, "31536000s": 365 * day, "00000001s": 1000 };
		for (const [advance, ms] of Object.entries(steps)) {
			const before = await now();
			expect(Date.parse(String((await turn({ advance })).now))).toBe(before + ms);
		}
	});

	test("goes to a time that is named, and back to none", async () => {
		await turn({ mode: "virtual" });
		const number = await buy();
		const to = new Date(Date.parse(String(number.created_at)) + 20 * day).toISOString();
		expect(await turn({ to })).toEqual({ mode: "virtual", now: to });
		expect((await read(number)).status).toBe("active");
		expect(await turn({ to: to.replace("Z", "+00:00") })).toMatchObject({ now: to });
		const back = await outside("POST", "/_emulator/clock", { to: "2026-01-01T00:00:00Z" });
		expect(back).toMatchObject({ ...refusal(400, "validation_failed"), body: { details: [{ field: "to" }] } });
		expect(back.body.message).toContain(`has passed: it is ${to}`);
		emulator.control.reset();
		expect(await turn({ mode: "virtual", to: "9999-12-31T23:59:59.999Z" })).toMatchObject({
			now: "9999-12-31T23:59:59.999Z",
		});
		expect((await buy()).status).toBe("pending");
	});

	test("waits as long as a policy says, were it for ever", async () => {
		await turn({ mode: "virtual" });
		emulator.control.kyc("99999999999999999999999d");
		const number = await buy();
		await turn({ advance: "36500d" });
		expect((await read(number)).status).toBe("pending");
	});

	test("begins at the time that it is given, and again after a reset", async () => {
		const startAt = "2027-01-01T00:00:00.000Z";
		const { buy, control } = await open({ startAt });
		expect(control.clock()).toEqual({ mode: "virtual", now: startAt });
		await buy();
		control.clock({ advance: "40d" });
		control.clock({ mode: "real" });
		control.reset();
		expect(control.clock()).toEqual({ mode: "virtual", now: startAt });
		await buy();
		control.clock({ to: "2027-02-01T00:00:00Z" });
		expect(control.state().numbers).toMatchObject([{ created_at: startAt }]);
		for (const options of [{ startAt: "tomorrow" }, { startAt, clock: "real" }] as const)
			await expect(createEmulator(options)).rejects.toThrow(/^startAt (must be a time|is for a virtual clock)/);
	});

	test("runs what falls due in order, each at its own time", async () => {
		await turn({ mode: "virtual" });
		const one = await buy();
		await turn({ advance: "1h" });
		emulator.control.kyc("2h");
		const two = await buy();
		await turn({ advance: "10d" });
		const due = (from: unknown, after: number) => new Date(Date.parse(String(from)) + after).toISOString();
		expect(await read(one)).toMatchObject({ status: "active", activated_at: due(one.created_at, 10 * day) });
		expect(await read(two)).toMatchObject({ status: "active", activated_at: due(two.created_at, day / 12) });
	});

	test("passes ten days with ten thousand pending numbers at once", () => {
		const clock = new VirtualClock(start);
		const random = seededRandom("many");
		const service = createService({ clock, random, apiKey: "k", profile: "full", kycPolicy: "10d" });
		const { buyNumber } = numberHandlers(service, createAnswers(service));
		for (let count = 0; count < 10_000; count++) {
			buyNumber({ id: "", query: undefined, body: { country: "DE", type: "mobile" }, requestId: "req_1", key: null });
			if (count % 100 === 0) clock.advance(1000);
		}
		const control = createControl(service);
		expect(control.state().numbers.filter(({ status }) => status === "pending")).toHaveLength(10_000);
		control.clock({ advance: "10d" });
		const wait = ({ created_at, activated_at }: { created_at: string; activated_at: string | null }) =>
			Date.parse(activated_at ?? "") - Date.parse(created_at);
		expect(new Set(control.state().numbers.map(wait))).toEqual(new Set([10 * day]));
	});

	test.each([
		["bad_request", { advance: "1h" }, /set mode to "virtual"/],
		["bad_request", { mode: "real", advance: "1h" }, /set mode to "virtual"/],
		["validation_failed", { mode: "virtual", advance: "5y" }, /advance: must be a duration such as 30s/],
		["validation_failed", { mode: "virtual", advance: 5 }, /advance/],
		["validation_failed", { mode: "virtual", advance: "9".repeat(400).concat("d") }, /advance: leads beyond/],
		["validation_failed", { mode: "virtual", to: "tomorrow" }, /to: must be a time such as 2027-01-01T00:00:00Z/],
		["validation_failed", { mode: "virtual", to: "10000-01-01T00:00:00Z" }, /to: must be a time/],
		["validation_failed", { mode: "virtual", to: "9999-01-01T00:00:00Z", advance: "1s" }, /to: can't be combined/],
		["bad_request", { to: "9999-01-01T00:00:00Z" }, /set mode to "virtual"/],
		["validation_failed", { mode: "fast" }, /mode/],
		["validation_failed", { speed: 2 }, /speed: unknown field/],
	])("refuses with %s and stays as it is: %j", async (error, patch, message) => {
		const answer = await outside("POST", "/_emulator/clock", patch);
		expect(answer).toMatchObject(refusal(400, error));
		expect(answer.body.message).toMatch(message);
		expect(emulator.control.clock().mode).toBe("real");
	});

	test("let go again shows the real time, and nothing waits longer for it", async () => {
		await turn({ mode: "virtual" });
		const number = await buy();
		await turn({ advance: "863999s" });
		expect(await turn({ mode: "real" })).toMatchObject({ mode: "real" });
		expect(Math.abs((await now()) - Date.now())).toBeLessThan(day);
		expect((await read(number)).status).toBe("pending");
		// The one second that was left of the ten days, in real time.
		await vi.waitFor(async () => expect((await read(number)).status).toBe("active"), { timeout: 10_000 });
	});

	test("that has fallen behind the real time catches up, and runs what fell due meanwhile", async () => {
		const frozen = Date.now() - day;
		const { buy, control } = await open({ kyc: "2h", clock: new VirtualClock(frozen) });
		await buy();
		expect(control.clock({ mode: "real" }).mode).toBe("real");
		const activated_at = new Date(frozen + day / 12).toISOString();
		expect(control.state().numbers).toMatchObject([{ status: "active", activated_at }]);
		expect(Date.parse(control.clock().now)).toBeGreaterThan(frozen + day / 2);
	});

	test("turned back leaves nobody waiting: not for a token, a lagging read, a change or a key", async () => {
		await turn({ mode: "virtual" });
		await turn({ advance: "10d" });
		const key = { "Idempotency-Key": "k" };
		const purchase = (headers: Record<string, string>) =>
			call("POST", "/numbers", { country: "US", type: "mobile" }, headers);
		const { id } = (await purchase({ "Idempotency-Key": "first" })).body;
		await turn({ advance: "1s" });
		await call("PATCH", `/numbers/${id}`, { label: "desk" });
		await turn({ advance: "5s" });
		emulator.control.settings({ requestsPerSecond: 0.001, requestBurst: 1 });
		expect((await read({ id })).id).toBe(id);
		await turn({ mode: "real" });
		expect((await call("GET", "/numbers")).status).toBe(200);
		emulator.control.settings({
			requestsPerSecond: null,
			readLagMs: 1000,
			applyLagMs: 1000,
			enumDriftAfterCreate: true,
		});
		expect(await read({ id })).toMatchObject({ label: "desk", reconciling: false, type: "mobile" });

		const again = (await purchase(key)).body;
		await turn({ mode: "virtual" });
		await turn({ advance: "1d" });
		expect((await purchase(key)).body.id).not.toBe(again.id);
	});

	test("goes as far as the year 9999, month by month, and no further", async () => {
		const { buy, control } = await open({ kyc: "immediate", clock: new VirtualClock(Date.UTC(9000, 0)) });
		await buy();
		control.clock({ advance: "365000d" });
		expect(control.state().invoices).toHaveLength(11_992);
		const { now } = control.clock();
		expect(() => control.clock({ advance: "365d" })).toThrow(/advance: leads beyond the year 9999/);
		expect(control.clock().now).toBe(now);
	});

	test("frozen and let go in between still wakes in time", async () => {
		emulator.control.kyc("1s");
		const number = await buy();
		for (const mode of ["virtual", "virtual", "real", "real"]) await turn({ mode });
		await vi.waitFor(async () => expect((await read(number)).status).toBe("active"), { timeout: 10_000 });
	});

	test("may stand still from the start, and does so again after a reset", async () => {
		const { control } = await open({ clock: "virtual" });
		const { now } = control.clock();
		control.clock({ mode: "real" });
		control.reset();
		expect(control.clock().mode).toBe("virtual");
		expect(Date.parse(control.clock().now)).toBeGreaterThanOrEqual(Date.parse(now));
		await turn({ mode: "virtual" });
		emulator.control.reset();
		expect(emulator.control.clock().mode).toBe("real");
	});

	test("given from outside is turned by its owner only", async () => {
		const { buy, control } = await open({ clock: { now: () => start, at: () => () => {} } });
		await buy();
		expect(control.clock()).toMatchObject({ now: new Date(start).toISOString() });
		expect(() => control.clock({ mode: "virtual" })).toThrow(/clock of its own/);
	});

	test("of the command stands still with --clock virtual", async () => {
		const { url } = await startCommand(["--memory", "--clock", "virtual"]);
		const answer = await fetch(new URL("/_emulator/clock", url), { method: "POST", body: "" });
		expect(await answer.json()).toMatchObject({ mode: "virtual" });
	});
});
