/** A destroy that fails halfway, at a service without single reads. */
import { expect, test } from "vitest";
import { useAccount } from "../../../helpers/account";
import { aNumber, aPool, create, failureOf } from "../../../helpers/provider";
import { refreshed } from "../../../helpers/runs";

const { emulator, open, live, off } = useAccount();

test("continues until the account has none of the pool's numbers", async () => {
	const { id, outs } = await create(open().numberPool, aPool({ count: 30 }));
	off("getById");
	const nth = [14, 15, 16, 17, 18, 19, 20, 21, 22, 23];
	emulator.control.faults.set({ operation: "releaseNumber", nth, status: 409, error: "number_in_use" });
	await failureOf(open().numberPool.delete(id, outs));
	const remaining = live().length;
	expect(remaining).toBeGreaterThan(0);
	expect(remaining).toBeLessThan(30);
	emulator.control.faults.clear();
	await open().numberPool.delete(id, outs);
	expect(live()).toEqual([]);
});

test("believes that a number was released if the account lists it so", async () => {
	const { id, outs } = await create(open().number, aNumber());
	off("getById");
	emulator.remove("number", id);
	expect((await refreshed(open(), { id, outs }, aNumber())).id).toBe("");
});
