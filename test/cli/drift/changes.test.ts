/** Changes in the table of `telephony drift` for a terminal. */
import { expect, test } from "vitest";
import { changeTexts } from "../../../cli/drift/changes";
import { driftView } from "../../../cli/drift/view";
import { tableText } from "../../../cli/report/terminal";
import { pending, reported, step } from "../../helpers/engine-events";

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

test("wraps a long consequence in its column, and gives each change a line", () => {
	const kyc = { status: "rejected", reasons: [{ code: "blurred", message: `The scan is blurred ${"x".repeat(50)}` }] };
	const { tables } = driftView(
		reported(
			step("refused", { outputs: pending, live: { outputs: { ...pending, kyc } }, op: "update" }),
			step("desk", {
				inputs: { label: "a", routing: { type: "trunk", trunkId: "t" } },
				live: { inputs: { label: "b", routing: { type: "agent", agentId: "a" } } },
			}),
		),
		[],
	);
	const [head = "", ...lines] = tables.map(tableText).join().split("\n");
	const [from, to] = [head.indexOf("consequence"), head.indexOf("declared → live")];
	expect(to - from).toBeLessThanOrEqual(38);
	const consequences = lines.map((line) => line.slice(from, to));
	expect(consequences.join("").replaceAll(/\s/g, "")).toContain("x".repeat(50));
	expect(lines.flatMap((line) => line.slice(to) || []).slice(-4)).toEqual([
		'routing.type: "trunk" → "agent"',
		'routing.trunkId: "t" → not set',
		'routing.agentId: not set → "a"',
		'label: "a" → "b"',
	]);
	// Only a resource's first line begins at the margin.
	expect(lines.filter((line) => /^\S/.test(line))).toHaveLength(2);
});
