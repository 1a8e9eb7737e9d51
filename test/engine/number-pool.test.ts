/** A pool on the real engine, by the classes and by the plugin: growth, shrinking, drift, a crash, out and back, the end. */
import { describe, expect, test, vi } from "vitest";
import { reported } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, type Project, type Run, stepsIn } from "../helpers/engine";
import { crash, startUp } from "../helpers/engine-running";
import { variations } from "../short.mts";

const emulator = useEmulator({ kyc: "immediate" });
const kinds = () => emulator.control.ledger().map(({ kind }) => kind);
const bought = () => kinds().filter((kind) => kind === "purchase").length;
const live = () => emulator.control.state().numbers.filter(({ status }) => status !== "released");
const succeeds = (run: Run) => expect(run.code, run.output).toBe(0);
const flat = ({ output }: Run) => output.replaceAll(/\s+/g, " ");

const fronts = ["pulumi-telephony", "pulumi-telephony/plugin"] as const;

const pool = (front: string, args: string, more = "") => `
	const front = require(${JSON.stringify(front)});
	const pool = new front.NumberPool("support", {
		country: "NL", type: "mobile", label: "support-{index}", ${args}
	});
	exports.numbers = pool.numbers;
	${more}
`;

const started = (program: string): Promise<Project> => createProject({ service: emulator, program, plugin: true });

interface Numbered {
	readonly name: string;
	readonly id: string;
	readonly number: string;
	readonly status: string;
}
const numbersOf = async (stack: Project) => (await stack.outputs()).numbers as Numbered[];

const timeout = 5 * 60_000;

describe.each(variations(fronts))("%s", (front) => {
	test("a pool is bought, grows, shrinks when allowed, is repaired number by number, and destroyed", {
		timeout,
	}, async () => {
		const stack = await started(pool(front, "count: 3"));
		const first = await stack.up();
		succeeds(first);
		expect(stepsIn(first)).toEqual({ support: "create" });
		expect(await numbersOf(stack)).toEqual(
			[0, 1, 2].map((index) => ({
				name: `support[${index}]`,
				id: live().find(({ label }) => label === `support-${index}`)?.id,
				number: live().find(({ label }) => label === `support-${index}`)?.number,
				status: "active",
			})),
		);
		succeeds(await stack.drift());

		stack.write(pool(front, "count: 2"));
		const refused = await stack.preview();
		expect(refused.code).not.toBe(0);
		expect(flat(refused)).toMatch(
			/count: the change from 3 to 2 would release 1 of the numbers.*\[telephony:release-refused\]/,
		);

		const [, second] = await numbersOf(stack);
		emulator.control.patchNumber(second?.id ?? "", { label: "mine" });
		const drift = await stack.drift("--diff");
		expect(drift.code, drift.output).not.toBe(0);
		expect(drift.output).toContain("mine");
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

		stack.write(pool(front, 'count: 4, release: ["support[0]"], allowRelease: true'));
		succeeds(await stack.up("--refresh"));
		expect([
			bought(),
			live()
				.map(({ label }) => label)
				.sort(),
		]).toEqual([4, [0, 1, 2, 3].map((index) => `support-${index}`)]);
		stack.write(pool(front, 'count: 3, release: ["support[0]"], allowRelease: true'));
		succeeds(await stack.up("--refresh"));
		expect(
			live()
				.map(({ label }) => label)
				.sort(),
		).toEqual([1, 2, 3].map((index) => `support-${index}`));
		succeeds(await stack.preview("--expect-no-changes"));

		// What the refresh has looked at goes all the same.
		succeeds(await stack.destroy("--refresh"));
		expect([bought(), live()]).toEqual([4, []]);
	});

	test("what can't be bought is bought by the next run; a number leaves and comes back; --replace keeps all", {
		timeout,
	}, async () => {
		const stack = await started(pool(front, "count: 3"));
		emulator.control.faults.set({
			operation: "buyNumber",
			nth: 3,
			phase: "before",
			status: 409,
			error: "no_inventory",
		});
		const failed = await stack.up();
		expect(failed.code).not.toBe(0);
		expect(flat(failed)).toContain("The pool has 2 of 3 numbers.");
		expect(bought()).toBe(2);
		const next = await stack.up();
		succeeds(next);
		expect(stepsIn(next)).toEqual({ support: "update" });
		expect(bought()).toBe(3);

		const before = await numbersOf(stack);
		const { id = "" } = before[1] ?? {};
		const vip = `new front.Number("vip", { country: "NL", type: "mobile", label: "VIP", adopt: ${JSON.stringify(id)} });`;
		stack.write(pool(front, 'count: 2, exclude: ["support[1]"]', vip));
		succeeds(await stack.up());
		expect((await stack.ids()).vip).toBe(id);
		expect(live().find((each) => each.id === id)?.label).toBe("VIP");
		succeeds(await stack.drift());
		stack.write(pool(front, `count: 3, adopt: [${JSON.stringify(id)}]`));
		succeeds(await stack.up());
		expect(await numbersOf(stack)).toEqual(before);
		expect([bought(), kinds().includes("release")]).toEqual([3, false]);
		succeeds(await stack.drift());

		const urn = (await stack.resources()).find(({ type }) => type.endsWith(":NumberPool"))?.urn ?? "";
		succeeds(await stack.up("--replace", urn));
		expect(await numbersOf(stack)).toEqual(before);
		expect(bought()).toBe(3);
		// A number that was adopted stays on the account.
		succeeds(await stack.destroy());
		expect(live().map((each) => each.id)).toEqual([id]);
	});
});

test.each(variations(fronts))(
	"%s: Ctrl-C while a pool is bought saves what there is; a crash saves nothing; both go on",
	{ timeout },
	async (front) => {
		const stack = await started(pool(front, "count: 40"));
		// Some are bought, and the others hang.
		emulator.control.faults.set({ operation: "buyNumber", nth: 12, phase: "before", kind: "hold" });
		const interrupted = startUp(stack);
		await vi.waitFor(() => expect(bought()).toBeGreaterThan(10), 60_000);
		process.kill(-(interrupted.child.pid ?? Number.NaN), "SIGINT");
		emulator.control.faults.clear();
		expect(await interrupted.code, interrupted.output()).not.toBe(0);
		expect((await stack.deployment()).pending_operations ?? []).toEqual([]);

		emulator.control.faults.set({ operation: "patchNumber", nth: 3, phase: "before", kind: "hold" });
		stack.write(pool(front, "count: 60"));
		const crashed = startUp(stack);
		const before = bought();
		await vi.waitFor(() => expect(bought()).toBeGreaterThan(before), 60_000);
		await crash(crashed);
		emulator.control.faults.clear();
		succeeds(await stack.pulumi("cancel", "--yes"));
		const next = await stack.up("--refresh");
		succeeds(next);
		expect([bought(), live().length, (await numbersOf(stack)).length]).toEqual([60, 60, 60]);
		expect(new Set(live().map(({ label }) => label)).size).toBe(60);
		succeeds(await stack.drift());
	},
);

test("a pool moves from the classes to the plugin, and nothing happens at the service", { timeout }, async () => {
	const stack = await started(pool(fronts[0], "count: 2"));
	succeeds(await stack.up());
	const before = [await numbersOf(stack), emulator.control.requests().filter(({ method }) => method !== "GET").length];
	stack.write(pool(fronts[1], "count: 2"));
	succeeds(await stack.up());
	succeeds(await stack.preview("--expect-no-changes"));
	expect([await numbersOf(stack), emulator.control.requests().filter(({ method }) => method !== "GET").length]).toEqual(
		before,
	);
});
