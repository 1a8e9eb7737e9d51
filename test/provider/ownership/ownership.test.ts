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
import { refreshed } from "../../helpers/runs";

const emulator = useEmulator();
const { live, purchases, released } = emulator;
const open = (options = {}) => openProvider(emulator, options);
const elsewhere = { place: "https://elsewhere.example" };

/** A number that was bought and configured, but whose run was killed before it could say so. */
const lostNumber = async (args: Values = {}, options = {}) => (await create(open(options).number, aNumber(args))).id;

describe("a number is bought once", () => {
	test("by a second create for the same declaration, which takes it over with a warning", async () => {
		const id = await lostNumber({ label: "a" });
		const second = open();
		const made = await create(second.number, aNumber({ label: "a" }));
		expect({ id: made.id, purchases: purchases().length, label: live()[0]?.label }).toEqual({
			id,
			purchases: 1,
			label: "a",
		});
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
		expect({ purchases: purchases().length, live: live()[0] }).toMatchObject({
			purchases: 1,
			live: { id, label: args.label ?? null },
		});
		// What it says is done, as the program that bought it would have done.
		expect((await create(open().number, aNumber({ label: "b", adopt: id }))).id).toBe(id);
		expect(live()[0]?.label).toBe("b");
	});

	test("a lost number that has nothing of its own, or less, is taken over by a program that declares it otherwise", async () => {
		const id = await lostNumber();
		expect((await create(open().number, aNumber({ label: "b" }))).id).toBe(id);
		expect({ label: live()[0]?.label, purchases: purchases().length }).toEqual({ label: "b", purchases: 1 });
	});

	test("a number taken over has what this run declares, not what the earlier one did, where this run has seen what that one made", async () => {
		const earlier = open();
		const trunk = await create(earlier.sipTrunk, aTrunk({}, "beside"));
		await create(earlier.number, aNumber(edited));
		const run = open();
		await run.sipTrunk.diff(trunk.id, trunk.outs, await checked(run.sipTrunk, aTrunk({}, "beside")));
		const made = await create(run.number, aNumber({ metadata: { team: "b" } }));
		expect(live()).toMatchObject([{ id: made.id, label: null, routing: null, metadata: { team: "b" } }]);
		expect(made.outs).not.toHaveProperty("label");
	});

	test("a number is taken over though the list was read before the first create was done", async () => {
		const second = open();
		await (await second.session.service()).numbers.all();
		const id = await lostNumber();
		expect((await create(second.number, aNumber())).id).toBe(id);
		expect(purchases()).toHaveLength(1);
	});

	test("a number is taken over though its run was killed before it claimed it", async () => {
		const id = await lostNumber();
		emulator.control.patchNumber(id, { reference: null });
		expect((await create(open().number, aNumber())).id).toBe(id);
		expect(purchases()).toHaveLength(1);
	});

	test("for each declaration: other names, stacks and generations have their own", async () => {
		await lostNumber();
		await create(open().number, aNumber({}, "other"));
		await create(open().number, aNumber({ generation: 1 }));
		const next = open();
		await create(next.number, aNumber({ type: "toll_free" }));
		expect(purchases()).toHaveLength(4);
		expect(next.warnings).toEqual([expect.stringContaining("This resource also has")]);
	});

	test("by many at once, each their own, under one list scan", async () => {
		const run = open();
		const made = await Promise.all(Array.from({ length: 12 }, (_, n) => create(run.number, aNumber({}, `n${n}`))));
		expect(new Set(made.map(({ id }) => id)).size).toBe(12);
		expect(purchases()).toHaveLength(12);
		expect(emulator.control.requests()).toHaveLength(1 + 12 * 2);
	});

	test("a number is bought again after it was released", async () => {
		const { id, outs } = await create(open().number, aNumber());
		await open().number.delete(id, outs);
		expect((await create(open().number, aNumber())).id).not.toBe(id);
		const keys = purchases().map(({ key }) => key);
		expect(new Set(keys).size).toBe(2);
		expect(live()).toHaveLength(1);
	});

	test("nothing is bought where the number belongs to the same stack kept elsewhere", async () => {
		await lostNumber({}, elsewhere);
		const error = await failureOf(create(open().number, aNumber()));
		expect(error.kind).toBe("Claimed");
		expect(error.message).toMatch(/\+316.*telephony:owner/);
		expect(purchases()).toHaveLength(1);
	});

	test("by one owner, wherever the state is kept", async () => {
		const config = { "telephony:owner": "me" };
		const id = await lostNumber({}, { ...elsewhere, config });
		expect((await create(open({ config }).number, aNumber())).id).toBe(id);
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
	const made = await create(open().number, aNumber(args));
	const later = open();
	expect(await refreshed(later, made, aNumber(args))).toMatchObject({ changes: false });
	expect(later.warnings).toEqual([]);
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
		expect({ purchases: purchases().length, label: live()[0]?.label }).toEqual({ purchases: 1, label: "x" });
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
		expect({ id: made.id, live: live().length, releases: released().length }).toEqual({
			id,
			live: 1,
			releases: 0,
		});
		expect(run.warnings.join()).toContain("this program still declares it");
	});

	test("releases the old number of another generation", async () => {
		const { id, outs } = await both();
		const run = open();
		await create(run.number, aNumber({ generation: 1 }));
		await run.number.delete(id, outs);
		expect(released()).toEqual([id]);
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
});

describe.each([
	["number", (name: string, args: Values = {}) => aNumber(args, name), { routing: { type: "trunk", trunkId: "none" } }],
	["sipTrunk", (name: string, args: Values = {}) => aTrunk(args, name), { capacity: 500 }],
	["webhook", (name: string, args: Values = {}) => aWebhook(args, name), { description: "x" }],
] as const)("a %s that was renamed", (name, declare, failing) => {
	const reference = () => emulator.rows(name)[0]?.reference;

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
});

/** A run whose PATCH requests fail. */
function withFailingPatch() {
	const run = open();
	void run.session.service().then(({ client }) => {
		client.webhooks.patch = () => Promise.reject(new Error("away"));
	});
	return run;
}
