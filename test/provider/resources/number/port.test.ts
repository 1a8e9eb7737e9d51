/** Adopts numbers that a port order is to bring: they are waited for, and never bought. */
import { afterEach, describe, expect, test } from "vitest";
import type { Values } from "../../../../provider/properties/table";
import { numberDrift } from "../../../../provider/resources/number/handler";
import { useAccount } from "../../../helpers/account";
import { submitPort } from "../../../helpers/ports";
import { aNumber, create, failureOf } from "../../../helpers/provider";
import { failedUp, refreshed, upAgain } from "../../../helpers/runs";

const { clock, emulator, open } = useAccount();
const hour = 3_600_000;
const e164 = "+31612345678";

afterEach(() => {
	expect(emulator.kinds().filter((kind) => kind === "purchase" || kind === "release")).toEqual([]);
});

const portOrder = () => submitPort(emulator, [e164]);
const completes = () => clock.sleep(200 * hour);
const cancel = async (id: string) => {
	await emulator.call("POST", `/port_orders/${id}/cancel`);
	await clock.sleep(2 * hour);
};
const ported = () => emulator.live().find(({ number }) => number === e164);
const declared = (args: Values = {}) => aNumber({ adopt: e164, label: "desk", waitForActive: false, ...args });
const pending = async (args: Values = {}) => {
	const id = await portOrder();
	return { order: id, entry: await create(open().number, declared(args)) };
};
const conditionOf = (outs: Values) => numberDrift.condition?.(outs)?.kind;

describe("a number that is being ported", () => {
	test("is no drift, and is claimed and configured once it is there", async () => {
		const { entry } = await pending({ adopt: "+31 6 1234 5678" });
		expect(entry).toMatchObject({ id: e164, outs: { phoneNumber: e164, status: "porting", label: "desk" } });
		expect(await refreshed(open(), entry, declared())).toMatchObject({ id: e164, changes: false });
		expect(conditionOf(entry.outs)).toBe("waiting");
		const before = emulator.requests().length;
		expect((await upAgain(open(), entry, declared())).outs.status).toBe("porting");
		expect(emulator.writes(before)).toEqual([]);

		await completes();
		const seen = await refreshed(open(), entry, declared());
		expect(seen).toMatchObject({ id: e164, changes: false, outs: { status: "ported" } });
		const done = await upAgain(open(), seen, declared());
		expect(ported()).toMatchObject({ label: "desk", reference: expect.stringContaining(String(done.outs.lease)) });
		expect((await upAgain(open(), done, declared())).changes).toBe(false);
		const read = await refreshed(open(), done, declared());
		expect(read, "the state gets the number's id").toMatchObject({ id: ported()?.id, changes: false });
		expect(read.outs).not.toHaveProperty("foundId");
		const changed = await upAgain(open(), done, declared({ label: "other" }));
		expect([ported()?.label, changed.outs.label]).toEqual(["other", "other"]);
		emulator.edit("number", String(ported()?.id), { label: "by hand" });
		expect(await refreshed(open(), changed, declared({ label: "other" }))).toMatchObject({ changes: true });
		await open().number.delete(e164, changed.outs);
		expect(ported()).toMatchObject({ status: "active", reference: expect.stringContaining(".left~") });
	});

	test.each([
		["after its time", 0, 600],
		["at once if the change-over is days away", 26 * hour, 0],
	])("is saved when the wait ends: %s", async (_, pause, seconds) => {
		await portOrder();
		await clock.sleep(pause);
		const before = clock.now();
		const waits = declared({ waitForActive: true });
		const { id, outs, error } = await failedUp(open(), waits);
		expect({ id, cause: error.cause }).toMatchObject({ id: e164, cause: { messageCode: "port-pending" } });
		expect(Math.round((clock.now() - before) / 1000)).toBe(seconds);
		await completes();
		const entry = await upAgain(open(), { id, outs }, waits);
		expect({ status: entry.outs.status, label: ported()?.label }).toEqual({ status: "active", label: "desk" });
	});

	test("is a problem once its order is cancelled, and is never bought", async () => {
		const { order, entry } = await pending();
		await cancel(order);
		const run = open();
		const read = await refreshed(run, entry, declared());
		expect(read).toMatchObject({ id: e164, outs: { status: "not_porting" } });
		expect(run.warnings).toEqual([expect.stringMatching(/\[telephony:not-found\]$/)]);
		expect(conditionOf(read.outs)).toBe("problem");
		for (const news of [declared(), declared({ adopt: undefined })])
			expect((await failureOf(upAgain(open(), read, news, declared()))).messageCode).toBe("adopt-refused");
		await portOrder();
		expect((await upAgain(open(), read, declared())).outs.status).toBe("porting");
	});
});

test.each([
	["is in no order", async () => {}],
	["is in a cancelled order", async () => cancel(await portOrder())],
	["is at a service without ports", async () => void emulator.control.settings({ features: { ports: false } })],
])("refuses to adopt a number that %s", async (_, prepare) => {
	await prepare();
	const error = await failureOf(create(open().number, declared()));
	expect(error).toMatchObject({ messageCode: "adopt-refused", message: expect.stringContaining(e164) });
});
