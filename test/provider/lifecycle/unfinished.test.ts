/** A write that failed half-way: a refresh compares with what it left, and the next `up` with the program. */
import { describe, expect, test } from "vitest";
import type { FaultRequest } from "../../../emulator";
import type { Values } from "../../../provider/properties/table";
import { useEmulator } from "../../helpers/emulator";
import { kinds } from "../../helpers/kinds";
import { aNumber, create, declaration, openProvider } from "../../helpers/provider";
import { differs, type Entry, failedUp, refreshed, updated } from "../../helpers/runs";

const emulator = useEmulator({ kyc: "immediate" });
const open = () => openProvider(emulator);

describe.each(kinds)("a $noun whose write failed", ({ name, text, edit, other, patch: operation, declare }) => {
	const [before, after] = ["a", "b"].map((value) => declare({ [text]: value, ...edit })) as [Values, Values];
	const halfWay = async (entry: Entry, fault: FaultRequest) => {
		emulator.control.faults.set(fault);
		const { error: _, ...left } = await failedUp(open(), after, entry);
		emulator.control.faults.clear();
		return left;
	};

	test.each([
		["refused", { operation, kind: "status", status: 400, error: "bad_request" }],
		["lost on its way", { operation, kind: "reset", every: true }],
		["carried out, but not answered", { operation, kind: "reset", phase: "after", every: true }],
		["answered by a gateway", { operation, kind: "html", status: 502, phase: "after", every: true }],
	] satisfies [string, FaultRequest][])(
		"%s: a refresh shows what somebody else did, and nothing else",
		async (_, fault) => {
			const made = await create(open()[name], before);
			const left = await halfWay(made, fault);
			const run = open();
			// The engine compares with the inputs from before the write that failed.
			expect(await refreshed(run, left, before)).toMatchObject({ changes: false });
			expect(run.warnings).toEqual([]);
			emulator.edit(name, made.id, other);
			expect(await refreshed(open(), left, before)).toMatchObject({ changes: true });
		},
	);

	test.each<[string, Values, boolean]>([
		["wants what it did before, refreshed", before, true],
		["wants the same still, refreshed", after, true],
		["wants what it did before", before, false],
	])("is written by the next up of a program that %s", async (_, wanted, isRefreshed) => {
		const made = await create(open()[name], before);
		const left = await halfWay(made, { operation, kind: "reset", phase: "after", every: true });
		const run = open();
		// Not compared by the engine, as with its older way to refresh: the program's turn is the program's all the same.
		const seen = isRefreshed ? { ...made, outs: (await run[name].read(made.id, left.outs)).props ?? {} } : left;
		// The engine updates what has errors of its initialisation.
		const isDue = (await differs(run, seen, wanted)) || !isRefreshed;
		const done = isDue ? await updated(run, seen, wanted) : seen;
		expect(emulator.row(made.id)?.[text]).toBe(wanted[text]);
		expect(await differs(open(), done, wanted)).toBe(false);
	});
});

test.each(kinds)("a $noun that somebody edited differs in each refresh, and for the program", async (kind) => {
	const { name, edit, other, declare } = kind;
	const made = await create(open()[name], declare(edit));
	emulator.edit(name, made.id, other);
	const first = await refreshed(open(), made, declare(edit));
	const run = open();
	const second = await refreshed(run, { id: made.id, outs: first.outs }, declare(edit));
	expect([first.changes, second.changes]).toEqual([true, true]);
});

test("an activation whose wait for other numbers timed out doesn't show its own edit backwards", async () => {
	const of = (...numberIds: string[]) => declaration("Activation", "fleet", { numberIds, timeoutSeconds: 1 });
	emulator.control.kyc("manual");
	const { id: first } = await create(open().number, aNumber({}, "first"));
	const { id: second } = await create(open().number, aNumber({ country: "DE", waitForActive: false }, "second"));
	const left = await failedUp(open(), of(first, second), await create(open().activation, of(first)));
	emulator.control.decide(second, "approve");
	expect(await refreshed(open(), left, of(first))).toMatchObject({ changes: false });
});
