/** The one write path: until the service has confirmed a write, the next one sends everything declared. */
import { describe, expect, test } from "vitest";
import type { FaultRequest } from "../../../emulator";
import { openIn } from "../../../provider/properties/open";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import type { Kind } from "../../helpers/emulator";
import { freeKinds, kinds } from "../../helpers/kinds";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { differs, failedUp, type ResourceState, refreshed, upAgain, updated } from "../../helpers/runs";

const { emulator, open, live } = useAccount();
const { rows } = emulator;
const byName = Object.fromEntries(kinds.map((kind) => [kind.name, kind])) as Record<Kind, (typeof kinds)[number]>;
const routing = { type: "forward", to: "+31201234567" };
const target = { host: "pbx.example.com" };

/** A failed up under this fault; what it saved. */
const failed = async (fault: FaultRequest, news: Values, resource?: ResourceState) => {
	emulator.control.faults.set(fault);
	const { error: _, ...saved } = await failedUp(open(), news, resource);
	emulator.control.faults.clear();
	return saved;
};
/** A run whose state is lost: it writes, and nothing of it is saved. */
const lostUp = (resource: ResourceState, news: Values) => updated(open(), resource, news);

describe.each<[Kind, Values, Values, string, unknown]>([
	["number", { routing }, {}, "routing", null],
	["number", { routing: { ...routing, ringTimeoutSeconds: 20 } }, { routing }, "routing", { type: "forward" }],
	["sipTrunk", { targets: [target] }, {}, "targets", null],
	["sipTrunk", { targets: [{ ...target, priority: 5 }] }, { targets: [target] }, "targets", [{ host: target.host }]],
	["webhook", { description: "Calls" }, {}, "description", null],
])("a %s that no longer declares a part of %j, but %j,", (kind, before, after, key, cleared) => {
	const { declare, patch: operation } = byName[kind];

	test.each<[string, boolean, Partial<FaultRequest>]>([
		["403", false, { kind: "status", status: 403 }],
		["403, refreshed", true, { kind: "status", status: 403 }],
		["500", false, { kind: "status", status: 500 }],
		["500, refreshed", true, { kind: "status", status: 500 }],
		["a lost response, refreshed", true, { kind: "reset", phase: "after" }],
	])("clears it in the up after %s", async (title, isRefreshed, fault) => {
		const made = await create(open()[kind], declare(before));
		const saved = await failed({ operation, every: true, ...fault } as FaultRequest, declare(after), made);
		const isLost = title.startsWith("a lost");
		const afterRefresh = isRefreshed ? await refreshed(open(), saved, declare(after)) : { ...saved, inputs: {} };
		if (isRefreshed && !isLost) expect(afterRefresh.inputs, "shown until it is cleared").toHaveProperty(key);
		expect(openIn(saved.outs).isDirty).toBe(!title.startsWith("403"));
		expect(await differs(open(), afterRefresh, declare(after))).toBe(true);
		const done = await updated(open(), { id: made.id, outs: afterRefresh.outs }, declare(after));
		const [row] = rows(kind);
		if (cleared === null) expect(row?.[key]).toBeNull();
		else expect(row?.[key]).toMatchObject(cleared as object);
		expect(JSON.stringify(row?.[key] ?? "")).not.toMatch(/"(ring_timeout_seconds":20|priority":5)/);
		expect(await differs(open(), done, declare(after))).toBe(false);
	});
});

const writes = (kind: Kind, more: Values, cleared: object) => ({ ...byName[kind], more, cleared });
describe.each([
	writes("number", { label: "x", routing }, { label: null }),
	writes("sipTrunk", { name: "x", targets: [target] }, { name: "pbx" }),
	writes("webhook", { description: "x", enabled: false }, { description: null }),
])("a write of a $noun", ({ name, declare, patch: operation, more, cleared, edit, secondEdit, text }) => {
	const made = (args: Values = {}) => create(open()[name], declare(args));
	const reference = (lease: unknown) => ({ reference: expect.stringContaining(String(lease)) });

	test.each([true, false])("sends nothing if nothing changes; with references: %s", async (isKept) => {
		emulator.control.settings({ features: { reference: isKept } });
		const resource = await made(more);
		expect(resource.outs).not.toHaveProperty("open");
		const before = emulator.writes().length;
		const same = await updated(open(), resource, declare(more));
		expect({ writes: emulator.writes().length, outs: same.outs }).toEqual({ writes: before, outs: resource.outs });
		expect(same.outs.lease).toMatch(/./);
		const changed = await updated(open(), same, declare());
		expect(emulator.writes()).toHaveLength(before + 1);
		expect(changed.outs.lease).not.toBe(same.outs.lease);
	});

	test("clears what a run with a lost state has set", async () => {
		const resource = await made();
		await lostUp(resource, declare(more));
		const { outs } = await updated(open(), resource, declare());
		expect(rows(name)).toMatchObject([{ ...cleared, ...reference(outs.lease) }]);
	});

	test("clears it also if a read lags behind the refresh that saw that run", async () => {
		const resource = await made();
		const before = rows(name)[0]?.reference;
		await lostUp(resource, declare(more));
		const { outs } = await refreshed(open(), resource, declare());
		expect(openIn(outs).isDirty).toBe(true);
		emulator.edit(name, resource.id, { reference: before });
		const updatedState = await upAgain(open(), { id: resource.id, outs }, declare());
		expect(rows(name)).toMatchObject([{ ...cleared, ...reference(updatedState.outs.lease) }]);
		expect(updatedState.outs.lease).not.toBe(resource.outs.lease);
		expect(updatedState.outs).not.toHaveProperty("open");
	});

	test.each<[Partial<FaultRequest>, boolean]>([
		[{ kind: "reset", phase: "after" }, true],
		[{ kind: "status", status: 500 }, true],
		[{ kind: "status", status: 403 }, false],
	])("marks the state dirty if its outcome is unknown: %j %s", async (fault, isDirty) => {
		const resource = await made();
		const { outs } = await failed({ operation, every: true, ...fault } as FaultRequest, declare(more), resource);
		expect(openIn(outs)).toMatchObject({ leases: [expect.any(String)], isDirty });
		expect(outs).toMatchObject({
			token: resource.outs.token,
			lease: resource.outs.lease,
			__provider: expect.anything(),
		});
		expect(JSON.parse(JSON.stringify(outs))).toStrictEqual(outs);
	});

	test("writes a cleared reference again, also without a refresh", async () => {
		const resource = await made(more);
		emulator.edit(name, resource.id, { reference: null });
		const { outs } = await updated(open(), resource, declare(more));
		expect(rows(name)).toMatchObject([reference(outs.lease)]);
	});

	test("claims a renamed object, also if the first try fails", async () => {
		const resource = await create(open()[name], declare({}, "old"));
		const saved = await failed({ operation, every: true, status: 403 }, declare({}, "new"), resource);
		expect(rows(name)).toMatchObject([reference(resource.outs.token)]);
		expect(await differs(open(), saved, declare({}, "new"))).toBe(true);
		const { outs } = await updated(open(), saved, declare({}, "new"));
		expect(outs.token).not.toBe(resource.outs.token);
		expect(rows(name)).toMatchObject([reference(`${outs.token}`)]);
	});

	describe("that failed", () => {
		const [before, after] = ["a", "b"].map((value) => declare({ [text]: value, ...edit })) as [Values, Values];

		test.each<[string, Partial<FaultRequest>]>([
			["was refused", { kind: "status", status: 400, error: "bad_request" }],
			["was lost", { kind: "reset", every: true }],
			["was carried out without a response", { kind: "reset", phase: "after", every: true }],
			["was answered by a gateway", { kind: "html", status: 502, phase: "after", every: true }],
		])("is no drift in a refresh: it %s", async (reason, fault) => {
			const resource = await create(open()[name], before);
			const saved = await failed({ operation, ...fault } as FaultRequest, after, resource);
			const run = open();
			// The engine compares with the inputs from before the failed write.
			expect(await refreshed(run, saved, before)).toMatchObject({ changes: false });
			expect(run.warnings).toEqual([]);
			emulator.edit(name, resource.id, secondEdit);
			// Nothing is compared until the next up has written everything.
			const changes = reason === "was refused";
			const first = await refreshed(open(), saved, before);
			expect([first, await refreshed(open(), first, before)]).toMatchObject([{ changes }, { changes }]);
		});

		test.each<[string, Values, boolean]>([
			["its old values, refreshed", before, true],
			["its new values, refreshed", after, true],
			["its old values", before, false],
		])("is followed by an up that writes what the program declares: %s", async (_, wanted, isRefreshed) => {
			const resource = await create(open()[name], before);
			const saved = await failed({ operation, kind: "reset", phase: "after", every: true }, after, resource);
			const run = open();
			const afterRefresh = isRefreshed
				? { ...resource, outs: (await run[name].read(resource.id, saved.outs)).props ?? {} }
				: saved;
			// The engine updates a state with errors of its initialization, whatever diff says.
			const isDue = (await differs(run, afterRefresh, wanted)) || !isRefreshed;
			const done = isDue ? await updated(run, afterRefresh, wanted) : afterRefresh;
			expect(emulator.row(resource.id)?.[text]).toBe(wanted[text]);
			expect(await differs(open(), done, wanted)).toBe(false);
		});
	});
});

describe("a state", () => {
	const lost = { operation: "patchNumber", every: true, kind: "reset", phase: "after" } as const;

	test("releases what it wrote without a response", async () => {
		const { id, outs } = await failed(lost, aNumber({ label: "a" }));
		await open().number.delete(id, outs);
		expect(live()).toEqual([]);
	});

	test("recognizes its own write that arrives after a later one", async () => {
		const resource = await create(open().number, aNumber());
		const saved = await failed(lost, aNumber({ label: "a" }), resource);
		const { id, outs } = await updated(open(), saved, aNumber({ label: "b" }));
		const [late, ...more] = openIn(outs).leases;
		expect([more, openIn(outs).isDirty]).toEqual([[], false]);
		const reference = String(live()[0]?.reference).replace(String(outs.lease), String(late));
		emulator.control.patchNumber(id, { reference });
		const read = await refreshed(open(), { id, outs }, aNumber({ label: "b" }));
		expect(read.changes).toBe(false);
		await open().number.delete(id, read.outs);
		expect(live()).toEqual([]);
	});

	test("keeps the leases of four unanswered writes", async () => {
		let saved = await failed(lost, aNumber({ label: "0" }));
		for (let n = 1; n < 6; n++) saved = await failed(lost, aNumber({ label: String(n) }), saved);
		expect(openIn(saved.outs).leases).toHaveLength(4);
	});
});

test.each(freeKinds)("saves a resumed $noun though nothing of it could be written", async (kind) => {
	const { name, declare, patch: operation, unlike, edit, secondEdit } = kind;
	await create(open()[name], declare(unlike, "first"));
	const { id, outs: previous } = await create(open()[name], declare(edit));
	const refused = { operation, every: true, status: 403 } as const;
	let saved = await failed(refused, declare(secondEdit));
	expect(saved).toMatchObject({ id, outs: { lease: previous.lease } });
	expect(openIn(saved.outs)).toMatchObject({ leases: [expect.any(String)], isDirty: true });
	// However often it is refused, no read calls it another run's.
	for (let n = 0; n < 5; n++) saved = await failed(refused, declare(secondEdit), saved);
	const run = open();
	await run[name].read(id, saved.outs);
	expect(run.warnings).toEqual([]);
	const { outs } = await updated(open(), saved, declare(secondEdit));
	expect(rows(name)[1]).toMatchObject({ ...secondEdit, reference: expect.stringContaining(String(outs.lease)) });
	await open()[name].delete(id, outs);
	expect(rows(name)).toHaveLength(1);
});

test("a service without PATCH sells a number, and refuses to configure it", async () => {
	emulator.control.settings({ features: { patchNumber: false } });
	const resource = await create(open().number, aNumber());
	expect(resource.outs).not.toHaveProperty("open");
	expect(resource.outs.lease).toMatch(/./);
	expect((await failureOf(updated(open(), resource, aNumber({ label: "x" })))).kind).toBe("NotOffered");
	expect(live()).toMatchObject([{ id: resource.id, label: null }]);
});
