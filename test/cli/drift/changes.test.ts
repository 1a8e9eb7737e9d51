/** Changes in the table of `telephony drift` for a terminal. */
import { expect, test } from "vitest";
import { changeTexts } from "../../../cli/drift/changes";

const trunk = { trunkId: "trk_1", type: "trunk" };
const forward = { ringTimeoutSeconds: 30, to: "+3225550123", type: "forward" };
const cidrs = Array.from({ length: 60 }, (_, index) => `198.51.100.${index}/32`);
const swapped = { declared: cidrs, live: [...cidrs.slice(1), "0.0.0.0/0"] };

test.each([
	[
		"another kind of route",
		{ declared: trunk, live: forward },
		[
			'a.type: "trunk" → "forward"',
			'a.trunkId: "trk_1" → not set',
			"a.ringTimeoutSeconds: not set → 30",
			'a.to: not set → "+3225550123"',
		],
	],
	["a removed object", { declared: { b: { to: "x" } } }, ['a.b.to: "x" → not set']],
	["an empty object", { declared: {}, live: null }, ["a: {} → not set"]],
	["a swapped item", swapped, ['a: −"198.51.100.0/32" +"0.0.0.0/0" (60 items → 60)']],
	[
		"many removed items",
		{ declared: cidrs, live: ["0.0.0.0/0"] },
		[expect.stringMatching(/^a: (−"198\S+ ){5}… \+"0\.0\.0\.0\/0" \(60 items → 1\)$/)],
	],
])("lists the differences of %s", (_, change, texts) => {
	expect(changeTexts({ path: "a", ...change })).toEqual(texts);
});
