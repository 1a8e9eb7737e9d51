/** A carrier without keys that gives each number a reference of its own, and whose responses may be lost or name no number. */
import { describe, expect, test } from "vitest";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { losing, useCarrier } from "../../helpers/scripted-carrier";

const carrier = useCarrier("-idempotencyKey reference", ({ sell }) => ({
	sell: (serial, body) => ({ ...sell(serial, body), reference: `CUST-${serial}` }),
}));
const { open } = carrier;
const messageOf = async () => (await failureOf(create(open().number, aNumber()))).message;

describe.each<[string, () => unknown]>([
	["gets no response", () => losing(carrier, "POST")],
	["names no number", () => Object.assign(carrier.make, { sold: () => ({ kyc_required: false }) })],
	["is a list", () => Object.assign(carrier.make, { sold: (row: object) => [row] })],
])("a purchase that %s", (_, alter) => {
	test("names its number, and isn't repeated", async () => {
		alter();
		expect(await messageOf()).toContain('`adopt: "n1"`');
		expect(await messageOf()).toContain('`adopt: "n1"`');
		expect(carrier.purchases).toEqual(["n1"]);
	});
});

test.each<[string, object]>([
	["has no time", { created_at: undefined }],
	["is still pending", { created_at: "2026-05-01T09:00:00Z", status: "pending" }],
	["has the declared label", { created_at: "2026-05-01T09:00:00Z", label: "Desk" }],
])("a lost purchase isn't repeated if its number %s", async (_, fields) => {
	carrier.rows.push({ ...carrier.make.sell(9, {}), country: "NL", type: "mobile", ...fields });
	const error = await failureOf(create(open().number, aNumber({ label: "Desk" })));
	expect(error.message).toContain('`adopt: "n9"`');
	expect(carrier.purchases).toEqual([]);
});

test("a number of yesterday is another program's", async () => {
	carrier.rows.push({ ...carrier.make.sell(9, {}), country: "NL", type: "mobile" });
	await carrier.clock.sleep(25 * 3_600_000);
	expect((await create(open().number, aNumber())).id).toBe("n1");
});
