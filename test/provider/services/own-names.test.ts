/** A carrier that names a new number itself: by its national format, which fills the label and the reference. */
import { beforeEach, describe, expect, test } from "vitest";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { failedUp, updated } from "../../helpers/runs";
import { losing, useCarrier } from "../../helpers/scripted-carrier";

const carrier = useCarrier("-idempotencyKey reference");
const { open } = carrier;
const selling = (names: (serial: number) => object) => {
	const { sell } = carrier.make;
	carrier.make.sell = (serial, body) => ({
		...{ ...sell(serial, body), id: `PN${serial}`, number: `+1415555010${serial}` },
		...names(serial),
	});
};
const us = (args = {}) => aNumber({ country: "US", type: "geographic", ...args });

describe("a reference that repeats the number", () => {
	beforeEach(() => selling((serial) => ({ reference: `(415) 555-010${serial}`, label: `(415) 555-010${serial}` })));

	test("hides no number whose purchase got no response", async () => {
		losing(carrier, "POST");
		expect((await failureOf(create(open().number, us()))).message).toContain('`adopt: "PN1"`');
		expect((await failureOf(create(open().number, us()))).message).toContain('`adopt: "PN1"`');
		expect(carrier.purchases).toEqual(["PN1"]);
	});

	test("leaves a number free for `adopt`", async () => {
		losing(carrier, "POST");
		await failureOf(create(open().number, us()));
		expect((await create(open().number, us({ adopt: "+14155550101" }))).id).toBe("PN1");
	});

	test("leads to the number if the response names none", async () => {
		carrier.make.sold = () => ({ kyc_required: false });
		expect((await create(open().number, us())).id).toBe("PN1");
	});
});

describe("a reference of the carrier's own", () => {
	beforeEach(() => selling((serial) => ({ reference: `ORD-471${serial}` })));
	const unconfigured = async () => {
		losing(carrier, "PATCH", Number.POSITIVE_INFINITY, false);
		const saved = await failedUp(open(), us());
		carrier.make.intercept = (_, respond) => respond();
		return saved;
	};

	test("is no claim for the next `up`", async () => {
		const saved = await unconfigured();
		const { outs } = await updated(open(), saved, us());
		expect(carrier.rows[0]?.reference).toContain(`${outs.token}.`);
		expect(outs.open).not.toHaveProperty("given");
	});

	test("is no claim after a refresh, and for a release", async () => {
		const saved = await unconfigured();
		const { props = {} } = await open().number.read(saved.id, saved.outs);
		await open().number.delete(saved.id, props);
		expect(carrier.rows).toEqual([]);
	});

	test("is another's once it differs", async () => {
		const saved = await unconfigured();
		Object.assign(carrier.rows[0] ?? {}, { reference: "crm-1" });
		expect((await failedUp(open(), us(), saved)).error.message).toContain("[telephony:claimed]");
		await open().number.delete(saved.id, saved.outs);
		expect(carrier.rows).toHaveLength(1);
	});
});

describe("the last digits of the number", () => {
	beforeEach(() => selling(() => ({ reference: null })));

	test("are another's claim as a reference", async () => {
		const { id, outs } = await create(open().number, us());
		Object.assign(carrier.rows[0] ?? {}, { reference: "550101" });
		await open().number.delete(id, outs);
		expect(carrier.rows).toHaveLength(1);
	});

	test("are a person's label", async () => {
		const row = carrier.make.sell(9, {});
		carrier.rows.push({ ...row, country: "US", type: "geographic", label: "5550109" });
		expect((await create(open().number, us())).id).toBe("PN1");
	});
});

test.each([
	["00 before the country code", {}, (number: string) => `00${number.slice(1)}`],
	["a number in national form", { number: "(415) 555-0109" }, () => "+1 415 555 0109"],
])("a number labeled with its digits is a candidate: %s", async (_, fields, labelOf) => {
	const row = carrier.make.sell(9, {});
	const label = labelOf(String(row.number));
	carrier.rows.push({ ...row, country: "US", type: "geographic", reference: null, ...fields, label });
	expect((await failureOf(create(open().number, us()))).message).toContain(row.id);
	expect(carrier.purchases).toEqual([]);
});
