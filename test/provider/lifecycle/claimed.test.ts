/** An object whose reference isn't the one that its state wrote: what warns, what is refused, and what stays. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useEmulator } from "../../helpers/emulator";
import { kinds } from "../../helpers/kinds";
import { codesOf, create, failureOf, openProvider } from "../../helpers/provider";
import { differs, updated } from "../../helpers/runs";

const emulator = useEmulator({ kyc: "immediate" });
const open = () => openProvider(emulator);
const theirs = "another.token.another-state.lease~theirs/prod";

describe.each(kinds)("a $noun", ({ name, text, declare }) => {
	const { row } = emulator;
	const refer = (id: string, reference: string | null) => emulator.edit(name, id, { reference });
	const made = () => create(open()[name], declare());
	const refreshed = async (id: string, outs: Values) => {
		const run = open();
		const { props = {} } = await run[name].read(id, outs);
		return { id, outs: props, codes: codesOf(run.warnings), text: run.warnings.join() };
	};

	test.each<[string, string, (reference: string, lease: string) => string | null]>([
		["was cleared", "reference-cleared", () => null],
		["is an unknown run's", "another-attempt", (reference, lease) => reference.replace(lease, "another")],
	])("is claimed by the next up if its reference %s", async (_, code, change) => {
		const { id, outs } = await made();
		refer(id, change(String(row(id)?.reference), String(outs.lease)));
		const afterRefresh = await refreshed(id, outs);
		expect(afterRefresh.codes).toEqual([code]);
		if (code === "another-attempt") {
			// The state may be older than what the other run has saved.
			const run = open();
			await run[name].delete(id, afterRefresh.outs);
			expect(codesOf(run.warnings)).toEqual(["claimed"]);
		}
		expect(await differs(open(), afterRefresh, declare())).toBe(true);
		const updatedState = await updated(open(), afterRefresh, declare());
		expect(row(id)?.reference).toContain(String(updatedState.outs.lease));
		expect((await refreshed(id, updatedState.outs)).codes).toEqual([]);
		await open()[name].delete(id, updatedState.outs);
		expect(emulator.rows(name)).toEqual([]);
	});

	test.each([
		["refreshed", theirs, true],
		["not refreshed", "order 4711", false],
	])("stays with another owner: up fails, destroy forgets it; %s", async (_, reference, isSeen) => {
		const { id, outs } = await made();
		refer(id, reference);
		const afterRefresh = await refreshed(id, outs);
		expect(afterRefresh).toMatchObject({ codes: ["claimed"], text: expect.stringMatching(/theirs\/prod|order 4711/) });
		expect(await differs(open(), afterRefresh, declare())).toBe(false);
		const resource = isSeen ? afterRefresh : { id, outs };
		const before = emulator.requests().length;
		const error = await failureOf(updated(open(), resource, declare()));
		expect(error).toMatchObject({ kind: "Claimed", messageCode: "claimed" });
		const run = open();
		await run[name].delete(id, resource.outs);
		expect(codesOf(run.warnings)).toEqual(["claimed"]);
		expect(emulator.writes(before)).toEqual([]);
		expect(row(id)).toMatchObject({ id, reference });
	});

	test("is claimed by a moved state once the old stack has retained it", async () => {
		const inProd = (values: Values) => ({
			...values,
			__resourceUrn: String(values.__resourceUrn).replace(":dev:", ":prod:"),
		});
		const { id, outs } = await made();
		const resumed = await updated(open(), await made(), declare({ onDelete: "retain" }));
		const moved = { id, outs: inProd(outs) };
		const error = await failureOf(updated(open(), moved, inProd(declare())));
		expect(error.message).toContain('set `onDelete: "retain"`, run `pulumi up`, remove it');
		await open()[name].delete(id, resumed.outs);
		await updated(open(), moved, inProd(declare()));
		expect(row(id)?.reference).toMatch(/~shop\/prod$/);
	});

	test("keeps the name of a killed rename until an up succeeds", async () => {
		const resource = await made();
		// The run is killed before it saves the state.
		await updated(open(), resource, declare({}, "second"));
		const { reference } = row(resource.id) ?? {};
		const error = await failureOf(updated(open(), resource, declare({}, "third")));
		expect([error.messageCode, row(resource.id)?.reference]).toEqual(["claimed", reference]);
		expect(error.message).toContain("rename it again");
		const continued = await updated(open(), resource, declare({}, "second"));
		const { outs } = await updated(open(), continued, declare({}, "third"));
		expect(row(resource.id)?.reference).toContain(String(outs.lease));
	});

	test("is deleted without a warning at a service without references", async () => {
		emulator.control.settings({ features: { reference: false } });
		const { id, outs } = await made();
		const afterRefresh = await refreshed(id, outs);
		await open()[name].delete(id, afterRefresh.outs);
		expect(afterRefresh.codes).toEqual([]);
		expect(emulator.rows(name)).toEqual([]);
	});

	test("warns once that an update has claimed it for a renamed stack", async () => {
		const inStack = (stack: string, args: Values = {}) => ({
			...declare(args),
			__resourceUrn: String(declare().__resourceUrn).replace("dev", stack),
		});
		const { id, outs } = await create(open()[name], inStack("dev"));
		const moved = { id, outs: { ...outs, __resourceUrn: inStack("prod").__resourceUrn } };
		expect(await differs(open(), moved, inStack("prod"))).toBe(true);
		const [run, next] = [open(), open()];
		const done = await updated(run, moved, inStack("prod"));
		expect(codesOf(run.warnings)).toEqual(["rename"]);
		expect(run.warnings[0]).toMatch(/\. The stack shop\/dev owned it before/);
		await updated(next, done, inStack("prod", { [text]: "x" }));
		expect(next.warnings).toEqual([]);
	});
});

test.each(kinds)("a $noun renamed in the state stays while its old name is declared", async ({ name, declare }) => {
	const first = await create(open()[name], declare({}, "a"));
	const run = open();
	const taken = await create(run[name], declare({}, "a"));
	expect(taken.id).toBe(first.id);
	const refused = await failureOf(updated(run, first, declare({}, "b"), declare({}, "a")));
	expect(refused).toMatchObject({ messageCode: "shared-object", message: expect.stringContaining(first.id) });

	// The user removes the old name, and declares it again later.
	const next = open();
	const kept = await updated(next, first, declare({}, "b"), declare({}, "a"));
	await next[name].delete(taken.id, taken.outs);
	expect(emulator.rows(name).map(({ id }) => id)).toEqual([first.id]);
	expect(kept.id).toBe(first.id);
	expect((await create(open()[name], declare({}, "a"))).id).not.toBe(first.id);
});
