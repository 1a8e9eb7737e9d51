/** A trunk goes once no number uses it: what is waited for, and what is said where the service refuses. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useEmulator } from "../../helpers/emulator";
import { aNumber, aTrunk, checked, create, failureOf, openProvider, openWith } from "../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
const open = () => openProvider(emulator);
const trunks = () => emulator.rows("sipTrunk");

/** A trunk, and a number that points to it. */
const both = async () => {
	const trunk = await create(open().sipTrunk, aTrunk());
	return { trunk, user: await create(open().number, aNumber({ routing: { type: "trunk", trunkId: trunk.id } })) };
};
/** A delete that is refused: why, and how long it waited. */
const refused = async ({ id, outs }: { id: string; outs: Values }) => {
	const run = open();
	const { message } = await failureOf(run.sipTrunk.delete(id, outs));
	return { message, slept: run.clock.slept.filter((ms) => ms >= 1000) };
};

test("a trunk that was replaced by another one goes, at a service that can't show which is whose", async () => {
	emulator.control.settings({ features: { reference: false } });
	const old = await create(open().sipTrunk, aTrunk({ capacity: 1 }));
	const run = open();
	const made = await create(run.sipTrunk, aTrunk({ capacity: 2 }));
	expect(made.id).not.toBe(old.id);
	await run.sipTrunk.delete(old.id, old.outs);
	expect(trunks()).toMatchObject([{ id: made.id }]);
});

test("a trunk is deleted as soon as its numbers point elsewhere", async () => {
	const { trunk, user } = await both();
	const run = openWith(emulator, [5, () => emulator.control.patchNumber(user.id, { routing: null })]);
	await run.sipTrunk.delete(trunk.id, trunk.outs);
	expect(trunks()).toEqual([]);
});

test("a trunk waits half a minute at most for a run that goes on writing numbers, and is gone once they have left it", async () => {
	const { trunk, user } = await both();
	const other = await create(open().number, aNumber({}, "other"));
	const writing = async (run: ReturnType<typeof open>, seconds: number, { id, outs }: typeof user, args: Values) => {
		const news = await checked(run.number, aNumber(args, id === user.id ? "main" : "other"));
		run.clock.after(seconds, () => void run.number.update(id, outs, news));
	};
	const busy = open();
	for (let second = 0.5; second < 60; second += 1) await writing(busy, second, other, { label: `at ${second}` });
	expect((await failureOf(busy.sipTrunk.delete(trunk.id, trunk.outs))).message).toContain("trunk_in_use");
	expect(busy.clock.slept.filter((ms) => ms >= 1000).reduce((sum, ms) => sum + ms, 0)).toBe(30_000);
	const run = open();
	await writing(run, 4, other, { label: "elsewhere" });
	await writing(run, 8, user, {});
	await run.sipTrunk.delete(trunk.id, trunk.outs);
	expect(trunks()).toEqual([]);
});

describe("a trunk that the service doesn't delete", () => {
	const failing = async (error: string, status = 409) => {
		emulator.control.faults.set({ operation: "deleteTrunk", every: true, kind: "status", status, error });
		return create(open().sipTrunk, aTrunk());
	};

	test("as numbers use it names these, after some seconds", async () => {
		const { trunk, user } = await both();
		const routing = { type: "agent", agentId: "a", failover: { type: "trunk", trunkId: trunk.id } };
		const second = await create(open().number, aNumber({ routing }, "second"));
		await create(open().number, aNumber({}, "elsewhere"));
		const { message, slept } = await refused(trunk);
		const named = [user, second].map(({ id, outs }) => `${outs.phoneNumber} (${id})`).join(", ");
		expect(message).toMatch(
			/trunk_in_use.*First point the numbers that use this trunk elsewhere\. These numbers use it: /,
		);
		expect(message.split(" These numbers use it: ")[1]).toBe(`${named}. [telephony:in-use]`);
		expect(slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(6_000);
	});

	test("for another reason is not waited for", async () => {
		const { message, slept } = await refused(await failing("forbidden", 403));
		expect(message).toContain("forbidden");
		expect(slept).toEqual([]);
	});

	test.each([true, false])("though none is seen to use it names none; numbers can be listed: %s", async (canList) => {
		const trunk = await failing("trunk_in_use");
		if (!canList) emulator.control.faults.set({ operation: "listNumbers", every: true, status: 403 });
		const { message, slept } = await refused(trunk);
		expect(message).toContain("trunk_in_use");
		expect(message).not.toContain("These numbers use it");
		if (canList) expect(slept).toHaveLength(3);
	});
});
