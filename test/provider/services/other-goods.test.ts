/** A carrier that sells another number than it was asked for. */
import { expect, test } from "vitest";
import { aNumber, aPool, checked, create, failureOf, initErrorOf } from "../../helpers/provider";
import { refreshed } from "../../helpers/runs";
import { losing, useCarrier } from "../../helpers/scripted-carrier";

const carrier = useCarrier("-idempotencyKey reference", ({ sell }) => ({
	sell: (serial, body) => ({ ...body, ...sell(serial, body), type: "national" }),
}));
const { open } = carrier;

test.each([
	["reference", true],
	["-reference", true],
	["reference", false],
	["-reference", false],
])("the run fails, and saves the number: %s, with a time: %s", async (reference, isTimed) => {
	carrier.make.show = ({ created_at, ...row }) => (isTimed ? { ...row, created_at } : row);
	const openWith = () => carrier.open({ config: { "telephony:features": `-idempotencyKey ${reference}` } });
	const error = await initErrorOf(create(openWith().number, aNumber()));
	expect(error.message).toContain('its type is "national", not "mobile"');
	const saved = { id: error.id, outs: error.properties };
	const refreshedState = await refreshed(openWith(), saved, aNumber());
	expect(refreshedState).toMatchObject({ id: "n1", changes: false });
	await openWith().number.delete(saved.id, saved.outs);
	expect([carrier.rows, carrier.purchases]).toEqual([[], ["n1"]]);
});

test("the program can keep the number under its own type", async () => {
	const error = await initErrorOf(create(open().number, aNumber()));
	const kept = aNumber({ type: "national", adopt: error.id });
	const run = open();
	expect((await create(run.number, kept)).id).toBe(error.id);
	await run.number.delete(error.id, error.properties);
	expect(carrier.rows).toHaveLength(1);
});

test("a pool saves the number, and fails", async () => {
	const { numberPool } = open();
	const error = await initErrorOf(numberPool.create(await checked(numberPool, aPool({ count: 1 }))));
	expect(error.message).toContain("national");
	expect(error.properties.numbers).toMatchObject([{ id: "n1" }]);
});

test("a lost response names the number", async () => {
	losing(carrier, "POST");
	expect((await failureOf(create(open().number, aNumber()))).message).toContain('`adopt: "n1"`');
});
