/** Waits for many numbers together, and names what stands in the way. */
import { expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useEmulator } from "../../helpers/emulator";
import { aNumber, aTrunk, create, declaration, failureOf, openProvider, openWith } from "../../helpers/provider";
import { differs, failedUp, refreshed, upAgain, updated } from "../../helpers/runs";

const emulator = useEmulator();
const open = () => openProvider(emulator);
const anActivation = (numberIds: readonly string[], args: Values = {}) =>
	declaration("Activation", "fleet", { numberIds, ...args });
const decide: typeof emulator.control.decide = (...args) => emulator.control.decide(...args);
const approve = (ids: readonly string[]) => ids.forEach((id) => void decide(id, "approve"));
const happening = (...events: [seconds: number, event: () => unknown][]) => openWith(emulator, ...events);

/** Regulated numbers that no run waits for. */
async function fleet(count: number, from = 0): Promise<string[]> {
	const run = open();
	const ids: string[] = [];
	for (let n = from; n < from + count; n++) {
		const args = { country: "DE", type: "geographic", area: "30", waitForActive: false };
		ids.push((await create(run.number, aNumber(args, `n${n}`))).id);
	}
	return ids;
}

test("waits until all numbers are active, with one page for each poll", async () => {
	const ids = await fleet(40);
	const before = emulator.requests().length;
	const run = happening([60, () => approve(ids.slice(0, 37))], [120, () => approve(ids.slice(37))]);
	const { id, outs } = await create(run.activation, anActivation(ids));
	expect(id).toBe("fleet");
	const phoneNumber = expect.stringMatching(/^\+4930/);
	expect(outs.numbers).toEqual(ids.map((numberId) => ({ id: numberId, phoneNumber, status: "active" })));
	expect(run.seconds()).toBeLessThan(120 + 2 + 12);
	expect(run.statuses[0]).toBe("0 of 40 active, 40 action required, 10 min left");
	expect(run.statuses).toContainEqual(expect.stringMatching(/^37 of 40 active, 3 action required, /));
	expect(emulator.requests(before).length).toBeLessThan(45);
});

test("sends one scan for active numbers, and waits only for a new one", async () => {
	const ids = await fleet(30);
	approve(ids);
	const before = emulator.requests().length;
	const made = await create(open().activation, anActivation(ids));
	expect(emulator.requests(before)).toHaveLength(1);
	expect(await differs(open(), made, anActivation(ids.toReversed()))).toBe(false);
	const [added = ""] = await fleet(1, 30);
	const then = emulator.requests().length;
	const next = await upAgain(happening([60, () => approve([added])]), made, anActivation([...ids, added]));
	expect(next).toMatchObject({ changes: true, outs: { numbers: { length: 31 } } });
	const [scan, ...reads] = emulator.requests(then);
	expect([scan, new Set(reads)]).toEqual(["GET /numbers", new Set([`GET /numbers/${added}`])]);
	await open().activation.delete("fleet", next.outs);
	expect(emulator.released()).toEqual([]);
});

test("is saved at the time limit, and the next up continues", async () => {
	const ids = await fleet(3);
	approve(ids.slice(0, 1));
	const news = anActivation(ids, { timeoutSeconds: 120 });
	const saved = await failedUp(open(), news);
	expect(saved.error.cause).toMatchObject({ messageCode: "kyc-pending" });
	expect(saved.outs.numbers).toMatchObject([{ status: "active" }, { status: "pending" }, { status: "pending" }]);
	const { outs, inputs } = await refreshed(open(), saved, news);
	expect(inputs).toMatchObject({ numberIds: ids, timeoutSeconds: 120 });
	expect(await differs(open(), { id: "fleet", outs }, news)).toBe(true);
	const done = await updated(happening([10, () => approve(ids.slice(1))]), { id: "fleet", outs }, news);
	expect(done.outs.numbers).toMatchObject(ids.map((id) => ({ id, status: "active" })));
});

test("warns of each rejection at once, and waits for the others", async () => {
	const ids = await fleet(6);
	const [rejected = "", expired = "", gone = "", ...others] = ids;
	const run = happening(
		[30, () => void decide(rejected, "reject", [{ code: "blurred", message: "Send a sharper copy." }])],
		[40, () => void decide(expired, "expire")],
		[50, () => emulator.control.deleteNumber(gone)],
		[60, () => expect(run.warnings.length).toBeGreaterThan(1)],
		[90, () => approve(others)],
	);
	const saved = await failedUp(run, anActivation(ids));
	expect(run.seconds()).toBeLessThan(102);
	expect(saved.error.cause).toMatchObject({ messageCode: "kyc-rejected" });
	expect(saved.error.message).toMatch(/^3 of 6 active, .*\(blurred\).*req_\w+/);
	for (const id of [rejected, expired, gone]) expect(saved.error.message).toContain(id);
	const next = happening();
	await failedUp(next, anActivation(ids.filter((id) => id !== gone)), saved);
	expect(next.seconds()).toBeLessThan(2);
});

test("drifts if a number is deleted or suspended", async () => {
	const ids = await fleet(3);
	approve(ids);
	const made = await create(open().activation, anActivation(ids));
	emulator.control.deleteNumber(ids[0] ?? "");
	emulator.control.patchNumber(ids[1] ?? "", { status: "suspended" });
	const afterRefresh = await refreshed(open(), made, anActivation(ids));
	expect(afterRefresh).toMatchObject({ id: "fleet", changes: true });
	const phoneNumber = expect.any(String);
	expect(afterRefresh.outs.numbers).toMatchObject([
		{ phoneNumber, status: "deleted" },
		{ status: "suspended" },
		{ status: "active" },
	]);
	expect((await failedUp(open(), anActivation(ids.slice(1)), afterRefresh)).error.message).toContain("suspended");
});

test("fails before the wait if the account lacks a number", async () => {
	const run = happening();
	const error = await failureOf(create(run.activation, anActivation([...(await fleet(1)), "num_none", "num_x"])));
	expect(error.message).toMatch(/^numberIds: .*num_none, num_x/);
	expect(run.seconds()).toBeLessThan(2);
});

test.each([
	["with a trunk that is older", 2],
	["with the stack's other number", 1],
])("reports deleted numbers in a refresh %s", async (_, deleted) => {
	const trunk = await create(open().sipTrunk, aTrunk());
	const numbers = await Promise.all(["a", "b"].map((name) => create(open().number, aNumber({}, name))));
	const fleet = await create(open().activation, anActivation(numbers.map(({ id }) => id)));
	for (const { id } of numbers.slice(0, deleted)) emulator.control.deleteNumber(id);
	const run = open();
	const [refreshedFleet] = await Promise.all([
		run.activation.read(fleet.id, fleet.outs),
		run.sipTrunk.read(trunk.id, trunk.outs),
		...numbers.map(({ id, outs }) => run.number.read(id, outs)),
	]);
	const statuses = ((refreshedFleet.props?.numbers ?? []) as Values[]).map(({ status }) => status);
	expect(statuses.filter((status) => status === "deleted")).toHaveLength(deleted);
});
