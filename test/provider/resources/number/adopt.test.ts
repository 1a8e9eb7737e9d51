/** Numbers that are on the account already, taken over instead of bought. */
import { describe, expect, test } from "vitest";
import type { TelephonyError } from "../../../../provider/api/errors";
import { unknownValue, type Values } from "../../../../provider/properties/table";
import { useEmulator } from "../../../helpers/emulator";
import { aNumber, checked, create, failureOf, openProvider } from "../../../helpers/provider";
import { refreshed } from "../../../helpers/runs";

const emulator = useEmulator({ kyc: "immediate" });
const { kinds, row } = emulator;
const open = (options = {}) => openProvider(emulator, options);

/** On the account already; bought by hand, say. */
const onAccount = async (args: Values = {}) => {
	const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile", area: "6", ...args });
	return { id: body.id, e164: String(body.number) };
};
const spaced = (e164: string) => `${e164.slice(0, 3)} ${e164.slice(3)}`;

describe("a number on the account", () => {
	test.each([
		["its id", (number: { id: string }) => number.id],
		["its E.164", (number: { e164: string }) => number.e164],
		["its E.164 as people write it", (number: { e164: string }) => spaced(number.e164)],
	])("is taken over by %s: configured, claimed, not bought", async (_, by) => {
		const number = await onAccount();
		const adopt = by(number as { id: string; e164: string });
		const made = await create(open().number, aNumber({ adopt, label: "desk", area: "6" }));
		expect({ id: made.id, kinds: kinds() }).toEqual({ id: number.id, kinds: ["purchase"] });
		expect(row(number.id)).toMatchObject({
			label: "desk",
			reference: expect.stringContaining(String(made.outs.lease)),
		});
		const news = aNumber({ adopt, label: "desk", area: "6" });
		expect(await refreshed(open(), made, news)).toMatchObject({ changes: false });
	});

	test("keeps what the program doesn't declare, and no area need be declared", async () => {
		const { id } = await onAccount();
		emulator.control.patchNumber(id, { label: "by hand", release_protection: true });
		await create(open().number, aNumber({ adopt: id }));
		expect(row(id)).toMatchObject({ label: "by hand", release_protection: true });
	});

	test("is kept by destroy, unclaimed, unless the program says otherwise", async () => {
		const [kept, gone] = [await onAccount(), await onAccount()];
		const one = await create(open().number, aNumber({ adopt: kept.id }));
		await open().number.delete(one.id, one.outs);
		expect(row(kept.id)).toMatchObject({ status: "active", reference: null });
		const other = await create(open().number, aNumber({ adopt: gone.id, onDelete: "release" }));
		await open().number.delete(other.id, other.outs);
		expect(row(gone.id)?.status).toBe("released");
	});

	test("that is gone is not bought again: refresh and up say that adopt names it", async () => {
		const { id } = await onAccount();
		const { outs } = await create(open().number, aNumber({ adopt: id }));
		emulator.control.deleteNumber(id);
		const run = open();
		expect((await run.number.read(id, outs)).id).toBeUndefined();
		expect(run.warnings).toEqual([expect.stringMatching(/`adopt`.*\[telephony:released-outside\]$/)]);
		expect((await failureOf(create(open().number, aNumber({ adopt: id })))).messageCode).toBe("adopt-refused");
		expect(kinds().filter((kind) => kind === "purchase")).toHaveLength(1);
	});

	test("is taken over again when the run that did so was killed", async () => {
		const { id } = await onAccount();
		await create(open().number, aNumber({ adopt: id }));
		expect((await create(open().number, aNumber({ adopt: id }))).id).toBe(id);
	});

	test("that an earlier run bought for another name of ours is ours to adopt", async () => {
		const { id } = await create(open().number, aNumber({}, "old"));
		const run = open();
		expect((await create(run.number, aNumber({ adopt: id }, "new"))).id).toBe(id);
		expect(run.warnings).toEqual([expect.stringMatching(/\[telephony:taken-over\]$/)]);
	});

	test("is adopted where the service has no references and no single reads, by id", async () => {
		emulator.control.settings({ features: { reference: false, getById: false, idempotencyKey: false } });
		const { id } = await onAccount();
		expect((await create(open().number, aNumber({ adopt: id }))).id).toBe(id);
	});
});

test.each([true, false])(
	"a number moves from one resource of the program to another, with references: %s",
	async (reference) => {
		emulator.control.settings({ features: { reference } });
		const { id, outs } = await create(open().number, aNumber({}, "old"));
		const run = open();
		await run.number.read(id, outs);
		expect((await create(run.number, aNumber({ adopt: id }, "new"))).id).toBe(id);
		await run.number.delete(id, outs);
		expect({ status: row(id)?.status, kinds: kinds() }).toEqual({ status: "active", kinds: ["purchase"] });
	},
);

describe("adopt is refused, and nothing bought,", () => {
	const refused = async (adopt: string, args: Values = {}, run = open()) => {
		const before = emulator.control.requests().length;
		const error = await failureOf(create(run.number, aNumber({ adopt, ...args })));
		const writes = emulator.control
			.requests()
			.slice(before)
			.filter(({ method }) => method !== "GET");
		expect(writes).toEqual([]);
		return error;
	};

	test.each(["num_none", "+31612345678", "../numbers"])("for %s, which isn't there", async (adopt) => {
		await onAccount();
		expect(await refused(adopt)).toMatchObject({ kind: "Invalid", message: expect.stringContaining(adopt) });
	});

	test("for a released number", async () => {
		const { id, e164 } = await onAccount();
		emulator.control.deleteNumber(id);
		for (const adopt of [id, e164]) expect((await refused(adopt)).message).toContain("has been released");
	});

	test("for one that has failed", async () => {
		emulator.control.kyc("manual");
		const { id } = await onAccount({ country: "DE", type: "geographic", area: "30" });
		emulator.control.decide(id, "expire");
		const declared = { country: "DE", type: "geographic", area: "30", waitForActive: false };
		expect(await refused(id, declared)).toMatchObject({ kind: "Invalid", message: expect.stringContaining("failed") });
	});

	test("for one of another resource of this program that nobody has looked at yet", async () => {
		const { id } = await create(open().number, aNumber({}, "first"));
		const run = open();
		await checked(run.number, aNumber({}, "first"));
		expect((await refused(id, {}, run)).messageCode).toBe("shared-object");
	});

	test("for one that is not what the program declares", async () => {
		const { id } = await onAccount();
		expect((await refused(id, { country: "GB" })).message).toContain('its country is "NL", not "GB"');
		expect((await refused(id, { type: "national", area: "20" })).message).toMatch(/its type is .*, its area is "6"/);
	});

	test("for one that this program declares elsewhere, whichever comes first", async () => {
		const run = open();
		const { id } = await create(run.number, aNumber({}, "first"));
		expect((await refused(id, {}, run)).messageCode).toBe("shared-object");
		const free = await onAccount();
		const both = open();
		const made = await Promise.allSettled(
			["a", "b"].map((name) => create(both.number, aNumber({ adopt: free.id }, name))),
		);
		expect(made.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
	});

	test.each([{}, { features: { reference: false } }])(
		"for one that the program has already, as soon as that one's turn comes: %j",
		async (settings) => {
			emulator.control.settings(settings);
			const { id, outs } = await create(open().number, aNumber({}, "first"));
			const run = open();
			const adopting = await create(run.number, aNumber({ adopt: id }, "late"));
			const inputs = await checked(run.number, aNumber({}, "first"));
			expect((await run.number.diff(id, outs, inputs)).changes).toBe(true);
			const error = await failureOf(run.number.update(id, outs, inputs));
			expect(error).toMatchObject({ kind: "Claimed", messageCode: "shared-object" });
			expect(row(id)?.reference ?? "").toContain(settings.features ? "" : String(adopting.outs.lease));
		},
	);

	test("for one that is being taken over by the resource that bought it, whichever comes first", async () => {
		for (const first of ["main", "other"]) {
			emulator.control.reset();
			// Bought by a run that was killed before it could claim it.
			const bought = await create(open().number, aNumber());
			emulator.control.patchNumber(bought.id, { reference: null });
			const run = open();
			const main = await checked(run.number, aNumber());
			const other = await checked(run.number, aNumber({ adopt: bought.id }, "other"));
			const [one, two] = first === "main" ? [main, other] : [other, main];
			const held = emulator.control.faults.set({ operation: "patchNumber", kind: "hold" });
			const early = run.number.create(one);
			await expect.poll(() => emulator.control.faults.list()[0]?.held).toBe(1);
			// Who names it refuses to share it; who only bought it once gets another one.
			const late = run.number.create(two).catch((error: TelephonyError) => error.kind);
			if (first === "main") expect(await late).toBe("Claimed");
			emulator.control.faults.release(held.id);
			expect((await early).id).toBe(bought.id);
			expect(await late).not.toMatchObject({ id: bought.id });
		}
	});
});

describe("the area of an adopted number", () => {
	const later = async (area: string, adopt = true) => {
		const { id } = await onAccount();
		const before = await checked(open().number, aNumber({ adopt: id }));
		const { outs } = await open().number.create(before);
		const news = aNumber({ area, ...(adopt ? { adopt: id } : {}) });
		const run = open();
		const inputs = await checked(run.number, news, before);
		expect(await run.number.diff(id, outs, inputs)).toMatchObject({ changes: true, replaces: [] });
		return { id, outs, inputs, run };
	};

	test.each([true, false])("may be declared later, and is no change; adopt still declared: %s", async (adopt) => {
		const { id, outs, inputs, run } = await later("6", adopt);
		expect(inputs).toMatchObject({ adopt: id, onDelete: "retain" });
		const updated = await run.number.update(id, outs, inputs);
		expect(row(id)?.reference).toContain(String(updated.outs.token));
		expect((await open().number.diff(id, updated.outs, inputs)).changes).toBe(false);
		expect(kinds()).toEqual(["purchase"]);
		// From then on it is as fixed as any.
		const { failures } = await open().number.check(inputs, aNumber({ area: "20", adopt: id }));
		expect(failures.map(({ reason }) => reason)).toEqual([expect.stringContaining('the change from "6" to "20"')]);
	});

	test("that isn't its own is refused: nothing is bought or changed", async () => {
		const { id, outs, inputs, run } = await later("20");
		const before = row(id);
		const error = await failureOf(run.number.update(id, outs, inputs));
		expect(error).toMatchObject({ kind: "Invalid", message: expect.stringContaining('its area is "6", not "20"') });
		expect({ row: row(id), kinds: kinds() }).toEqual({ row: before, kinds: ["purchase"] });
	});
});

test("`Number.get` finds a number by its E.164, as people write it, under its real id", async () => {
	await onAccount();
	const { id, e164 } = await onAccount();
	const read = await open().number.read(spaced(e164), {});
	expect({ id: read.id, number: read.props?.number, foundId: read.props?.foundId }).toEqual({
		id,
		number: e164,
		foundId: id,
	});
	const again = await open().number.read(String(id), read.props ?? {});
	expect(again.props).toEqual(read.props);
	expect((await open().number.read(String(id), {})).props).not.toHaveProperty("foundId");
	const error = await failureOf(open().number.read("+31612345678", {}));
	expect(error).toMatchObject({ kind: "NotFound", message: expect.stringContaining("+31612345678") });
});

describe("adopt is read by create only:", () => {
	const olds = async (args: Values) => checked(open().number, aNumber(args));
	const check = async (before: Values, args: Values) => open().number.check(before, aNumber(args));

	test("another value later is refused, and so is one for a number that was bought", async () => {
		const before = await olds({ adopt: "num_1" });
		expect((await check(before, { adopt: "num_2" })).failures).toMatchObject([
			{ reason: expect.stringMatching(/^adopt: /) },
		]);
		expect((await check(await olds({}), { adopt: "num_2" })).failures).toMatchObject([
			{ reason: expect.stringMatching(/^adopt: /) },
		]);
		expect((await check(before, { adopt: unknownValue })).failures).toEqual([]);
	});

	test("another spelling is none, and removing it changes nothing, for ever", async () => {
		const before = await olds({ adopt: "+31612345678" });
		const respelled = await checked(open().number, aNumber({ adopt: "+31 6 12345678" }), before);
		expect((await open().number.diff("num_1", { ...before, token: undefined }, respelled)).changes).toBe(false);
		const removed = await checked(open().number, aNumber(), before);
		expect(removed).toEqual(before);
		expect(removed.onDelete).toBe("retain");
		expect(await checked(open().number, aNumber(), removed)).toEqual(before);
	});

	test("asking for another number means to remove it", async () => {
		const before = await olds({ adopt: "num_1" });
		const change = { generation: 1 };
		expect((await check(before, { adopt: "num_1", ...change })).failures).toMatchObject([
			{ reason: expect.stringMatching(/^generation: /) },
		]);
		expect((await check(before, { adopt: "num_1", country: "GB" })).failures).toHaveLength(1);
		const renewed = await checked(open().number, aNumber(change), before);
		expect({ adopt: renewed.adopt, onDelete: renewed.onDelete }).toEqual({ adopt: undefined, onDelete: undefined });
	});
});
