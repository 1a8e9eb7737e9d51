/** The output `open`: the pending write in a resource state. */
import { expect, test } from "vitest";
import { openIn, openOutputs, withoutOpen } from "../../../provider/properties/open";

test("keeps leases and the flag of a pending write", () => {
	const outputs = openOutputs({ leases: ["b", "a"], isDirty: true });
	expect(outputs).toEqual({ open: { leases: ["b", "a"], dirty: true } });
	expect(openIn(outputs)).toEqual({ leases: ["b", "a"], isDirty: true });
	expect(withoutOpen({ label: "x", ...outputs })).toEqual({ label: "x" });
});

test("is absent if nothing is pending", () => {
	expect([openOutputs({}), openOutputs({ leases: [], isDirty: false })]).toEqual([{}, {}]);
	expect(openIn({ label: "x" })).toEqual({ leases: [], isDirty: false });
});
