/** A stack whose state is on a disk that several machines share: a run is killed on one, and the next one is on another. */
import { expect, test, vi } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails, flat, seenAt, succeeds } from "../helpers/engine";
import { crashAtClaim, moveTo } from "../helpers/machines";

// A test here is up to nine runs of the engine.
vi.setConfig({ testTimeout: 300_000 });
const emulator = useEmulator({ kyc: "immediate" });
const { kinds, number: row } = seenAt(emulator);

const number = (name: string, args: object = {}) =>
	`new telephony.Number("${name}", ${JSON.stringify({ country: "NL", type: "mobile", ...args })});`;

const ownerless = "pulumi config set telephony:owner NAME";

/** A CI job that ends in the middle, and the next one, on another machine. */
const nextJob = async (when: "before" | "after") => {
	const stack = await createProject({ program: number("main"), service: emulator, env: { CI: "true" } });
	moveTo("runner-1", stack);
	const { id } = await crashAtClaim(emulator, stack, when, ownerless);
	moveTo("runner-2", stack);
	await succeeds(stack.pulumi("cancel", "--yes"));
	return { stack, id };
};

test.each(["before", "after"] as const)(
	"a number that a run on another machine has bought, killed %s its claim, is taken over by adopt",
	async (when) => {
		const { stack, id } = await nextJob(when);
		stack.write(number("main", { adopt: id, label: "Taken over" }));
		await succeeds(stack.up());
		expect(await stack.ids()).toMatchObject({ main: id });
		expect(row(id)).toMatchObject({ label: "Taken over" });
		expect(kinds()).toMatchObject(["purchase"]);
		await succeeds(stack.drift());
	},
);

test("what another machine has claimed is refused; an owner takes it over, and then any machine goes on", async () => {
	const { stack, id } = await nextJob("after");
	await succeeds(stack.refresh("--clear-pending-creates"));
	const refused = await fails(stack.up());
	for (const part of [id, "one stack on several machines", "`adopt`", "`telephony:owner`"])
		expect(refused).toContain(part);
	expect({ kinds: kinds(), resources: await stack.resources() }).toEqual({ kinds: ["purchase"], resources: [] });

	await succeeds(stack.pulumi("config", "set", "telephony:owner", "ci"));
	const taken = flat(await succeeds(stack.up()));
	expect(taken).toContain("[telephony:taken-over]");
	expect({ ids: await stack.ids(), kinds: kinds() }).toEqual({ ids: { main: id }, kinds: ["purchase"] });

	stack.write(number("main") + number("second"));
	const second = await crashAtClaim(emulator, stack, "before");
	expect(second.output).not.toContain(ownerless);
	moveTo("runner-3", stack);
	await succeeds(stack.pulumi("cancel", "--yes"));
	await succeeds(stack.up());
	expect(await stack.ids()).toEqual({ main: id, second: second.id });
	expect(kinds()).toEqual(["purchase", "purchase"]);
	await succeeds(stack.drift());
	await succeeds(stack.destroy());
	expect(kinds()).toEqual(["purchase", "purchase", "release", "release"]);
});
