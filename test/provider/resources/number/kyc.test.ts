import { describe, expect, test } from "vitest";
import type { Values } from "../../../../provider/properties/table";
import { FakeClock } from "../../../helpers/clock";
import { useEmulator } from "../../../helpers/emulator";
import { useFaultProxy } from "../../../helpers/fault-proxy";
import { aNumber, checked, create, failureOf, initErrorOf, openProvider, openWith } from "../../../helpers/provider";

const emulator = useEmulator();
const proxy = useFaultProxy(emulator);
const regulated = (args: Values = {}) => aNumber({ country: "DE", type: "geographic", area: "30", ...args });
const only = () => emulator.control.state().numbers[0] as { id: string; status: string };

const happening = (seconds: number, event: () => unknown) => openWith(emulator, [seconds, event]);

describe("a number in a regulated market", () => {
	test("is waited for until KYC clears, while the status says what is going on", async () => {
		const run = happening(120, () => emulator.control.decide(only().id, "approve"));
		const start = run.clock.now();
		const { outs } = await create(run.number, regulated());
		expect(outs).toMatchObject({ status: "active", kycRequired: true, kyc: { status: "approved" } });
		expect(outs.activatedAt).toBeDefined();
		expect(run.clock.now() - start).toBeLessThan(140_000);
		expect(run.statuses[0]).toBe("KYC action required: set `kycProfileId`, 10 min left");
	});

	test("is saved at the bound with the reason, and the next up goes on waiting", async () => {
		const run = openProvider(emulator);
		const start = run.clock.now();
		const inputs = await checked(run.number, regulated({ activationTimeoutSeconds: 300, label: "a" }));
		const error = await initErrorOf(run.number.create(inputs));
		expect(run.clock.now() - start).toBeCloseTo(300_000, -3);
		expect(error.id).toBe(only().id);
		expect(error.reasons[0]).toMatch(/^\+4930.*after 5 min.*\[telephony:kyc-pending\]$/);
		expect(error.properties).toMatchObject({ status: "pending", label: "a", __provider: inputs.__provider });
		const read = await openProvider(emulator).number.read(error.id, error.properties);
		expect(read.inputs).toMatchObject({ country: "DE", label: "a" });
		const next = happening(60, () => emulator.control.decide(only().id, "approve"));
		expect((await next.number.diff(error.id, read.props ?? {}, inputs)).changes).toBe(true);
		const { outs } = await next.number.update(error.id, read.props ?? {}, inputs);
		expect(outs.status).toBe("active");
		expect((await next.number.diff(error.id, outs, inputs)).changes).toBe(false);
		expect(emulator.control.ledger()).toHaveLength(1);
	});

	test("is not waited for once the service has suspended it", async () => {
		const run = happening(60, () => emulator.control.patchNumber(only().id, { status: "suspended" }));
		const start = run.clock.now();
		expect((await create(run.number, regulated())).outs.status).toBe("suspended");
		expect(run.clock.now() - start).toBeLessThan(80_000);
	});

	test("is told as gone by an update after it has failed, and nothing is written", async () => {
		const { id, outs } = await create(openProvider(emulator).number, regulated({ waitForActive: false }));
		emulator.control.decide(id, "expire");
		const writes = () => emulator.writes().length;
		const before = writes();
		const { number } = openProvider(emulator);
		const inputs = await checked(number, regulated({ label: "x" }));
		expect((await failureOf(number.update(id, outs, inputs))).kind).toBe("NotFound");
		expect(writes()).toBe(before);
	});

	test("is not waited for where the program doesn't want that, nor is it a difference then", async () => {
		const run = openProvider(emulator);
		const inputs = await checked(run.number, regulated({ waitForActive: false }));
		const { id, outs } = await run.number.create(inputs);
		expect({ status: outs.status, statuses: run.statuses }).toEqual({ status: "pending", statuses: [] });
		expect((await run.number.diff(id, outs, inputs)).changes).toBe(false);
		const waiting = await checked(run.number, regulated());
		expect((await run.number.diff(id, outs, waiting)).changes).toBe(true);
	});

	test.each([
		[
			"rejected",
			(id: string) =>
				void emulator.control.decide(id, "reject", [{ code: "blurred", message: "Send a sharper copy." }]),
			/KYC rejected: Send a sharper copy. \(blurred\)\. Set `kycProfileId`/,
		],
		["expired", (id: string) => void emulator.control.decide(id, "expire"), /status is failed, KYC expired/],
		["failed", (id: string) => void emulator.control.patchNumber(id, { status: "failed" }), /status is failed/],
		["gone", (id: string) => emulator.control.deleteNumber(id), /not_found/],
	])("that is %s ends the wait at once, with the service's reasons", async (_, event, reason) => {
		const run = happening(30, () => event(only().id));
		const start = run.clock.now();
		expect((await initErrorOf(create(run.number, regulated()))).message).toMatch(reason);
		expect(run.clock.now() - start).toBeLessThan(40_000);
	});

	test("that was rejected from the start is not waited for at all", async () => {
		emulator.control.kyc("reject");
		const run = openProvider(emulator);
		const start = run.clock.now();
		await initErrorOf(create(run.number, regulated()));
		expect(run.clock.now() - start).toBeLessThan(1_000);
	});

	test("in a state that nobody knows is no longer waited for, and the state is told", async () => {
		const run = happening(1, () => emulator.control.patchNumber(only().id, { status: "being_blessed" }));
		expect((await create(run.number, regulated())).outs.status).toBe("being_blessed");
		expect(run.statuses.at(-1), "statuses").toBe("status being_blessed");
		expect(run.warnings).toEqual([]);
	});

	test("is waited for through minutes in which the service is away", async () => {
		const clock = new FakeClock();
		const start = clock.now();
		clock.after(200, () => emulator.control.decide(only().id, "approve"));
		proxy.plan = (_, method, path) => {
			const away = clock.now() - start > 10_000 && clock.now() - start < 150_000;
			return away && method === "GET" && path.startsWith("/v1/numbers/") ? { kind: "refused", status: 500 } : undefined;
		};
		const { outs } = await create(openProvider(proxy, { clock }).number, regulated());
		expect(outs.status).toBe("active");
		expect(emulator.control.ledger()).toHaveLength(1);
	});

	test("has no number yet, and none in its outputs, until the carrier assigns one", async () => {
		emulator.control.settings({ assignNumberLate: true });
		const { id, outs } = await create(openProvider(emulator).number, regulated({ waitForActive: false }));
		expect(outs).not.toHaveProperty("phoneNumber");
		emulator.control.decide(id, "approve");
		const { props } = await openProvider(emulator).number.read(id, outs);
		expect(props?.phoneNumber).toMatch(/^\+4930/);
	});

	describe("which the service configures only once it is active", () => {
		const refuseUntil = (seconds: number) => {
			emulator.control.faults.set({
				operation: "patchNumber",
				kind: "status",
				error: "number_not_active",
				every: true,
			});
			return happening(seconds, () => {
				emulator.control.faults.clear();
				emulator.control.decide(only().id, "approve");
			});
		};

		test("is waited for first, then configured and claimed", async () => {
			const { outs } = await create(refuseUntil(60).number, regulated({ label: "Desk" }));
			expect(outs).toMatchObject({ status: "active", label: "Desk" });
			expect(only()).toMatchObject({ label: "Desk", reference: expect.stringContaining(String(outs.lease)) });
		});

		test("is saved at the bound, and the next up goes on", async () => {
			const news = regulated({ label: "Desk", activationTimeoutSeconds: 60 });
			const error = await initErrorOf(create(refuseUntil(600).number, news));
			expect(error.message).toMatch(/after 60 s.*\[telephony:kyc-pending\]$/);
			const next = refuseUntil(30);
			const inputs = await checked(next.number, news);
			expect((await next.number.diff(error.id, error.properties, inputs)).changes).toBe(true);
			const { outs } = await next.number.update(error.id, error.properties, inputs);
			expect(outs).toMatchObject({ status: "active", label: "Desk" });
			expect(only()).toMatchObject({ label: "Desk", reference: expect.stringContaining(String(outs.lease)) });
			expect(emulator.kinds()).toEqual(["purchase"]);
		});
	});
});
