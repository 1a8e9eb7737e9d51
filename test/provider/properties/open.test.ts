/** The output `open`: what a write has left pending, in the state and after a read. */
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

describe("the output", () => {
	test.each<Partial<Open>>([
		{ leases: ["b", "a"] },
		{ owed: { label: "print" } },
		{ unseen: ["label"] },
		{ unseen: [] },
		{ verdict: "vacant" },
		{ leases: ["a"], owed: { label: "print" }, unseen: ["label"], verdict: "superseded" },
	])("keeps %j, and nothing else", (open) => {
		const outputs = openOutputs(open);
		expect(outputs).toEqual({ open });
		expect(openIn(outputs)).toEqual({ ...nothing, ...open });
		expect(withoutOpen({ label: "x", ...outputs })).toEqual({ label: "x" });
	});

	test.each<Partial<Open>>([{}, { leases: [], owed: {} }, nothing])("is absent if nothing is pending: %j", (open) => {
		expect(openOutputs(open)).toEqual({});
		expect(openIn({ label: "x" })).toEqual(nothing);
	});

	test("takes what a failed write may have changed from its inputs", () => {
		const left = { label: "wanted", routing: "wanted", open: { unseen: ["label"] } };
		expect(withUnseen({ label: "old", routing: "old" }, left)).toEqual({ label: "wanted", routing: "old" });
		expect(withUnseen({ label: "old" }, { label: "wanted" })).toEqual({ label: "old" });
	});
});

describe("a pending value", () => {
	const live = { label: "old", smsWebhookUrl: "https://a.example/x", metadata: { team: "a" } };

	test.each([
		["dropped by the program", {}, { label: null }, ["label"]],
		["as it is", { label: "old" }, { label: "old" }, ["label"]],
		["another value, so that a difference is seen", { label: "new" }, { label: "new" }, []],
		["not sent", {}, {}, []],
		["not there", {}, { routing: null }, []],
		["one of two", { metadata: { team: "a" } }, { metadata: { team: "a" }, label: null }, ["label", "metadata"]],
	])("is what a request sends and the live value doesn't contradict: %s", (_, news, body, owed) => {
		expect(Object.keys(owedBy(numberProperties, news, live, body))).toEqual(owed);
	});

	test("is shown by a read while the service has the same, in any spelling", () => {
		const prints = owedBy(numberProperties, {}, live, { label: null, sms_webhook_url: null });
		const entry = openOutputs({ owed: prints });
		const read = (now: object) => readOutputs(numberProperties, entry, { ...now });
		const [label, smsWebhookUrl] = ["old", "https://a.example/x"];
		expect(read(live)).toEqual({ label, smsWebhookUrl });
		const respelled = "https://A.example:443/x";
		expect(read({ ...live, smsWebhookUrl: respelled })).toEqual({ label, smsWebhookUrl: respelled });
		expect(read({ ...live, label: "newer" })).toEqual({ smsWebhookUrl });
		expect(read({})).toEqual({});
		expect(readOutputs(numberProperties, { label, ...entry }, { label: "newer" })).toEqual({ label: "newer" });
	});

	test("has a print of its own for each property", () => {
		const properties: Properties = { a: { ...numberProperties.label, wire: "a" } as never, b: { wire: "b" } as never };
		const { a, b } = owedBy(properties, {}, { a: "x", b: "x" }, { a: null, b: null });
		expect(a).not.toBe(b);
		expect(a).toMatch(/^[\w-]{16}$/);
	});
});
