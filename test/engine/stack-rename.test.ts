/** A stack that was renamed, and a new one under its old name, on the real engine. */
import { expect, test, vi } from "vitest";
import { VirtualClock } from "../../emulator";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails, flat, seenAt, succeeds } from "../helpers/engine";

// A test here is up to nine runs of the engine.
vi.setConfig({ testTimeout: 300_000 });
const day = 24 * 3_600_000;
// Behind the machine's, so that it can be turned on by a day.
const clock = new VirtualClock(Date.now() - 2 * day);
const emulator = useEmulator({ kyc: "immediate", clock });
const { kinds, number: row, numbers } = seenAt(emulator);

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
	await succeeds(stack.up());
	expect({ ids: await stack.ids(), kinds: kinds() }).toEqual({ ids: { main }, kinds: ["purchase"] });
	await reuse();
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

test("under a renamed stack's old name, its number is taken over if it is as declared, and is the new stack's from then on", async () => {
	const { stack, main, on, reuse } = await renamed();
	await reuse();
	const found = flat(await succeeds(stack.up()));
	for (const part of [
		"Took over",
		`It has existed since ${row(main)?.created_at}`,
		'the label "Production"',
		"routing forward",
	])
		expect(found).toContain(part);
	expect({ ids: await stack.ids(), kinds: kinds() }).toEqual({ ids: { main }, kinds: ["purchase"] });
	const before = row(main);
	on("prod");
	const refreshed = await stack.up("--refresh");
	expect(flat(refreshed)).toContain("the stack telephony-test/dev");
	expect(row(main)?.reference).toBe(before?.reference);
	// Nor does its destroy release it, nor the first way out that this offers; the last one forgets it.
	await fails(stack.destroy());
	await fails(stack.up("--refresh"));
	const [entry] = await stack.resources();
	await succeeds(stack.pulumi("state", "delete", entry?.urn ?? "", "--yes"));
	await succeeds(stack.destroy());
	expect(row(main)?.status).toBe("active");
	expect(await stack.ids()).toEqual({});
	expect(kinds()).toEqual(["purchase"]);
});

test("under a renamed stack's old name, a number configured otherwise is named after a day too, and adopt takes it", async () => {
	const { stack, main, reuse } = await renamed();
	await reuse();
	clock.advance(day + 60_000);
	const before = numbers();
	stack.write(labelled("Development"));
	const refused = await fails(stack.up());
	for (const part of [
		main,
		"configured differently",
		'the label "Production"',
		`adopt: "${main}"`,
		"a renamed stack's",
	])
		expect(refused).toContain(part);
	expect({ numbers: numbers(), resources: await stack.resources() }).toEqual({ numbers: before, resources: [] });

	stack.write(labelled("Development", { adopt: main }));
	await succeeds(stack.up());
	expect(await stack.ids()).toEqual({ main });
	expect(numbers().map(({ id, label }) => [id, label])).toEqual([[main, "Development"]]);
	expect(kinds()).toEqual(["purchase"]);
});
