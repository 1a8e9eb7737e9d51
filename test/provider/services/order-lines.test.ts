/** A carrier whose purchase shows the number with the id of an order's line. The number has another id. */
import { expect, test } from "vitest";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { failedUp } from "../../helpers/runs";
import { type Row, useCarrier } from "../../helpers/scripted-carrier";

const carrier = useCarrier("reference");

test.each(["-idempotencyKey reference", "idempotencyKey reference"])(
	"a number that was never claimed stays in the state: %s",
	async (features) => {
		const open = () => carrier.open({ config: { "telephony:features": features } });
		carrier.make.keys = features.startsWith("-") ? "ignored" : "marked";
		await create(open().number, aNumber({}, "other"));
		carrier.make.sold = (row: Row, serial) => ({ ...row, id: `line_${serial}` });
		const saved = await failedUp(open(), aNumber());
		await carrier.clock.sleep(48 * 3_600_000);
		const error = await failureOf(open().number.read(saved.id, saved.outs));
		expect(error.message).toContain('`adopt: "n2"`');
		expect((await failureOf(open().number.delete(saved.id, saved.outs))).message).toContain("n2");
		const adopted = await create(open().number, aNumber({ adopt: "+31612345012" }));
		expect([adopted.id, carrier.purchases]).toEqual(["n2", ["n1", "n2"]]);
	},
);
