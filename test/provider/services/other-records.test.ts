/** A carrier whose cache shows another number's record for an id. */
import { beforeEach, describe, expect, test } from "vitest";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { failedUp, refreshed, upAgain } from "../../helpers/runs";
import { useCarrier } from "../../helpers/scripted-carrier";

const stranger = {
	id: "n9",
	number: "+31612345019",
	country: "NL",
	type: "mobile",
	status: "active",
	label: null,
	created_at: "2019-01-01",
};
const features = ["-idempotencyKey reference", "-idempotencyKey -reference"];
const carrier = useCarrier("", ({ sell }) => ({
	sell: (serial, body) => ({ ...sell(serial, body), label: null }),
}));
const open = (declared: string) => carrier.open({ config: { "telephony:features": declared } });
/** Shows the stranger's number for each id. */
const confuse = () => {
	const { intercept } = carrier.make;
	carrier.make.intercept = (received, respond) =>
		received.method === "GET" && received.path.startsWith("/numbers/n")
			? [200, carrier.rows[0]]
			: intercept(received, respond);
};

describe.each(features)("with %s", (declared) => {
	beforeEach(() => void carrier.rows.push({ ...stranger }));

	test("a refresh believes no other number's record", async () => {
		const saved = await create(open(declared).number, aNumber());
		confuse();
		const error = await failureOf(refreshed(open(declared), saved, aNumber()));
		expect(error.message).toContain("n9 in place of n1");
	});

	test("an update and a delete leave the other number alone", async () => {
		const saved = await create(open(declared).number, aNumber());
		confuse();
		await failureOf(upAgain(open(declared), saved, aNumber({ label: "x" }), aNumber()));
		await failureOf(open(declared).number.delete(saved.id, saved.outs));
		expect(carrier.rows[0]).toEqual(stranger);
		expect(carrier.rows).toHaveLength(2);
	});

	test("a purchase that shows only an id leads to no other number", async () => {
		carrier.make.sold = ({ id }) => ({ id });
		confuse();
		const saved = await failedUp(open(declared), aNumber({ label: "x" })).catch(() => undefined);
		expect(saved?.id ?? "n1").toBe("n1");
		expect(carrier.rows[0]).toEqual(stranger);
		expect(carrier.purchases).toEqual(["n1"]);
	});
});

test("a number that has a new id is still found by its earlier one", async () => {
	const declared = "-idempotencyKey reference";
	const saved = await create(open(declared).number, aNumber());
	carrier.rows[0] = { ...carrier.rows[0], id: "contract-77" };
	const { intercept } = carrier.make;
	carrier.make.intercept = (received, respond) =>
		received.path === "/numbers/n1" ? [200, carrier.rows[0]] : intercept(received, respond);
	expect(await refreshed(open(declared), saved, aNumber())).toMatchObject({ id: "n1", changes: false });
	await open(declared).number.delete(saved.id, saved.outs);
	expect(carrier.rows).toEqual([]);
});
