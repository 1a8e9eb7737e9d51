/** A carrier whose purchase is an order: the response has the order's id, and the number arrives with another one. */
import { describe, expect, test } from "vitest";
import { aNumber, create } from "../../helpers/provider";
import { failedUp } from "../../helpers/runs";
import { losing, timeOf, useCarrier } from "../../helpers/scripted-carrier";

const carrier = useCarrier("idempotencyKey reference", () => ({ keys: "marked" }));
const { open } = carrier;
const outcomeOf = (work: Promise<{ readonly id: string }>) => work.then(({ id }) => id).catch(({ message }) => message);

describe.each<[string, object]>([
	["only an id", {}],
	["what was ordered", { country: "NL", type: "mobile", status: "received" }],
])("an order with %s", (_, fields) => {
	test("is sold once if its response is lost", async () => {
		carrier.make.sold = (_row, serial) => ({ id: `ord_${serial}`, ...fields });
		losing(carrier, "POST");
		expect(await outcomeOf(create(open().number, aNumber()))).toContain("n1");
		expect(carrier.purchases).toEqual(["n1"]);
	});

	test("is sold once if its number takes longer than the run", async () => {
		carrier.make.sold = (_row, serial) => ({ id: `ord_${serial}`, ...fields });
		const start = carrier.clock.now();
		carrier.make.show = (row) => (carrier.clock.now() < start + 600_000 ? undefined : row);
		await outcomeOf(create(open().number, aNumber()));
		await carrier.clock.sleep(600_000);
		expect(await outcomeOf(create(open().number, aNumber()))).toContain("n1");
		expect(carrier.purchases).toEqual(["n1"]);
	});

	test("is sold again once its number was released", async () => {
		carrier.make.sold = (_row, serial) => ({ id: `ord_${serial}`, ...fields });
		const first = await create(open().number, aNumber()).catch(() => failedUp(open(), aNumber()));
		await carrier.clock.sleep(3_600_000);
		carrier.rows.length = 0;
		await carrier.clock.sleep(3_600_000);
		expect(first.id).not.toBe("n2");
		expect(await outcomeOf(create(open().number, aNumber()))).toMatch(/n2|ord_2/);
		expect(carrier.purchases).toEqual(["n1", "n2"]);
	});
});

test("an order with its own time and criteria leads to its number", async () => {
	carrier.make.keys = "ignored";
	const created_at = timeOf(carrier.clock.now() + 1_000);
	carrier.make.sold = () => ({ id: "ord_1", country: "NL", type: "mobile", status: "received", created_at });
	const keyless = { config: { "telephony:features": "-idempotencyKey reference" } };
	const { id, outs } = await create(open(keyless).number, aNumber());
	expect(id).toBe("n1");
	await open(keyless).number.delete(id, outs);
	expect(carrier.rows).toEqual([]);
});

test("numbers that were released together are sold again together", async () => {
	carrier.make.sold = ({ id }) => ({ id });
	const names = [..."abcdefgh"];
	const createAll = async () => {
		const run = open();
		return Promise.all(names.map((name) => create(run.number, aNumber({}, name))));
	};
	const first = await createAll();
	await carrier.clock.sleep(3_600_000);
	const run = open();
	for (const { id, outs } of first) await run.number.delete(id, outs);
	await carrier.clock.sleep(3_600_000);
	const second = await createAll();
	expect(new Set(second.map(({ id }) => id)).size).toBe(names.length);
	expect(carrier.purchases).toHaveLength(2 * names.length);
});

test.each([
	["isn't the service's error object", 404, "<html></html>"],
	["shows no record", 200, {}],
	["fails", 503, ""],
] as const)("an order leads to its number if a single read %s", async (_, status, body) => {
	carrier.make.keys = "ignored";
	carrier.make.sold = (_row, serial) => ({ id: `ord_${serial}`, country: "NL", type: "mobile", status: "pending" });
	carrier.make.intercept = ({ method, path }, respond) =>
		method === "GET" && path !== "/numbers" && !path.includes("?") ? [status, body] : respond();
	const { id } = await create(
		open({ config: { "telephony:features": "-idempotencyKey reference" } }).number,
		aNumber(),
	);
	expect(id).toBe("n1");
});

test("an unreadable id is saved beside another new number in the list", async () => {
	carrier.make.sold = ({ id }) => {
		carrier.rows.push({ ...carrier.make.sell(9, {}), country: "NL", type: "mobile" });
		return { id, status: "pending" };
	};
	carrier.make.intercept = ({ method, path }, respond) =>
		method === "GET" && path.startsWith("/numbers/") ? [503, ""] : respond();
	const run = open({ config: { "telephony:features": "-idempotencyKey reference" } });
	expect((await create(run.number, aNumber())).id).toBe("n1");
});
