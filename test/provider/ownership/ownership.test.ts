/** Decision tables: who owns an object, and when an update claims it. */
import { expect, test } from "vitest";
import {
	claimOutputs,
	isToBeClaimed,
	lossOf,
	lossText,
	type Ownership,
	ownership,
} from "../../../provider/ownership/ownership";
import { formatReference, retainedLease } from "../../../provider/ownership/reference";
import { dynamic, identity } from "../../helpers/claim-source";

const mine = identity();
const theirs = identity({ place: "elsewhere" });
const otherName = identity({}, `${dynamic}2`);
const moved = identity({}, dynamic.replace("dev", "before"));
const referring = (reference: string | null) => ({ id: "x", reference });
const at = (claim: typeof mine, lease: string) => referring(formatReference(claim, lease));
const cut = (claim: typeof mine, length = 44) => referring(formatReference(claim, "lease1").slice(0, length));
const saved = { lease: "l", open: { leases: ["late", "later"] }, token: mine.token };

test.each([
	["ours", "its lease is the state's", at(mine, "l"), saved],
	["ours", "a late write of the state has arrived", at(mine, "later"), saved],
	["ours", "its lease is the state's, though the state has moved", at(theirs, "l"), saved],
	["ours", "the state never claimed it, and nobody else did", referring(null), { ...saved, lease: "" }],
	["ours", "this state wrote it under the stack's old name", at(moved, "l"), { ...saved, token: moved.token }],
	["ours", "its stack had retained it, and resumes it", at(mine, retainedLease), { ...saved, lease: retainedLease }],
	["superseded", "another run of the same state wrote it", at(mine, "m"), saved],
	["superseded", "it was bought for this declaration, which has no state", at(mine, "m"), {}],
	["superseded", "it carries the resource's old name", at(otherName, "m"), { ...saved, token: otherName.token }],
	["superseded", "another copy of the state has retained it", at(mine, retainedLease), saved],
	[
		"superseded",
		"the stack that had it before has retained it",
		at(moved, retainedLease),
		{ ...saved, token: moved.token },
	],
	["vacant", "its reference was cleared", referring(null), saved],
	["vacant", "it has never had a reference", referring(""), {}],
	[
		"vacant",
		"another stack has retained it, and an import has it",
		at(otherName, retainedLease),
		{ token: mine.token },
	],
	["foreign", "it carries the old name under the stack's old name", at(moved, "m"), { ...saved, token: moved.token }],
	["foreign", "another declaration has retained it", at(otherName, retainedLease), saved],
	[
		"foreign",
		"others have retained what the state resumed",
		at(otherName, retainedLease),
		{ ...saved, lease: retainedLease },
	],
	["foreign", "another stack has retained it, and nothing has it yet", at(otherName, retainedLease), {}],
	["foreign", "another state wrote it", at(theirs, "m"), saved],
	["foreign", "another declaration of this state wrote it", at(otherName, "m"), saved],
	["foreign", "its reference isn't ours", referring("order 4711"), saved],
	["foreign", "its reference isn't ours, and the state never claimed it", referring("a"), { lease: "" }],
	["ours", "the service has cut the reference, and the state has it", cut(mine), saved],
	["ours", "the service has cut the token, and the state has it", cut(mine, 20), saved],
	["ours", "the service has cut the reference with the old name", cut(otherName), { ...saved, token: otherName.token }],
	["superseded", "the service has cut the reference, and nothing has it yet", cut(mine), {}],
	["foreign", "the service has cut another declaration's reference", cut(otherName), saved],
	["foreign", "the service has cut another state's reference", cut(theirs), saved],
	["foreign", "the service has cut another declaration's, and nothing has it yet", cut(otherName), {}],
	["unknown", "the response shows no reference", { id: "x" }, saved],
] as const)("is %s if %s", (expected, _, record, outputs) => {
	expect(ownership(mine, record, outputs)).toBe(expected);
	expect(ownership({ ...mine, kept: false }, record, outputs)).toBe("unknown");
});

test.each([
	[true, "was bought and not claimed yet", { ...saved, lease: "" }, mine],
	[true, "wasn't claimed yet, and the plan is unknown", { ...saved, lease: "" }, undefined],
	[true, "was written by another run, which a read found", { ...saved, open: { dirty: true } }, mine],
	[true, "belongs to a resource with a new name", saved, otherName],
	[false, "is as it was written", saved, mine],
	[false, "has an unknown plan", saved, undefined],
	[false, "belongs to a state without a token", { lease: "l" }, mine],
] as const)("claims in an update: %s, if the object %s", (expected, _, outputs, planned) => {
	expect(isToBeClaimed(outputs, planned)).toBe(expected);
});

test.each<[Ownership, object]>([
	["vacant", { lease: "", open: { leases: ["l", "k"] } }],
	["superseded", { lease: "l", open: { leases: ["k"], dirty: true } }],
	["ours", { lease: "l", open: { leases: ["k"] } }],
	["foreign", { lease: "l", open: { leases: ["k"] } }],
	["unknown", { lease: "l", open: { leases: ["k"] } }],
])("keeps in the state what the next update claims: %s", (state, kept) => {
	const before = { lease: "l", token: mine.token, label: "x", open: { leases: ["k"] } };
	expect(claimOutputs(before, state)).toEqual({ token: mine.token, ...kept });
});

test("keeps a state without a lease after the reference was cleared", () => {
	const imported = { token: mine.token };
	expect(claimOutputs(imported, "vacant")).toEqual({ token: mine.token, lease: undefined });
	const unclaimed = { ...imported, lease: "", open: { leases: ["k"] } };
	expect(claimOutputs(unclaimed, "vacant")).toEqual(unclaimed);
});

test("says how a number was lost", () => {
	expect(lossText("failed")).not.toContain("outside");
	expect(lossText("ported out")).toContain("ported out outside Pulumi");
});

test.each([
	["released", "released-outside", "released"],
	["ported_out", "ported-out", "ported out"],
	["failed", "number-failed", "failed"],
	["removed", "removed-outside", "removed"],
	["dissolved", "released-outside", "released"],
])("names the loss of a number that is %s", (status, code, word) => expect(lossOf(status)).toEqual({ code, word }));
