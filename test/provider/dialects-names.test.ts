/** What other services call things, and what their words are sure enough to mean. */
import { expect, test } from "vitest";
import { mayMean, meaningOf, otherNames } from "../../provider/api/dialect/names";

test.each([
	["number", "id", ["numberid", "uuid"], "phonenumberid"],
	["trunk", "name", ["trunkname", "friendlyname"], "title"],
	["trunk", "auth.mode", ["trunkauthmode", "kind"], "method"],
])("names of %s: %s, the likeliest first", (record, field, first, another) => {
	const names = otherNames(record, field);
	expect(names.slice(0, 2)).toEqual(first);
	expect(names).toContain(another);
	expect(new Set(names).size).toBe(names.length);
});

test("a name that only one record has is no other's", () => {
	expect(otherNames("trunk", "id")).not.toContain("phonenumberid");
	expect(otherNames("number", "routing.url")).not.toContain("uri");
});

test.each([
	["In Service", "active"],
	["Porting-Out", "porting_out"],
	["AWAITING_KYC", "pending"],
	["kyc-pending", "pending"],
	["canceled", "released"],
	["acl", undefined],
	["plugged", undefined],
])("%s means %s", (word, meaning) => expect(meaningOf(word)).toBe(meaning));

test("what may mean something else is a guess, and never sure", () => {
	expect(mayMean("Deactivated", "released")).toBe(true);
	expect(meaningOf("Deactivated")).toBeUndefined();
	expect([mayMean("live", "active"), mayMean("live", "released")]).toEqual([true, false]);
});
