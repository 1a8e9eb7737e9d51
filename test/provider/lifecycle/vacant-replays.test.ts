/** The object that a declaration's idempotency key made, without its reference. */
import { expect, test } from "vitest";
import { useAccount } from "../../helpers/account";
import { freeKinds } from "../../helpers/kinds";
import { create } from "../../helpers/provider";

const { clock, emulator, open } = useAccount({ kyc: "manual" });

test.each(freeKinds)("a $noun that lost its reference is made once", async ({ name, declare }) => {
	const { id } = await create(open()[name], declare());
	emulator.edit(name, id, { reference: null });
	await clock.sleep(120_000);
	expect((await create(open()[name], declare())).id).toBe(id);
	expect(emulator.rows(name)).toHaveLength(1);
});
