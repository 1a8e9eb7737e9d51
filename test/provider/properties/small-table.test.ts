/** The functions of a table, for tables of one or two properties that show one rule each. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { markUnread } from "../../../provider/api/contract";
import { type Form, hashOf, listOf, scalar, typeOf } from "../../../provider/properties/form";
import { objectOf } from "../../../provider/properties/object";
import {
	allDeclared,
	checkProperties,
	createBody,
	declaredInputs,
	declaredOutputs,
	failuresOf,
	fixedBody,
	isValid,
	liveOutputs,
	liveValues,
	type Properties,
	type Property,
	patchBody,
	refusedChanges,
	signature,
	unknownValue,
	untypedPaths,
	urnOf,
	type Values,
} from "../../../provider/properties/table";

const property = (type: z.ZodType, more: Partial<Property> = {}): Property => ({
	description: "",
	type: () => type,
	...more,
});
/** A table with this property as `a`. */
const tableOf = (type: z.ZodType, more: Partial<Property> = {}): Properties => ({ a: property(type, more) });
const reasons = (properties: Properties, inputs: Values) =>
	checkProperties(properties, inputs).failures.map(({ reason }) => reason);

test.each<[z.ZodType, unknown, string]>([
	[z.string().min(1), "", "a: must not be empty"],
	[z.string().min(3), "ab", "a: must have at least 3 characters"],
	[z.string().max(3), "abcd", "a: must have at most 3 characters"],
	[z.number().min(1), 0, "a: must be at least 1"],
	[z.number().max(5), 6, "a: must be at most 5"],
	[z.int(), 6.5, "a: must be a whole number"],
	[z.record(z.string().max(2), z.string()), { abc: "x" }, "a.abc: its key must have at most 2 characters"],
	[
		z.record(
			z
				.string()
				.min(3)
				.refine(() => false, "must be ours"),
			z.string(),
		),
		{ ab: "x" },
		"a.ab: its key must have at least 3 characters, must be ours",
	],
	[z.boolean(), undefined, "a: must be set"],
])("says in plain words which limit a value breaks: %#", (type, a, reason) =>
	expect(reasons(tableOf(type, { required: true }), { a })).toEqual([reason]),
);

const host = objectOf({ host: property(z.string()) });
test.each<[z.ZodType, Form, unknown, string]>([
	[typeOf(host), host.form, { hots: "x" }, "a.hots: there is no such property. Did you mean host?"],
	[
		z.array(typeOf(host)),
		listOf(host.form),
		[{ hots: "x" }],
		"a[0].hots: there is no such property. Did you mean host?",
	],
	[z.strictObject({}), scalar, { x: 1 }, "a.x: there is no such property. The properties are ."],
])("names the fields of the place that has an unknown one: %#", (type, form, a, reason) =>
	expect(reasons(tableOf(type, { form }), { a })).toEqual([reason]),
);

describe("check", () => {
	const short = z.string().max(3);
	const onlyOn = z.string().refine((text) => text === "on", { error: "is unknown", params: { knownValues: ["on"] } });

	test("defers a limit of the service's values to the object that is adopted", () => {
		const [reason] = reasons(tableOf(short), { a: "long" });
		const deferredOf = (more: Partial<Property>, a: unknown, isAdopting: boolean) => {
			const { failures, deferred } = checkProperties(tableOf(short, more), { a }, { isAdopting });
			return [failures.length, deferred.map((failure) => failure.reason)];
		};
		expect(deferredOf({ wire: "a" }, "long", true)).toEqual([0, [reason]]);
		expect(deferredOf({ wire: "a" }, "long", false)).toEqual([1, []]);
		expect(deferredOf({}, "long", true)).toEqual([1, []]);
		expect(deferredOf({ wire: "a" }, 7, true)).toEqual([1, []]);
		expect(checkProperties(tableOf(short, { wire: "a" }), { a: "long" }).deferred).toEqual([]);
	});

	test("passes a value that this version doesn't know, and names it", () => {
		const { failures, unknown } = checkProperties(tableOf(onlyOn), { a: "off" });
		expect({ failures, unknown }).toEqual({
			failures: [],
			unknown: [{ path: "a", value: "off", knownValues: ["on"] }],
		});
		expect(checkProperties(tableOf(onlyOn), { a: "on" }).unknown).toEqual([]);
		expect(checkProperties(tableOf(short), { a: "long" }).unknown).toEqual([]);
		expect(failuresOf(tableOf(onlyOn), "a", { a: "off" })).toEqual([]);
		expect(failuresOf(tableOf(short), "a", { a: "long" })).toHaveLength(1);
	});

	test("names what is beside an asset, and not what is inside it", () => {
		const type = z.object({ x: z.object({ y: z.string() }), z: z.object({ y: z.string() }) });
		const asset = { [signature]: "c44067f5952c0a294b673a41bacd8c17", y: 7 };
		expect(reasons(tableOf(type), { a: { x: asset, z: { y: 7 } } }).map((reason) => reason.split(":")[0])).toEqual([
			"a.x",
			"a.z.y",
		]);
	});

	test("reports no mistake at or inside an unknown value", () => {
		const at = (path: string[]) =>
			z.any().superRefine((_, context) => context.addIssue({ code: "custom", path, message: "is wrong" }));
		expect(reasons(tableOf(at(["x", "y"])), { a: { x: unknownValue } })).toEqual([]);
		expect(reasons(tableOf(at(["x"])), { a: { x: unknownValue } })).toEqual([]);
		expect(reasons(tableOf(at(["x", "y"])), { a: {} })).toEqual(["a.x.y: is wrong"]);
	});

	test("lets a default be left out, and knows no property of another table", () => {
		expect(reasons(tableOf(short, { required: true, default: "x" }), {})).toEqual([]);
		expect(failuresOf({}, "a", {})).toEqual([]);
		expect(["a", "b"].map((key) => isValid(tableOf(short.optional()), key, { a: null }))).toEqual([true, false]);
		expect(isValid(tableOf(short), "a", { a: "long" })).toBe(false);
	});

	test("names the paths that don't fit the types of programs", () => {
		const two = { a: property(short, { required: true }), b: property(typeOf(host), { form: host.form }) };
		expect(untypedPaths(two, {})).toEqual(["a"]);
		expect(untypedPaths(two, { a: 7, b: { host: 7 } })).toEqual(["a", "b.host"]);
		expect(untypedPaths(two, { a: "long", b: { hots: "x" } })).toEqual(["b.hots"]);
	});
});

test("refuses a valid new value only where the property says so", () => {
	const changesOf = (does: "refused" | "replaces", olds: Values, inputs: Values) =>
		refusedChanges(
			tableOf(z.string(), { change: { does, words: "refused: use another refused: name" } }),
			olds,
			inputs,
		);
	expect(changesOf("refused", { a: "x" }, { a: "y" })).toEqual([
		{ property: "", reason: "a: can't change from x to y. Restore the old value, or use another refused: name" },
	]);
	for (const [does, olds, inputs] of [
		["refused", { a: "x" }, { a: "x" }],
		["refused", {}, { a: "y" }],
		["refused", { a: "x" }, { a: unknownValue }],
		["refused", { a: "x" }, { a: 7 }],
		["replaces", { a: "x" }, { a: "y" }],
	] as const)
		expect(changesOf(does, olds, inputs)).toEqual([]);
});

describe("a request", () => {
	const three: Properties = {
		a: property(z.string(), { wire: "a_wire" }),
		b: property(z.string(), { wire: "b_wire", fixed: true }),
		c: property(z.string(), { fixed: true }),
	};
	const news = { a: "A", b: "B", c: "C" };

	test("has the fixed properties only in the body of their own", () => {
		expect(fixedBody(three, news)).toEqual({ b_wire: "B" });
		expect(fixedBody(three, { ...news, b: null })).toEqual({});
		expect(createBody(three, news)).toEqual({ a_wire: "A" });
	});

	test("doesn't send a value again that the service keeps in its own spelling", () => {
		const sent = (spellings: Record<string, string>) =>
			patchBody(three, { olds: news, news, live: { a: "a" }, spellings });
		expect(sent({ a: hashOf(scalar, "a") })).toEqual({});
		expect(sent({ a: hashOf(scalar, "b") })).toEqual({ a_wire: "A" });
		expect(sent({})).toEqual({ a_wire: "A" });
	});

	test("doesn't send a value again that responses leave out, until it changes", () => {
		const hidden = tableOf(z.string(), { wire: "a_wire", leftOut: true });
		const sent = (olds: Values, live: Values) => patchBody(hidden, { olds, news: { a: "A" }, live });
		expect(sent({ a: "A" }, {})).toEqual({});
		for (const [olds, live] of [
			[{}, {}],
			[{ a: "B" }, {}],
			[{ a: "A" }, { a: "B" }],
		])
			expect(sent(olds ?? {}, live ?? {})).toEqual({ a_wire: "A" });
	});
});

describe("what a state keeps", () => {
	const two = { a: property(z.string(), { wire: "a_wire" }), b: property(z.string()) };

	test("is the program's spelling while the service keeps its own", () => {
		const kept = (spelling: string) => declaredOutputs(two, { a: "A", b: "B" }, { a: "a" }, { a: spelling });
		expect(kept(hashOf(scalar, "a"))).toEqual({ a: "A", b: "B" });
		expect(kept(hashOf(scalar, "b"))).toEqual({ a: "a", b: "B" });
	});

	test("has only set values, and marks what can't be read", () => {
		const live = liveValues(two, markUnread({ "": "x" }, new Set(["a_wire"])));
		expect(Object.keys(live)).toEqual(["a"]);
		expect(declaredOutputs(two, { a: "A" }, live)).toEqual({ a: "A" });
		expect(declaredOutputs(two, { a: "A" }, liveValues(two, {}))).toEqual({ a: null });
		expect(declaredInputs(two, { a: null, b: "B", more: 1 })).toEqual({ b: "B" });
		expect(allDeclared(two)).toEqual({ a: null, b: null });
	});

	test("has the outputs that the service shows, and a URN that is a text", () => {
		const outputs = { a: { ...two.a, drift: "" }, b: { ...two.b, drift: "" } };
		expect(liveOutputs(outputs, { a_wire: 1, "": 2 })).toEqual({ a: 1 });
		expect([urnOf({ __resourceUrn: "urn:x" }), urnOf({ __resourceUrn: 7 }), urnOf({})]).toEqual(["urn:x", "", ""]);
	});
});
