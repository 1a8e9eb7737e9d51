/** What services without keys, references or both allow to know, and what is refused there. */
import { describe, expect, test } from "vitest";
import type { TelephonyError } from "../../../../provider/api/errors";
import type { Values } from "../../../../provider/properties/table";
import { useAccount } from "../../../helpers/account";
import { FakeClock } from "../../../helpers/clock";
import { aNumber, checked, create, failureOf, openProvider, type Provider } from "../../../helpers/provider";
import { type State, up } from "../../../helpers/runs";

const { emulator, open, clock, live, purchases, off, lose, another } = useAccount();
const posts = () => emulator.control.requests().filter(({ method }) => method === "POST").length;

describe("without keys", () => {
	test("a number that nothing uses is named, and nothing is bought beside it", async () => {
		off("idempotencyKey");
		const id = await another();
		const error = await failureOf(create(open().number, aNumber()));
		expect(error).toMatchObject({ kind: "OutcomeUnknown", message: expect.stringContaining(`adopt: "${id}"`) });
		expect(posts()).toBe(1);
	});

	test.each([{ label: "x" }, { routing: { type: "agent", agent_id: "a" } }, { reference: "order 4711" }] as const)(
		"one that somebody uses is left out of it: %j",
		async (patch) => {
			off("idempotencyKey");
			const id = await another(patch);
			expect((await create(open().number, aNumber())).id).not.toBe(id);
		},
	);

	test("of another area neither, where one is asked for", async () => {
		off("idempotencyKey");
		const national = { country: "NL", type: "geographic" };
		await emulator.call("POST", "/numbers", { ...national, area: "20" });
		await create(open().number, aNumber({ ...national, area: "10" }));
		const error = await failureOf(create(open().number, aNumber({ ...national, area: "20" }, "b")));
		expect(error.kind).toBe("OutcomeUnknown");
	});

	test("one answer that got lost among several like purchases ends in an error that names its number", async () => {
		off("idempotencyKey");
		lose({ nth: 2 });
		const run = open();
		const made = await Promise.allSettled(["a", "b", "c"].map((name) => create(run.number, aNumber({}, name))));
		const [failed] = made.flatMap((each) => (each.status === "rejected" ? [each.reason as TelephonyError] : []));
		const held = made.flatMap((each) => (each.status === "fulfilled" ? [each.value.id] : []));
		const [lost] = live().filter(({ id }) => !held.includes(id));
		expect(held.length, "held").toBe(2);
		expect(failed?.kind).toBe("OutcomeUnknown");
		expect(purchases().length).toBe(3);
		expect(failed?.message).toContain(lost?.id);
	});

	test("a number that one purchase has found in the list is not another's too, whose answer names it later", async () => {
		off("idempotencyKey");
		lose({ phase: "before" });
		emulator.control.faults.set({ operation: "buyNumber", kind: "hold", phase: "after", nth: 2 });
		const run = open();
		const made = ["a", "b"].map((name) =>
			create(run.number, aNumber({}, name)).then(
				({ id }) => id,
				(error: TelephonyError) => error.kind,
			),
		);
		await Promise.race(made);
		emulator.control.faults.clear();
		expect((await Promise.all(made)).sort()).toEqual(["OutcomeUnknown", live()[0]?.id]);
	});
});

test.each([{ idempotencyKey: false }, { idempotencyKey: true }])(
	"a purchase that may have been made is told, though the list that would show it fails: %j",
	async (features) => {
		emulator.control.settings({ features, purchaseId: !features.idempotencyKey });
		if (!features.idempotencyKey) lose();
		const run = open();
		await (await run.session.service()).numbers.all();
		const { buy } = (await run.session.service()).client.numbers;
		(await run.session.service()).client.numbers.buy = async (...order) => {
			emulator.control.faults.set({ operation: "listNumbers", every: true, kind: "reset" });
			return buy.apply((await run.session.service()).client.numbers, order);
		};
		const error = await failureOf(create(run.number, aNumber()));
		emulator.control.faults.clear();
		expect(error.kind).toBe("OutcomeUnknown");
		expect(error.message).toMatch(/may have been bought: .*list of numbers failed: GET .numbers got no response/);
		expect(purchases()).toHaveLength(1);
	},
);

test.each([true, false])(
	"a refusal is told as what it is, and ends the purchase; with keys: %s",
	async (idempotencyKey) => {
		emulator.control.settings({ features: { idempotencyKey } });
		emulator.control.settings({ numbersMax: 0 });
		const error = await failureOf(create(open().number, aNumber()));
		expect(error).toMatchObject({ kind: "Conflict", errorCode: "limit_exceeded" });
		expect(posts()).toBe(1);
	},
);

describe("without references", () => {
	test("what an interrupted run bought under the key is named, not taken: another entry may have it", async () => {
		off("reference");
		const { id } = await create(open().number, aNumber());
		await clock.sleep(5_000);
		const error = await failureOf(create(open().number, aNumber()));
		expect(error).toMatchObject({ kind: "OutcomeUnknown", message: expect.stringContaining(id) });
		expect((await create(open().number, aNumber({ adopt: id }))).id).toBe(id);
		expect(purchases()).toHaveLength(1);
	});

	test("an answer that got lost is asked for again in the same run", async () => {
		off("reference");
		const theirs = await another({ label: "x" });
		lose();
		const { id } = await create(open().number, aNumber());
		expect(live().map((row) => row.id)).toEqual([theirs, id]);
	});

	test.each([
		["diff", (run: Provider, id: string, outs: Values) => run.number.diff(id, outs, aNumber())],
		["refresh", (run: Provider, id: string, outs: Values) => run.number.read(id, outs)],
		["a delete before the replacement", (run: Provider, id: string, outs: Values) => run.number.delete(id, outs)],
	])("a replacement takes the number that %s has seen", async (_, see) => {
		off("reference", "idempotencyKey");
		const { id, outs } = await create(open().number, aNumber());
		const run = open();
		const inputs = await checked(run.number, aNumber());
		await see(run, id, outs);
		expect((await run.number.create(inputs)).id).toBe(id);
		expect(purchases()).toHaveLength(1);
		expect(live()).toHaveLength(1);
	});

	test("a replacement doesn't take a number that has failed", async () => {
		off("reference");
		emulator.control.kyc("manual");
		const news = aNumber({ country: "DE", waitForActive: false });
		const { id, outs } = await create(open().number, news);
		emulator.control.decide(id, "expire");
		const run = open();
		const inputs = await checked(run.number, news);
		await run.number.diff(id, outs, inputs);
		expect((await run.number.create(inputs)).id).not.toBe(id);
	});

	test("another generation buys another number, though diff has seen the old one", async () => {
		off("reference");
		const { id, outs } = await create(open().number, aNumber());
		const run = open();
		const inputs = await checked(run.number, aNumber({ generation: 1 }));
		await run.number.diff(id, outs, inputs);
		expect((await run.number.create(inputs)).id).not.toBe(id);
	});

	test("nothing that one operation has seen counts in the next one of the same process", async () => {
		off("reference", "idempotencyKey");
		const { id, outs } = await create(open().number, aNumber());
		const run = open();
		const inputs = await checked(run.number, aNumber());
		await run.number.read(id, outs);
		await run.number.configure({ config: { get: () => undefined } });
		expect((await failureOf(run.number.create(inputs))).message).toContain(id);
	});

	test("what one operation has read is read again in the next one of the same process", async () => {
		const { id, outs } = await create(open().number, aNumber({ label: "x" }));
		const run = open();
		await run.number.read(id, outs);
		emulator.control.patchNumber(id, { label: "y" });
		await run.number.configure({ config: { get: () => undefined } });
		expect((await run.number.read(id, outs)).inputs).toMatchObject({ label: "y" });
	});
});

describe("without keys and references", () => {
	const neither = () => off("reference", "idempotencyKey");

	test.each([
		["has no label, reference or routing", {}, 0, false],
		["has a label", { label: "x" }, 0, true],
		["has routing", { routing: { type: "agent", agent_id: "a" } }, 0, true],
		["is a day old", {}, 86_460_000, true],
		["is of another type", undefined, 0, true],
	])("a number that %s stops a purchase unless it can't be ours", async (_, patch, wait, isBought) => {
		neither();
		if (patch === undefined) await emulator.call("POST", "/numbers", { country: "NL", type: "national" });
		else await another(patch);
		await clock.sleep(wait);
		const run = openProvider(emulator, { clock: new FakeClock(clock.now() + 90_000_000) });
		const made = await create(run.number, aNumber()).catch((error: TelephonyError) => error.messageCode);
		expect([typeof made, purchases().length]).toEqual(isBought ? ["object", 2] : ["string", 1]);
	});

	test("a program gets several like numbers, and one more in a later run", async () => {
		neither();
		const state: State = new Map();
		const [a, b, c] = [aNumber({}, "a"), aNumber({}, "b"), aNumber({}, "c")];
		expect(await up(open(), state, [a, b])).toEqual([]);
		// Also when the engine asks for the new one first.
		expect(await up(open(), state, [c, a, b])).toEqual([]);
		expect({ purchases: purchases().length, live: live().length }).toEqual({ purchases: 3, live: 3 });
	});
});
