/** What services leave unsaid: which number they have sold, and what they offer. */
import { describe, expect, test, vi } from "vitest";
import { useAccount } from "../../../helpers/account";
import { useEmulator } from "../../../helpers/emulator";
import { aNumber, create, failureOf, openProvider } from "../../../helpers/provider";

const { emulator, open, clock, time, live, purchases, another, lose } = useAccount();

describe("a service with keys whose answer names no number", () => {
	test("is asked again by the next run, which names the number that may be the first one's, and buys nothing", async () => {
		emulator.control.settings({ purchaseId: false });
		emulator.control.faults.set({ operation: "patchNumber", every: true, kind: "reset" });
		await create(open().number, aNumber()).catch(() => undefined);
		emulator.control.faults.clear();
		const [row] = live();
		const error = await failureOf(create(open().number, aNumber()));
		expect(error).toMatchObject({ kind: "OutcomeUnknown", message: expect.stringContaining(String(row?.id)) });
		expect((await create(open().number, aNumber({ adopt: row?.id }))).id).toBe(row?.id);
		expect(purchases()).toHaveLength(1);
	});

	test("is asked again by the same run, when its answer got lost: what it may have sold is named", async () => {
		emulator.control.settings({ purchaseId: false });
		lose();
		const error = await failureOf(create(open().number, aNumber()));
		expect(error).toMatchObject({ kind: "OutcomeUnknown", message: expect.stringContaining(String(live()[0]?.id)) });
		expect(purchases()).toHaveLength(1);
	});

	test("lags: what somebody else bought a moment before is not taken for what this run buys", async () => {
		emulator.control.settings({ purchaseId: false, listLagMs: 60_000 });
		await another();
		await clock.sleep(50_000);
		const { id } = await create(open().number, aNumber());
		expect(live()).toMatchObject([{ reference: null }, { id }]);
	});

	test("lags: what somebody else bought while this run's request waited for its turn is not taken either", async () => {
		emulator.control.settings({ purchaseId: false, listLagMs: 30_000 });
		const { faults } = emulator.control;
		const held = faults.set({ operation: "getTrunk", every: true, kind: "hold" });
		const listed = faults.set({ operation: "listNumbers", kind: "hold" });
		const holds = (id: string) => faults.list().find((rule) => rule.id === id)?.held;
		const run = open();
		const { client } = await run.session.service();
		const read = () => client.trunks.get("trk_none").catch(() => undefined);
		const reads = Array.from({ length: 15 }, read);
		await vi.waitFor(() => expect(holds(held.id)).toBe(15));
		const creation = create(run.number, aNumber());
		await vi.waitFor(() => expect(holds(listed.id)).toBe(1));
		// It gets the place of the list, so that the purchase waits.
		reads.push(read());
		faults.release(listed.id);
		await vi.waitFor(() => expect(holds(held.id)).toBe(16));
		await another();
		await clock.sleep(60_000);
		faults.clear();
		const { id } = await creation;
		await Promise.all(reads);
		expect(live()).toMatchObject([{ reference: null }, { id }]);
	});

	test("sells to two declarations at once, one of which asks for an area: both get one", async () => {
		emulator.control.settings({ purchaseId: false });
		const run = open();
		const like = { country: "NL", type: "geographic" };
		const made = await Promise.all([
			create(run.number, aNumber({ ...like, area: "20" }, "a")),
			create(run.number, aNumber(like, "b")),
		]);
		expect(new Set(made.map(({ id }) => id)).size).toBe(2);
		expect(purchases()).toHaveLength(2);
	});

	test("without references, too, names what it may have sold and takes nothing", async () => {
		emulator.control.settings({ purchaseId: false, features: { reference: false } });
		const { id } = await create(open().number, aNumber());
		const error = await failureOf(create(open().number, aNumber()));
		expect(error).toMatchObject({ kind: "OutcomeUnknown", message: expect.stringContaining(id) });
		expect(purchases()).toHaveLength(1);
	});

	test("has sold one of two new numbers to somebody else, who is left alone", async () => {
		emulator.control.settings({ purchaseId: false });
		const run = open();
		const { id } = await create(run.number, aNumber({}, "a"));
		await another();
		const theirs = live().find((row) => row.id !== id)?.id;
		expect([id, theirs]).not.toContain((await create(run.number, aNumber({}, "b"))).id);
		expect(live().find((row) => row.id === theirs)?.reference).toBeNull();
	});

	test("sells anew what has been released since", async () => {
		emulator.control.settings({ purchaseId: false });
		const { id, outs } = await create(open().number, aNumber());
		await open().number.delete(id, outs);
		await another();
		const [theirs] = live();
		emulator.control.patchNumber(theirs?.id ?? "", { label: "theirs" });
		expect([id, theirs?.id]).not.toContain((await create(open().number, aNumber())).id);
		expect(live()).toHaveLength(2);
	});
});

describe("a service that doesn't say what it offers", () => {
	const silent = useEmulator({ kyc: "immediate", clock: time });
	// A service of its own: what one has shown counts as long as the process lives.
	const forgetful = useEmulator({ kyc: "immediate", clock: time });
	const runOf = (service = silent) => openProvider(service, { clock });
	const sold = (service = silent) => service.control.ledger().filter(({ kind }) => kind === "purchase").length;

	test("counts as one without keys", async () => {
		silent.control.settings({ featuresHeader: false });
		silent.control.faults.set({ operation: "buyNumber", kind: "reset", phase: "after" });
		silent.control.faults.set({ operation: "listNumbers", nth: [3, 4, 5, 6, 7], kind: "reset" });
		await failureOf(create(runOf().number, aNumber()));
		silent.control.faults.clear();
		const error = await failureOf(create(runOf().number, aNumber()));
		expect(error.message).toContain(silent.control.state().numbers[0]?.id);
		expect(sold()).toBe(1);
	});

	test("counts as one without references, where its answers show none", async () => {
		forgetful.control.settings({ featuresHeader: false, features: { reference: false } });
		const { body } = await forgetful.call("POST", "/numbers", { country: "NL", type: "mobile" });
		const error = await failureOf(create(runOf(forgetful).number, aNumber()));
		expect(error).toMatchObject({ kind: "OutcomeUnknown", message: expect.stringContaining(body.id) });
		expect(sold(forgetful)).toBe(1);
	});

	test("sells, and shows by its answers that it keeps references", async () => {
		silent.control.settings({ featuresHeader: false });
		const made = await Promise.all(["a", "b"].map((name) => create(runOf().number, aNumber({}, name))));
		expect(new Set(made.map(({ id }) => id)).size).toBe(2);
		expect((await create(runOf().number, aNumber({}, "a"))).id).toBe(made[0]?.id);
		expect(sold()).toBe(2);
	});
});
