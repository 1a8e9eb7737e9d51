/** What still waits for KYC: told by each front in its way, the wait stays, and what differs beside it shows. */
import { describe, expect, test } from "vitest";
import { kindsIn, pathsIn, reported } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, type Run, stepsIn } from "../helpers/engine";

const emulator = useEmulator({ kyc: "manual" });
const bought = () => emulator.control.ledger().length;
const numbers = () => emulator.control.state().numbers;
const labelled = (label: string) => numbers().find((each) => each.label === label)?.id ?? "";
const flat = ({ output }: Run) => output.replaceAll(/\s+/g, " ");
const succeeds = (run: Run) => expect(run.code, run.output).toBe(0);
const failsWaiting = (run: Run) => {
	expect(run.code).not.toBe(0);
	expect(flat(run)).toContain("[telephony:kyc-pending]");
};

const german = 'country: "DE", type: "geographic", area: "30"';
const pool = (seconds: number) =>
	`new front.NumberPool("support", { ${german}, count: 2, label: "support-{index}", activationTimeout: ${seconds} });`;
const program = (front: string, body: string) => `const front = require(${JSON.stringify(front)}); ${body}`;
const all = (seconds: number) => `
	new front.Number("berlin", { ${german}, label: "berlin", activationTimeout: ${seconds} });
	${pool(seconds)}
	const desk = new front.Number("desk", { ${german}, label: "desk", waitForActive: false });
	new front.Activation("fleet", { numberIds: [desk.id], timeout: ${seconds} });
`;

const timeout = 5 * 60_000;

describe.each(["pulumi-telephony", "pulumi-telephony/plugin"])("%s", (front) => {
	const isPlugin = front.endsWith("/plugin");

	test("a number, a pool and an activation wait: no change to the plugin, an update to the classes, and up goes on", {
		timeout,
	}, async () => {
		const stack = await createProject({ service: emulator, program: program(front, all(1)), plugin: true });
		failsWaiting(await stack.up("--continue-on-error"));
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
		failsWaiting(await stack.up("--continue-on-error"));

		for (const { id } of numbers()) emulator.control.decide(id, "approve");
		const done = await stack.up();
		succeeds(done);
		// The plugin reads a pending number before it would update it.
		expect(stepsIn(done)).toEqual({ ...(isPlugin ? {} : { berlin: "update" }), support: "update", fleet: "update" });
		expect([bought(), numbers().map(({ status }) => status)]).toEqual([4, Array.from({ length: 4 }, () => "active")]);
		succeeds(await stack.preview("--expect-no-changes", "--refresh"));
		expect((await reported(stack)).report.resources).toEqual([]);
	});

	test("what somebody changes beside a wait is drift, and nothing else; the wait is not lost", {
		timeout,
	}, async () => {
		const stack = await createProject({ service: emulator, program: program(front, pool(1)), plugin: true });
		failsWaiting(await stack.up());
		const id = labelled("support-0");
		emulator.control.decide(id, "approve");
		emulator.control.patchNumber(id, { label: "by hand" });
		const drift = await stack.drift("--diff");
		expect(drift.code, drift.output).not.toBe(0);
		expect(drift.output).toContain("by hand");
		const { code, output, report } = await reported(stack);
		expect(code, output).toBe(7);
		expect(kindsIn(report)).toEqual({ "support[0]": "changed", "support[1]": "waiting" });
		expect(pathsIn(report)).toMatchObject({ "support[0]": ["label"] });

		succeeds(await stack.refresh());
		failsWaiting(await stack.up());
		expect(labelled("support-0")).toBe(id);
		emulator.control.decide(labelled("support-1"), "approve");
		succeeds(await stack.up());
		expect([bought(), numbers().map(({ status }) => status)]).toEqual([2, ["active", "active"]]);
		succeeds(await stack.preview("--expect-no-changes", "--refresh"));
	});

	test("a number that a pool or an activation waits for and was rejected is a problem", { timeout }, async () => {
		const stack = await createProject({ service: emulator, program: program(front, all(1)), plugin: true });
		failsWaiting(await stack.up("--continue-on-error"));
		const reasons = [{ code: "blurred", message: "Send a sharper copy." }];
		for (const label of ["support-1", "desk"]) emulator.control.decide(labelled(label), "reject", reasons);
		const drift = await stack.drift();
		expect(drift.code).not.toBe(0);
		expect(stepsIn(drift)).toEqual({ ...(isPlugin ? {} : { berlin: "update" }), support: "update", fleet: "update" });
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
});
