/** A fleet in a regulated market: bought at once, one wait for all. */
import { expect, test, vi } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails, seenAt, stepsIn, succeeds } from "../helpers/engine";

const emulator = useEmulator();
const kinds = () => new Set(emulator.control.ledger().map(({ kind }) => kind));
const { numbers } = seenAt(emulator);

const program = (count: number, timeout = 120) => `
	const numbers = Array.from({ length: ${count} }, (_, n) => new telephony.Number("n" + n, {
		country: "DE", type: "geographic", area: "30", waitForActive: false,
	}));
	exports.numbers = new telephony.Activation("fleet", { numberIds: numbers.map(({ id }) => id), timeoutSeconds: ${timeout} }).numbers;
`;

test("12 numbers are waited for together, and another one alone", async () => {
	const stack = await createProject({ program: program(12), service: emulator });
	const up = stack.up();
	await vi.waitFor(() => expect(numbers()).toHaveLength(12), 60_000);
	const bought = new Set(numbers().map(({ id }) => id));
	const looks = () => emulator.control.requests().filter(({ method }) => method === "GET");
	const before = looks().length;
	// The fleet has been looked at, and what came of it was shown.
	await vi.waitFor(() => expect(looks().length).toBeGreaterThanOrEqual(before + 3), 60_000);
	for (const { id } of numbers()) emulator.control.decide(id, "approve");
	const done = await succeeds(up);
	expect(done.output).toMatch(/fleet creating \(\d+s\) 0 of 12 active, 12 action required, \d+ s left/);
	const outputs = (await stack.outputs()).numbers as { id: string; number: string; status: string }[];
	expect(new Set(outputs.map(({ id }) => id))).toEqual(bought);
	expect(new Set(outputs.map(({ status }) => status))).toEqual(new Set(["active"]));
	// The numbers' own entries were written while they were pending: that is news, and no drift.
	await succeeds(stack.drift());

	emulator.control.kyc("1s");
	stack.write(program(13));
	const more = await succeeds(stack.up());
	expect(stepsIn(more), more.output).toEqual({ n12: "create", fleet: "update" });

	emulator.control.patchNumber([...bought][0] ?? "", { status: "suspended" });
	const suspended = await stack.drift();
	expect(suspended.code, suspended.output).toBe(7);
	expect(suspended.output).toMatch(/Activation fleet/);
	await succeeds(stack.destroy());
	expect(numbers().filter(({ status }) => status !== "released")).toEqual([]);
});

test("the bound and a refusal fail the run, save all, and the next up goes on", async () => {
	const stack = await createProject({ program: program(3, 6), service: emulator });
	const up = stack.up();
	await vi.waitFor(() => expect(numbers()).toHaveLength(3), 60_000);
	const [first, second, third] = numbers().map(({ id }) => id);
	emulator.control.decide(first ?? "", "reject", [{ code: "blurred", message: "Send a sharper copy." }]);
	emulator.control.decide(second ?? "", "approve");
	const done = await up;
	expect(done.code).not.toBe(0);
	const output = done.output.replaceAll(/\s+/g, " ");
	// In the program's order, which needn't be that of the purchases.
	expect(output).toMatch(/1 of 3 active, 1 (rejected, 1 action required|action required, 1 rejected) after 6 s\./);
	expect(output).toMatch(/Refused: \+4930\d+ \(\w+\) will not become active: .*Send a sharper copy\. \(blurred\)/);
	expect(Object.keys(await stack.ids()).sort()).toEqual(["fleet", "n0", "n1", "n2"]);

	emulator.control.decide(first ?? "", "approve");
	emulator.control.decide(third ?? "", "approve");
	const next = await succeeds(stack.up());
	expect(stepsIn(next)).toEqual({ fleet: "update" });
	expect(kinds()).toEqual(new Set(["purchase"]));
});

test("an id that doesn't exist ends in one clear error, with nothing bought", async () => {
	const stack = await createProject({
		program: `new telephony.Activation("fleet", { numberIds: ["num_none"] });`,
		service: emulator,
	});
	const up = await stack.up();
	expect(up.code).not.toBe(0);
	expect(up.output.replaceAll(/\s+/g, " ")).toContain("numberIds: the account has no number num_none.");
	expect(await stack.ids()).toEqual({});
	stack.write(`new telephony.Activation("fleet", { numberIds: ["a", "a"], timeoutSeconds: -1 });`);
	const preview = await fails(stack.preview());
	expect(preview).toContain("numberIds[1]: is the same id as numberIds[0]");
	expect(preview).toContain("timeoutSeconds: must be at least 1 second");
});
