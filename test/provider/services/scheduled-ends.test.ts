/** A carrier whose DELETE only schedules a number's end, which a field of the record shows. */
import { expect, test } from "vitest";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { useCarrier } from "../../helpers/scripted-carrier";

const carrier = useCarrier("-idempotencyKey reference", (defaults) => ({
	sell: (...sale) => {
		const { status: _, ...row } = defaults.sell(...sale);
		return { ...row, terminated: false };
	},
	end: (row) => void Object.assign(row, { terminated: true }),
}));
const service = { records: { number: { status: { at: "terminated", values: { releasing: true, active: false } } } } };
const open = () => carrier.open({ config: { "telephony:service": JSON.stringify(service) } });

test("a number that will end isn't resumed", async () => {
	const { id, outs } = await create(open().number, aNumber());
	await carrier.clock.sleep(3_600_000);
	await open().number.delete(id, outs);
	expect((await create(open().number, aNumber())).id).toBe("n2");
});

test("a number that will end can't be adopted", async () => {
	const { id, outs } = await create(open().number, aNumber());
	await open().number.delete(id, outs);
	expect((await failureOf(create(open().number, aNumber({ adopt: id })))).messageCode).toBe("adopt-refused");
});
