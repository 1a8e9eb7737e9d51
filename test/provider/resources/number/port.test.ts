/** Numbers that `adopt` names while a port order is to bring them: waited for, and never bought. */
import { afterEach, describe, expect, test } from "vitest";
import type { Values } from "../../../../provider/properties/table";
import { numberDrift } from "../../../../provider/resources/number/properties";
import { useAccount } from "../../../helpers/account";
import { submitPort } from "../../../helpers/ports";
import { aNumber, checked, create, declaration, failureOf, initErrorOf } from "../../../helpers/provider";
import { type Entry, refreshed, upAgain } from "../../../helpers/runs";

const { clock, emulator, open } = useAccount();
const hour = 3_600_000;
const e164 = "+31612345678";

/** Nothing is bought or released, whatever happens. */
afterEach(() => {
	expect(emulator.kinds().filter((kind) => kind === "purchase" || kind === "release")).toEqual([]);
});

/** By hand: the program needn't be the one that ports. */
const portOrder = () => submitPort(emulator, [e164]);

const completes = () => clock.sleep(200 * hour);
const cancel = async (id: string) => {
	await emulator.call("POST", `/port_orders/${id}/cancel`);
	await clock.sleep(2 * hour);
};
const ported = () => emulator.live().find(({ number }) => number === e164);
const declared = (args: Values = {}) => aNumber({ adopt: e164, label: "desk", waitForActive: false, ...args });
/** The entry of a number that is on its way. */
const pending = async (args: Values = {}): Promise<Entry> => create(open().number, declared(args));

describe("a number under way", () => {
	test("is noted without a wait, is no drift, and is taken over and configured once it is there", async () => {
		await portOrder();
		let entry = await pending({ adopt: "+31 6 1234 5678" });
		expect(entry).toMatchObject({ id: e164, outs: { phoneNumber: e164, status: "porting", label: "desk" } });
		expect(await refreshed(open(), entry, declared())).toMatchObject({ id: e164, changes: false });
		expect(numberDrift.condition?.(entry.outs)).toMatchObject({ kind: "waiting" });
		entry = await upAgain(open(), entry, declared());
		expect({ status: entry.outs.status, writes: emulator.writes().slice(3) }).toEqual({
			status: "porting",
			writes: [],
		});

		await completes();
		const seen = await refreshed(open(), entry, declared());
		expect(seen, "only up takes it over").toMatchObject({ id: e164, changes: false, outs: { status: "ported" } });
		entry = await upAgain(open(), { id: e164, outs: seen.outs }, declared());
		expect(ported()).toMatchObject({ label: "desk", reference: expect.stringContaining(String(entry.outs.lease)) });
		expect((await upAgain(open(), entry, declared())).changes, "nothing is left to do").toBe(false);
		const read = await refreshed(open(), entry, declared());
		expect(read, "a refresh gives the entry the number's id").toMatchObject({ id: ported()?.id, changes: false });
		expect(read.outs).not.toHaveProperty("foundId");
		const changed = await upAgain(open(), read, declared({ label: "other" }));
		expect({ label: ported()?.label, outs: changed.outs.label }).toEqual({ label: "other", outs: "other" });
	});

	test("that was taken over is changed, read and given up under its E.164 too", async () => {
		await portOrder();
		const waiting = await pending();
		await completes();
		const entry = await upAgain(open(), waiting, declared());
		const changed = await upAgain(open(), entry, declared({ label: "other" }));
		expect(ported()?.label).toBe("other");
		emulator.edit("number", String(ported()?.id), { label: "by hand" });
		expect(await refreshed(open(), changed, declared({ label: "other" }))).toMatchObject({ changes: true });
		await open().number.delete(e164, changed.outs);
		expect(ported(), "adopt leaves it").toMatchObject({
			status: "active",
			reference: expect.stringContaining(".left~"),
		});
	});

	test("is waited for as long as the program says, if it wants it active", async () => {
		await portOrder();
		await clock.sleep(97 * hour - 300_000);
		const made = await create(open().number, declared({ waitForActive: true }));
		expect(made).toMatchObject({ id: ported()?.id, outs: { status: "active" } });
	});

	test.each([
		["after its time", 0, 600, "submitted"],
		["at once where the change-over is days away", 26 * hour, 0, "scheduled for"],
	])("that is waited for in vain fails %s, saved; the next up goes on", async (_, pause, seconds, stage) => {
		await portOrder();
		await clock.sleep(pause);
		const run = open();
		const before = clock.now();
		const waits = declared({ waitForActive: true });
		const failed = await initErrorOf(run.number.create(await checked(run.number, waits)));
		expect(failed).toMatchObject({ id: e164, message: expect.stringMatching(new RegExp(`${stage}.*port-pending`)) });
		expect(Math.round((clock.now() - before) / 1000)).toBe(seconds);
		await completes();
		const entry = await upAgain(open(), { id: e164, outs: failed.properties }, waits);
		expect({ status: entry.outs.status, label: ported()?.label }).toEqual({ status: "active", label: "desk" });
	});

	test("is forgotten by destroy, and says that nothing was released", async () => {
		await portOrder();
		for (const args of [{}, { onDelete: "release" }]) {
			const { outs } = await pending(args);
			await completes();
			const run = open();
			await run.number.delete(e164, outs);
			expect(run.warnings).toEqual([expect.stringMatching(/^Removed \+31612345678.*\[telephony:kept\]$/)]);
			expect(ported()?.status).toBe("active");
			emulator.remove("number", String(ported()?.id));
			emulator.control.reset();
			await portOrder();
		}
	});

	test("whose order was cancelled is a problem with a way out, and neither bought nor gone, even without `adopt`", async () => {
		const id = await portOrder();
		const { outs } = await pending();
		await cancel(id);
		const reading = open();
		const read = await refreshed(reading, { id: e164, outs }, declared());
		expect(read).toMatchObject({ id: e164, outs: { status: "not_porting" } });
		expect(reading.warnings).toEqual([expect.stringMatching(/nor in an open port order.*\[telephony:not-found\]$/)]);
		expect(numberDrift.condition?.(read.outs)).toMatchObject({
			kind: "problem",
			ways: [expect.any(String), expect.any(String)],
		});
		for (const news of [declared(), declared({ adopt: undefined })]) {
			const error = await failureOf(upAgain(open(), { id: e164, outs: read.outs }, news, declared()));
			expect(error.message).toMatch(/Nothing was bought.*\[telephony:not-found\]$/);
		}
		await portOrder();
		expect((await upAgain(open(), { id: e164, outs: read.outs }, declared())).outs.status).toBe("porting");
	});
});

test.each([
	["neither on the account nor in an order", async () => {}],
	["only in an order that was cancelled", async () => cancel(await portOrder())],
	["at a service without ports", async () => void emulator.control.settings({ features: { ports: false } })],
])("a number that is %s is refused as before", async (_, prepare) => {
	await prepare();
	const error = await failureOf(create(open().number, declared()));
	expect(error).toMatchObject({ messageCode: "adopt-refused", message: expect.stringContaining(e164) });
});

test("a number that another stack has claimed meanwhile isn't taken from it", async () => {
	await portOrder();
	const { outs } = await pending();
	await completes();
	await create(open({ place: "https://elsewhere.example" }).number, aNumber({ adopt: e164 }, "other"));
	const read = await refreshed(open(), { id: e164, outs }, declared());
	const error = await failureOf(upAgain(open(), { id: e164, outs: read.outs }, declared()));
	expect(error.messageCode).toBe("claimed");
});

test("the state may hold nothing but numbers under way: what else it declares is bought at the right account", async () => {
	await portOrder();
	const entry = await pending();
	const run = open();
	await run.number.diff(entry.id, entry.outs, await checked(run.number, declared(), declared()));
	const trunk = declaration("SipTrunk", "pbx", {
		auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.7"] },
		capacity: 1,
	});
	expect((await create(run.sipTrunk, trunk)).id).toMatch(/^trk_/);
});

test("an Activation waits for ported numbers by the ids that the program has for them", async () => {
	await portOrder();
	const activation = (numberIds: readonly string[]) => declaration("Activation", "all", { numberIds });
	const early = await failureOf(create(open().activation, activation([e164])));
	expect(early.message).toContain(e164);
	await completes();
	const made = await create(open().activation, activation([e164]));
	expect(made.outs.numbers).toEqual([{ id: ported()?.id, phoneNumber: e164, status: "active" }]);
	expect(await refreshed(open(), made, activation([e164]))).toMatchObject({ changes: false });
});
