/** Spellings: which live values are the declared ones in another form, and what a write didn't apply. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { markUnread } from "../../../provider/api/contract";
import { type Form, hashOf, listOf, type ObjectForm, scalar, setOf, urlForm } from "../../../provider/properties/form";
import { e164Form } from "../../../provider/properties/phone";
import {
	differencesIn,
	findUnapplied,
	isRespelled,
	isSpelling,
	spellingOutputs,
	spellingsOf,
	type WriteResult,
} from "../../../provider/properties/spelling";
import type { Properties, Property, Values } from "../../../provider/properties/table";
import { numberProperties } from "../../../provider/resources/number/properties";
import { sipTrunkProperties } from "../../../provider/resources/sip-trunk/properties";
import { allKinds } from "../../helpers/kinds";

const events = setOf(scalar);
const routingForm = numberProperties.routing?.form as ObjectForm;
const named = sipTrunkProperties.auth?.form as ObjectForm;

const field = (more: Partial<Property> = {}): Property => ({ description: "", type: z.unknown, ...more });
/** An object with a field of each kind. */
const target: ObjectForm = {
	kind: "object",
	fields: {
		host: field(),
		port: field({ serverDefault: true }),
		key: field({ writeOnly: true }),
		hash: field({ secret: true }),
	},
};

test.each<[Form, unknown, unknown]>([
	[scalar, "Café", "Cafe\u0301"],
	[scalar, "Office-PBX", "office-pbx"],
	[scalar, "A & B <x>", "A &amp; B &lt;x&gt;"],
	[scalar, "It's", "It&#39;s"],
	[scalar, "é", "&#xE9;"],
	[scalar, "É &foo;", "&#x000e9; &FOO;"],
	[scalar, "Front  Desk", "Front Desk"],
	[scalar, "Front Desk", " front desk "],
	[scalar, " 2027-01-31T08:00:00Z ", " 2027-01-31 "],
	[scalar, "2027-01-31T23:30:00-02:00", "2027-01-31"],
	[scalar, "2027-01-31T08:00:00Z", "2027-01-31"],
	[scalar, "2027-01-31T23:30:00-02:00", "2027-02-01"],
	[urlForm, "https://a.example/sms/", "https://a.example/sms"],
	[urlForm, "https://a.example/sms?x=1", "https://a.example/sms/?x=1"],
	[events, ["*"], ["a", "b", "c"]],
	[events, ["B", "a"], ["a", "b"]],
	[listOf(scalar), ["Opus", "PCMA"], ["opus", "pcma"]],
	[listOf(e164Form), ["+525512345678"], ["+5215512345678"]],
	[setOf(e164Form), ["+525512345678"], ["+5215512345678"]],
	[{ kind: "map" }, { Team: "Café" }, { team: "Cafe\u0301" }],
	[{ kind: "map" }, { A: "x", B: "y" }, { a: "x", b: "y" }],
	[target, { host: "A" }, { host: "a", port: 5060 }],
	[named, { mode: "digest", username: "PBX", password: "secret" }, { mode: "digest", username: "pbx" }],
	[e164Form, "+525512345678", "+5215512345678"],
	[e164Form, "+5491123456789", "+54 11 2345 6789"],
	[e164Form, "+31201234567", "+310201234567"],
	[e164Form, "+49301234567", "+49 30/1234567"],
	[routingForm, { type: "forward", to: "+525512345678" }, { type: "forward", to: "5215512345678" }],
])("knows a spelling: %j", (form, declared, live) => expect(isSpelling(form, declared, live)).toBe(true));

test.each<[Form, unknown, unknown]>([
	[scalar, "Desk", "Desk 2"],
	[scalar, "+31201234567", "+3120123456"],
	[e164Form, "+525512345678", "+5215512345679"],
	[e164Form, "+493012345678", "+4989301234567"],
	[e164Form, "+493012345678", "+4930123456"],
	[e164Form, "+4930123456", "+4930123456 ext 5"],
	[e164Form, "+49301234567", "+49 30 1234567/8"],
	[e164Form, "+525512345678", "+545512345678"],
	[scalar, "trk_1", "trk_10"],
	[scalar, "Straße", "Strasse"],
	[scalar, "Front Desk", "FrontDesk"],
	[scalar, " ", ""],
	[scalar, 30, "30"],
	[scalar, "2027-01-31 note", "2027-01-31"],
	[scalar, "2027-01-31T08:00:00Z", "2027-01-31T08"],
	[scalar, 30, 10],
	[scalar, true, false],
	[scalar, "a", undefined],
	[scalar, "2027-01-31T08:00:00Z", "2027-02-01"],
	[scalar, "2027-01-31", "2027-01"],
	[urlForm, "https://a.example/sms", "https://a.example/sms/x"],
	[events, ["a"], ["a", "b"]],
	[events, ["a", "b"], ["a"]],
	[events, ["*"], ["a"]],
	[listOf(scalar), ["opus", "PCMA"], ["PCMA", "opus"]],
	[listOf(scalar), ["a"], "a"],
	[listOf(scalar), ["A"], ["a", "b"]],
	[listOf(scalar), ["A", "b"], ["a", "c"]],
	[{ kind: "map" }, { team: "a" }, { team: "a", floor: "3" }],
	[{ kind: "map" }, { A: "x", B: "y" }, { a: "x", b: "z" }],
	[{ kind: "map" }, { 0: "X" }, "x"],
	[target, { host: "a", port: 5060 }, { host: "A", port: 5061 }],
	[named, { mode: "digest", username: "pbx" }, { mode: "ip_acl", allowedCidrs: ["198.51.100.1"] }],
])("knows another value: %j", (form, declared, live) => expect(isSpelling(form, declared, live)).toBe(false));

describe("the differences of two values", () => {
	const differences = (form: Form, declared: unknown, live: unknown) =>
		differencesIn(form, "a", declared, live).map((difference) => [
			difference.path,
			difference.declared,
			difference.live,
		]);

	test("are those of its fields, without defaults and secrets", () => {
		expect(differences(target, { host: "a" }, { host: "b", port: 1 })).toEqual([["a.host", "a", "b"]]);
		expect(differences(target, { host: "a", port: 2 }, { host: "a", port: 1 })).toEqual([["a.port", 2, 1]]);
		const secrets = { key: "k", hash: "h", more: 1 };
		expect(differences(target, { host: "a", ...secrets }, { host: "b", key: "l", hash: "i", more: 1 })).toEqual([
			["a.host", "a", "b"],
		]);
		expect(differences(target, { host: "a", ...secrets }, undefined)).toEqual([
			["a", { host: "a", more: 1 }, undefined],
		]);
	});

	test("are the whole value of another variant, a map or a text", () => {
		const digest = { mode: "digest", username: "pbx" };
		const list = { mode: "ip_acl", allowedCidrs: ["198.51.100.1"] };
		expect(differences(named, digest, list)).toEqual([["a", digest, list]]);
		expect(differences(named, digest, { ...digest, username: "other" })).toEqual([["a.username", "pbx", "other"]]);
		expect(differences({ kind: "map" }, { a: "x" }, { a: "y" })).toEqual([["a", { a: "x" }, { a: "y" }]]);
		expect(differences(scalar, "x", "y")).toEqual([["a", "x", "y"]]);
	});
});

describe("the spellings of a state", () => {
	const table: Properties = {
		shown: field({ wire: "shown" }),
		ours: field(),
		written: field({ wire: "written", writeOnly: true }),
		secret: field({ wire: "secret", secret: true }),
		fixed: field({ wire: "fixed", fixed: true }),
		second: field({ wire: "second_wire" }),
	};
	const all = (value: unknown) => Object.fromEntries(Object.keys(table).map((key) => [key, value]));

	test("are hashes of what the service shows in another spelling", () => {
		const kept = { shown: hashOf(scalar, "x"), second: hashOf(scalar, "x") };
		expect(spellingsOf(table, all("X"), all("x"))).toEqual(kept);
		for (const [declared, live] of [
			["x", "x"],
			["X", "y"],
			["X", undefined],
			[undefined, "x"],
		])
			expect(spellingsOf(table, all(declared), all(live))).toEqual({});
		expect([spellingOutputs({}), spellingOutputs(kept)]).toEqual([{}, { spellings: kept }]);
	});

	test("concern a request if it has one of them", () => {
		const spelled = (body: object) => isRespelled(table, { body: { ...body }, declared: all("X"), live: all("x") });
		expect([{}, { shown: "X" }, { second_wire: "X" }, { second: "X" }].map(spelled)).toEqual([
			false,
			true,
			true,
			false,
		]);
	});
});

describe("a write", () => {
	const bodyOf = (properties: Properties) =>
		Object.fromEntries(Object.values(properties).flatMap(({ wire }) => (wire === undefined ? [] : [[wire, null]])));

	test("is applied if the service shows what is declared", () => {
		const { args } = allKinds.find(({ name }) => name === "number") ?? {};
		fc.assert(
			fc.property(args as fc.Arbitrary<Record<string, unknown>>, (declared) => {
				const write = { body: bodyOf(numberProperties), declared, olds: {}, before: {}, live: declared };
				expect(findUnapplied(numberProperties, write)).toEqual([]);
				expect(spellingsOf(numberProperties, declared, declared)).toEqual({});
			}),
		);
	});

	test.each<[string, object, object, object, readonly string[]]>([
		["shows the old value", { label: "b" }, { label: "a" }, { label: "a" }, ["label"]],
		["shows nothing", { label: "b" }, {}, {}, ["label"]],
		["shows another value", { label: "b" }, { label: "a" }, { label: "c" }, ["label"]],
		["shows a spelling", { label: "B" }, { label: "b" }, { label: "b" }, []],
		["cleared it", {}, { label: "a" }, {}, []],
		["still has it", {}, { label: "a" }, { label: "a" }, ["label"]],
		["shows its default", {}, { label: "a" }, { label: "none" }, []],
		["still protects it", {}, { releaseProtection: true }, { releaseProtection: true }, ["releaseProtection"]],
		["no longer protects it", {}, { releaseProtection: true }, { releaseProtection: false }, []],
		["leaves out the profile", { kycProfileId: "kyc_1" }, {}, {}, []],
	])("is compared if the service %s", (_, declared, before, live, expected) => {
		const body = Object.fromEntries(
			Object.keys({ ...declared, ...before }).map((key) => [numberProperties[key]?.wire ?? "", null]),
		);
		const unapplied = findUnapplied(numberProperties, {
			body,
			declared: { ...declared },
			olds: { ...before },
			before: { ...before },
			live: { ...live },
		});
		expect(unapplied.map(({ property }) => property)).toEqual(expected);
	});

	const unapplied = (more: Partial<Property>, declared: unknown, live: Values, sides: Partial<WriteResult> = {}) =>
		findUnapplied(
			{ a: field({ wire: "a_wire", ...more }) },
			{ body: { a_wire: declared }, declared: { a: declared }, olds: {}, before: {}, live, ...sides },
		).map(({ property }) => property);

	test("isn't compared where the service shows no value to compare", () => {
		expect(unapplied({ fixed: true }, "x", { a: "y" })).toEqual([]);
		expect(unapplied({ writeOnly: true }, "x", { a: "y" })).toEqual([]);
		expect(unapplied({ leftOut: true }, "x", {})).toEqual([]);
		expect(unapplied({ leftOut: true }, "x", { a: "y" })).toEqual(["a"]);
		expect(unapplied({}, "x", {}, { body: { "": "x" } })).toEqual([]);
	});

	test("isn't due for a default that can't be read", () => {
		const unread = () => markUnread({}, new Set(["a"]));
		expect(unapplied({ default: "x" }, "x", unread())).toEqual([]);
		expect(unapplied({ default: "x" }, "y", unread())).toEqual(["a"]);
		expect(unapplied({}, "x", unread())).toEqual(["a"]);
		expect(unapplied({ default: "x" }, "x", {})).toEqual(["a"]);
		expect(unapplied({ default: "x" }, "x", markUnread({ a: "y" }, new Set(["a"])))).toEqual(["a"]);
	});

	test.each<[string, unknown, Values, Values, readonly string[], readonly string[]]>([
		["for the list of before", ["*"], { a: ["x", "y"] }, { a: ["x", "y"] }, ["x", "y"], ["a"]],
		["for itself", ["*"], { a: ["*"] }, { a: ["x", "y"] }, ["x", "y"], []],
		["for another list", ["*"], { a: ["x"] }, { a: ["x"] }, ["x", "y"], []],
		["still due", ["*"], { a: ["*"], open: { unapplied: ["a"] } }, { a: ["x", "y"] }, ["x", "y"], ["a"]],
		["of a new object", ["*"], {}, {}, ["x", "y"], []],
		["not declared", ["X"], { a: ["x"] }, { a: ["x"] }, ["x"], []],
	])("applies `*` once the service lists its items: %s", (_, declared, olds, before, live, expected) =>
		expect(unapplied({ form: events }, declared, { a: live }, { olds, before })).toEqual(expected),
	);

	test("names the field that differs, and never a secret", () => {
		const auth = { mode: "digest", username: "pbx", password: "hunter2hunter2" };
		for (const live of [
			{ ...auth, username: "other", password: undefined },
			{ mode: "ip_acl", allowedCidrs: [] },
			{},
		]) {
			const write = { body: { auth: null }, declared: { auth }, olds: {}, before: {}, live: { auth: live } };
			const unapplied = findUnapplied(sipTrunkProperties, write);
			expect(unapplied).toHaveLength(1);
			expect(unapplied[0]?.property).toMatch(/^auth(\.username)?$/);
			expect(JSON.stringify(unapplied)).not.toContain("hunter2");
		}
	});

	test("doesn't report the default of a value that no program declared", () => {
		const live = { label: "Number 12" };
		const write = { body: { label: null }, declared: {}, olds: {}, before: live, live };
		expect(findUnapplied(numberProperties, write)).toEqual([]);
	});

	test("doesn't report the assumed default of a cleared property", () => {
		const none = { mediaEncryption: "none" };
		const write = { body: { media_encryption: null }, declared: {}, olds: none, before: none, live: none };
		expect(findUnapplied(sipTrunkProperties, write)).toEqual([]);
	});
});
