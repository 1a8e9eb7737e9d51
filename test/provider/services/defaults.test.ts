/** A carrier that gives each new number a label and a routing, which its description names. */
import { describe, expect, test } from "vitest";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { refreshed, upAgain } from "../../helpers/runs";
import { losing, useCarrier } from "../../helpers/scripted-carrier";

const demo = { type: "webhook", url: "https://demo.example.com/voice" };
const label = "New number";
const carrier = useCarrier("-idempotencyKey", (defaults) => ({
	sell: (...sale) => {
		const { reference: _, ...row } = defaults.sell(...sale);
		return { ...row, label, routing: demo };
	},
	change: (row, body) => void Object.assign(row, body, body.routing === null ? { routing: {} } : {}),
}));
const described = { records: { number: { label: { empty: label }, routing: { empty: { routing: demo } } } } };
const open = (service: object = described) =>
	carrier.open({ config: { "telephony:service": JSON.stringify(service) } });

describe("with a description of the defaults", () => {
	test("a lost purchase is found again", async () => {
		losing(carrier, "POST");
		for (let run = 0; run < 2; run++)
			expect((await failureOf(create(open().number, aNumber()))).message).toContain('`adopt: "n1"`');
		expect(carrier.purchases).toEqual(["n1"]);
	});

	test("a response without an id leads to the number", async () => {
		carrier.make.sold = () => ({ kyc_required: false });
		expect((await create(open().number, aNumber())).id).toBe("n1");
	});

	test("a declared routing is set, cleared and no drift", async () => {
		const routed = aNumber({ label: "Support", routing: { type: "forward", to: "+31201234567" } });
		const made = await create(open().number, routed);
		expect(carrier.rows[0]).toMatchObject({ label: "Support", routing: { type: "forward" } });
		expect(await refreshed(open(), made, routed)).toMatchObject({ changes: false });
		const cleared = await upAgain(open(), made, aNumber(), routed);
		expect(carrier.rows[0]).toMatchObject({ label, routing: demo });
		expect(await refreshed(open(), cleared, aNumber())).toMatchObject({ changes: false });
	});
});

test("without a description, an error names the new number", async () => {
	carrier.make.sold = () => ({ kyc_required: false });
	expect((await failureOf(create(open({}).number, aNumber()))).message).toContain('`adopt: "n1"`');
	losing(carrier, "POST");
	expect((await failureOf(create(open({}).number, aNumber()))).message).toContain('`adopt: "n2"`');
});
