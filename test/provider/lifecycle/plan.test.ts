/** Decision tables of the write path: the request of a write, and the state after its outcome. */
import { expect, test } from "vitest";
import { plan, resumedOutputs, stateAfter } from "../../../provider/lifecycle/write";
import { identityOf } from "../../../provider/ownership/claim";
import { numberProperties } from "../../../provider/resources/number/properties";
import { source } from "../../helpers/claim-source";

const live = { label: "x", smsWebhookUrl: "https://a.example/x", releaseProtection: false };

test.each([
	["nothing that the service has already", {}, { olds: { label: "x" }, news: { label: "x" } }, {}],
	["a changed value", {}, { olds: { label: "x" }, news: { label: "y" } }, { label: "y" }],
	["a value changed by hand", {}, { olds: { label: "y" }, news: { label: "y" } }, { label: "y" }],
	["null for a value that the program dropped", {}, { olds: { label: "x" }, news: {} }, { label: null }],
	["nothing for a value that nobody declared", {}, { olds: {}, news: {} }, {}],
	["everything of a dirty state", { isDirty: true }, { olds: {}, news: { label: "x" } }, { label: "x", sms: null }],
	[
		"null for a dropped value of a dirty state that a lagging read hides",
		{ isDirty: true },
		{ olds: { routing: { type: "agent" } }, news: { label: "x" } },
		{ label: "x", routing: null, sms: null },
	],
	[
		"only differences of a locked object",
		{ isDirty: true, isLocked: true },
		{ olds: {}, news: { label: "x" } },
		{ sms: null },
	],
] as const)("sends %s", (_, pending, sides, { sms, ...body }: Record<string, unknown>) => {
	const expected = sms === undefined ? body : { ...body, sms_webhook_url: sms };
	expect(plan(numberProperties, { live, ...sides }, pending)).toEqual(expected);
});

const claim = identityOf(source());
const olds = { token: "old", lease: "a", open: { leases: ["b"] } };
const before = { token: "old", lease: "a" };
const { token } = claim;

test.each([
	["confirmed", olds, { isConfirmed: true, isUnknown: false }, { token, lease: "new", open: { leases: ["b"] } }],
	[
		"confirmed for a resumed object",
		resumedOutputs("b"),
		{ isConfirmed: true, isUnknown: false },
		{ token, lease: "new" },
	],
	["refused", olds, { isConfirmed: false, isUnknown: false }, { ...before, open: { leases: ["new", "b"] } }],
	[
		"unknown",
		olds,
		{ isConfirmed: false, isUnknown: true },
		{ ...before, open: { leases: ["new", "b"], dirty: true } },
	],
	[
		"unknown for a later request",
		olds,
		{ isConfirmed: true, isUnknown: true },
		{ token, lease: "new", open: { leases: ["b"], dirty: true } },
	],
	[
		"refused for a new object",
		{},
		{ isConfirmed: false, isUnknown: false },
		{ token, lease: "", open: { leases: ["new"] } },
	],
])("saves a write whose outcome is %s", (_, outputs, sent, state) => {
	expect(stateAfter({ claim, olds: outputs }, { lease: "new", isSent: true, ...sent })).toEqual(state);
});
