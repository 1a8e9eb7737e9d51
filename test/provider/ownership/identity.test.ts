/** The identity of an object: an id proves nothing, and what can be edited decides nothing. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findDifference, identify, type Verdict } from "../../../provider/ownership/identity";
import { formatReference, retainedLease } from "../../../provider/ownership/reference";
import type { Values } from "../../../provider/properties/table";
import { dynamic, identity } from "../../helpers/claim-source";

const claim = identity();
const otherStack = identity({ owner: "them" }, dynamic.replace("dev", "prod"));
const time = "2026-01-02T03:04:05Z";
const verdictOf = (kind: string, record: Values, saved: Values): Verdict =>
	identify(claim, { kind, record: { id: "42", ...record }, saved });

test.each<[verdict: Verdict, kind: string, record: Values, saved: Values]>([
	["unknown", "number", {}, {}],
	["unknown", "number", { number: "+31612345678" }, { createdAt: time }],
	["unknown", "number", { number: null }, { phoneNumber: "+31612345678" }],
	["same", "number", { number: "31612345678" }, { phoneNumber: "+31612345678" }],
	["other", "number", { number: "+31612345679" }, { phoneNumber: "+31612345678" }],
	["same", "number", { country: "nl", type: "mobile" }, { country: "NL", type: "mobile" }],
	["other", "number", { country: "DE", type: "mobile" }, { country: "NL", type: "mobile" }],
	["other", "number", { type: "mobile" }, { type: "national" }],
	["unknown", "number", { country: "Netherlands", type: "special" }, { country: "NL", type: "mobile" }],
	["same", "number", { country: "Netherlands", type: "special" }, { country: "Netherlands", type: "special" }],
	["unknown", "number", { country: "NL" }, { country: "Netherlands" }],
	["unknown", "number", { country: "Netherlands" }, { country: "NL" }],
	["unknown", "number", { country: "nld" }, { country: "NLD" }],
	["unknown", "number", { country: "xnl" }, { country: "XNL" }],
	["same", "number", { type: "MOBILE" }, { type: "mobile" }],
	["unknown", "number", { country: 31, type: ["mobile"] }, { country: "NL", type: "mobile" }],
	["unknown", "number", { country: "NL", type: "mobile" }, { country: 31 }],
	["same", "number", { created_at: "2026-01-02T04:04:05.123+01:00" }, { createdAt: time }],
	[
		"other",
		"number",
		{ number: "+31612345678", created_at: time },
		{ phoneNumber: "+31612345678", createdAt: "2026-01-02T03:04:06Z" },
	],
	["unknown", "number", { created_at: "yesterday" }, { createdAt: time }],
	["same", "trunk", { sip_domain: "A.sip.example." }, { sipDomain: "a.sip.example" }],
	[
		"other",
		"trunk",
		{ sip_domain: "b.sip.example", created_at: time },
		{ sipDomain: "a.sip.example", createdAt: time },
	],
	["same", "trunk", { sip_domain: "b.sip.example" }, { sipDomain: "b.sip.example" }],
	["other", "trunk", { sip_domain: "b.sip.example" }, { sipDomain: "a.sip.example" }],
	["unknown", "trunk", { name: "pbx" }, { name: "pbx" }],
	["same", "webhook", { url: "https://A.example/x/" }, { url: "https://a.example/x" }],
	["unknown", "webhook", { url: "https://b.example" }, { url: "https://a.example" }],
	["same", "webhook", { url: "https://b.example", created_at: time }, { url: "https://a.example", createdAt: time }],
	[
		"other",
		"webhook",
		{ url: "https://a.example", created_at: time },
		{ url: "https://a.example", createdAt: "2025-01-02T03:04:05Z" },
	],
	["unknown", "webhook", { url: "not a URL" }, { url: "https://a.example" }],
	["other", "KYC profile", { created_at: time }, { createdAt: "2025-01-02T03:04:05Z" }],
	["unknown", "KYC profile", { url: "https://a.example" }, { url: "https://a.example" }],
	["unknown", "KYC profile", { country: "NL" }, { country: "NL" }],
	["same", "KYC profile", { country: "DE", created_at: time }, { country: "NL", createdAt: time }],
])("is %s for a %s with %o and a state with %o", (verdict, kind, record, saved) => {
	expect(verdictOf(kind, record, saved)).toBe(verdict);
});

describe("a reference", () => {
	const saved = { token: claim.token, lease: "mine", phoneNumber: "+31612345678" };
	const number = "+4930123456";
	test.each<[verdict: Verdict, title: string, reference: string | null]>([
		["same", "of a write of this state", formatReference(claim, "mine")],
		["same", "of a write of this state, under another name", formatReference(otherStack, "mine")],
		["same", "of this declaration and owner", formatReference(claim, "another")],
		["other", "of another stack", formatReference(otherStack, "another")],
		["other", "of another stack that has retained it", formatReference(otherStack, retainedLease)],
		["same", "of this declaration, cut by the service", formatReference(claim, "mine").slice(0, 44)],
		["other", "of another stack, cut by the service", formatReference(otherStack, "mine").slice(0, 44)],
		["other", "of another tool", "order 4711"],
		["other", "that is empty", null],
	])("makes a changed number %s: one %s", (verdict, _, reference) => {
		expect(verdictOf("number", { number, reference }, saved)).toBe(verdict);
	});

	test("of another stack leaves an object with equal values the same", () => {
		const record = { number: saved.phoneNumber, reference: formatReference(otherStack, "another") };
		expect(verdictOf("number", record, saved)).toBe("same");
	});

	test("counts as none if the object was bought but not claimed", () => {
		expect(verdictOf("number", { number, reference: null }, { ...saved, lease: "" })).toBe("other");
	});
});

describe("values that other accounts may have too", () => {
	const claimed = { token: claim.token, lease: "mine" };
	const domain = { sip_domain: "sip.example" };
	const url = { url: "https://a.example" };
	const number = { country: "NL", type: "mobile" };
	const theirs = formatReference(otherStack, "another");
	test.each<[verdict: Verdict, kind: string, record: Values, saved: Values]>([
		["unknown", "number", { ...number, reference: null }, { ...number, ...claimed }],
		["unknown", "number", { ...number, reference: theirs }, { ...number, ...claimed }],
		["unknown", "number", number, { ...number, phoneNumber: "+31612345678" }],
		["same", "number", { ...number, number: "+31612345678" }, number],
		["same", "number", { ...number, reference: null, created_at: time }, { ...number, ...claimed, createdAt: time }],
		["same", "number", { ...number, reference: null }, { ...number, ...claimed, lease: "" }],
		["same", "number", number, { ...number, ...claimed }],
		["unknown", "trunk", { ...domain, reference: null }, { sipDomain: domain.sip_domain, ...claimed }],
		["unknown", "trunk", { ...domain, reference: theirs }, { sipDomain: domain.sip_domain, ...claimed }],
		["unknown", "webhook", { ...url, reference: null }, { ...url, ...claimed }],
		["unknown", "webhook", { ...url, reference: theirs }, { ...url, ...claimed }],
		["same", "webhook", { ...url, created_at: time, reference: theirs }, { ...url, ...claimed, createdAt: time }],
	])("make it %s for a %s with %o and a state with %o", (verdict, kind, record, saved) => {
		expect(verdictOf(kind, record, saved)).toBe(verdict);
	});

	test("decide at a service that keeps no references", () => {
		for (const reference of [null, claim.token, "order 4711"]) {
			const record = { id: "42", ...number, reference };
			expect(identify({ ...claim, kept: false }, { kind: "number", record, saved: { ...number, ...claimed } })).toBe(
				"same",
			);
		}
	});
});

const digits = fc.stringMatching(/^316[1-8]\d{7}$/);
const times = fc
	.date({ min: new Date(0), max: new Date("2099-01-01"), noInvalidDate: true })
	.map((date) => date.toISOString());
const fixed = fc.record(
	{
		number: digits.map((text) => `+${text}`),
		country: fc.constantFrom("NL", "DE", "US"),
		type: fc.constantFrom("mobile", "national"),
		created_at: times,
	},
	{ requiredKeys: [] },
);
const savedOf = ({ number, country, type, created_at }: Values): Values => ({
	phoneNumber: number,
	country,
	type,
	createdAt: created_at,
});
const editable = fc.record({
	label: fc.string(),
	status: fc.string(),
	routing: fc.anything(),
	metadata: fc.anything(),
});

test("is never another object for what the state itself has saved", () => {
	fc.assert(
		fc.property(fixed, fixed, (values, more) => {
			// A value that one side doesn't show contradicts nothing.
			const live = { ...more, ...values };
			const verdict = Object.keys(values).length > 0 ? "same" : "unknown";
			expect(verdictOf("number", live, savedOf(values))).toBe(verdict);
		}),
	);
});

test("doesn't depend on what can be edited", () => {
	fc.assert(
		fc.property(fixed, fixed, editable, editable, (live, saved, edits, declared) => {
			const verdict = verdictOf("number", live, savedOf(saved));
			expect(verdictOf("number", { ...edits, ...live }, { ...declared, ...savedOf(saved) })).toBe(verdict);
		}),
	);
});

test("is another object no matter which side is the state", () => {
	fc.assert(
		fc.property(fixed, fixed, (a, b) => {
			const isOther = verdictOf("number", a, savedOf(b)) === "other";
			expect(verdictOf("number", b, savedOf(a)) === "other").toBe(isOther);
		}),
	);
});

test.each<[kind: string, record: Values, saved: Values, difference: object | undefined]>([
	[
		"number",
		{ country: "DE", type: "mobile" },
		{ country: "NL", type: "national" },
		{ output: "country", live: "DE", saved: "NL" },
	],
	["trunk", { sip_domain: "b" }, { sipDomain: "a" }, { output: "sipDomain", live: "b", saved: "a" }],
	["webhook", { url: "https://b.example" }, { url: "https://a.example" }, undefined],
	[
		"pool",
		{ created_at: time },
		{ createdAt: "2025-01-02T03:04:05Z" },
		{ output: "createdAt", live: time, saved: "2025-01-02T03:04:05Z" },
	],
])("names the first value in which a %s with %o differs from %o", (kind, record, saved, difference) => {
	expect(findDifference({ kind, record: { id: "42", ...record }, saved })).toEqual(difference);
});

test("names a difference exactly if it is another object", () => {
	fc.assert(
		fc.property(fixed, fixed, (live, saved) => {
			const difference = findDifference({ kind: "number", record: { id: "42", ...live }, saved: savedOf(saved) });
			expect(difference !== undefined).toBe(verdictOf("number", live, savedOf(saved)) === "other");
		}),
	);
});
