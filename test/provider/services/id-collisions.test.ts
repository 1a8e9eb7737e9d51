/** Carriers whose response to a purchase has the id of an earlier number: an order's, or a repeated one. */
import { expect, test } from "vitest";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { upAgain } from "../../helpers/runs";
import { timeOf, useCarrier } from "../../helpers/scripted-carrier";

const carrier = useCarrier("reference");
const keyed = "idempotencyKey reference";
const features = ["reference", "-idempotencyKey reference", "-idempotencyKey -reference"];
const open = (declared: string) => carrier.open({ config: { "telephony:features": declared } });
const posts = () => {
	const { intercept } = carrier.make;
	let count = 0;
	carrier.make.intercept = (received, respond) => {
		count += received.method === "POST" ? 1 : 0;
		return intercept(received, respond);
	};
	return () => count;
};

const ordered = { status: "ordered" };
test.each<[string, object]>([
	...features.map((declared): [string, object] => [declared, ordered]),
	[keyed, ordered],
	[keyed, { ...ordered, country: "NL", type: "mobile" }],
])("an order with the id of another resource's number is sold once: %s %j", async (declared, order) => {
	const run = open(declared);
	carrier.make.sold = (_, serial) => ({ ...order, id: `n${serial - 1}` });
	expect((await create(run.number, aNumber({}, "a"))).id).toBe("n1");
	expect((await create(run.number, aNumber({}, "b"))).id).toBe("n2");
	expect(carrier.purchases).toEqual(["n1", "n2"]);
});

test.each([...features.map((declared): [string, number] => [declared, 1]), [keyed, 4]])(
	"a repeated response with another resource's number ends the run: %s",
	async (declared, requests) => {
		const run = open(declared);
		await create(run.number, aNumber({}, "a"));
		const { intercept } = carrier.make;
		carrier.make.intercept = (received, respond) =>
			received.method === "POST" ? [201, carrier.rows[0]] : intercept(received, respond);
		const count = posts();
		expect((await failureOf(create(run.number, aNumber({}, "b")))).messageCode).toBe("purchase-unknown");
		expect([carrier.purchases, count()]).toEqual([["n1"], requests]);
	},
);

test.each(["marked", "unmarked"] as const)("a renamed resource's number is bought once: %s", async (keys) => {
	carrier.make.keys = keys;
	const first = await create(open(keyed).number, aNumber({}, "old"));
	const run = open(keyed);
	await upAgain(run, first, aNumber({}, "new"), aNumber({}, "old"));
	expect((await create(run.number, aNumber({}, "old"))).id).toBe("n2");
	expect(carrier.purchases).toEqual(["n1", "n2"]);
});

test.each(features)("a repeated response with a released number ends the run: %s", async (declared) => {
	const { id, outs } = await create(open(declared).number, aNumber());
	const released = { ...carrier.rows[0], created_at: timeOf(carrier.clock.now()) };
	await open(declared).number.delete(id, outs);
	await carrier.clock.sleep(3_600_000);
	const count = posts();
	carrier.make.sold = () => released;
	const run = create(open(declared).number, aNumber());
	expect((await run).id).toBe("n2");
	expect(count()).toBe(1);
});
