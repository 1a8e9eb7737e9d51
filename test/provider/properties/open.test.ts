/** What a write has left open: as the state keeps it, as earlier states kept it, and as a read settles it. */
import { describe, expect, test } from "vitest";
import {
	type Open,
	openIn,
	openOutputs,
	owedBy,
	readOutputs,
	withoutOpen,
	withUnseen,
} from "../../../provider/properties/open";
import type { Properties } from "../../../provider/properties/table";
import { numberProperties } from "../../../provider/resources/number/properties";

const nothing: Open = { leases: [], owed: {}, unseen: undefined, verdict: undefined };

describe("the output `open`", () => {
	test.each<[string, Partial<Open>]>([
		["leases without an answer", { leases: ["b", "a"] }],
		["what is owed", { owed: { label: "print" } }],
		["what a failed write may have changed", { unseen: ["label"] }],
		["a failed write that was refused", { unseen: [] }],
		["a cleared reference", { verdict: "vacant" }],
		["all of it", { leases: ["a"], owed: { label: "print" }, unseen: ["label"], verdict: "superseded" }],
	])("keeps %s, and nothing else", (_, open) => {
		const outputs = openOutputs(open);
		expect(outputs).toEqual({ open });
		expect(openIn(outputs)).toEqual({ ...nothing, ...open });
		expect(withoutOpen({ label: "x", ...outputs })).toEqual({ label: "x" });
	});

	test("is left out where nothing is open, whatever is empty", () => {
		for (const open of [{}, { leases: [], owed: {} }, nothing]) expect(openOutputs(open)).toEqual({});
		expect(openIn({ label: "x" })).toEqual(nothing);
	});
});

describe("what a write may leave owed", () => {
	const live = { label: "old", smsWebhookUrl: "https://a.example/x", metadata: { team: "a" } };
	const owed = (news: object, body: object) => Object.keys(owedBy(numberProperties, { ...news }, live, { ...body }));

	test("is what the request sends and the live value doesn't contradict", () => {
		expect(owed({}, { label: null }), "dropped").toEqual(["label"]);
		expect(owed({ label: "old" }, { label: "old" }), "as it is").toEqual(["label"]);
		expect(owed({ label: "new" }, { label: "new" }), "a difference is seen").toEqual([]);
		expect(owed({}, {}), "not sent").toEqual([]);
		expect(owed({}, { routing: null }), "nothing is there").toEqual([]);
		expect(owed({ metadata: { team: "a" } }, { metadata: { team: "a" }, label: null })).toEqual(["label", "metadata"]);
	});

	test("is shown by a read while the service has the same, in any spelling, and is forgotten once it hasn't", () => {
		const prints = owedBy(numberProperties, {}, live, { label: null, sms_webhook_url: null });
		expect(new Set(Object.values(prints)).size, "a print of each").toBe(2);
		const entry = openOutputs({ owed: prints });
		const read = (now: object) => readOutputs(numberProperties, entry, { ...now });
		expect(read(live)).toEqual({ label: "old", smsWebhookUrl: "https://a.example/x" });
		expect(read({ ...live, smsWebhookUrl: "https://A.example:443/x" })).toMatchObject({
			smsWebhookUrl: "https://A.example:443/x",
		});
		expect(read({ ...live, label: "newer" })).toEqual({ smsWebhookUrl: "https://a.example/x" });
		expect(read({})).toEqual({});
		expect(readOutputs(numberProperties, { label: "old", ...entry }, { label: "newer" })).toEqual({ label: "newer" });
	});

	test("is told apart by property: the same value elsewhere is another", () => {
		const properties: Properties = { a: { ...numberProperties.label, wire: "a" } as never, b: { wire: "b" } as never };
		const { a, b } = owedBy(properties, {}, { a: "x", b: "x" }, { a: null, b: null });
		expect(a).not.toBe(b);
		expect(a).toMatch(/^[\w-]{16}$/);
	});
});

test("what a failed write may have changed is as it was wanted, and the rest as it was", () => {
	const left = { label: "wanted", routing: "wanted", open: { unseen: ["label"] } };
	expect(withUnseen({ label: "old", routing: "old" }, left)).toEqual({ label: "wanted", routing: "old" });
	expect(withUnseen({ label: "old" }, { label: "wanted" })).toEqual({ label: "old" });
});
