/** What a service with keys and references tells of a number that was bought before: it is taken over, refused, or bought anew. */
import { describe, expect, test } from "vitest";
import { useAccount } from "../../../helpers/account";
import { useFaultProxy } from "../../../helpers/fault-proxy";
import { aNumber, create, failureOf, openProvider } from "../../../helpers/provider";

const { emulator, open, clock, live, purchases, lose, another } = useAccount();
const proxy = useFaultProxy(emulator);

describe("with keys and references", () => {
	test.each([false, true])(
		"a number that nothing uses is named when another is bought; its answer lost: %s",
		async (isLost) => {
			const id = await another();
			await clock.sleep(61_000);
			if (isLost) lose();
			const run = open();
			await create(run.number, aNumber());
			expect(run.warnings).toEqual([expect.stringContaining(id)]);
		},
	);

	test("a number that somebody uses is not named when another is bought", async () => {
		await another({ label: "x" });
		await clock.sleep(61_000);
		const run = open();
		await create(run.number, aNumber());
		expect(run.warnings).toEqual([]);
	});

	test.each(["order 4711", "a.b.c.d"])(
		"a number that has got the reference %j since is not taken",
		async (reference) => {
			const { id } = await create(open().number, aNumber());
			emulator.control.patchNumber(id, { reference });
			const error = await failureOf(create(open().number, aNumber()));
			expect(error).toMatchObject({ kind: "Claimed", message: expect.stringContaining(id) });
			expect(purchases()).toHaveLength(1);
		},
	);

	test("a number whose sale is told again, but which can't be read now, is not bought anew", async () => {
		const { id } = await create(open().number, aNumber());
		emulator.control.patchNumber(id, { reference: null, label: "x" });
		emulator.control.faults.set({ operation: "getNumber", every: true, kind: "status", status: 503 });
		await failureOf(create(open().number, aNumber()));
		emulator.control.faults.clear();
		expect((await create(open().number, aNumber())).id).toBe(id);
		expect(purchases()).toHaveLength(1);
	});

	test("what the program no longer declares of a number that its key names again is cleared", async () => {
		const { id } = await create(open().number, aNumber({ label: "x" }));
		// Now only the key tells that it is this resource's.
		emulator.control.patchNumber(id, { reference: null });
		expect((await create(open().number, aNumber())).id).toBe(id);
		expect(live()).toMatchObject([{ label: null }]);
	});

	test("a number that the service doesn't show yet is not bought again", async () => {
		emulator.control.settings({ readLagMs: 5_000 });
		lose();
		await create(open().number, aNumber());
		expect(purchases()).toHaveLength(1);
	});

	test("a number that has failed is not taken over: another is bought", async () => {
		emulator.control.kyc("manual");
		const news = aNumber({ country: "DE", waitForActive: false });
		const { id } = await create(open().number, news);
		emulator.control.decide(id, "expire");
		expect((await create(open().number, news)).id).not.toBe(id);
	});

	test("of two numbers for one resource none is taken, and both are named", async () => {
		const { id } = await create(open().number, aNumber());
		const twin = await another({ reference: live()[0]?.reference ?? null });
		const error = await failureOf(create(open().number, aNumber()));
		expect(error.message).toContain(id);
		expect(error.message).toContain(twin);
	});
});

describe("a service that lags", () => {
	const cut = (operation: "buyNumber" | "patchNumber", phase: "before" | "after") =>
		emulator.control.faults.set({ operation, every: true, kind: "reset", phase });

	test.each([
		["the answer to the purchase is lost", () => lose()],
		["nothing is lost", () => {}],
	])("by 15 s in its single reads sells one number, where %s", async (_, fault) => {
		emulator.control.settings({ readLagMs: 15_000 });
		fault();
		const { id } = await create(open().number, aNumber({ label: "x" }));
		expect(live()).toMatchObject([{ id, label: "x" }]);
	});

	test("sells one number also where the run was killed between purchase and claim, and began again within the lag", async () => {
		emulator.control.settings({ readLagMs: 15_000, listLagMs: 15_000 });
		cut("patchNumber", "before");
		await create(open().number, aNumber()).catch(() => undefined);
		emulator.control.faults.clear();
		const { id } = await create(open().number, aNumber());
		expect(live().map((row) => row.id)).toEqual([id]);
	});
});

describe("a replay of what was released", () => {
	const remake = async (wait: number, run = open) => {
		const { id, outs } = await create(run().number, aNumber());
		await clock.sleep(wait);
		await run().number.delete(id, outs);
		const made = await create(run().number, aNumber());
		expect(made.id).not.toBe(id);
		expect(live().map((row) => row.id)).toEqual([made.id]);
	};

	test.each([0, 3_600_000])("is the next key's turn, %i ms after the purchase", (wait) => remake(wait));

	test("one list says of all that a stack had bought that they are released", async () => {
		const run = open();
		const names = ["a", "b", "c", "d", "e"];
		const all = () => Promise.all(names.map((name) => create(run.number, aNumber({}, name))));
		const made = await all();
		const end = open();
		await Promise.all(made.map(({ id, outs }) => end.number.delete(id, outs)));
		const again = open();
		await Promise.all(names.map((name) => create(again.number, aNumber({}, name))));
		const asked = emulator.control.requests().filter(({ path }) => path.includes("status=released"));
		expect(live().length).toBe(5);
		expect(purchases().length).toBe(10);
		expect(asked.length, "asked").toBe(1);
	});

	test("is the next key's turn also where the service doesn't mark replays", async () => {
		proxy.plan = (_, method) => (method === "POST" ? { kind: "unmarked" } : undefined);
		await remake(3_600_000, () => openProvider(proxy, { clock }));
	});
});

test("where there is nothing but a list, and that is empty for a while, what a key bought is not bought again", async () => {
	emulator.control.settings({ features: { getById: false } });
	const { id } = await create(open().number, aNumber());
	await clock.sleep(3_600_000);
	proxy.rewrite = (text, method) => (method === "GET" ? JSON.stringify({ ...JSON.parse(text), data: [] }) : text);
	const error = await failureOf(create(openProvider(proxy, { clock }).number, aNumber()));
	expect(error).toMatchObject({ kind: "OutcomeUnknown", message: expect.stringContaining(id) });
	expect((await create(open().number, aNumber())).id).toBe(id);
	expect(purchases()).toHaveLength(1);
});
