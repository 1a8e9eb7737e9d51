/** Adopts numbers that a port order is to bring: they are waited for, and never bought. */
import { afterEach, describe, expect, test } from "vitest";
import type { Values } from "../../../../provider/properties/table";
import { numberDrift } from "../../../../provider/resources/number/handler";
import { useAccount } from "../../../helpers/account";
import { useFaultProxy } from "../../../helpers/fault-proxy";
import { submitPort } from "../../../helpers/ports";
import { aNumber, create, failureOf, openProvider } from "../../../helpers/provider";
import { failedUp, type ResourceState, refreshed, upAgain } from "../../../helpers/runs";

const { clock, emulator, open } = useAccount();
const proxy = useFaultProxy(emulator);
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
	return { order: id, resource: await create(open().number, declared(args)) };
};
const conditionOf = (outs: Values) => numberDrift.condition?.(outs)?.kind;

describe("a number that is being ported", () => {
	test("is no drift, and is claimed and configured once it is there", async () => {
		const { resource } = await pending({ adopt: "+31 6 1234 5678" });
		expect(resource).toMatchObject({ id: e164, outs: { phoneNumber: e164, status: "porting", label: "desk" } });
		expect(await refreshed(open(), resource, declared())).toMatchObject({ id: e164, changes: false });
		expect(conditionOf(resource.outs)).toBe("waiting");
		const before = emulator.requests().length;
		expect((await upAgain(open(), resource, declared())).outs.status).toBe("porting");
		expect(emulator.writes(before)).toEqual([]);

		await completes();
		const afterRefresh = await refreshed(open(), resource, declared());
		expect(afterRefresh).toMatchObject({ id: e164, changes: false, outs: { status: "ported" } });
		const done = await upAgain(open(), afterRefresh, declared());
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
		const resource = await upAgain(open(), { id, outs }, waits);
		expect({ status: resource.outs.status, label: ported()?.label }).toEqual({ status: "active", label: "desk" });
	});

	test("is a problem once its order is cancelled, and is never bought", async () => {
		const { order, resource } = await pending();
		await cancel(order);
		const run = open();
		const read = await refreshed(run, resource, declared());
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

describe("a port that arrives in part", () => {
	const [first, second, third] = ["+31201234567", "+31201234568", "+31201234569"] as const;
	const named = (number: string, args: Values = {}) =>
		aNumber({ adopt: number, type: "geographic", area: "20", waitForActive: false, ...args }, number);
	type Shown = Readonly<Record<string, unknown>>;
	/** The service shows an order of this status with only these of its numbers on the account. */
	const arrive = async (status: string, numbers: readonly string[], change = (record: Shown): Shown => record) => {
		if (emulator.live().length === 0) await completes();
		proxy.rewrite = (text, _, path) => {
			if (path.includes("/port_orders")) return text.replaceAll('"status":"completed"', `"status":"${status}"`);
			if (!path.includes("/numbers") || text === "") return text;
			const { data, ...body } = JSON.parse(text);
			if (data === undefined) return JSON.stringify(change(body));
			const listed = data.filter(({ number }: Shown) => numbers.includes(String(number)));
			return JSON.stringify({ ...body, data: listed.map(change) });
		};
	};
	const run = () => openProvider(proxy, { clock });
	const pendingOf = async (number: string, args: Values = {}) => create(run().number, named(number, args));

	test.each(["null", '""', '" "', "absent"])("is adopted where the record shows the area as %s", async (text) => {
		await submitPort(emulator, [first, second, third]);
		const entries = [await pendingOf(first), await pendingOf(second), await pendingOf(third)];
		await arrive("partially_completed", [first, second], ({ area, ...record }) =>
			text === "absent" ? record : { ...record, area: area ?? JSON.parse(text) },
		);
		const statuses = [];
		for (const [index, number] of [first, second, third].entries()) {
			const afterRefresh = await refreshed(run(), entries[index] as ResourceState, named(number));
			statuses.push(afterRefresh.outs.status);
			const done = await upAgain(run(), afterRefresh, named(number));
			statuses.push(done.outs.status);
			if (number === third) continue;
			const read = await refreshed(run(), done, named(number));
			expect(read).toMatchObject({ changes: false, outs: { area: "20", status: "active" } });
			expect((await upAgain(run(), read, named(number))).changes).toBe(false);
		}
		expect(statuses).toEqual(["ported", "active", "ported", "active", "porting", "porting"]);
	});

	test.each([
		["has another area", { area: "10" }],
		["has another type", { type: "mobile" }],
		["belongs to another stack", { reference: "order 4711" }],
	])("is a problem that the next up can't solve if a number %s", async (_, fields) => {
		await submitPort(emulator, [first, second]);
		const resource = await pendingOf(first);
		await arrive("partially_completed", [first], (record) => ({ ...record, ...fields }));
		const reading = run();
		const afterRefresh = await refreshed(reading, resource, named(first));
		expect([afterRefresh.outs.status, conditionOf(afterRefresh.outs)]).toEqual(["not_adoptable", "problem"]);
		expect(reading.warnings).toEqual([expect.stringMatching(/\[telephony:adopt-refused\]$/)]);
		const { messageCode } = await failureOf(upAgain(run(), afterRefresh, named(first)));
		expect(messageCode).toBe("reference" in fields ? "claimed" : "adopt-refused");
		await arrive("partially_completed", [first]);
		expect((await upAgain(run(), afterRefresh, named(first))).outs.status).toBe("active");
	});

	test("is a problem for a number that never arrives, until it does", async () => {
		await submitPort(emulator, [first, second]);
		const resource = await pendingOf(second);
		await arrive("completed", [first]);
		const afterRefresh = await refreshed(run(), resource, named(second));
		expect([afterRefresh.outs.status, conditionOf(afterRefresh.outs)]).toEqual(["not_porting", "problem"]);
		expect(await failureOf(upAgain(run(), afterRefresh, named(second)))).toMatchObject({
			messageCode: "adopt-refused",
		});
		await arrive("completed", [first, second]);
		const later = await refreshed(run(), afterRefresh, named(second));
		expect(later.outs.status).toBe("ported");
		expect((await upAgain(run(), later, named(second))).outs.status).toBe("active");
	});

	test.each(["", '"numbers":null,', '"numbers":[],', '"numbers":{},'])(
		"finds its order where the list shows no numbers: %s",
		async (field) => {
			await submitPort(emulator, [first, second]);
			proxy.rewrite = (text, _, path) =>
				/\/port_orders(\?|$)/.test(path) ? text.replaceAll(/"numbers":\[[^\]]*\],/g, field) : text;
			expect((await pendingOf(first)).outs.status).toBe("porting");
		},
	);

	describe("while `up` waits for an order that stays open", () => {
		/** Each number shows up a minute after the one before it. */
		const arriveLater = async (numbers: readonly string[]) => {
			await submitPort(emulator, [first, second, third]);
			const there: string[] = [];
			await arrive("partially_completed", there);
			for (const [index, number] of numbers.entries()) clock.after(60 * (index + 1), () => void there.push(number));
			return clock.now();
		};
		const waits = (number: string) => named(number, { waitForActive: true });
		const secondsSince = (start: number) => (clock.now() - start) / 1000;

		test("is adopted soon after it arrives", async () => {
			const start = await arriveLater([first]);
			expect((await create(run().number, waits(first))).outs.status).toBe("active");
			expect(secondsSince(start)).toBeLessThan(90);
		});

		test("shares the reads of several waits", async () => {
			const numbers = [first, second, third];
			const start = await arriveLater(numbers);
			const [waiting, before] = [run(), emulator.requests().length];
			const made = await Promise.all(numbers.map((number) => create(waiting.number, waits(number))));
			expect(made.map(({ outs }) => outs.status)).toEqual(["active", "active", "active"]);
			expect(secondsSince(start)).toBeLessThan(240);
			expect(emulator.requests(before).filter((request) => request === "GET /numbers").length).toBeLessThan(60);
		});

		test("outlasts a list that can't be read for a while", async () => {
			const start = await arriveLater([first]);
			let failures = 0;
			proxy.plan = (_, method, path) =>
				method === "GET" && path.startsWith("/v1/numbers?") && secondsSince(start) > 5 && failures++ < 8
					? { kind: "refused", status: 503 }
					: undefined;
			expect((await create(run().number, waits(first))).outs.status).toBe("active");
			expect(failures).toBeGreaterThan(8);
		});
	});
});
