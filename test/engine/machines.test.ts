/** A stack whose state is on a disk that several machines share: a run is killed on one, and the next one is on another. */
import { expect, test, vi } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, type Run } from "../helpers/engine";
import { crashAtClaim, moveTo } from "../helpers/machines";

// A test here is up to nine runs of the engine.
vi.setConfig({ testTimeout: 300_000 });
const emulator = useEmulator({ kyc: "immediate" });
const kinds = () => emulator.control.ledger().map(({ kind }) => kind);
const row = (id: string | undefined) => emulator.control.state().numbers.find((number) => number.id === id);
const flat = ({ output }: Run) => output.replaceAll(/\s+/g, " ");
const succeeds = (run: Run) => {
	expect(run.code, run.output).toBe(0);
	return run;
};

const number = (name: string, args: object = {}) =>
	`new telephony.Number("${name}", ${JSON.stringify({ country: "NL", type: "mobile", ...args })});`;

const ownerless = "pulumi config set telephony:owner NAME";

/** A CI job that ends in the middle, and the next one, on another machine. */
const nextJob = async (when: "before" | "after") => {
	const stack = await createProject({ program: number("main"), service: emulator, env: { CI: "true" } });
	moveTo("runner-1", stack);
	const { id } = await crashAtClaim(emulator, stack, when, ownerless);
	moveTo("runner-2", stack);
	succeeds(await stack.pulumi("cancel", "--yes"));
	return { stack, id };
};

test.each(["before", "after"] as const)(
	"a number that a run on another machine has bought, killed %s its claim, is taken over by adopt",
	async (when) => {
		const { stack, id } = await nextJob(when);
		stack.write(number("main", { adopt: id, label: "Taken over" }));
		succeeds(await stack.up());
		expect([await stack.ids(), row(id), kinds()]).toMatchObject([{ main: id }, { label: "Taken over" }, ["purchase"]]);
		expect((await stack.drift()).code).toBe(0);
	},
);

test("what another machine has claimed is refused; an owner takes it over, and then any machine goes on", async () => {
	const { stack, id } = await nextJob("after");
	succeeds(await stack.refresh("--clear-pending-creates"));
	const refused = await stack.up();
	expect(refused.code, refused.output).not.toBe(0);
	for (const part of [id, "cut short on another machine", "`adopt`", "`telephony:owner`"])
		expect(flat(refused)).toContain(part);
	expect([kinds(), await stack.resources()]).toEqual([["purchase"], []]);

	succeeds(await stack.pulumi("config", "set", "telephony:owner", "ci"));
	const taken = flat(succeeds(await stack.up()));
	expect(taken).toContain(`(${id}), which an earlier run bought`);
	expect([await stack.ids(), kinds()]).toEqual([{ main: id }, ["purchase"]]);

	stack.write(number("main") + number("second"));
	const second = await crashAtClaim(emulator, stack, "before");
	expect(second.output).not.toContain(ownerless);
	moveTo("runner-3", stack);
	succeeds(await stack.pulumi("cancel", "--yes"));
	succeeds(await stack.up());
	expect([await stack.ids(), kinds()]).toEqual([{ main: id, second: second.id }, ["purchase", "purchase"]]);
	expect((await stack.drift()).code).toBe(0);
	succeeds(await stack.destroy());
	expect(kinds()).toEqual(["purchase", "purchase", "release", "release"]);
});
