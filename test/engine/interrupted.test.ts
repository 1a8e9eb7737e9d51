/** Runs that Ctrl-C, a kill or the end of a machine cuts short: nothing is lost, nothing is bought twice. */
import { expect, test, vi } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, fails, flat, fronts, succeeds } from "../helpers/engine";
import { crash, type Running, startUp } from "../helpers/engine-running";
import { eventually } from "../helpers/eventually";
import { crashAtClaim, moveTo } from "../helpers/machines";

vi.setConfig({ testTimeout: 600_000 });
const emulator = useEmulator();

const waiting = `
	new telephony.Number("berlin", { country: "DE", type: "geographic", area: "30", label: "held" });
	new telephony.Number("munich", { country: "DE", type: "geographic", area: "89", label: "held" });
`;
const bothWait = (running: Running) =>
	eventually(() => {
		expect(emulator.labels()).toEqual(["held", "held"]);
		expect(running.output()).toMatch(/KYC action required/);
	});
// The CLI that npm installs is started by a process that passes no signal on.
const interrupt = ({ child }: Running) => process.kill(-(child.pid ?? Number.NaN), "SIGINT");

test.each(fronts)("%s: Ctrl-C ends and saves each wait", async (front) => {
	const stack = await createProject({ program: waiting, service: emulator, front });
	const running = startUp(stack);
	await bothWait(running);
	const before = emulator.requests().length;
	interrupt(running);
	expect(await running.code, running.output()).not.toBe(0);
	expect(emulator.requests(before).length).toBeLessThanOrEqual(1);
	const saved = /is bought and saved, but not active yet: KYC action required; .* Run `pulumi up` again/;
	expect(flat(running.output())).toMatch(saved);
	expect((await stack.deployment()).pending_operations ?? []).toEqual([]);
	const ids = emulator.live().map(({ id }) => id);
	expect(Object.values(await stack.ids()).sort()).toEqual([...ids].sort());

	for (const id of ids) emulator.control.decide(id, "approve");
	await succeeds(stack.up());
	expect(Object.values(await stack.ids()).sort()).toEqual([...ids].sort());
	expect(emulator.kinds()).toEqual(["purchase", "purchase"]);
	await expectQuiet(stack);
});

test("names a configured number of a killed run without references and keys", async () => {
	const { control } = emulator;
	control.settings({ features: { reference: false, idempotencyKey: false } });
	const args = { country: "DE", type: "geographic", area: "30", label: "held" };
	const routing = { type: "forward", to: "+4930123456" };
	const program = (more: object = {}) =>
		`new telephony.Number("berlin", ${JSON.stringify({ ...args, routing, ...more })});`;
	const stack = await createProject({ program: program(), service: emulator });
	const running = startUp(stack);
	try {
		await eventually(() => {
			expect(emulator.live()).toMatchObject([{ label: "held", routing }]);
			expect(running.output()).toMatch(/KYC action required/);
		});
	} finally {
		await crash(running);
	}
	const [{ id = "" } = {}] = emulator.live();
	await succeeds(stack.pulumi("cancel", "--yes"));
	// A second number would be active at once.
	control.kyc("immediate");
	expect(await fails(stack.up(), "purchase-unknown")).toContain(id);
	expect(emulator.kinds()).toEqual(["purchase"]);

	control.decide(id, "approve");
	stack.write(program({ adopt: id }));
	await succeeds(stack.up());
	expect({ ids: await stack.ids(), kinds: emulator.kinds() }).toEqual({ ids: { berlin: id }, kinds: ["purchase"] });
	await expectQuiet(stack);
});

const number = (name: string, args: object = {}) =>
	`new telephony.Number("${name}", ${JSON.stringify({ country: "NL", type: "mobile", ...args })});\n`;

test("continues on another machine once it knows the owner", async () => {
	const ownerless = "pulumi config set telephony:owner NAME";
	const stack = await createProject({ program: number("main"), service: emulator, env: { CI: "true" } });
	moveTo("runner-1", stack);
	const { id } = await crashAtClaim(emulator, stack, "after", ownerless);
	moveTo("runner-2", stack);
	await succeeds(stack.pulumi("cancel", "--yes"));
	await succeeds(stack.refresh("--clear-pending-creates"));
	const refused = await fails(stack.up());
	for (const part of [id, "one stack on several machines", "`adopt`", "`telephony:owner`"])
		expect(refused).toContain(part);
	expect({ kinds: emulator.kinds(), ids: await stack.ids() }).toEqual({ kinds: ["purchase"], ids: {} });

	await succeeds(stack.pulumi("config", "set", "telephony:owner", "ci"));
	expect(flat(await succeeds(stack.up()))).toContain("[telephony:resumed]");
	expect(await stack.ids()).toEqual({ main: id });

	stack.write(number("main") + number("second"));
	const second = await crashAtClaim(emulator, stack, "before");
	expect(second.output).not.toContain(ownerless);
	moveTo("runner-3", stack);
	await succeeds(stack.pulumi("cancel", "--yes"));
	await succeeds(stack.up());
	expect(await stack.ids()).toEqual({ main: id, second: second.id });
	await succeeds(stack.destroy());
	expect(emulator.kinds()).toEqual(["purchase", "purchase", "release", "release"]);
});

test("saves an interrupted pool, and continues it", async () => {
	const pool = `exports.numbers = new telephony.NumberPool("support", {
		country: "NL", type: "mobile", label: "support-{index}", count: 40,
	}).numbers;`;
	const { faults } = emulator.control;
	const bought = () => emulator.purchases().length;
	const stack = await createProject({ service: emulator, program: pool });
	// Some are bought, and the others hang.
	faults.set({ operation: "buyNumber", nth: 12, phase: "before", kind: "hold" });
	const interrupted = startUp(stack);
	await eventually(() => expect(bought()).toBeGreaterThan(10));
	interrupt(interrupted);
	faults.clear();
	expect(await interrupted.code, interrupted.output()).not.toBe(0);
	expect((await stack.deployment()).pending_operations ?? []).toEqual([]);

	await succeeds(stack.up());
	expect({ bought: bought(), labels: new Set(emulator.labels()).size }).toEqual({ bought: 40, labels: 40 });
	expect((await stack.outputs()).numbers).toHaveLength(40);
	await succeeds(stack.drift());
});
