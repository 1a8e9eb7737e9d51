/** What still waits for KYC: told by each front in its way, the wait stays, and what differs beside it shows. */
import { expect, test } from "vitest";
import { kindsIn, pathsIn, reported } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails, fronts, plugin, type Run, seenAt, stepsIn, succeeds } from "../helpers/engine";

const emulator = useEmulator({ kyc: "manual" });
const bought = () => emulator.control.ledger().length;
const { numbers } = seenAt(emulator);
const labelled = (label: string) => numbers().find((each) => each.label === label)?.id ?? "";
const failsWaiting = (running: Promise<Run>) => fails(running, "kyc-pending");

const german = 'country: "DE", type: "geographic", area: "30"';
const pool = (seconds: number) =>
	`new telephony.NumberPool("support", { ${german}, count: 2, label: "support-{index}", activationTimeoutSeconds: ${seconds} });`;
const all = (seconds: number) => `
	new telephony.Number("berlin", { ${german}, label: "berlin", activationTimeoutSeconds: ${seconds} });
	${pool(seconds)}
	const desk = new telephony.Number("desk", { ${german}, label: "desk", waitForActive: false });
	new telephony.Activation("fleet", { numberIds: [desk.id], timeoutSeconds: ${seconds} });
`;

const timeout = 5 * 60_000;

test.each(fronts)(
	"%s: a number, a pool and an activation wait, no change to the plugin and an update to the classes; up goes on",
	{
		timeout,
	},
	async (front) => {
		const isPlugin = front === plugin;
		const stack = await createProject({ service: emulator, program: all(1), front });
		await failsWaiting(stack.up("--continue-on-error"));
		const waits = { berlin: "update", support: "update", fleet: "update" };
		const told = isPlugin ? {} : waits;
		expect(stepsIn(await stack.drift())).toEqual(told);
		const { code, output, report } = await reported(stack);
		expect(code, output).toBe(0);
		expect(report).toMatchObject({ total: 5, drifted: 0 });
		expect(kindsIn(report)).toEqual({
			berlin: "waiting",
			"support[0]": "waiting",
			"support[1]": "waiting",
			desk: "waiting",
			fleet: "waiting",
		});

		// A refresh that is written forgets nothing.
		expect(stepsIn(await stack.refresh())).toEqual(told);
		expect(stepsIn(await stack.refresh("--run-program"))).toEqual(told);
		const errors = Object.fromEntries(
			(await stack.resources()).map(({ urn, initErrors = [] }) => [urn.split("::").at(-1), initErrors.length]),
		);
		const kept = isPlugin ? 1 : 0;
		expect(errors).toMatchObject({ berlin: kept, support: kept, fleet: kept, desk: 0 });
		expect(stepsIn(await stack.preview())).toEqual(waits);
		await failsWaiting(stack.up("--continue-on-error"));

		for (const { id } of numbers()) emulator.control.decide(id, "approve");
		const done = await stack.up();
		await succeeds(done);
		// The plugin reads a pending number before it would update it.
		expect(stepsIn(done)).toEqual({ ...(isPlugin ? {} : { berlin: "update" }), support: "update", fleet: "update" });
		expect(bought()).toBe(4);
		expect(numbers().map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => "active"));
		await succeeds(stack.preview("--expect-no-changes", "--refresh"));
		expect((await reported(stack)).report.resources).toEqual([]);
	},
);

test("what somebody changes beside a wait is drift, and nothing else; the wait is not lost", {
	timeout,
}, async () => {
	const stack = await createProject({ service: emulator, program: pool(1), front: plugin });
	await failsWaiting(stack.up());
	const id = labelled("support-0");
	emulator.control.decide(id, "approve");
	emulator.control.patchNumber(id, { label: "by hand" });
	const drift = await fails(stack.drift("--diff"));
	expect(drift).toContain("by hand");
	const { code, output, report } = await reported(stack);
	expect(code, output).toBe(7);
	expect(kindsIn(report)).toEqual({ "support[0]": "changed", "support[1]": "waiting" });
	expect(pathsIn(report)).toMatchObject({ "support[0]": ["label"] });

	await succeeds(stack.refresh());
	await failsWaiting(stack.up());
	expect(labelled("support-0")).toBe(id);
	emulator.control.decide(labelled("support-1"), "approve");
	await succeeds(stack.up());
	expect(bought()).toBe(2);
	expect(numbers().map(({ status }) => status)).toEqual(["active", "active"]);
	await succeeds(stack.preview("--expect-no-changes", "--refresh"));
});

test("a number that a pool or an activation waits for and was rejected is a problem", { timeout }, async () => {
	const stack = await createProject({ service: emulator, program: all(1) });
	await failsWaiting(stack.up("--continue-on-error"));
	const reasons = [{ code: "blurred", message: "Send a sharper copy." }];
	for (const label of ["support-1", "desk"]) emulator.control.decide(labelled(label), "reject", reasons);
	const drift = await stack.drift();
	expect(drift.code).not.toBe(0);
	expect(stepsIn(drift)).toEqual({ berlin: "update", support: "update", fleet: "update" });
	const { code, output, report } = await reported(stack);
	expect(code, output).toBe(7);
	expect(kindsIn(report)).toEqual({
		berlin: "waiting",
		"support[0]": "waiting",
		"support[1]": "problem",
		desk: "problem",
		fleet: "problem",
	});
	expect(report.resources.find(({ name }) => name === "fleet")?.consequence).toContain("Send a sharper copy.");
});
