/** A pool on the real engine, by the classes and by the plugin: growth, shrinking, drift, a crash, out and back, the end. */
import { describe, expect, test, vi } from "vitest";
import { reported } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import {
	classes,
	createProject,
	type Front,
	fails,
	fronts,
	type Project,
	plugin,
	seenAt,
	stepsIn,
	succeeds,
} from "../helpers/engine";
import { crash, startUp } from "../helpers/engine-running";
import { variations } from "../short.mts";

const emulator = useEmulator({ kyc: "immediate" });
const { kinds, live } = seenAt(emulator);
const bought = () => kinds().filter((kind) => kind === "purchase").length;

const pool = (args: string, more = "") => `
	const pool = new telephony.NumberPool("support", {
		country: "NL", type: "mobile", label: "support-{index}", ${args}
	});
	exports.numbers = pool.numbers;
	${more}
`;

const started = (front: Front, program: string): Promise<Project> =>
	createProject({ service: emulator, program, front });

interface Numbered {
	readonly name: string;
	readonly id: string;
	readonly number: string;
	readonly status: string;
}
const numbersOf = async (stack: Project) => (await stack.outputs()).numbers as Numbered[];

const timeout = 5 * 60_000;

describe.each(variations(fronts))("%s", (front) => {
	test("a pool is bought, grows, shrinks, is repaired number by number, and destroyed", {
		timeout,
	}, async () => {
		const stack = await started(front, pool("count: 3"));
		const first = await stack.up();
		await succeeds(first);
		expect(stepsIn(first)).toEqual({ support: "create" });
		expect(await numbersOf(stack)).toEqual(
			[0, 1, 2].map((index) => ({
				name: `support[${index}]`,
				id: live().find(({ label }) => label === `support-${index}`)?.id,
				phoneNumber: live().find(({ label }) => label === `support-${index}`)?.number,
				status: "active",
			})),
		);
		await succeeds(stack.drift());

		const [, second] = await numbersOf(stack);
		emulator.control.patchNumber(second?.id ?? "", { label: "mine" });
		const drift = await fails(stack.drift("--diff"));
		expect(drift).toContain("mine");
		const { code, output, report } = await reported(stack);
		expect(code, output).toBe(7);
		expect(report).toMatchObject({
			total: 3,
			drifted: 1,
			resources: [
				{
					name: "support[1]",
					id: second?.id,
					kind: "changed",
					changes: [{ path: "label", declared: "support-1", live: "mine" }],
				},
			],
		});

		stack.write(pool('count: 4, releaseFirst: ["support[0]"]'));
		await succeeds(stack.up("--refresh"));
		expect(bought()).toBe(4);
		expect(
			live()
				.map(({ label }) => label)
				.sort(),
		).toEqual([0, 1, 2, 3].map((index) => `support-${index}`));
		stack.write(pool('count: 3, releaseFirst: ["support[0]"]'));
		await succeeds(stack.up("--refresh"));
		expect(
			live()
				.map(({ label }) => label)
				.sort(),
		).toEqual([1, 2, 3].map((index) => `support-${index}`));
		await succeeds(stack.preview("--expect-no-changes"));

		// What the refresh has looked at goes all the same.
		await succeeds(stack.destroy("--refresh"));
		expect({ bought: bought(), live: live() }).toEqual({ bought: 4, live: [] });
	});
});

test("what can't be bought is bought by the next run; a number leaves and comes back; --replace keeps all", {
	timeout,
}, async () => {
	const stack = await started(plugin, pool("count: 3"));
	emulator.control.faults.set({
		operation: "buyNumber",
		// A sale to somebody else is followed by another try.
		nth: [3, 4, 5, 6, 7, 8, 9],
		phase: "before",
		status: 409,
		error: "no_inventory",
	});
	const failed = await fails(stack.up());
	expect(failed).toContain("The pool has 2 of 3 numbers.");
	expect(bought()).toBe(2);
	emulator.control.faults.clear();
	const next = await stack.up();
	await succeeds(next);
	expect(stepsIn(next)).toEqual({ support: "update" });
	expect(bought()).toBe(3);

	const before = await numbersOf(stack);
	const { id = "" } = before[1] ?? {};
	const vip = `new telephony.Number("vip", { country: "NL", type: "mobile", label: "VIP", adopt: ${JSON.stringify(id)} }, { dependsOn: pool });`;
	stack.write(pool('count: 2, exclude: ["support[1]"]', vip));
	await succeeds(stack.up());
	expect((await stack.ids()).vip).toBe(id);
	expect(live().find((each) => each.id === id)?.label).toBe("VIP");
	await succeeds(stack.drift());
	// What one resource has left, another one adopts in the next run.
	stack.write(pool('count: 2, exclude: ["support[1]"]'));
	await succeeds(stack.up());
	stack.write(pool(`count: 3, adopt: [${JSON.stringify(id)}]`));
	await succeeds(stack.up());
	expect(await numbersOf(stack)).toEqual(before);
	expect(kinds()).not.toContain("release");
	expect(bought()).toBe(3);
	await succeeds(stack.drift());

	const urn = (await stack.resources()).find(({ type }) => type.endsWith(":NumberPool"))?.urn ?? "";
	await succeeds(stack.up("--replace", urn));
	expect(await numbersOf(stack)).toEqual(before);
	expect(bought()).toBe(3);
	// A number that was adopted stays on the account.
	await succeeds(stack.destroy());
	expect(live().map((each) => each.id)).toEqual([id]);
});

test("Ctrl-C while a pool is bought saves what there is; a crash saves nothing; both go on", { timeout }, async () => {
	const stack = await started(classes, pool("count: 40"));
	// Some are bought, and the others hang.
	emulator.control.faults.set({ operation: "buyNumber", nth: 12, phase: "before", kind: "hold" });
	const interrupted = startUp(stack);
	await vi.waitFor(() => expect(bought()).toBeGreaterThan(10), 60_000);
	process.kill(-(interrupted.child.pid ?? Number.NaN), "SIGINT");
	emulator.control.faults.clear();
	expect(await interrupted.code, interrupted.output()).not.toBe(0);
	expect((await stack.deployment()).pending_operations ?? []).toEqual([]);

	emulator.control.faults.set({ operation: "patchNumber", nth: 3, phase: "before", kind: "hold" });
	stack.write(pool("count: 60"));
	const crashed = startUp(stack);
	const before = bought();
	await vi.waitFor(() => expect(bought()).toBeGreaterThan(before), 60_000);
	await crash(crashed);
	emulator.control.faults.clear();
	await succeeds(stack.pulumi("cancel", "--yes"));
	const next = await stack.up("--refresh");
	await succeeds(next);
	expect(bought()).toBe(60);
	expect(live().length).toBe(60);
	expect((await numbersOf(stack)).length).toBe(60);
	expect(new Set(live().map(({ label }) => label)).size).toBe(60);
	await succeeds(stack.drift());
});
