/** The request of a write, where the state is dirty or the object is locked. */
import { expect, test } from "vitest";
import { plan } from "../../../provider/lifecycle/write";
import { numberProperties } from "../../../provider/resources/number/properties";

const live = { label: "x", smsWebhookUrl: "https://a.example/x", releaseProtection: false };

test.each([
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
