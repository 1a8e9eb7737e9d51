/** The report's table in a terminal: what has changed, field by field, in columns that stay columns. */
import { expect, test } from "vitest";
import { changeTexts, tableOf } from "../../../cli/table";
import { pending, reported, step } from "../../helpers/engine-events";

test("another kind of route, or none, is told field by field", () => {
	const [trunk, forward] = [
		{ trunkId: "trk_1", type: "trunk" },
		{ ringTimeoutSeconds: 30, to: "+3225550123", type: "forward" },
	];
	expect(changeTexts({ path: "routing", declared: trunk, live: forward })).toEqual([
		'routing.type: "trunk" → "forward"',
		'routing.trunkId: "trk_1" → not set',
		"routing.ringTimeoutSeconds: not set → 30",
		'routing.to: not set → "+3225550123"',
	]);
	const failover = { ...trunk, failover: forward };
	expect(changeTexts({ path: "routing", declared: failover }).at(-1)).toBe(
		'routing.failover.to: "+3225550123" → not set',
	);
	expect(changeTexts({ path: "routing", declared: {}, live: null })).toEqual(["routing: {} → not set"]);
});

test("a long consequence takes several lines of its column, and each change a line", () => {
	const kyc = { status: "rejected", reasons: [{ code: "blurred", message: `The scan is blurred ${"x".repeat(50)}` }] };
	const table = tableOf(
		reported(
			step("refused", { outputs: pending, live: { outputs: { ...pending, kyc } }, op: "update" }),
			step("desk", {
				inputs: { label: "a", routing: { type: "trunk", trunkId: "t" } },
				live: { inputs: { label: "b", routing: { type: "agent", agentId: "a" } } },
			}),
		),
	);
	const [head = "", ...lines] = table.split("\n");
	const [from, to] = [head.indexOf("consequence"), head.indexOf("declared → live")];
	expect(to - from).toBeLessThanOrEqual(38);
	const column = (line: string) => [line.slice(0, from).trim(), line.slice(from, to), line.slice(to)];
	expect(lines.map((line) => column(line)[1]).every((cell) => cell === undefined || cell.length < 36 + 3)).toBe(true);
	expect(
		lines
			.map((line) => column(line)[1])
			.join("")
			.replaceAll(/\s/g, ""),
	).toContain("x".repeat(50));
	expect(lines.flatMap((line) => column(line)[2] || []).slice(-4)).toEqual([
		'routing.type: "trunk" → "agent"',
		'routing.trunkId: "t" → not set',
		'routing.agentId: not set → "a"',
		'label: "a" → "b"',
	]);
	// Only a resource's first line begins at the margin.
	expect(lines.filter((line) => /^\S/.test(line))).toHaveLength(2);
});
