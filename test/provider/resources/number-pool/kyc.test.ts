/** A pool in a regulated market: what its wait knows, configures and says must be what a Number's does. */
import { describe, expect, test } from "vitest";
import { useEmulator } from "../../../helpers/emulator";
import { type Fault, useFaultProxy } from "../../../helpers/fault-proxy";
import { namesIn, numbersIn } from "../../../helpers/pools";
import { aNumber, aPool, codesOf, create, openProvider, openWith } from "../../../helpers/provider";
import { differs, failedUp, refreshed, upAgain } from "../../../helpers/runs";

const emulator = useEmulator();
const proxy = useFaultProxy(emulator);
const german = { country: "DE", type: "geographic", area: "30", activationTimeoutSeconds: 300 };
const pool = (args: object = {}) => aPool({ ...german, count: 2, ...args });
const open = () => openProvider(emulator);
const pending = () => emulator.live().filter(({ status }) => status === "pending");
const approveAll = () => {
	for (const { id } of pending()) emulator.control.decide(id, "approve");
};
/** The first number becomes active, and this happens to the second one. */
const whileWaiting = (event: (id: string) => unknown) =>
	openWith(emulator, [
		30,
		() => {
			const [first, second] = emulator.live();
			emulator.control.decide(first?.id ?? "", "approve");
			event(second?.id ?? "");
		},
	]);
const statuses = (outs: object) => numbersIn({ outs: { ...outs } }).map(({ status }) => status);

describe("a number that KYC has rejected", () => {
	test("ends no later wait once the service has approved it", async () => {
		const saved = await failedUp(
			whileWaiting((id) => emulator.control.decide(id, "reject")),
			pool(),
		);
		expect(saved.error.message).toContain("then run `pulumi up` again. [telephony:kyc-rejected]");
		approveAll();
		const done = await upAgain(open(), saved, pool());
		expect(statuses(done.outs)).toEqual(["active", "active"]);
		expect(await differs(open(), done, pool())).toBe(false);
	});

	test("is waited for while the service checks it again", async () => {
		const saved = await failedUp(
			whileWaiting((id) => emulator.control.decide(id, "reject")),
			pool(),
		);
		const [{ id = "" } = {}] = pending();
		emulator.control.patchNumber(id, { kyc: { status: "in_review", profile_id: null, reasons: [], deadline: null } });
		const done = await upAgain(openWith(emulator, [60, approveAll]), saved, pool());
		expect(statuses(done.outs)).toEqual(["active", "active"]);
	});
});

test("an up stays red while a number of the pool has failed", async () => {
	const saved = await failedUp(
		whileWaiting((id) => emulator.control.patchNumber(id, { status: "failed" })),
		pool(),
	);
	const next = await failedUp(open(), pool(), saved);
	expect(next.error.message).toMatch(/1 of 2 active, 1 failed\..* `pulumi up --refresh` .*\[telephony:kyc-rejected\]/s);
	const read = await refreshed(open(), next, pool());
	const done = await upAgain(openWith(emulator, [30, approveAll]), read, pool());
	expect(statuses(done.outs)).toEqual(["active", "active"]);
});

describe("at a service that configures only active numbers", () => {
	const refusal: Fault = {
		kind: "chosen",
		status: 409,
		type: "application/json",
		body: JSON.stringify({ error: "number_not_active", message: "The number isn't active.", request_id: "req_x" }),
		isCarriedOut: false,
	};
	const whilePending = (fault: Fault) => {
		proxy.plan = (_, method, path) =>
			method === "PATCH" && pending().some(({ id }) => path.includes(id)) ? fault : undefined;
	};
	const isConfigured = () =>
		emulator.live().every(({ label, reference }) => /^desk \d+$/.test(label ?? "") && reference);

	test.each<[string, Fault]>([
		["refuses the others", refusal],
		["ignores what it is sent for others", { kind: "altered", alter: () => ({}) }],
	])("and %s, a pool waits, then configures its numbers", async (_, fault) => {
		whilePending(fault);
		const news = pool({ label: "desk {index}" });
		const run = openWith(proxy, [100, approveAll]);
		const made = await create(run.numberPool, news);
		expect([isConfigured(), codesOf(run.warnings), statuses(made.outs)]).toEqual([true, [], ["active", "active"]]);
		expect(await differs(openProvider(proxy), made, news)).toBe(false);
	});

	test("a pool buys all its numbers, also without a wait", async () => {
		whilePending(refusal);
		const news = pool({ label: "desk {index}", count: 20, waitForActive: false });
		const saved = await failedUp(openProvider(proxy), news);
		expect([emulator.purchases().length, codesOf([saved.error.message])]).toEqual([20, ["kyc-pending"]]);
		approveAll();
		await upAgain(openProvider(proxy), saved, news);
		expect([emulator.purchases().length, isConfigured()]).toEqual([20, true]);
	});

	test("a pool configures active numbers while others are still pending", async () => {
		whilePending(refusal);
		const run = openWith(proxy, [100, () => emulator.control.decide(pending()[0]?.id ?? "", "approve")]);
		const saved = await failedUp(run, pool({ label: "desk {index}" }));
		expect(codesOf([saved.error.message])).toEqual(["kyc-pending"]);
		expect(emulator.live().filter(({ label }) => label)).toHaveLength(1);
	});
});

test("reminds of numbers that wait for a person if nothing changes", async () => {
	const idle = { waitForActive: false };
	const made = await create(open().numberPool, pool(idle));
	const number = await create(open().number, aNumber({ ...german, ...idle }));
	const [forPool, forNumber] = [open(), open()];
	expect([await differs(forNumber, number, aNumber({ ...german, ...idle }))]).toEqual([false]);
	expect(codesOf(forNumber.warnings)).toEqual(["kyc-pending"]);
	expect(await differs(forPool, made, pool(idle))).toBe(false);
	expect(codesOf(forPool.warnings)).toEqual(["kyc-pending"]);
	for (const { phoneNumber } of numbersIn(made)) expect(forPool.warnings[0]).toContain(`${phoneNumber} (`);
	expect(forPool.warnings[0]).toMatch(/the service waits until 20/);
	const refreshing = open();
	await differs(refreshing, await refreshed(refreshing, made, pool(idle)), pool(idle));
	expect(refreshing.warnings).toHaveLength(1);
});

test.each([
	["its failed number", {}, ["support[1]", "support[2]"], []],
	["the named number", { releaseFirst: ["support[2]"] }, ["support[0]", "support[1]"], ["2"]],
])("a shrinking pool gives up %s first", async (_, args, remaining, released) => {
	const labels = new Map<string, unknown>();
	const decide = () => {
		for (const { id, label } of emulator.live()) {
			labels.set(id, label);
			if (label === "0") emulator.control.patchNumber(id, { status: "failed" });
			else emulator.control.decide(id, "approve");
		}
	};
	const saved = await failedUp(openWith(emulator, [30, decide]), pool({ label: "{index}", count: 3 }));
	expect(saved.error.message).toContain("2 of 3 active, 1 failed");
	const smaller = pool({ label: "{index}", ...args });
	// Without the failed number, the run is done. With it, the run saves what it has.
	const next = await upAgain(openWith(emulator), saved, smaller).catch(({ properties: outs }) => ({ outs }));
	expect(namesIn(next)).toEqual(remaining);
	expect(emulator.released().map((id) => labels.get(id ?? ""))).toEqual(released);
});
