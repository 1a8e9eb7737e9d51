import { describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useEmulator } from "../../helpers/emulator";
import {
	aNumber,
	aTrunk,
	aWebhook,
	checked,
	create,
	failureOf,
	initErrorOf,
	openProvider,
} from "../../helpers/provider";

const emulator = useEmulator();
const { live } = emulator;
const open = (options = {}) => openProvider(emulator, options);
const elsewhere = { place: "https://elsewhere.example" };
const ledger = (kind: string) => emulator.control.ledger().filter((row) => row.kind === kind);

/** A number that was bought and configured, but whose run was killed before it could say so. */
const lostNumber = async (args: Values = {}, options = {}) => (await create(open(options).number, aNumber(args))).id;

describe("a number is bought once", () => {
	test("by a second create for the same declaration, which takes it over with a warning", async () => {
		const id = await lostNumber({ label: "a" });
		const second = open();
		const made = await create(second.number, aNumber({ label: "a" }));
		expect([made.id, ledger("purchase").length, live()[0]?.label]).toEqual([id, 1, "a"]);
		expect(second.warnings).toEqual([expect.stringMatching(/^Took over \+316.*nothing was bought/)]);
		expect(live()[0]?.reference).toContain(made.outs.lease);
	});

	const edited = { label: "a", routing: { type: "forward", to: "+31201234567" }, metadata: { team: "a" } };

	test.each([
		["a label", { label: "a" }],
		["a routing", { routing: { type: "forward", to: "+31201234567" } }],
		["an address for SMS", { smsWebhookUrl: "https://hooks.example.com/sms" }],
		["metadata", { metadata: { team: "a" } }],
	])("and is not taken over by a program that declares it otherwise, where it has %s", async (_, args: Values) => {
		const id = await lostNumber(args);
		const error = await failureOf(create(open().number, aNumber({ label: "b" })));
		expect(error).toMatchObject({ kind: "Claimed", messageCode: "rename" });
		expect(error.message).toContain(`\`adopt: "${id}"\``);
		expect([ledger("purchase").length, live()[0]]).toMatchObject([1, { id, label: args.label ?? null }]);
		// What it says is done, as the program that bought it would have done.
		expect((await create(open().number, aNumber({ label: "b", adopt: id }))).id).toBe(id);
		expect(live()[0]?.label).toBe("b");
	});

	test("and is taken over by such a program where it has nothing of its own, or less", async () => {
		const id = await lostNumber();
		expect((await create(open().number, aNumber({ label: "b" }))).id).toBe(id);
		expect([live()[0]?.label, ledger("purchase").length]).toEqual(["b", 1]);
	});

	test("and has what this run declares, not what the earlier one did, where this run has seen what that one made", async () => {
		const earlier = open();
		const trunk = await create(earlier.sipTrunk, aTrunk({}, "beside"));
		await create(earlier.number, aNumber(edited));
		const run = open();
		await run.sipTrunk.diff(trunk.id, trunk.outs, await checked(run.sipTrunk, aTrunk({}, "beside")));
		const made = await create(run.number, aNumber({ metadata: { team: "b" } }));
		expect(live()).toMatchObject([{ id: made.id, label: null, routing: null, metadata: { team: "b" } }]);
		expect(made.outs).not.toHaveProperty("label");
	});

	test("and so has a trunk or a webhook, which costs nothing", async () => {
		await create(open().sipTrunk, aTrunk({ cps: 5, label: "a" }));
		await create(open().sipTrunk, aTrunk({ label: "b" }));
		expect(emulator.control.state().trunks).toMatchObject([{ cps: null, label: "b" }]);
		await create(open().webhook, aWebhook({ description: "a" }));
		await create(open().webhook, aWebhook());
		expect(emulator.control.state().webhooks).toMatchObject([{ description: null }]);
	});

	test("though the list was read before the first create was done", async () => {
		const second = open();
		await (await second.session.service()).numbers.all();
		const id = await lostNumber();
		expect((await create(second.number, aNumber())).id).toBe(id);
		expect(ledger("purchase")).toHaveLength(1);
	});

	test("even if the run was killed right after the purchase, before it claimed the number", async () => {
		const id = await lostNumber();
		emulator.control.patchNumber(id, { reference: null });
		expect((await create(open().number, aNumber())).id).toBe(id);
		expect(ledger("purchase")).toHaveLength(1);
	});

	test("for each declaration: other names, stacks and generations have their own", async () => {
		await lostNumber();
		await create(open().number, aNumber({}, "other"));
		await create(open().number, aNumber({ generation: 1 }));
		const next = open();
		await create(next.number, aNumber({ type: "toll_free" }));
		expect(ledger("purchase")).toHaveLength(4);
		expect(next.warnings).toEqual([expect.stringContaining("This resource also has")]);
	});

	test("by many at once, each their own, under one list scan", async () => {
		const run = open();
		const made = await Promise.all(Array.from({ length: 12 }, (_, n) => create(run.number, aNumber({}, `n${n}`))));
		expect(new Set(made.map(({ id }) => id)).size).toBe(12);
		expect(ledger("purchase")).toHaveLength(12);
		expect(emulator.control.requests()).toHaveLength(1 + 12 * 2);
	});

	test("and anew after it was released", async () => {
		const { id, outs } = await create(open().number, aNumber());
		await open().number.delete(id, outs);
		const made = await create(open().number, aNumber());
		expect(made.id).not.toBe(id);
		const keys = ledger("purchase").map(({ key }) => key);
		expect(new Set(keys).size).toBe(2);
		expect(live()).toHaveLength(1);
	});

	test("not at all when it belongs to the same stack kept elsewhere", async () => {
		await lostNumber({}, elsewhere);
		const error = await failureOf(create(open().number, aNumber()));
		expect(error.kind).toBe("Claimed");
		expect(error.message).toMatch(/\+316.*telephony:owner/);
		expect(ledger("purchase")).toHaveLength(1);
	});

	test("by one owner, wherever the state is kept", async () => {
		const config = { "telephony:owner": "me" };
		const id = await lostNumber({}, { ...elsewhere, config });
		expect((await create(open({ config }).number, aNumber())).id).toBe(id);
	});

	test("not at all by a program that the service can't serve", async () => {
		emulator.control.settings({ features: { patchNumber: false } });
		const error = await failureOf(create(open().number, aNumber({ label: "a" })));
		expect([error.kind, error.message]).toEqual(["NotOffered", expect.stringContaining("so label can't be set")]);
		expect(ledger("purchase")).toEqual([]);
	});
});

test.each([
	["references", { reference: false }, { label: "a" }],
	[
		"single reads, PATCH and references",
		{ getById: false, patchNumber: false, reference: false, idempotencyKey: false },
		{},
	],
])("a service without %s leaves nothing to do after up", async (_, features, args) => {
	emulator.control.settings({ features });
	const { id, outs } = await create(open().number, aNumber(args));
	const inputs = await checked(open().number, aNumber(args));
	const later = open();
	const read = await later.number.read(id, outs);
	expect((await later.number.diff(id, read.props ?? {}, inputs)).changes).toBe(false);
	expect(later.warnings).toEqual([]);
});

test("an operation that the service lacks is named by its feature", async () => {
	const { id, outs } = await create(open().number, aNumber());
	emulator.control.settings({ features: { release: false, trunks: false } });
	const error = await failureOf(open().number.delete(id, outs));
	expect([error.kind, error.message]).toEqual([
		"NotOffered",
		expect.stringContaining("does not offer the feature release"),
	]);
	expect((await failureOf(create(open().sipTrunk, aTrunk()))).message).toContain("does not offer the feature trunks");
});

describe("a number that was bought but not configured", () => {
	test("is saved with its id, the reason and all that the engine needs", async () => {
		const inputs = await checked(open().number, aNumber({ routing: { type: "trunk", trunkId: "trk_none" } }));
		const error = await initErrorOf(open().number.create(inputs));
		const [row] = live();
		expect(error.id).toBe(row?.id);
		expect(error.reasons).toEqual([
			expect.stringMatching(/is bought and saved, but not configured: .*invalid_reference/),
		]);
		expect(error.properties).toMatchObject({ __provider: inputs.__provider, resourceUrn: inputs.resourceUrn });
		expect(JSON.parse(JSON.stringify(error.properties))).toStrictEqual(error.properties);
		expect(error.stack).toBe(error.message);
		// The next up goes on where this one stopped.
		expect((await open().number.diff(error.id, error.properties, inputs)).changes).toBe(true);
		const fixed = await checked(open().number, aNumber({ label: "x" }));
		const { outs } = await open().number.update(error.id, error.properties, fixed);
		expect((await open().number.diff(error.id, outs, fixed)).changes).toBe(false);
		expect([ledger("purchase").length, live()[0]?.label]).toEqual([1, "x"]);
	});
});

describe("delete", () => {
	const both = async (before: Values = {}) => {
		const { id, outs } = await create(open().number, aNumber(before));
		return { id, outs };
	};

	test("keeps the old number of a replacement that the program still declares, and create takes it over", async () => {
		const { id, outs } = await both();
		const run = open();
		const made = await create(run.number, aNumber());
		await run.number.delete(id, outs);
		expect([made.id, live().length, ledger("release").length]).toEqual([id, 1, 0]);
		expect(run.warnings.join()).toContain("this program still declares it");
	});

	test("releases the old number of another generation", async () => {
		const { id, outs } = await both();
		const run = open();
		await create(run.number, aNumber({ generation: 1 }));
		await run.number.delete(id, outs);
		expect(ledger("release").map(({ number_id }) => number_id)).toEqual([id]);
	});

	test("releases nothing that another attempt has taken over since, and fails", async () => {
		const { id, outs } = await both();
		await create(open().number, aNumber());
		const error = await failureOf(open().number.delete(id, outs));
		expect([error.kind, error.message]).toEqual(["Claimed", expect.stringMatching(/^Kept number \+316.*pulumi up/)]);
		expect(live()).toHaveLength(1);
		const mended = await open().number.update(id, outs, await checked(open().number, aNumber()));
		await open().number.delete(id, mended.outs);
		expect(live()).toEqual([]);
	});

	test("keeps what is to be retained, unclaimed, and refuses what is protected", async () => {
		const kept = await both({ onDelete: "retain" });
		await open().number.delete(kept.id, kept.outs);
		expect(live()[0]).toMatchObject({ status: "active", reference: null });
		emulator.control.reset();
		const fast = await both({ releaseProtection: true });
		const error = await failureOf(open().number.delete(fast.id, fast.outs));
		expect(error.message).toContain("releaseProtection: false");
		expect(live()).toHaveLength(1);
	});

	test.each(["sipTrunk", "webhook"] as const)("keeps a %s that is still declared or was taken over", async (name) => {
		const declared = name === "sipTrunk" ? aTrunk() : aWebhook();
		const { id, outs } = await create(open()[name], declared);
		const replacing = open();
		expect((await create(replacing[name], declared)).id).toBe(id);
		await replacing[name].delete(id, outs);
		expect((await failureOf(open()[name].delete(id, outs))).kind).toBe("Claimed");
		expect(await open()[name].read(id, outs)).not.toEqual({});
	});
});

describe("an entry whose number somebody else has claimed", () => {
	test("is left alone by read, update and delete", async () => {
		const { id, outs } = await create(open().number, aNumber());
		const before = live()[0]?.reference;
		const other = open(elsewhere);
		const read = await other.number.read(id, { ...outs, lease: "an older one" });
		expect(read.props?.lease).toBe("an older one");
		expect(other.warnings).toEqual([expect.stringContaining("claimed by the stack shop/dev in another state")]);
		expect((await failureOf(other.number.update(id, { ...outs, lease: "old" }, aNumber({ label: "x" })))).kind).toBe(
			"Claimed",
		);
		await other.number.delete(id, { ...outs, lease: "old" });
		expect([live().length, live()[0]?.reference, live()[0]?.label]).toEqual([1, before, null]);
	});

	test("is taken back by update when it was another attempt of ours", async () => {
		const { id, outs } = await create(open().number, aNumber());
		const inputs = await checked(open().number, aNumber());
		await create(open().number, aNumber());
		const read = await open().number.read(id, outs);
		expect(read.props).toMatchObject({ lease: outs.lease, claim: "superseded" });
		expect((await open().number.diff(id, read.props ?? {}, inputs)).changes).toBe(true);
		const { outs: mended } = await open().number.update(id, read.props ?? {}, inputs);
		expect(live()[0]?.reference).toContain(mended.lease);
	});
});

describe.each([
	["number", (name: string, args: Values = {}) => aNumber(args, name), { routing: { type: "trunk", trunkId: "none" } }],
	["sipTrunk", (name: string, args: Values = {}) => aTrunk(args, name), { capacity: 500 }],
	["webhook", (name: string, args: Values = {}) => aWebhook(args, name), { description: "x" }],
] as const)("a %s that was renamed", (name, declare, failing) => {
	const reference = () => {
		const { numbers, trunks, webhooks } = emulator.control.state();
		return { number: numbers, sipTrunk: trunks, webhook: webhooks }[name][0]?.reference;
	};

	test("is claimed under its new name, also if the first try fails", async () => {
		const { id, outs } = await create(open()[name], declare("old"));
		emulator.control.settings({ capacityMax: 100 });
		const wanted = await checked(open()[name], declare("new", failing));
		expect((await open()[name].diff(id, outs, wanted)).changes).toBe(true);
		// A webhook refuses nothing: its service is away instead.
		const run = name === "webhook" ? withFailingPatch() : open();
		const error = await initErrorOf(run[name].update(id, outs, wanted));
		expect(reference()).toContain(outs.token);
		const fine = await checked(open()[name], declare("new"));
		expect((await open()[name].diff(id, error.properties, fine)).changes).toBe(true);
		const { outs: renamed } = await open()[name].update(id, error.properties, fine);
		expect(renamed.token).not.toBe(outs.token);
		expect(reference()).toContain(renamed.token);
		expect(reference()).toContain(renamed.lease);
	});

	test("is not taken over by a new one of its old name", async () => {
		const { id, outs } = await create(open()[name], declare("old"));
		await open()[name].update(id, outs, await checked(open()[name], declare("new")));
		expect((await create(open()[name], declare("old"))).id).not.toBe(id);
	});
});

/** A run whose PATCH requests fail. */
function withFailingPatch() {
	const run = open();
	void run.session.service().then(({ client }) => {
		client.webhooks.patch = () => Promise.reject(new Error("away"));
	});
	return run;
}
