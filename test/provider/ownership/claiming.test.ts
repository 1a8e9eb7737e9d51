/** When an update claims an object, what makes it an entry's own, and what a single read says against a list. */
import { describe, expect, test } from "vitest";
import { TelephonyError } from "../../../provider/api/errors";
import { identityOf, type Referenced, stillOurs } from "../../../provider/ownership/claim";
import { claimOutputs, isToBeClaimed, leasesOf, lossOf } from "../../../provider/ownership/ownership";
import { formatReference } from "../../../provider/ownership/reference";
import { dynamic, source } from "../../helpers/claim-source";

describe("an update is due to claim an object", () => {
	const mine = identityOf(source());
	const entry = { lease: "l", token: mine.token };

	test.each([
		[true, "that was bought and not claimed yet", { ...entry, lease: "" }, mine],
		[true, "that was bought and not claimed yet, though the plan isn't known", { ...entry, lease: "" }, undefined],
		[true, "whose reference a read has found cleared", { ...entry, open: { verdict: "vacant" } }, mine],
		[true, "of a resource that has another name now", entry, identityOf(source({}, `${dynamic}2`))],
		[false, "that is as it was written", entry, mine],
		[false, "of which it isn't known yet what the program asks for", entry, undefined],
		[false, "of a state that holds no token", { lease: "l" }, mine],
	] as const)("%s: one %s", (expected, _, outputs, planned) => expect(isToBeClaimed(outputs, planned)).toBe(expected));

	test("a read says in the state that an update is to claim, until it has found it ours again", () => {
		const noted = (state: Parameters<typeof claimOutputs>[1]) =>
			claimOutputs({ ...entry, label: "x", open: { leases: ["k"], unseen: [], verdict: "vacant" } }, state);
		for (const verdict of ["vacant", "superseded"] as const)
			expect(noted(verdict)).toEqual({ ...entry, open: { leases: ["k"], verdict } });
		for (const state of ["ours", "foreign", "unknown"] as const)
			expect(noted(state)).toEqual({ ...entry, open: { leases: ["k"] } });
	});
});

test("only what an entry has really sent makes an object its own, whatever somebody wrote into its state", () => {
	expect(leasesOf({ lease: "a", open: { leases: ["b", "", null, 5, "c"] } })).toEqual(["a", "b", "c"]);
	expect(leasesOf({ lease: "", open: { leases: "abc" } })).toEqual([]);
	expect(leasesOf({})).toEqual([]);
});

test("a number that is gone is called by what happened to it, and released if nobody can tell", () => {
	expect(["released", "ported_out", "failed", "removed"].map((status) => lossOf(status).word)).toEqual([
		"released",
		"ported out",
		"failed",
		"removed",
	]);
	expect(lossOf("dissolved")).toEqual(lossOf("released"));
});

describe("what a list shows as ours, a single read", () => {
	const reference = (name: string) => formatReference(identityOf(source({}, `${dynamic}${name}`)), "l");
	const row = (name: string, updated_at: string | null) => ({ id: "x", reference: reference(name), updated_at });
	const listed = row("", "2026-01-01T00:00:05Z");
	const read = (record: Referenced) => stillOurs<Referenced>(listed, async () => record);

	test.each([
		["may show newer, still under our name", row("", "2026-01-01T00:00:09Z"), true],
		["may show older, still under our name", row("", "2026-01-01T00:00:01Z"), true],
		["may show without a reference", { id: "x" }, true],
		["may show with an empty one", { ...listed, reference: "" }, true],
		["may show under another name by now: then it is not ours", row("2", "2026-01-01T00:00:09Z"), false],
		["may show under another tool's: then it is not ours", { ...listed, reference: "order 4711" }, false],
		["of the same time counts for more", row("2", listed.updated_at), false],
		["without a time counts for more", row("2", null), false],
	])("%s", async (_, record, isOurs) => expect(await read(record)).toEqual(isOurs ? record : undefined));

	test("that lags behind the list counts for less", async () => {
		expect(await read(row("2", "2026-01-01T00:00:01Z"))).toBe(listed);
	});

	test("that doesn't find it yet counts for less, and one that fails settles nothing", async () => {
		const failing = (error: Error) => stillOurs(listed, () => Promise.reject(error));
		expect(await failing(new TelephonyError("NotFound", "not there"))).toBe(listed);
		expect(await failing(new TelephonyError("Unlisted", "not in the list"))).toBe(listed);
		await expect(failing(new TelephonyError("Unavailable", "away"))).rejects.toThrow("away");
	});
});
