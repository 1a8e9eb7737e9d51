/** What waits to be submitted again: since which submission, and as earlier states say it. */
import { expect, test } from "vitest";
import { isUnsubmitted, unsubmittedOutput } from "../../../provider/documents/submission";

const record = { submitted_at: "2026-01-01T00:00:00Z" };

test.each([
	["a correction after this submission", record.submitted_at, true],
	["one that an earlier state has noted", true, true],
	["one that was submitted since, though the answer was lost", "2025-12-01T00:00:00Z", false],
	["nothing", undefined, false],
] as const)("%s", (_, unsubmitted, isOpen) => {
	expect(isUnsubmitted({ unsubmitted }, record)).toBe(isOpen);
	expect(unsubmittedOutput({ unsubmitted }, record)).toEqual(isOpen ? { unsubmitted } : {});
});

test("what a failed write may have changed waits too, but for the submission itself", () => {
	expect(isUnsubmitted({ open: { unseen: ["documents"] } }, record)).toBe(true);
	expect(isUnsubmitted({ open: { unseen: ["status"] } }, record)).toBe(false);
});
