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

test("a refusal names no number that another resource of the run is buying", async () => {
	const run = open("-idempotencyKey reference");
	await create(run.number, aNumber({}, "first"));
	let unread = 3;
	carrier.make.sold = (row) => ({ ...row, created_at: "2026-01-01T09:00:00Z" });
	carrier.make.show = (row, place) => (place === "single" && unread-- > 0 ? undefined : row);
	carrier.make.intercept = (received, respond) =>
		received.method === "POST" && carrier.purchases.length === 2 ? [409, refusal("duplicate_order")] : respond();
	const work = ["a", "b"].map((name) => create(run.number, aNumber({}, name)));
	const failures = (await Promise.allSettled(work)).filter((result) => result.status === "rejected");
	const messages = failures.map(({ reason }) => (reason as Error).message);
	expect(messages).toEqual([expect.stringContaining("duplicate_order")]);
	expect(messages[0]).not.toContain("n2");
});

test("a refusal names no number of another kind", async () => {
	carrier.rows.push({ ...carrier.make.sell(9, {}), country: "NL", type: "national" });
	carrier.make.intercept = (received, respond) =>
		received.method === "POST" ? [409, refusal("duplicate_order")] : respond();
	expect((await failureOf(create(open(keyed).number, aNumber()))).message).not.toContain("adopt");
});

test("a refusal with a known reason keeps its own advice", async () => {
	carrier.rows.push({ ...carrier.make.sell(9, {}), country: "NL", type: "mobile" });
	carrier.make.intercept = (received, respond) =>
		received.method === "POST" ? [409, refusal("no_inventory")] : respond();
	expect((await failureOf(create(open(keyed).number, aNumber()))).message).toContain("Try another area or type");
});
