/** Carriers that refuse a purchase although a number was sold. */
import { expect, test } from "vitest";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { useCarrier } from "../../helpers/scripted-carrier";

const carrier = useCarrier("-idempotencyKey reference");
const keyed = "idempotencyKey reference";
const open = (features: string) => carrier.open({ config: { "telephony:features": features } });
const refusal = (error: string) => ({ error, message: "No.", request_id: "r" });

test.each<[string, number, string]>([
	["-idempotencyKey reference", 200, "queued"],
	["-idempotencyKey reference", 409, "duplicate_order"],
	["-idempotencyKey reference", 400, "bad_request"],
	[keyed, 422, "duplicate_key"],
	[keyed, 409, "idempotency_key_reused"],
])("at a service with %s, the refusal %s %s names the number", async (features, status, code) => {
	carrier.make.intercept = (received, respond) => {
		if (received.method !== "POST") return respond();
		if (carrier.purchases.length === 0) respond();
		return [status, refusal(code)];
	};
	for (let run = 0; run < 2; run++)
		expect((await failureOf(create(open(features).number, aNumber()))).message).toContain('`adopt: "n1"`');
	expect(carrier.purchases).toEqual(["n1"]);
});

test("a refusal names no number of another kind", async () => {
	carrier.rows.push({ ...carrier.make.sell(9, {}), country: "NL", type: "national" });
	carrier.make.intercept = (received, respond) =>
		received.method === "POST" ? [409, refusal("no_inventory")] : respond();
	expect((await failureOf(create(open(keyed).number, aNumber()))).message).not.toContain("adopt");
});
