/** A number that another buyer takes between the inventory and the purchase. */
import { expect, test } from "vitest";
import { useEmulator } from "../../../helpers/emulator";
import { aNumber, create, failureOf, openProvider } from "../../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
const ledger = () => emulator.control.ledger().map(({ kind }) => kind);
const purchases = () => emulator.control.requests().filter(({ method }) => method === "POST");

test.each([1, 3])("asks again after another buyer was faster %i times", async (stealOnBuy) => {
	emulator.control.settings({ stealOnBuy });
	await create(openProvider(emulator).number, aNumber());
	expect(ledger()).toEqual(["purchase"]);
	expect(purchases()).toHaveLength(stealOnBuy + 1);
});

test("fails after another buyer was faster 4 times, and buys in the next run", async () => {
	emulator.control.settings({ stealOnBuy: 4 });
	const error = await failureOf(create(openProvider(emulator).number, aNumber()));
	expect(error).toMatchObject({ messageCode: "no-inventory" });
	expect(purchases()).toHaveLength(4);
	expect(ledger()).toEqual([]);
	await create(openProvider(emulator).number, aNumber());
	expect(ledger()).toEqual(["purchase"]);
});

test("asks once where nothing is left to sell", async () => {
	emulator.control.settings({ inventoryLeft: 0 });
	expect((await failureOf(create(openProvider(emulator).number, aNumber()))).errorCode).toBe("no_inventory");
	expect(purchases()).toHaveLength(1);
});
