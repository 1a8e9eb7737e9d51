/** What people are told, and what stays as it is, when an object's reference isn't the one that its entry wrote. */
import { describe, expect, test } from "vitest";
import { nextStep } from "../../../provider/api/errors";
import type { Values } from "../../../provider/properties/table";
import { useEmulator } from "../../helpers/emulator";
import { freeKinds, kinds } from "../../helpers/kinds";
import { checked, create, failureOf, openProvider } from "../../helpers/provider";
import { differs, updated } from "../../helpers/runs";

const emulator = useEmulator({ kyc: "immediate" });
const open = () => openProvider(emulator);
/** What another stack has written. */
const theirs = "another.token.another-state.lease~theirs/prod";

describe.each(kinds)("a $noun", ({ name, path, byHand, declare }) => {
	const row = (id: string) => emulator.rows(name).find((each) => each.id === id);
	const refer = (id: string, reference: string | null) => emulator.edit(name, id, { reference });
	const made = () => create(open()[name], declare());
	const refreshed = async (id: string, outs: Values) => {
		const run = open();
		const { props = {} } = await run[name].read(id, outs);
		return { id, outs: props, warnings: run.warnings };
	};

	test.each<[string, string, boolean, (reference: string, lease: string) => string | null]>([
		["was cleared", "reference-cleared", false, () => null],
		["is that of an unknown run", "another-attempt", true, (reference, lease) => reference.replace(lease, "another")],
	])("whose reference %s is claimed again by an up, which a refresh announces", async (_, code, isKept, change) => {
		const { id, outs } = await made();
		refer(id, change(String(row(id)?.reference), String(outs.lease)));
		const seen = await refreshed(id, outs);
		expect(seen.warnings).toEqual([expect.stringMatching(`${id}.*\\[telephony:${code}\\]$`)]);
		if (isKept) {
			// The state may be older than what the other run has saved.
			const run = open();
			await run[name].delete(id, seen.outs);
			expect(run.warnings).toEqual([expect.stringMatching(`${id}.*\\[telephony:claimed\\]$`)]);
			expect(row(id)).toBeDefined();
		}
		expect(await differs(open(), seen, declare())).toBe(true);
		const own = await updated(open(), seen, declare());
		expect(row(id)?.reference).toContain(String(own.outs.lease));
		expect((await refreshed(id, own.outs)).warnings).toEqual([]);
		await open()[name].delete(id, own.outs);
		expect(row(id)).toBeUndefined();
	});

	test.each([
		["another stack has claimed, seen by a refresh", theirs, true, "theirs/prod"],
		["another tool has claimed, not seen yet", "order 4711", false, "order 4711"],
	] as const)(
		"that %s, is named by refresh, refused by up, and only forgotten by destroy",
		async (_, reference, isSeen, whose) => {
			const { id, outs } = await made();
			refer(id, reference);
			const seen = await refreshed(id, outs);
			const claimed = [expect.stringMatching(`${whose}.*\\[telephony:claimed\\]$`)];
			expect(seen.warnings).toEqual(claimed);
			expect(seen.warnings.join()).toContain(nextStep("Claimed"));
			expect(await differs(open(), seen, declare())).toBe(false);
			const entry = isSeen ? seen : { id, outs };
			const before = emulator.requests().length;
			const error = await failureOf(updated(open(), entry, declare()));
			expect(error).toMatchObject({ kind: "Claimed", message: expect.stringContaining(whose) });
			expect(error.message).toContain(nextStep("Claimed"));
			const run = open();
			await run[name].delete(id, entry.outs);
			expect(run.warnings).toEqual(claimed);
			expect(emulator.writes(before)).toEqual([]);
			expect(row(id)).toMatchObject({ id, reference });
		},
	);

	test("that was imported, and that another stack has claimed since, is not called unclaimed", async () => {
		const { id } = (await emulator.call("POST", path, byHand)).body;
		const { resourceUrn } = declare();
		const { props = {} } = (await open()[name].import?.(id, { resourceUrn })) ?? {};
		expect((await refreshed(id, { ...props, resourceUrn })).warnings).toEqual([]);
		refer(id, theirs);
		const { warnings } = await refreshed(id, { ...props, resourceUrn });
		expect(warnings).toEqual([expect.stringMatching(/theirs\/prod.*\[telephony:claimed\]$/)]);
	});

	test("at a service without references is anybody's to refresh and delete, and nothing is said about it", async () => {
		emulator.control.settings({ features: { reference: false } });
		const { id, outs } = await made();
		const seen = await refreshed(id, outs);
		await open()[name].delete(id, seen.outs);
		expect(seen.warnings).toEqual([]);
		expect(row(id)).toBeUndefined();
	});
});

describe.each(freeKinds)("a $noun of the old name of an entry", ({ name, declare }) => {
	/** A run that creates the old name's, while the engine says more after so many seconds. */
	const creating = async (...said: [seconds: number, what: "holder" | "other"][]) => {
		const { id, outs } = await create(open()[name], declare({}, "a"));
		const run = open();
		const [a, b] = [await checked(run[name], declare({}, "a")), await checked(run[name], declare({}, "b"), declare())];
		const start = run.clock.now();
		for (const [seconds, what] of said)
			run.clock.after(seconds, () => {
				if (what === "holder") void run[name].diff(id, outs, b);
				else void run[name].check({}, declare({}, "other"));
			});
		const made = await run[name].create(a);
		return { isAnother: made.id !== id, seconds: (run.clock.now() - start) / 1000 };
	};

	test("is another one as soon as the engine says that the entry has it", async () => {
		const { isAnother, seconds } = await creating([0.5, "holder"]);
		expect(isAnother).toBe(true);
		expect(seconds).toBeLessThan(1);
	});

	test("is another one where the engine says so late, and has said other things until then", async () => {
		expect((await creating([0.7, "other"], [1.4, "holder"])).isAnother).toBe(true);
	});

	test("is the one that an earlier run has left, once the engine has said nothing new for a second", async () => {
		const { isAnother, seconds } = await creating();
		expect(isAnother).toBe(false);
		expect(seconds).toBeGreaterThanOrEqual(1);
		expect(seconds).toBeLessThan(2);
	});
});
