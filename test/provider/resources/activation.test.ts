import { describe, expect, test } from "vitest";
import { unknownValue, type Values } from "../../../provider/properties/table";
import { useEmulator } from "../../helpers/emulator";
import {
	aNumber,
	checked,
	create,
	declaration,
	failureOf,
	initErrorOf,
	openProvider,
	openWith,
} from "../../helpers/provider";

const emulator = useEmulator();
const anActivation = (args: Values): Values => declaration("Activation", "fleet", args);
const reads = () => emulator.control.requests().filter(({ method }) => method === "GET");
const decide: typeof emulator.control.decide = (...args) => emulator.control.decide(...args);

/** Regulated numbers that nobody waits for, bought by a run of their own. */
async function fleet(count: number, from = 0): Promise<string[]> {
	const run = openProvider(emulator);
	const ids: string[] = [];
	for (let n = from; n < from + count; n++) {
		const args = { country: "DE", type: "geographic", area: "30", waitForActive: false };
		ids.push((await create(run.number, aNumber(args, `n${n}`))).id);
	}
	return ids;
}

const happening = (...events: [seconds: number, event: () => unknown][]) => openWith(emulator, ...events);

describe("an activation", () => {
	test("waits until all of its numbers are active, and counts them", async () => {
		const ids = await fleet(40);
		const before = reads().length;
		const run = happening(
			[60, () => ids.slice(0, 37).forEach((id) => void decide(id, "approve"))],
			[120, () => ids.slice(37).forEach((id) => void decide(id, "approve"))],
		);
		const { id, outs } = await create(run.activation, anActivation({ numberIds: ids }));
		expect(id).toBe("fleet");
		expect(outs.numbers).toEqual(
			ids.map((each) => ({ id: each, phoneNumber: expect.stringMatching(/^\+4930/), status: "active" })),
		);
		expect(run.seconds()).toBeLessThan(120 + 2 + 12);
		expect(run.statuses[0]).toBe("0 of 40 active, 40 action required, 10 min left");
		expect(run.statuses).toContainEqual(expect.stringMatching(/^37 of 40 active, 3 action required, /));
		// One page a look, and a few more when what was pending is no longer so.
		expect(reads().length - before).toBeLessThan(45);
	});

	test("costs no more than a scan where all are active, and is no difference then", async () => {
		const ids = await fleet(30);
		for (const id of ids) decide(id, "approve");
		const before = reads().length;
		const run = openProvider(emulator);
		const inputs = await checked(run.activation, anActivation({ numberIds: ids }));
		const { outs } = await run.activation.create(inputs);
		expect(reads().length - before).toBe(1);
		expect((await run.activation.diff("fleet", outs, inputs)).changes).toBe(false);
		const reordered = await checked(run.activation, anActivation({ numberIds: [...ids].reverse() }));
		expect((await run.activation.diff("fleet", outs, reordered)).changes).toBe(false);
		await run.activation.delete("fleet", outs);
		expect(emulator.released()).toEqual([]);
	});

	test("that gets another number waits for that one only", async () => {
		const ids = await fleet(30);
		for (const id of ids) decide(id, "approve");
		const { outs } = await create(openProvider(emulator).activation, anActivation({ numberIds: ids }));
		const [added = ""] = await fleet(1, 30);
		const before = reads().length;
		const run = happening([60, () => void decide(added, "approve")]);
		const inputs = await checked(run.activation, anActivation({ numberIds: [...ids, added] }));
		expect((await run.activation.diff("fleet", outs, inputs)).changes).toBe(true);
		const updated = await run.activation.update("fleet", outs, inputs);
		expect(updated.outs.numbers).toHaveLength(31);
		const paths = reads()
			.slice(before)
			.map(({ path }) => path.replace(/\?.*/, ""));
		expect(paths.filter((path) => path.endsWith("/numbers"))).toHaveLength(1);
		expect(new Set(paths.slice(1))).toEqual(new Set([expect.stringContaining(`/numbers/${added}`)]));
	});

	test("is saved at the bound with what it waits for, and the next up goes on", async () => {
		const ids = await fleet(3);
		decide(ids[0] ?? "", "approve");
		const run = openProvider(emulator);
		const inputs = await checked(run.activation, anActivation({ numberIds: ids, timeoutSeconds: 120 }));
		const error = await initErrorOf(run.activation.create(inputs));
		expect(error.message).toMatch(
			/^1 of 3 active, 2 action required after 2 min\..*\+4930.*\[telephony:kyc-pending\]$/,
		);
		expect(error.properties.numbers).toMatchObject([
			{ status: "active" },
			{ status: "pending" },
			{ status: "pending" },
		]);
		const read = await openProvider(emulator).activation.read("fleet", error.properties);
		expect(read.inputs).toMatchObject({ numberIds: ids, timeoutSeconds: 120 });
		expect((await run.activation.diff("fleet", read.props ?? {}, inputs)).changes).toBe(true);
		const next = happening([10, () => ids.slice(1).forEach((id) => void decide(id, "approve"))]);
		const { outs } = await next.activation.update("fleet", read.props ?? {}, inputs);
		expect(outs.numbers).toMatchObject(ids.map((id) => ({ id, status: "active" })));
	});

	test("tells a refusal at once, goes on with the others, and lists it at the end", async () => {
		const ids = await fleet(5);
		const [rejected = "", expired = "", ...others] = ids;
		const run = happening(
			[30, () => void decide(rejected, "reject", [{ code: "blurred", message: "Send a sharper copy." }])],
			[40, () => void decide(expired, "expire")],
			[60, () => expect(run.warnings).toHaveLength(2)],
			[90, () => others.forEach((id) => void decide(id, "approve"))],
		);
		const error = await initErrorOf(create(run.activation, anActivation({ numberIds: ids })));
		expect(run.seconds()).toBeLessThan(102);
		expect(error.cause).toMatchObject({ messageCode: "kyc-rejected" });
		expect(error.message).toMatch(/^3 of 5 active, 1 rejected, 1 failed\..*Send a sharper copy\. \(blurred\).*req_\w+/);
		for (const id of [rejected, expired]) expect(run.warnings.join("\n")).toContain(id);
		// The next run doesn't wait for what can't come.
		const next = happening();
		const inputs = await checked(next.activation, anActivation({ numberIds: ids }));
		await initErrorOf(next.activation.update("fleet", error.properties, inputs));
		expect(next.seconds()).toBeLessThan(2);
	});

	test("names a number that is released while it waits", async () => {
		const ids = await fleet(4);
		const run = happening(
			[30, () => emulator.control.deleteNumber(ids[2] ?? "")],
			[60, () => ids.filter((_, n) => n !== 2).forEach((id) => void decide(id, "approve"))],
		);
		const error = await initErrorOf(create(run.activation, anActivation({ numberIds: ids })));
		expect(error.message).toContain(`3 of 4 active, 1 gone. Refused: ${ids[2]} no longer exists.`);
	});

	test("ends with what it knows when the run is interrupted", async () => {
		const ids = await fleet(4);
		const run = happening([30, () => run.session.end("the run was interrupted")]);
		const error = await initErrorOf(create(run.activation, anActivation({ numberIds: ids })));
		expect(error.message).toMatch(/^0 of 4 active, 4 action required \(the run was interrupted\)\. Waiting: /);
		expect(error.properties.numbers).toHaveLength(4);
	});

	test("of which a number is gone or no longer active is drift, and names which", async () => {
		const ids = await fleet(3);
		for (const id of ids) decide(id, "approve");
		const first = openProvider(emulator);
		const inputs = await checked(first.activation, anActivation({ numberIds: ids }));
		const { outs } = await first.activation.create(inputs);
		emulator.control.deleteNumber(ids[0] ?? "");
		emulator.control.patchNumber(ids[1] ?? "", { status: "suspended" });
		const run = openProvider(emulator);
		const { id, props } = await run.activation.read("fleet", outs);
		expect(id).toBe("fleet");
		expect(props?.numbers).toMatchObject([
			{ id: ids[0], phoneNumber: expect.any(String), status: "gone" },
			{ id: ids[1], status: "suspended" },
			{ id: ids[2], status: "active" },
		]);
		expect((await run.activation.diff("fleet", props ?? {}, inputs)).changes).toBe(true);
		const rest = await checked(run.activation, anActivation({ numberIds: ids.slice(1) }));
		const error = await initErrorOf(run.activation.update("fleet", props ?? {}, rest));
		expect(error.message).toContain("is suspended");
	});

	test("of an id that the account doesn't have fails before any waiting, and nothing is saved", async () => {
		const ids = await fleet(3);
		const run = happening();
		const error = await failureOf(create(run.activation, anActivation({ numberIds: [...ids, "num_none", "num_x"] })));
		expect(error.message).toMatch(/^numberIds: the account has no number num_none, num_x\. Remove them from the list/);
		expect(run.seconds()).toBeLessThan(2);
	});
});

test("what an activation waits for may be unknown yet, as a whole or one by one", async () => {
	const { activation } = openProvider(emulator);
	for (const numberIds of [unknownValue, [unknownValue, unknownValue, "a"]]) {
		expect((await activation.check({}, anActivation({ numberIds }))).failures).toEqual([]);
		const olds = { numberIds: ["a"], numbers: [] };
		expect((await activation.diff("fleet", olds, { numberIds })).changes).toBe(true);
	}
});
