/** A run that ends while a number waits for KYC: by Ctrl-C, or killed. Nothing stays pending, and nothing is bought twice. */
import { expect, test, vi } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, fronts, type Project, seenAt, succeeds } from "../helpers/engine";
import { type Running, startUp } from "../helpers/engine-running";
import { descendants, gone } from "../helpers/process-tree.mts";

const emulator = useEmulator();
const { kinds } = seenAt(emulator);

const program = `
	new telephony.Number("berlin", { country: "DE", type: "geographic", area: "30", label: "held" });
	new telephony.Number("munich", { country: "DE", type: "geographic", area: "89", label: "held" });
`;

const bothWait = (running: Running) =>
	vi.waitFor(() => {
		expect(emulator.control.state().numbers.map(({ label }) => label)).toEqual(["held", "held"]);
		expect(running.output()).toMatch(/KYC action required/);
	}, 60_000);

const signal = ({ child }: Running, name: "SIGINT" | "SIGKILL") => process.kill(-(child.pid ?? Number.NaN), name);

async function resumes(stack: Project, ids: readonly string[]): Promise<void> {
	for (const id of ids) emulator.control.decide(id, "approve");
	await succeeds(stack.up());
	expect(Object.values(await stack.ids()).sort()).toEqual([...ids].sort());
	expect(kinds()).toEqual(["purchase", "purchase"]);
	await succeeds(stack.preview("--expect-no-changes", "--refresh"));
}

test.each(fronts)("%s: Ctrl-C ends the waits, saves the numbers, and the next up goes on", async (front) => {
	const stack = await createProject({ program, service: emulator, front });
	const running = startUp(stack);
	await bothWait(running);
	const asked = emulator.control.requests().length;
	signal(running, "SIGINT");
	expect(await running.code, running.output()).not.toBe(0);
	// At most one more look: the waits don't go on until their end.
	expect(emulator.control.requests().length - asked).toBeLessThanOrEqual(1);
	const output = running.output().replaceAll(/\s+/g, " ");
	expect(output).toMatch(/is bought and saved, but not active yet: KYC action required; .* Run `pulumi up` again/);

	expect((await stack.deployment()).pending_operations ?? []).toEqual([]);
	const ids = Object.values(await stack.ids());
	expect(ids.sort()).toEqual(
		emulator.control
			.state()
			.numbers.map(({ id }) => id)
			.sort(),
	);
	await resumes(stack, ids);
});

test("kill -9 of the CLI leaves no provider behind, and the next up takes the numbers over", async () => {
	const stack = await createProject({ program, service: emulator });
	const running = startUp(stack);
	await bothWait(running);
	const started = descendants(running.child.pid ?? Number.NaN);
	const providers = started.filter(({ command }) => command.includes("dynamic-provider"));
	expect(providers).not.toEqual([]);
	signal(running, "SIGKILL");
	await running.code;
	expect(await Promise.all(providers.map(({ pid }) => gone(pid, 20_000)))).toEqual(providers.map(() => true));

	const locked = await stack.up();
	expect(locked.code).not.toBe(0);
	expect(locked.output).toContain("the stack is currently locked");
	await succeeds(stack.pulumi("cancel", "--yes"));
	await succeeds(stack.refresh("--clear-pending-creates"));
	await resumes(
		stack,
		emulator.control.state().numbers.map(({ id }) => id),
	);
});

test("a run with its preview before it, and one right after, is not disturbed by the engine's farewell", async () => {
	const stack = await createProject({
		program: `new telephony.Number("paris", { country: "NL", type: "mobile" });`,
		service: emulator,
	});
	for (const args of [
		["up", "--yes"],
		["up", "--yes", "--refresh"],
		["refresh", "--yes"],
		["destroy", "--yes"],
	]) {
		await succeeds(stack.pulumi(...args));
	}
});
