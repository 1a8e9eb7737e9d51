/** Spellings: which live values are the declared ones in another form, and what a write didn't apply. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Form, listOf, type ObjectForm, scalar, setOf, urlForm } from "../../../provider/properties/form";
import { e164Form } from "../../../provider/properties/phone";
import { findUnapplied, isSpelling, spellingsOf } from "../../../provider/properties/spelling";
import type { Properties } from "../../../provider/properties/table";
import { numberProperties } from "../../../provider/resources/number/properties";
import { sipTrunkProperties } from "../../../provider/resources/sip-trunk/properties";
import { allKinds } from "../../helpers/kinds";

const events = setOf(scalar);
const routingForm = numberProperties.routing?.form as ObjectForm;
const named = sipTrunkProperties.auth?.form as ObjectForm;

test.each<[Form, unknown, unknown]>([
	[scalar, "Café", "Cafe\u0301"],
	[scalar, "Office-PBX", "office-pbx"],
	[scalar, "A & B <x>", "A &amp; B &lt;x&gt;"],
	[scalar, "It's", "It&#39;s"],
	[scalar, "Front  Desk", "Front Desk"],
	[scalar, "2027-01-31T08:00:00Z", "2027-01-31"],
	[scalar, "2027-01-31T23:30:00-02:00", "2027-02-01"],
	[urlForm, "https://a.example/sms/", "https://a.example/sms"],
	[urlForm, "https://a.example/sms?x=1", "https://a.example/sms/?x=1"],
	[events, ["*"], ["a", "b", "c"]],
	[events, ["B", "a"], ["a", "b"]],
	[listOf(scalar), ["Opus", "PCMA"], ["opus", "pcma"]],
	[{ kind: "map" }, { Team: "Café" }, { team: "Cafe\u0301" }],
	[named, { mode: "digest", username: "PBX", password: "secret" }, { mode: "digest", username: "pbx" }],
	[e164Form, "+525512345678", "+5215512345678"],
	[e164Form, "+5491123456789", "+54 11 2345 6789"],
	[e164Form, "+31201234567", "+310201234567"],
	[routingForm, { type: "forward", to: "+525512345678" }, { type: "forward", to: "5215512345678" }],
])("knows a spelling: %j", (form, declared, live) => expect(isSpelling(form, declared, live)).toBe(true));

test.each<[Form, unknown, unknown]>([
	[scalar, "Desk", "Desk 2"],
	[scalar, "+31201234567", "+3120123456"],
	[e164Form, "+525512345678", "+5215512345679"],
	[e164Form, "+493012345678", "+4989301234567"],
	[e164Form, "+493012345678", "+4930123456"],
	[e164Form, "+4930123456", "+4930123456 ext 5"],
	[e164Form, "+525512345678", "+545512345678"],
	[scalar, "trk_1", "trk_10"],
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
	[{ kind: "map" }, { team: "a" }, { team: "a", floor: "3" }],
	[named, { mode: "digest", username: "pbx" }, { mode: "ip_acl", allowedCidrs: ["198.51.100.1"] }],
])("knows another value: %j", (form, declared, live) => expect(isSpelling(form, declared, live)).toBe(false));

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
