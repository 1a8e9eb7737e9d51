/** One write path for numbers, trunks and webhooks: what was sent and not confirmed is never forgotten. */
import { describe, expect, test } from "vitest";
import { InitError } from "../../../provider/lifecycle/resource";
import { openIn } from "../../../provider/properties/open";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import type { Kind } from "../../helpers/emulator";
import { aNumber, aTrunk, aWebhook, checked, create, initErrorOf } from "../../helpers/provider";

const { emulator, open, live } = useAccount();
const declare: Record<Kind, (args: Values, as?: string) => Values> = {
	number: aNumber,
	sipTrunk: aTrunk,
	webhook: aWebhook,
};
const patches = { number: "patchNumber", sipTrunk: "patchTrunk", webhook: "patchWebhook" } as const;
const { rows } = emulator;
const routing = { type: "forward", to: "+31201234567" };
const target = { host: "pbx.example.com" };

describe.each<[Kind, Values, Values, string, unknown]>([
	["number", { routing }, {}, "routing", null],
	["number", { label: "Front desk" }, {}, "label", null],
	["number", { routing: { ...routing, ringTimeoutSeconds: 20 } }, { routing }, "routing", { type: "forward" }],
	["sipTrunk", { targets: [target] }, {}, "targets", null],
	["sipTrunk", { targets: [{ ...target, priority: 5 }] }, { targets: [target] }, "targets", [{ host: target.host }]],
	["webhook", { description: "Calls" }, {}, "description", null],
])("a %s that loses a part of %j, declaring %j then", (kind, before, after, key, cleared) => {
	const fault = (status: number, phase: "before" | "after" = "before") =>
		emulator.control.faults.set({ operation: patches[kind], every: true, kind: "status", status, phase });
	const settle = async (failing: () => void, refresh: boolean) => {
		const { id, outs } = await create(open()[kind], declare[kind](before));
		const inputs = await checked(open()[kind], declare[kind](after));
		failing();
		const error = await initErrorOf(open()[kind].update(id, outs, inputs));
		emulator.control.faults.clear();
		// Until it is cleared, refresh and drift name it: the live value, beside what is declared.
		const seen = refresh ? await open()[kind].read(id, error.properties) : { props: error.properties, inputs: {} };
		return { id, inputs, seen, props: seen.props ?? {} };
	};

	test.each([
		[403, false],
		[403, true],
		[500, false],
		[500, true],
	])("loses it by the next up, where the first one was answered %i; refreshed between: %s", async (status, refresh) => {
		const { id, inputs, seen, props } = await settle(() => fault(status), refresh);
		if (refresh) expect(seen.inputs).toHaveProperty(key);
		// What is owed is known to be there still, and needn't be doubted besides.
		else expect(openIn(props)).toMatchObject({ owed: { [key]: expect.anything() }, unseen: [] });
		expect((await open()[kind].diff(id, props, inputs)).changes).toBe(true);
		const { outs } = await open()[kind].update(id, props, inputs);
		const [row] = rows(kind);
		if (cleared === null) expect(row?.[key]).toBeNull();
		else expect(row?.[key]).toMatchObject(cleared as object);
		expect(JSON.stringify(row?.[key] ?? "")).not.toMatch(/"(ring_timeout_seconds":20|priority":5)/);
		expect((await open()[kind].diff(id, outs, inputs)).changes).toBe(false);
	});

	test("has lost it, where only the answers got lost: nothing is left to do after a refresh", async () => {
		const { id, inputs, props } = await settle(
			() => emulator.control.faults.set({ operation: patches[kind], every: true, kind: "reset", phase: "after" }),
			true,
		);
		// What the service has filled in where the program is silent now is looked at once more, and written to nothing.
		if (cleared === null) expect((await open()[kind].diff(id, props, inputs)).changes).toBe(false);
		const { outs } = await open()[kind].update(id, props, inputs);
		expect((await open()[kind].diff(id, outs, inputs)).changes).toBe(false);
		await open()[kind].delete(id, outs);
		expect(rows(kind)).toEqual([]);
	});
});

describe("an entry knows its own writes", () => {
	const lost = { operation: "patchNumber", every: true, kind: "reset", phase: "after" } as const;

	test("an entry may release what it wrote, though no answer came", async () => {
		emulator.control.faults.set(lost);
		const error = await initErrorOf(create(open().number, aNumber({ label: "a" })));
		emulator.control.faults.clear();
		await open().number.delete(error.id, error.properties);
		expect(live()).toEqual([]);
	});

	test("a write that arrives after a later one was answered is the entry's own", async () => {
		const { id, outs } = await create(open().number, aNumber());
		const inputs = await checked(open().number, aNumber({ label: "b" }));
		const late = emulator.control.faults.set({ operation: "patchNumber", nth: 1, kind: "reset", phase: "after" });
		const updated = await open().number.update(id, outs, inputs);
		emulator.control.faults.clear(late.id);
		const unanswered = openIn(updated.outs).leases;
		expect(unanswered).toHaveLength(1);
		// The first request comes again, long after the second one was answered.
		const reference = String(live()[0]?.reference).replace(String(updated.outs.lease), String(unanswered[0]));
		emulator.control.patchNumber(id, { reference });
		const read = await open().number.read(id, updated.outs);
		expect((await open().number.diff(id, read.props ?? {}, inputs)).changes).toBe(false);
		await open().number.delete(id, read.props ?? {});
		expect(live()).toEqual([]);
	});

	test("an entry keeps eight unanswered writes at most", async () => {
		let { id, properties } = await (async () => {
			emulator.control.faults.set(lost);
			return initErrorOf(create(open().number, aNumber({ label: "0" })));
		})();
		for (let n = 1; n < 4; n++) {
			const inputs = await checked(open().number, aNumber({ label: String(n) }));
			const error = await open()
				.number.update(id, properties, inputs)
				.catch((reason: InitError) => reason);
			if (!(error instanceof InitError)) throw error;
			({ id, properties } = error);
		}
		expect(openIn(properties).leases.length).toBeLessThanOrEqual(8);
	});

	test("what a run that was killed has set, a refresh finds and the next up clears", async () => {
		const { id, outs } = await create(open().number, aNumber());
		const changed = await checked(open().number, aNumber({ routing, label: "x" }));
		await open().number.update(id, outs, changed); // its answer never reaches the state
		const inputs = await checked(open().number, aNumber());
		const { props = {} } = await open().number.read(id, outs);
		expect(openIn(props).verdict).toBe("superseded");
		expect((await open().number.diff(id, props, inputs)).changes).toBe(true);
		await open().number.update(id, props, inputs);
		expect(live()).toMatchObject([{ routing: null, label: null }]);
	});

	test("an older state that is brought back releases the number only once an up has claimed it", async () => {
		const { id, outs } = await create(open().number, aNumber());
		const inputs = await checked(open().number, aNumber({ label: "x" }));
		await open().number.update(id, outs, inputs);
		await open().number.delete(id, outs);
		expect(live()).toHaveLength(1);
		const { outs: again } = await open().number.update(id, outs, inputs);
		await open().number.delete(id, again);
		expect(live()).toEqual([]);
	});
});

describe.each<[Kind, Values]>([
	["number", { label: "x", routing }],
	["sipTrunk", { name: "x", targets: [target] }],
	["webhook", { description: "x", enabled: false }],
])("a write of a %s", (kind, more) => {
	const operation = patches[kind];
	const writes = () => emulator.writes().length;
	const clearedRow = kind === "webhook" ? { description: null } : { label: null };

	test.each([true, false])("that has nothing to change sends nothing, with references: %s", async (reference) => {
		emulator.control.settings({ features: { reference } });
		const { id, outs } = await create(open()[kind], declare[kind](more));
		expect(outs).not.toHaveProperty("open");
		const before = writes();
		const { outs: same } = await open()[kind].update(id, outs, await checked(open()[kind], declare[kind](more)));
		expect({ writes: writes(), same }).toEqual({ writes: before, same: outs });
		expect(same.lease).toMatch(/./);
		const other = await checked(open()[kind], declare[kind]({}));
		const { outs: changed } = await open()[kind].update(id, same, other);
		expect(writes()).toBe(before + 1);
		expect(changed.lease === same.lease).toBe(false);
	});

	test("clears what a run has set whose answer was lost, without a refresh between", async () => {
		const { id, outs } = await create(open()[kind], declare[kind]({}));
		await open()[kind].update(id, outs, await checked(open()[kind], declare[kind](more)));
		const { outs: own } = await open()[kind].update(id, outs, await checked(open()[kind], declare[kind]({})));
		expect(rows(kind)).toMatchObject([{ ...clearedRow, reference: expect.stringContaining(String(own.lease)) }]);
	});

	test("clears it also where a refresh has seen that run, and the service shows an older reference again", async () => {
		const { id, outs } = await create(open()[kind], declare[kind]({}));
		const before = String(rows(kind)[0]?.reference);
		await open()[kind].update(id, outs, await checked(open()[kind], declare[kind](more)));
		const { props = {} } = await open()[kind].read(id, outs);
		expect(openIn(props).verdict).toBe("superseded");
		await emulator.control[operation](id, { reference: before });
		await open()[kind].update(id, props, await checked(open()[kind], declare[kind]({})));
		expect(rows(kind)).toMatchObject([clearedRow]);
	});

	test.each([
		[{ kind: "reset", phase: "after" }, Object.keys(more)],
		[{ kind: "status", status: 500 }, Object.keys(more)],
		[{ kind: "status", status: 403 }, []],
	] as const)("that met %j names in the state what it may have changed, and nothing else", async (fault, changed) => {
		const { id, outs } = await create(open()[kind], declare[kind]({}));
		emulator.control.faults.set({ operation, every: true, ...fault });
		const { properties } = await initErrorOf(
			open()[kind].update(id, outs, await checked(open()[kind], declare[kind](more))),
		);
		const { leases, unseen = [] } = openIn(properties);
		expect([...unseen].sort()).toEqual([...changed].sort());
		expect(properties).toMatchObject({ token: outs.token, lease: outs.lease });
		expect(new Set(leases).size).toBeGreaterThan(0);
	});

	test("writes the reference again that somebody has cleared, though nothing else is to be written, and no refresh has seen it", async () => {
		const { id, outs } = await create(open()[kind], declare[kind](more));
		await emulator.control[operation](id, { reference: null });
		const { outs: own } = await open()[kind].update(id, outs, await checked(open()[kind], declare[kind](more)));
		expect(rows(kind)).toMatchObject([{ reference: expect.stringContaining(String(own.lease)) }]);
	});

	test("of an adopted one that failed is finished by the next up, under the token that it was to get", async () => {
		const { id, outs } = await create(open()[kind], declare[kind]({}));
		emulator.control[operation](id, { reference: null });
		emulator.control.faults.set({ operation, every: true, status: 403 });
		const inputs = await checked(open()[kind], declare[kind]({ adopt: id }));
		const { properties } = await initErrorOf(open()[kind].create(inputs));
		expect(properties).toMatchObject({ token: outs.token, lease: "", open: { unseen: [] } });
		emulator.control.faults.clear();
		expect((await open()[kind].diff(id, properties, inputs)).changes).toBe(true);
		const { outs: done } = await open()[kind].update(id, properties, inputs);
		expect(rows(kind)).toMatchObject([{ reference: expect.stringContaining(String(done.lease)) }]);
		expect((await open()[kind].diff(id, done, inputs)).changes).toBe(false);
	});
});

describe.each(["sipTrunk", "webhook"] as const)("a %s that an earlier run has left", (kind) => {
	const operation = patches[kind];
	/** Beside another one of this stack. */
	const left = async () => {
		await create(open()[kind], declare[kind](kind === "webhook" ? {} : { name: "first" }, "first"));
		const { id, outs } = await create(open()[kind], declare[kind]({ enabled: false }));
		return { id, lease: outs.lease };
	};

	test("is the entry's as soon as it is found, though nothing of it could be written", async () => {
		const { id, lease } = await left();
		emulator.control.faults.set({ operation, every: true, status: 403 });
		const inputs = await checked(open()[kind], declare[kind]({}));
		const { properties, ...error } = await initErrorOf(open()[kind].create(inputs));
		emulator.control.faults.clear();
		expect(error.id).toBe(id);
		expect(openIn(properties)).toMatchObject({ leases: expect.arrayContaining([lease]), verdict: "superseded" });
		expect(properties).toMatchObject({ lease: "" });
		const { outs } = await open()[kind].update(id, properties, inputs);
		expect(rows(kind)[1]).toMatchObject({ enabled: true, reference: expect.stringContaining(String(outs.lease)) });
		await open()[kind].delete(id, outs);
		expect(rows(kind)).toHaveLength(1);
	});
});

test("what another run has added to a part that is declared is taken away, where only its answer was lost", async () => {
	const { id, outs } = await create(open().number, aNumber({ routing }));
	const longer = await checked(open().number, aNumber({ routing: { ...routing, ringTimeoutSeconds: 20 } }));
	await open().number.update(id, outs, longer);
	await open().number.update(id, outs, await checked(open().number, aNumber({ routing })));
	expect(live()[0]?.routing).not.toMatchObject({ ring_timeout_seconds: 20 });
});

test("a number that another run has written since, and that shows its old reference again, is claimed anew", async () => {
	const { id, outs } = await create(open().number, aNumber());
	const before = live()[0]?.reference ?? "";
	emulator.control.patchNumber(id, { reference: before.replace(String(outs.lease), "another") });
	const { props = {} } = await open().number.read(id, outs);
	emulator.control.patchNumber(id, { reference: before });
	const { outs: own } = await open().number.update(id, props, await checked(open().number, aNumber()));
	expect(own.lease === outs.lease).toBe(false);
	expect(live()[0]?.reference).toContain(String(own.lease));
	expect(own).not.toHaveProperty("open");
});

test("a number that was bought and not claimed yet is claimed by the next up, though nothing else is to be written", async () => {
	emulator.control.faults.set({ operation: "patchNumber", every: true, status: 403 });
	const inputs = await checked(open().number, aNumber());
	const { id, properties } = await initErrorOf(open().number.create(inputs));
	expect(properties.lease).toBe("");
	expect(live()[0]?.reference ?? null).toBeNull();
	emulator.control.faults.clear();
	const { outs } = await open().number.update(id, properties, inputs);
	expect(live()[0]?.reference).toContain(String(outs.lease));
});

test("a service that changes no numbers sells one that needs no configuration, and refuses one that does", async () => {
	emulator.control.settings({ features: { patchNumber: false } });
	const { id, outs } = await create(open().number, aNumber());
	expect(outs).not.toHaveProperty("open");
	expect(outs.lease).toMatch(/./);
	const inputs = await checked(open().number, aNumber({ label: "x" }));
	const error = await open()
		.number.update(id, outs, inputs)
		.catch((reason: Error) => reason);
	expect(String(error)).toMatch(/offers no|patchNumber/);
	expect(live()).toMatchObject([{ id, label: null }]);
});
