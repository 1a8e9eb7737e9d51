/** `telephony service check --buy` buys twice at most, and releases or names each number that the service has sold. */
import { describe, expect, test } from "vitest";
import { losing, type Make, useCarrier } from "../../helpers/scripted-carrier";
import { buying, check } from "../../helpers/service-check";

const carrier = useCarrier("");
const stated = { features: "idempotencyKey" };
const refused = [403, { error: "forbidden", message: "No.", request_id: "r" }] as const;

/** Buys, and returns the numbers that are still on the account with the error. */
async function buy(service: object = stated) {
	const error = await check(carrier, service, buying(), carrier.clock).then(
		() => "",
		({ message }: Error) => message,
	);
	return { remaining: carrier.rows.map(({ id }) => id), error };
}

const namesIn = (error: string, ids: readonly string[]) => ids.filter((id) => new RegExp(`\\b${id}\\b`).test(error));

/** Adds these fields to each number that the carrier sells. */
function giving(fields: object): void {
	const { sell } = carrier.make;
	carrier.make.sell = (serial, body) => ({ ...sell(serial, body), ...fields });
}

/** Each response to a purchase has the id of an order. */
function ordering(): void {
	carrier.make.sold = (_, serial) => ({ id: `ord_${serial}`, status: "pending" });
}

describe("a service that is falsely declared to honor keys", () => {
	test.each([1, 2])("sells no third number: %i lost responses", async (times) => {
		losing(carrier, "POST", times);
		const { remaining, error } = await buy();
		expect(carrier.purchases.length).toBeLessThanOrEqual(2);
		expect(remaining).not.toEqual([]);
		expect(namesIn(error, remaining)).toEqual(remaining);
	});

	test("sells two numbers if no response is lost, and the check releases them", async () => {
		expect(await buy()).toEqual({ remaining: [], error: "" });
		expect(carrier.purchases).toEqual(["n1", "n2"]);
	});
});

describe("a number that no response names", () => {
	test.each<[string, object]>([
		["a label and a routing", { label: "New", routing: { type: "agent", agent_id: "a" } }],
		["a reference", { reference: "ORD-1" }],
		["another type", { type: "geographic" }],
		["another country", { country: "GB" }],
	])("is named although the service gives it %s", async (_, fields) => {
		ordering();
		giving(fields);
		const { remaining, error } = await buy();
		expect(remaining).toEqual(["n1", "n2"]);
		expect(namesIn(error, remaining)).toEqual(remaining);
	});

	test("is named together with one whose release is refused", async () => {
		const { sold } = carrier.make;
		carrier.make.sold = (row, serial) => (serial === 1 ? sold(row, serial) : { id: "ord_2" });
		carrier.make.intercept = ({ method }, respond) => (method === "DELETE" ? refused : respond());
		const { remaining, error } = await buy();
		expect(error).toMatch(/NOT RELEASED: .*n1/);
		expect(namesIn(error, remaining)).toEqual(["n1", "n2"]);
	});

	test("is suspected if the list can't be read after the purchase", async () => {
		carrier.make.intercept = ({ method, path }, respond) =>
			method === "GET" && path === "/numbers" && carrier.purchases.length > 0 ? refused : respond();
		expect((await buy()).error).toMatch(/A NUMBER MAY STILL BE ON THE ACCOUNT: the list .* can't be read/);
	});

	test("isn't one that another stack has claimed", async () => {
		const reference = "r.g.owner.lease~shop/prod";
		const row = { id: "theirs", number: "+31612345099", country: "NL", type: "mobile", status: "active", reference };
		carrier.make.intercept = ({ method }, respond) => {
			if (method === "POST") carrier.rows.push(row);
			return respond();
		};
		expect(await buy({ features: "-idempotencyKey" })).toEqual({ remaining: ["theirs"], error: "" });
	});
});

test("a number that was on the account before isn't released", async () => {
	const row = { id: "7", number: "+31612345099", country: "NL", type: "mobile", status: "active" };
	carrier.rows.push({ ...row });
	const odd: Partial<Make> = { sold: () => ({ id: "7", status: "pending" }) };
	Object.assign(carrier.make, odd);
	const { remaining, error } = await buy();
	expect(remaining).toEqual(["7", "n1"]);
	expect(namesIn(error, ["n1"])).toEqual(["n1"]);
});

test("a number is released only if the list no longer shows it", async () => {
	const none = [404, { error: "not_found", message: "No such path.", request_id: "r" }] as const;
	carrier.make.intercept = ({ path }, respond) => (path.startsWith("/numbers/") ? none : respond());
	const { remaining, error } = await buy({ features: "-idempotencyKey" });
	expect(remaining).toEqual(["n1"]);
	expect(error).toMatch(/NOT RELEASED: .*n1/);
});

test("an error doesn't repeat the key that a service shows", async () => {
	const key = "sk_live_0123456789abcdef";
	carrier.make.sold = () => ({});
	carrier.make.show = ({ id: _, ...row }, place) =>
		place === "list" ? { ...row, number: undefined, label: key } : undefined;
	const failed = check({ url: carrier.url, apiKey: key }, stated, buying(), carrier.clock);
	await expect(failed).rejects.toThrow("[key]");
	await expect(failed).rejects.not.toThrow(key);
});
