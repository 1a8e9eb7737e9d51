/** A pool in the report of `telephony drift`: an entry for each of its numbers. */
import { expect, test } from "vitest";
import { reported, step } from "../../helpers/engine-events";

const inputs = { count: 3, country: "NL", type: "mobile", label: "desk {index}", waitForActive: true };
const numbers = [0, 1, 2].map((index) => ({
	name: `support[${index}]`,
	id: `num_${index}`,
	phoneNumber: `+3161234567${index}`,
	status: "active",
}));
const members = numbers.map(({ name, ...number }, index) => ({ index, ...number, token: `t${index}`, lease: "l" }));
const pool = { type: "NumberPool", inputs, outputs: { ...inputs, numbers, members } };
const [first, second, third] = numbers;

test("reports each changed and each deleted number of a pool", () => {
	const outputs = {
		numbers: [first, { ...third, status: "pending" }],
		members: [
			{ ...members[0], different: { label: "mine" } },
			{ ...members[2], different: { label: null }, status: "pending" },
		],
	};
	const report = reported(step("support", { ...pool, live: { inputs: { count: 2 }, outputs } }));
	const label = { path: "label", declared: "desk 0", live: "mine" };
	expect(report).toMatchObject({
		...{ total: 3, drifted: 3 },
		resources: [
			{ name: "support[1]", id: "num_1", e164: "+31612345671", kind: "deleted", severity: "high" },
			{ name: "support[0]", id: "num_0", kind: "changed", severity: "low", changes: [label] },
			{ name: "support[2]", id: "num_2", kind: "changed", changes: [{ path: "label", declared: "desk 2" }] },
		],
	});
	expect(report.resources[1]?.fixes).toEqual([
		{ code: "restore", text: expect.stringContaining('sets `label` to `"desk 0"`') },
		{ code: "accept", text: expect.stringMatching(/`exclude`.*`adopt: "num_0"`/) },
	]);
});

const waits = {
	outputs: {
		numbers: [first, { ...second, status: "pending" }, third],
		members: [members[0], { ...members[1], status: "pending" }, members[2]],
	},
};
test.each([
	["a waiting number", { live: waits }, [{ name: "support[1]", kind: "waiting" }], 0],
	["a deleted pool", { live: null }, [{ name: "support", kind: "deleted", repair: "buy" }], 1],
	["no drift", {}, [], 0],
])("reports %s of a pool", (_, more, resources, drifted) => {
	expect(reported(step("support", { ...pool, ...more }))).toMatchObject({ resources, drifted });
});
