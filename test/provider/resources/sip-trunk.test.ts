/** Deletes a trunk once no number uses it. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useEmulator } from "../../helpers/emulator";
import { aNumber, aTrunk, create, failureOf, openProvider, openWith } from "../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
const open = () => openProvider(emulator);
const trunks = () => emulator.rows("sipTrunk");

/** A trunk, and a number that points to it. */
const both = async () => {
	const trunk = await create(open().sipTrunk, aTrunk());
	return { trunk, user: await create(open().number, aNumber({ routing: { type: "trunk", trunkId: trunk.id } })) };
};
/** The error of a delete, and how long that waited. */
const refused = async ({ id, outs }: { id: string; outs: Values }, run = open()) => {
	const { message } = await failureOf(run.sipTrunk.delete(id, outs));
	return { message, waited: run.clock.slept.filter((ms) => ms >= 1000).reduce((sum, ms) => sum + ms, 0) };
};

test("waits until its numbers point elsewhere", async () => {
	const { trunk, user } = await both();
	const run = openWith(emulator, [5, () => emulator.control.patchNumber(user.id, { routing: null })]);
	await run.sipTrunk.delete(trunk.id, trunk.outs);
	expect(trunks()).toEqual([]);
});

describe("a refused delete", () => {
	test("names the numbers that use the trunk, after some seconds", async () => {
		const { trunk, user } = await both();
		const failover = { type: "trunk", trunkId: trunk.id };
		const second = await create(
			open().number,
			aNumber({ routing: { type: "agent", agentId: "a", failover } }, "second"),
		);
		const elsewhere = await create(open().number, aNumber({}, "elsewhere"));
		const { message, waited } = await refused(trunk);
		for (const { id } of [user, second]) expect(message).toContain(id);
		expect(message).not.toContain(elsewhere.id);
		expect(message).toMatch(/trunk_in_use.*\[telephony:in-use\]$/);
		expect(waited).toBe(15_000);
	});

	test.each([
		["forbidden", 403, true, 0],
		["trunk_in_use", 409, true, 15_000],
		["trunk_in_use", 409, false, 15_000],
	])("names no number for %s, %i; numbers can be listed: %s", async (error, status, canList, most) => {
		emulator.control.faults.set({ operation: "deleteTrunk", every: true, kind: "status", status, error });
		const trunk = await create(open().sipTrunk, aTrunk());
		if (!canList) emulator.control.faults.set({ operation: "listNumbers", every: true, status: 403 });
		const { message, waited } = await refused(trunk);
		expect(message).toContain(error);
		expect(message).not.toContain("num_");
		expect(waited).toBeLessThanOrEqual(most);
	});
});
