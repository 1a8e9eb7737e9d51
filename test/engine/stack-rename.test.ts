/** A stack is renamed, its state is moved to another one, or two projects have a stack of one name, on the real engine. */
import { expect, test, vi } from "vitest";
import { VirtualClock } from "../../emulator";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, fails, flat, seenAt, succeeds } from "../helpers/engine";

// A test here is up to nine runs of the engine.
vi.setConfig({ testTimeout: 300_000 });
const day = 24 * 3_600_000;
// Behind the machine's, so that it can be turned on by a day.
const clock = new VirtualClock(Date.now() - 2 * day);
const emulator = useEmulator({ kyc: "immediate", clock });
const { kinds, number: row } = seenAt(emulator);

const labelled = (label: string, more: object = {}) =>
	`new telephony.Number("main", ${JSON.stringify({ country: "NL", type: "mobile", label, routing: { type: "forward", to: "+31201234567" }, ...more })});`;

/** The stack `dev` is called `prod` from now on; `reuse` makes a new stack `dev`. */
const renamed = async () => {
	const stack = await createProject({ program: labelled("Production"), service: emulator });
	await succeeds(stack.up());
	const { main = "" } = await stack.ids();
	await succeeds(stack.pulumi("stack", "rename", "prod"));
	const on = (name: string) => Object.assign(stack.env, { PULUMI_STACK: name });
	on("prod");
	const reuse = async () => {
		await succeeds(stack.pulumi("stack", "init", "dev", "--no-select"));
		on("dev");
	};
	return { stack, main, on, reuse };
};

test("a stack that is renamed and run once, as the guide says, leaves its old name free", async () => {
	const { stack, main, on, reuse } = await renamed();
	expect(flat(await succeeds(stack.up()))).toContain("[telephony:rename]");
	await succeeds(stack.up("--expect-no-changes"));
	expect({ ids: await stack.ids(), kinds: kinds() }).toEqual({ ids: { main }, kinds: ["purchase"] });
	await reuse();
	await succeeds(stack.pulumi("config", "set", "telephony:onDelete", "release"));
	stack.write(labelled("Development"));
	await succeeds(stack.up());
	const { main: own } = await stack.ids();
	const labels = () => [main, own].map((id) => [row(id)?.status, row(id)?.label]);
	expect(labels()).toEqual([
		["active", "Production"],
		["active", "Development"],
	]);
	await succeeds(stack.destroy());
	expect(labels()[0]).toEqual(["active", "Production"]);
	expect(kinds()).toEqual(["purchase", "purchase", "release"]);
	on("prod");
	stack.write(labelled("Production"));
	await succeeds(stack.drift());
});

test("a new stack under the old name resumes a number that the renamed stack hasn't claimed yet", async () => {
	const { stack, main, on, reuse } = await renamed();
	await reuse();
	expect(flat(await succeeds(stack.up()))).toContain("[telephony:taken-over]");
	expect({ ids: await stack.ids(), kinds: kinds() }).toEqual({ ids: { main }, kinds: ["purchase"] });
	const before = row(main);
	on("prod");
	expect(await fails(stack.up("--refresh"), "claimed")).toContain("the stack telephony-test/dev");
	// Its destroy doesn't release the other stack's number.
	await succeeds(stack.destroy());
	expect({ ids: await stack.ids(), kinds: kinds(), row: row(main) }).toEqual({
		ids: {},
		kinds: ["purchase"],
		row: before,
	});
	on("dev");
	await expectQuiet(stack);
});

test.each(["source", "destination"] as const)(
	"`pulumi state move` keeps the number, with up in the %s first",
	async (order) => {
		const stack = await createProject({ program: labelled("Moved"), service: emulator });
		await succeeds(stack.up());
		const { main = "" } = await stack.ids();
		const on = (name: string) => Object.assign(stack.env, { PULUMI_STACK: name });
		await succeeds(stack.pulumi("stack", "init", "other", "--no-select"));
		const [entry] = await stack.resources();
		await succeeds(stack.pulumi("state", "move", "--source", "dev", "--dest", "other", entry?.urn ?? "", "--yes"));
		const source = async () => {
			on("dev");
			stack.write("");
			await succeeds(stack.up());
		};
		const destination = async () => {
			on("other");
			stack.write(labelled("Moved"));
			expect(flat(await succeeds(stack.up()))).toContain("[telephony:rename]");
			await succeeds(stack.up("--expect-no-changes"));
		};
		for (const run of order === "source" ? [source, destination] : [destination, source]) await run();
		on("other");
		expect({ ids: await stack.ids(), kinds: kinds() }).toEqual({ ids: { main }, kinds: ["purchase"] });
		expect(row(main)?.reference).toMatch(/~telephony-test\/other$/);
		stack.write(labelled("Moved"));
		await expectQuiet(stack);
	},
);

test("stacks of one name in two projects have a number each", async () => {
	const [one, two] = await Promise.all(
		["one", "two"].map((name) => createProject({ name, program: labelled("Main"), service: emulator })),
	);
	if (one === undefined || two === undefined) throw new Error("unreachable");
	two.env.PULUMI_BACKEND_URL = one.env.PULUMI_BACKEND_URL;
	await succeeds(two.pulumi("stack", "init", "dev", "--no-select"));
	for (const stack of [one, two]) await succeeds(stack.up());
	for (const stack of [one, two]) await succeeds(stack.up("--expect-no-changes"));
	expect(kinds()).toEqual(["purchase", "purchase"]);
	await succeeds(two.pulumi("config", "set", "telephony:onDelete", "release"));
	await succeeds(two.up());
	await succeeds(two.destroy());
	expect(kinds()).toEqual(["purchase", "purchase", "release"]);
	await expectQuiet(one);
});
