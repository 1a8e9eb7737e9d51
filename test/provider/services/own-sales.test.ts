/** A carrier that shows a new number in its own way: with its words, its defaults, or times of another event. */
import { describe, expect, test } from "vitest";
import { replayedHeader } from "../../../provider/api/contract";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { refreshed } from "../../helpers/runs";
import { losing, type Row, timeOf, useCarrier } from "../../helpers/scripted-carrier";

const carrier = useCarrier("-idempotencyKey", (defaults) => ({
	sell: (...sale) => {
		const { reference: _, ...row } = defaults.sell(...sale);
		return row;
	},
}));
const open = (features = "-idempotencyKey") => carrier.open({ config: { "telephony:features": features } });

/** Each new number has these fields too. */
function selling(fields: () => object): void {
	const { sell } = carrier.make;
	carrier.make.sell = (serial, body): Row => ({ ...sell(serial, body), ...fields() });
}

/** Loses the response to a purchase, and buys again after a pause. */
async function buyAgain(pause = 600_000): Promise<string> {
	losing(carrier, "POST");
	await failureOf(create(open().number, aNumber()));
	await carrier.clock.sleep(pause);
	return (await failureOf(create(open().number, aNumber()))).message;
}

describe("a lost purchase is found again", () => {
	test.each<[string, object]>([
		["the country NLD", { country: "NLD" }],
		["the country 31", { country: "31" }],
		["the type local", { type: "local" }],
		["a routing of the type none", { routing: { type: "none" } }],
		["a routing to no trunk", { routing: { type: "trunk", trunk_id: "", uri: null } }],
	])("with %s", async (_, fields) => {
		selling(() => fields);
		expect(await buyAgain()).toContain('`adopt: "n1"`');
		expect(carrier.purchases).toEqual(["n1"]);
	});

	test.each(["updated_at", "activated_at"])("if only its %s is of today", async (field) => {
		selling(() => ({ created_at: "2019-01-01T00:00:00Z", [field]: timeOf(carrier.clock.now()) }));
		expect(await buyAgain()).toContain('`adopt: "n1"`');
		expect(carrier.purchases).toEqual(["n1"]);
	});

	test("on the next day, if it shows only the date", async () => {
		selling(() => ({ created_at: timeOf(carrier.clock.now()).slice(0, 10) }));
		await carrier.clock.sleep(14.9 * 3_600_000);
		expect(await buyAgain(1_200_000)).toContain('`adopt: "n1"`');
		expect(carrier.purchases).toEqual(["n1"]);
	});
});

test.each<[string, object]>([
	["another country", { country: "BE" }],
	["another type", { type: "toll_free" }],
	["a routing", { routing: { type: "forward", to: "+31201234567" } }],
	["old times", { created_at: "2019-01-01T00:00:00Z", updated_at: "2020-01-01T00:00:00Z" }],
])("a number with %s is another's", async (_, fields) => {
	const sold = { ...carrier.make.sell(9, {}), country: "NL", type: "mobile" };
	carrier.rows.push({ ...sold, ...fields });
	expect((await create(open().number, aNumber())).id).toBe("n1");
});

test("a response without an id leads to no number of an unknown type", async () => {
	selling(() => ({ type: "local" }));
	carrier.make.sold = () => ({ kyc_required: false });
	for (let run = 0; run < 2; run++) await failureOf(create(open().number, aNumber()));
	expect(carrier.rows.map(({ reference }) => reference)).toEqual([undefined]);
});

test("a response without an id leads to a number without a destination", async () => {
	selling(() => ({ routing: { type: "none" } }));
	carrier.make.sold = () => ({ kyc_required: false });
	expect((await create(open().number, aNumber())).id).toBe("n1");
});

test("a response without an id leads to no number with a routing of its own", async () => {
	carrier.make.sold = () => {
		const stranger = { ...carrier.make.sell(9, {}), country: "NL", type: "mobile", routing: { type: "reject" } };
		// The list doesn't show the number of this run yet.
		carrier.rows.splice(0, 1, stranger);
		return { kyc_required: false };
	};
	const error = await failureOf(create(open().number, aNumber()));
	expect([error.messageCode, carrier.rows[0]?.label]).toEqual(["purchase-unknown", undefined]);
	expect(error.message).toContain('`adopt: "n9"`');
});

test("a reference copied to a new number ends the run", async () => {
	await create(open("-idempotencyKey reference").number, aNumber({}, "other"));
	selling(() => ({ reference: carrier.rows[0]?.reference }));
	const error = await failureOf(create(open("-idempotencyKey reference").number, aNumber()));
	expect(error.message).toContain("n2");
	expect(carrier.purchases).toEqual(["n1", "n2"]);
});

test.each(["False", "0", "no"])("a response with the replay header %s is a new number's", async (value) => {
	carrier.make.intercept = (received, respond) => {
		const [status, body] = respond();
		return [status, body, received.method === "POST" ? { [replayedHeader]: value } : {}];
	};
	expect((await create(open("idempotencyKey -reference").number, aNumber())).id).toBe("n1");
	expect(carrier.purchases).toEqual(["n1"]);
});

test.each(["Accepted", "created", "COMPLETED", "fulfilled", "received"])(
	"the code %s of a response without an id is no refusal",
	async (error) => {
		carrier.make.sold = () => ({ error, message: "The number was ordered." });
		expect((await create(open().number, aNumber())).id).toBe("n1");
	},
);

test.each([{ type: "local" }, { country: "NLD" }])("a number with %j is adopted, and no drift", async (fields) => {
	const declared = aNumber({ adopt: "n1" });
	carrier.rows.push({ ...carrier.make.sell(1, {}), country: "NL", type: "mobile", ...fields });
	const adopted = await create(open("-idempotencyKey reference").number, declared);
	expect(await refreshed(open("-idempotencyKey reference"), adopted, declared)).toMatchObject({ changes: false });
	expect(carrier.purchases).toEqual([]);
});
