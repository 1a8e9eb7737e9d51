/** Values that a state has, and its pending write. */
import { expect, test } from "vitest";
import { z } from "zod";
import { type Form, listOf, scalar } from "../../../provider/properties/form";
import { isHeld } from "../../../provider/properties/held";
import { objectOf } from "../../../provider/properties/object";
import { openIn, openOutputs } from "../../../provider/properties/open";

const map: Form = { kind: "map" };
const host = objectOf({ host: { description: "", type: () => z.string() } }).form;

/** Form, value, held value, and the path and the code of the broken rule. */
type Case = [form: Form, value: unknown, held: unknown, path: readonly PropertyKey[], code?: string];

test.each<Case>([
	[listOf(scalar), [], null, []],
	[map, { a: "x" }, { a: "x" }, ["a"]],
	[map, { a: "x" }, { a: "y" }, ["a"], "invalid_key"],
	[map, { a: "x" }, { a: "x", b: "y" }, []],
	[host, { more: 1 }, { more: 1 }, ["more"]],
	[listOf(scalar), ["a", "b"], ["a", "b", "c"], [], "too_big"],
	[listOf(scalar), ["b", "a"], ["a", "b"], [], "too_big"],
])("knows what is held: %#", (form, value, held, path, code) =>
	expect(isHeld(form, value, held, { path, code })).toBe(true),
);

test.each<Case>([
	[scalar, "x", null, []],
	[scalar, undefined, null, ["a"]],
	[map, { a: "x" }, { a: "y" }, ["a"]],
	[scalar, { a: 1 }, { a: 1 }, ["a"]],
	[map, { length: 1 }, "x", ["length"]],
	[map, "x", { length: 1 }, ["length"]],
	[map, {}, { a: 1 }, ["b"]],
	[map, { a: "z" }, { a: "x", b: "y" }, []],
	[map, { a: "x", c: "z" }, { a: "x", b: "y" }, []],
	[host, { host: "a" }, { host: "a", more: "b" }, [], "too_big"],
	[listOf(scalar), ["a", "d"], ["a", "b", "c"], [], "too_big"],
	[listOf(scalar), ["a", "a", "b"], ["a", "b"], [], "too_big"],
	[listOf(scalar), ["a"], ["a", "b"], [], "too_small"],
])("knows what isn't held: %#", (form, value, held, path, code) =>
	expect(isHeld(form, value, held, { path, code })).toBe(false),
);

test("keeps a pending write, and reads what another version wrote", () => {
	const none = { leases: [], isDirty: false, unapplied: [] };
	expect(openIn({})).toEqual(none);
	expect(openOutputs({})).toEqual({});
	for (const pending of [{ leases: ["a"] }, { isDirty: true }, { unapplied: ["label"] }])
		expect(openIn(openOutputs(pending))).toEqual({ ...none, ...pending });
	expect(openOutputs({ isDirty: true })).toEqual({ open: { dirty: true } });
	expect(openOutputs({ leases: ["a"], unapplied: ["b"] })).toEqual({ open: { leases: ["a"], unapplied: ["b"] } });
	expect(openIn({ open: { leases: ["a", "", 7], dirty: "yes", unapplied: "x" } })).toEqual({ ...none, leases: ["a"] });
});
