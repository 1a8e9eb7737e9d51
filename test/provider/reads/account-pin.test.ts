/** The pinned account: what `telephony:account` may be, and the facts that accept an account. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	type AccountFacts,
	type AccountPin,
	accountPinIn,
	decidePin,
	pinnable,
} from "../../../provider/reads/account-pin";

const pinOf = (text: string): AccountPin => accountPinIn(text, "telephony:account") as AccountPin;
const outcome = (pin: string, facts: AccountFacts) => {
	const action = decidePin(pinOf(pin), facts);
	return action.do === "read" ? action.what : action.do === "accept" ? `accept ${action.isProof}` : action.why;
};
const hidden = { hiddenBecause: "HTTP 404" };

describe("the value", () => {
	test.each([
		["+31201234567", "+31201234567"],
		[" +31 20 123-45.67 ", "+31201234567"],
		["+31 (20) 1234567", "+31201234567"],
		// As pages and address books write it.
		["+31\u00a020\u20131234567", "+31201234567"],
		["\u202a+31201234567\u202c", "+31201234567"],
		// A number of an old plan.
		["+22507123456", "+22507123456"],
	])("takes %s as a phone number", (text, phone) => {
		expect(pinOf(text)).toEqual({ text: phone, isPhone: true, from: "telephony:account" });
	});

	test.each(["acc_k3v9", "num_01", "123456789012", "31201234567", "org/acc:1", "x"])("takes %s as an id", (text) => {
		expect(pinOf(` ${text} `)).toEqual({ text, isPhone: false, from: "telephony:account" });
	});

	test.each([
		"",
		"  ",
		"+",
		"+4930123456O",
		"+49 30 1234567 / 8",
		"++31201234567",
		"+31",
		"acc 1",
		'{"id":"acc_1"}',
		'["acc_1"]',
		'"acc_1"',
		"[secret]",
		"a\nb",
		"x".repeat(256),
	])("refuses %j", (text) => {
		expect(() => pinOf(text)).toThrow(expect.objectContaining({ messageCode: "config" }));
	});

	test("is no pin if it is none", () => {
		expect(["none", " none ", undefined].map((text) => accountPinIn(text, "x"))).toEqual([
			undefined,
			undefined,
			undefined,
		]);
	});
});

test("proposes only values that a shell takes as they are", () => {
	for (const value of ["acc_k3v9", "+31201234567", "42", "org/acc:1"]) expect(pinnable("none", value)).toBe(value);
	for (const value of [
		"acc 1",
		"acc;true",
		"$(true)",
		"`x`",
		"-17",
		"none",
		"",
		"+",
		"+abc",
		"+0312",
		"a|b",
		"a>b",
		null,
		undefined,
	])
		expect(pinnable(value)).toBeUndefined();
	fc.assert(
		fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[+\w][\w.:@/+-]{0,300}$/)), (text) => {
			const value = pinnable(text);
			if (value !== undefined) expect(accountPinIn(value, "x")?.text).toBe(text);
		}),
	);
});

describe("a phone number", () => {
	test.each<[AccountFacts, string]>([
		[{}, "numberByPhone"],
		[{ number: "found" }, "accept true"],
		[{ number: "missing" }, "number-missing"],
	])("of an account that shows %j leads to %s", (facts, expected) => {
		expect(outcome("+31201234567", facts)).toBe(expected);
	});
});

describe("an id", () => {
	test.each<[pin: string, AccountFacts, string]>([
		["acc_1", {}, "account"],
		["acc_1", { account: { id: "acc_1" } }, "accept true"],
		["acc_1", { account: { id: "ACC_1" } }, "numberById"],
		["acc_1", { account: { id: "acc_2" }, number: "missing" }, "other-account"],
		["acc_1", { account: hidden }, "numberById"],
		["acc_1", { account: hidden, number: "missing" }, "unknown-account"],
		// Other accounts may have a number with this id.
		["num_1", { account: { id: "acc_2" }, number: "found" }, "accept false"],
		["num_1", { account: hidden, number: "found" }, "accept false"],
		["42", { account: { id: "42" } }, "accept true"],
		// Every account may have a number 42.
		["42", { account: { id: "43" } }, "other-account"],
		["42", { account: hidden }, "unknown-account"],
	])("%s of an account that shows %j leads to %s", (pin, facts, expected) => {
		expect(outcome(pin, facts)).toBe(expected);
	});
});

test("proves the account only by its id or by a phone number", () => {
	const id = fc.stringMatching(/^[a-z0-9_]{1,12}$/);
	const allFacts = fc.record(
		{
			account: fc.oneof(
				id.map((text) => ({ id: text })),
				fc.constant(hidden),
			),
			number: fc.constantFrom("found" as const, "missing" as const),
		},
		{ requiredKeys: [] },
	);
	fc.assert(
		fc.property(fc.oneof(id, fc.constant("+31201234567")), allFacts, (text, facts) => {
			fc.pre(text !== "none");
			const action = decidePin(pinOf(text), facts);
			const isSameAccount = facts.account !== undefined && "id" in facts.account && facts.account.id === text;
			const isProof = isSameAccount || (text.startsWith("+") && facts.number === "found");
			expect(action.do === "accept" && action.isProof).toBe(isProof);
			// Each fact is read once.
			if (action.do === "read") expect(facts[action.what === "account" ? "account" : "number"]).toBeUndefined();
		}),
	);
});
