/** What an answer to an order of a number means, whatever the account has. */
import { describe, expect, test } from "vitest";
import { type ErrorKind, TelephonyError } from "../../../../provider/api/errors";
import { type Ordered, outcomeOf } from "../../../../provider/resources/number/order";

const since = Date.parse("2026-01-01T00:00:00Z");
const none = { isListed: () => false, isAnothers: () => false };
const answered = (data: { id?: string; created_at?: string }, replayed = false): Ordered => ({
	since,
	tries: 1,
	answer: { data, replayed },
});
const refused = (kind: ErrorKind, replayed = false): Ordered => ({
	since,
	tries: 1,
	error: new TelephonyError(kind, "refused", { replayed }),
});

describe("an order", () => {
	test.each<[string, Ordered, Partial<typeof none>, object]>([
		["answered with a number", answered({ id: "a" }), {}, { is: "sold", isOlder: false }],
		[
			"whose number is as old as the request",
			answered({ id: "a", created_at: "2026-01-01T00:00:00Z" }),
			{},
			{ isOlder: false },
		],
		[
			"whose number is older",
			answered({ id: "a", created_at: "2025-12-31T00:00:00Z" }),
			{},
			{ is: "sold", isOlder: true },
		],
		["answered from its key", answered({ id: "a" }, true), {}, { is: "repeated" }],
		["whose number the list had before", answered({ id: "a" }), { isListed: () => true }, { is: "repeated" }],
		["whose number another declaration has", answered({ id: "a" }, true), { isAnothers: () => true }, { is: "spent" }],
		["answered without an id", answered({}), {}, { is: "unread" }],
		["answered from its key without an id", answered({}, true), {}, { is: "repeated without an id" }],
		["with an answer that can't be read", refused("ContractMismatch", true), {}, { is: "unread" }],
		["refused", refused("Conflict"), {}, { is: "failed" }],
		["refused from its key", refused("Conflict", true), {}, { is: "spent" }],
		["without an answer", refused("OutcomeUnknown"), {}, { is: "unanswered" }],
	])("%s", (_, ordered, known, outcome) => {
		expect(outcomeOf(ordered, { ...none, ...known })).toMatchObject(outcome);
	});
});
