/** The pinned account: what `telephony:account` may be, and the accounts that it accepts. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Client } from "../../../provider/api/client";
import { TelephonyError } from "../../../provider/api/errors";
import { type AccountPin, accountPinIn, assertPinned, pinnable } from "../../../provider/reads/account-pin";

const pinOf = (text: string): AccountPin => accountPinIn(text, "telephony:account") as AccountPin;

const absent = async (): Promise<never> => {
	throw new TelephonyError("NotFound", "It doesn't exist.");
};

/** An account as the service shows it. */
interface Account {
	/** Hidden if undefined. */
	readonly id?: string;
	readonly numbers?: readonly { readonly id: string; readonly number?: string; readonly status?: string }[];
}

/** The outcome of a comparison, and the requests that it took. */
async function outcome(pin: string, { id, numbers = [] }: Account): Promise<readonly [string, ...string[]]> {
	const sent: string[] = [];
	const client = {
		declaresLack: () => false,
		account: {
			get: async () => {
				sent.push("account");
				return id === undefined ? absent() : { id };
			},
		},
		numbers: {
			get: async (wanted: string) => {
				sent.push(wanted);
				return numbers.find((number) => number.id === wanted) ?? absent();
			},
			pages: async function* () {
				sent.push("list");
				yield numbers;
			},
		},
	} as unknown as Client;
	try {
		return [(await assertPinned(client, pinOf(pin), "https://x.example/v1")) ? "proof" : "accepted", ...sent];
	} catch (error) {
		return [(error as TelephonyError).messageCode ?? "", ...sent];
	}
}

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

const phone = "+31201234567";
const named = { id: "num_1", number: phone };

test.each<[pin: string, Account, expected: readonly string[]]>([
	[phone, {}, ["wrong-account", "list", "account"]],
	[phone, { numbers: [named] }, ["proof", "list"]],
	[phone, { numbers: [{ ...named, status: "released" }] }, ["wrong-account", "list", "account"]],
	["acc_1", { id: "acc_1" }, ["proof", "account"]],
	["acc_1", { id: "ACC_1" }, ["wrong-account", "account", "acc_1"]],
	["acc_1", {}, ["not-offered", "account", "acc_1"]],
	// Other accounts may have a number with this id.
	["num_1", { id: "acc_2", numbers: [named] }, ["accepted", "account", "num_1"]],
	["num_1", { numbers: [named] }, ["accepted", "account", "num_1"]],
	["num_1", { numbers: [{ ...named, status: "released" }] }, ["not-offered", "account", "num_1"]],
	["42", { id: "42" }, ["proof", "account"]],
	// Every account may have a number 42.
	["42", { id: "43", numbers: [{ id: "42" }] }, ["wrong-account", "account"]],
	["42", { numbers: [{ id: "42" }] }, ["not-offered", "account"]],
])("compares the pin %s with an account that shows %j", async (pin, account, expected) => {
	expect(await outcome(pin, account)).toEqual(expected);
});

test("proves the account only by its id or by a phone number", async () => {
	const id = fc.stringMatching(/^[a-z0-9_]{1,12}$/);
	const accounts = fc.record(
		{
			id,
			numbers: fc.array(fc.record({ id, number: fc.constantFrom(phone, "+31207654321") }, { requiredKeys: ["id"] })),
		},
		{ requiredKeys: [] },
	);
	await fc.assert(
		fc.asyncProperty(fc.oneof(id, fc.constant(phone)), accounts, async (text, account) => {
			fc.pre(text !== "none");
			const hasPhone = (account.numbers ?? []).some(({ number }) => number === text);
			expect((await outcome(text, account))[0] === "proof").toBe(account.id === text || hasPhone);
		}),
	);
});
