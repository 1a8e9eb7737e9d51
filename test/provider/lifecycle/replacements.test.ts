/** Replacements: what the run knows of the replaced object, and what happens to it until its successor is ready. */
import { expect, test } from "vitest";
import { useAccount } from "../../helpers/account";
import { aNumber, checked, create, failureOf } from "../../helpers/provider";
import { failedUp } from "../../helpers/runs";

const { clock, emulator, open, live, another } = useAccount();

test("a failed number is replaced before its siblings are declared", async () => {
	const news = aNumber({}, "a");
	const { id, outs } = await create(open().number, news);
	await create(open().number, aNumber({}, "b"));
	emulator.edit("number", id, { status: "failed" });
	await clock.sleep(120_000);
	const run = open();
	const changed = aNumber({ label: "x" }, "a");
	// With `replaceOnChanges`.
	await run.number.diff(id, outs, await checked(run.number, changed, news));
	await create(run.number, changed);
	expect(live().map(({ label }) => label)).toContain("x");
});

test("a number that isn't found tells how to replace it", async () => {
	const news = aNumber({}, "a");
	const { id } = await create(open().number, news);
	await create(open().number, aNumber({}, "b"));
	emulator.remove("number", id);
	await clock.sleep(120_000);
	const run = open();
	// With `replacementTrigger`.
	await checked(run.number, news, news);
	expect((await failureOf(create(run.number, news))).message).toContain("run `pulumi up --refresh`");
});

test("an adopted number stays until the next one is ready", async () => {
	const declare = (adopt: string) => aNumber({ adopt, onDelete: "release", label: "x" });
	const first = await create(open().number, declare(await another()));
	const news = declare(await another());
	emulator.control.faults.set({ operation: "patchNumber", kind: "status", status: 403, every: true });
	const saved = await failedUp(open(), news);
	// The next run, with `--continue-on-error`.
	const run = open();
	await run.number.diff(saved.id, saved.outs, await checked(run.number, news, news));
	await failedUp(run, news, saved);
	expect((await failureOf(run.number.delete(first.id, first.outs))).message).toContain("didn't finish");
	expect(live()).toHaveLength(2);
});
