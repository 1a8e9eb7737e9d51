/** A pool in the report of `telephony drift`: each of its numbers is looked at as a Number is. */
import { describe, expect, test } from "vitest";
import { reported, step } from "../../helpers/engine-events";

describe("a pool", () => {
	const inputs = { count: 3, country: "NL", type: "mobile", label: "desk {index}", waitForActive: true };
	const numbers = [0, 1, 2].map((index) => ({
		name: `support[${index}]`,
		id: `num_${index}`,
		phoneNumber: `+3161234567${index}`,
		status: "active",
	}));
	const members = [0, 1, 2].map((index) => ({ index, token: `t${index}`, lease: "l" }));
	const outputs = { ...inputs, numbers, members };
	const [first, second, third] = numbers;
	const seen = (live: Record<string, unknown>, count = 3) =>
		step("support", { type: "NumberPool", inputs, outputs, live: { inputs: { count }, outputs: live } });

	test("is looked at number by number: what has changed, what is gone, what waits", () => {
		const live = {
			numbers: [
				{ ...first, label: "mine" },
				{ ...third, status: "pending" },
			],
			members: [members[0], { ...members[2], without: ["label"] }],
		};
		const report = reported(seen(live, 2));
		expect({ total: report.total, drifted: report.drifted }).toEqual({ total: 3, drifted: 3 });
		expect(report.resources).toMatchObject([
			{
				name: "support[1]",
				id: "num_1",
				e164: "+31612345671",
				kind: "missing",
				severity: "high",
				consequence: "buys a new number",
			},
			{
				name: "support[0]",
				id: "num_0",
				kind: "changed",
				severity: "low",
				changes: [{ path: "label", declared: "desk 0", live: "mine" }],
			},
			{ name: "support[2]", id: "num_2", kind: "changed", changes: [{ path: "label", declared: "desk 2" }] },
		]);
		expect(report.resources[1]?.ways).toEqual([
			'restore it: `pulumi up --refresh` sets `label` to `"desk 0"`',
			'accept it: name it in the pool\'s `exclude`, lower `count`, and declare it as a Number with `adopt: "num_0"`',
		]);
	});

	test("that waits for one of its numbers has no drift", () => {
		const report = reported(seen({ numbers: [first, { ...second, status: "pending" }, third], members }));
		expect(report.drifted).toBe(0);
		expect(report.resources.map(({ name, kind }) => [name, kind])).toEqual([["support[1]", "waiting"]]);
	});

	test("that is gone is one resource", () => {
		const report = reported(step("support", { type: "NumberPool", inputs, outputs, live: null }));
		expect(report.resources).toMatchObject([{ name: "support", kind: "missing", consequence: "buys new numbers" }]);
	});

	test("without drift says nothing", () => {
		expect(reported(step("support", { type: "NumberPool", inputs, outputs, op: "same" })).resources).toEqual([]);
	});
});
