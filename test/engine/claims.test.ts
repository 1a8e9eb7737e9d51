/** Ownership of numbers: two states of one name, and stacks that are renamed or moved. */
import { expect, test, vi } from "vitest";
import { VirtualClock } from "../../emulator";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, fails, flat, type Project, succeeds } from "../helpers/engine";
import { urnOf } from "../helpers/story";

vi.setConfig({ testTimeout: 600_000 });
const emulator = useEmulator({ kyc: "immediate", clock: new VirtualClock(Date.now() - 2 * 24 * 3_600_000) });

const number = (label: string) =>
	`new telephony.Number("main", ${JSON.stringify({ country: "NL", type: "mobile", label, routing: { type: "forward", to: "+31201234567" } })});`;
const program = number("Production");
const on = (stack: Project, name: string) => Object.assign(stack.env, { PULUMI_STACK: name });
const started = async (options: { name?: string } = {}) => {
	const stack = await createProject({ program, service: emulator, ...options });
	await succeeds(stack.up());
	const { main = "" } = await stack.ids();
	return { stack, main };
};

test("refuses a second state of the stack until it has its own owner", async () => {
	const { stack: first, main } = await started();
	const before = emulator.row(main);
	const second = await createProject({ program, service: emulator });
	const refused = await fails(second.up());
	for (const part of [main, "telephony:owner", "adopt", "untaint"]) expect(refused).toContain(part);
	expect({ kinds: emulator.kinds(), row: emulator.row(main) }).toEqual({ kinds: ["purchase"], row: before });
	await second.pulumi("config", "set", "telephony:owner", "second");
	await succeeds(second.up());
	await succeeds(second.destroy());
	expect(emulator.kinds()).toEqual(["purchase", "purchase", "release"]);
	expect(emulator.row(main)).toEqual(before);

	// A stack of that name in another project, at the same backend, is another stack.
	const third = await createProject({ name: "third", program, service: emulator });
	third.env.PULUMI_BACKEND_URL = first.env.PULUMI_BACKEND_URL;
	await succeeds(third.pulumi("stack", "init", "dev", "--no-select"));
	await succeeds(third.up());
	expect(emulator.live()).toHaveLength(2);
	await expectQuiet(first);
});

test("keeps a number that moves to another stack's state and back", async () => {
	const { stack, main } = await started();
	// The reference holds a cut name, which differs for each stack.
	const claimedBy = () => emulator.row(main)?.reference?.split("~")[1];
	const first = claimedBy();
	await succeeds(stack.pulumi("stack", "init", "other", "--no-select"));
	const up = async (name: string, text: string, code?: string) => {
		on(stack, name);
		stack.write(text);
		const done = await succeeds(stack.up());
		if (code !== undefined) expect(flat(done)).toContain(`[telephony:${code}]`);
	};
	const move = async (source: string, dest: string) => {
		on(stack, source);
		const urn = await urnOf(stack, "main");
		await succeeds(stack.pulumi("state", "move", "--source", source, "--dest", dest, urn, "--yes"));
	};
	await move("dev", "other");
	await up("dev", "");
	await up("other", program, "rename");
	expect(claimedBy()).not.toBe(first);
	await move("other", "dev");
	await up("dev", program, "rename");
	await up("other", "");
	on(stack, "dev");
	expect({ ids: await stack.ids(), kinds: emulator.kinds() }).toEqual({ ids: { main }, kinds: ["purchase"] });
	expect(claimedBy()).toBe(first);
	stack.write(program);
	await expectQuiet(stack);
});
