/** What every resource's handler does, whatever it manages: what it refuses, hides, and hands to the host. */
import { afterEach, describe, expect, test, vi } from "vitest";
import {
	handler,
	InitError,
	type Lifecycle,
	messageOf,
	plain,
	redactError,
} from "../../../provider/lifecycle/resource";
import { unknownValue, type Values } from "../../../provider/properties/table";
import { sipTrunkHandler } from "../../../provider/resources/sip-trunk/handler";
import { Session } from "../../../provider/session/session";
import { useEmulator } from "../../helpers/emulator";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { kinds } from "../../helpers/kinds";
import {
	aNumber,
	aTrunk,
	checked,
	create,
	failureOf,
	initErrorOf,
	openProvider,
	type Provider,
} from "../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);
const open = (options = {}) => openProvider(emulator, options);

describe.each(kinds)("a $noun", ({ name, declare }) => {
	test("whose state a newer version wrote is neither compared nor read, changed or deleted", async () => {
		const { id, outs } = await create(open()[name], declare());
		const inputs = await checked(open()[name], declare());
		const before = emulator.control.requests().length;
		const handler = open()[name];
		const newer = { ...outs, stateFormat: 2 };
		for (const refused of [
			() => handler.diff(id, newer, inputs),
			() => handler.read(id, newer),
			() => handler.update(id, newer, inputs),
			() => handler.delete(id, newer),
		]) {
			const error = await failureOf(refused());
			expect(error).toMatchObject({
				kind: "Config",
				message: expect.stringContaining("(format 2; this version reads 1)"),
			});
		}
		expect(emulator.control.requests()).toHaveLength(before);
		// What this version could have written, or an older one, is read.
		for (const stateFormat of [1, 0, "2", undefined]) {
			expect((await handler.read(id, { ...outs, stateFormat })).id).toBe(id);
		}
	});

	test("without an API key is refused by check, in one sentence, beside what else is wrong with it", async () => {
		const { [name]: handler } = open({ env: { TELEPHONY_API_KEY: "" } });
		const { failures } = await handler.check({}, { ...declare(), metadata: 7 });
		expect(failures.map(({ reason }) => reason)).toEqual([
			expect.stringContaining("metadata"),
			expect.stringContaining("There is no API key"),
		]);
	});
});

test("a secret that the service repeats in a refusal is in none of the reasons that the engine prints and keeps", async () => {
	const password = "correct-horse-battery";
	const auth = { mode: "digest", username: "pbx-1", password };
	const run = openProvider(proxy);
	const inputs = await checked(run.sipTrunk, aTrunk({ auth }));
	proxy.plan = (_, method) => (method === "POST" ? { kind: "echoed", status: 400 } : undefined);
	const refused = await failureOf(run.sipTrunk.create(inputs));
	expect([refused.message, refused.stack].join()).not.toContain(password);
	proxy.plan = () => undefined;
	const { id, outs } = await run.sipTrunk.create(inputs);
	// A later process, which knows the secret only by the values that it is given.
	const later = openProvider(proxy);
	proxy.plan = (_, method) => (method === "PATCH" ? { kind: "echoed", status: 400 } : undefined);
	const changed = { ...inputs, auth: { ...auth, password: "another-long-password" } };
	const error = await initErrorOf(later.sipTrunk.update(id, outs, changed));
	const told = [error.message, error.stack, ...error.reasons].join();
	expect(told).toContain("400");
	for (const secret of [password, "another-long-password"]) expect(told).not.toContain(secret);
	expect(error.reasons).toEqual([error.message]);
});

describe("what a run takes note of", () => {
	const lifecycle = { read: async () => ({}) } as unknown as Lifecycle;

	test.each<[string, Values, string[]]>([
		["an object of an entry", { token: "t" }, ["named"]],
		["an object of an entry with another name", { token: "t", foundId: "num_1" }, ["num_1"]],
		["an entry of several", { members: [], foundId: "num_1" }, ["named"]],
		["nothing of an entry whose object isn't there yet", { token: "t", foundId: "" }, []],
		["nothing of what is only looked up", { foundId: "num_1", status: "active" }, []],
	])("is %s", async (_, outs, noted) => {
		const ids: string[] = [];
		const { read } = handler(open().session, lifecycle, { note: (id) => void ids.push(id), clear: () => {} });
		await read("named", outs);
		expect(ids).toEqual(noted);
		// What keeps no such notes is read all the same, in one operation after another.
		const bare = handler(open().session, lifecycle);
		for (const _time of [1, 2]) await bare.configure({ config: { get: () => undefined } });
		expect(await bare.read("named", outs)).toEqual({});
	});

	test("is no claim of what isn't known yet, or of what has no name", async () => {
		const { id, outs } = await create(open().number, aNumber());
		const inputs = await checked(open().number, aNumber());
		const run = open();
		for (const news of [aNumber({ area: unknownValue }), { ...aNumber(), resourceUrn: undefined }]) {
			await checked(run.number, news);
			expect(run.session.memory.number.declaresAny).toBe(false);
		}
		const diff = await run.number.diff(id, outs, { ...inputs, area: unknownValue });
		expect(diff).toMatchObject({ changes: true, replaces: [] });
		expect(run.session.memory.number.holderOf(id)).toBe(outs.token);
	});
});

describe("what the host is given", () => {
	test("is plain JSON: without undefined, however deep, and with all else as it was", () => {
		const nested = { a: undefined, b: [1, undefined, { c: undefined, d: null, e: "" }], f: { g: undefined }, h: false };
		expect(plain(nested)).toStrictEqual({ b: [1, { d: null, e: "" }], f: {}, h: false });
		for (const value of [null, undefined, 0, "text"]) expect(plain(value)).toBe(value);
	});

	test("is an error with the object's id where there is one already, so that the engine saves it", () => {
		const cause = new Error("not active yet");
		const error = new InitError("num_1", { status: "pending", kyc: undefined }, cause);
		expect(error).toMatchObject({
			name: "InitError",
			id: "num_1",
			message: "not active yet",
			reasons: ["not active yet"],
			cause,
		});
		expect(error.properties).toStrictEqual({ status: "pending" });
		expect(messageOf("thrown as text")).toBe("thrown as text");
	});
});

describe("a secret that a handler is given", () => {
	const password = "correct-horse-battery";
	const trunk = aTrunk({ auth: { mode: "digest", username: "pbx-1", password } });

	test("is masked from then on, whichever operation brought it", async () => {
		const { id, outs } = await create(open().sipTrunk, trunk);
		const inputs = await checked(open().sipTrunk, trunk);
		const plainTrunk = aTrunk();
		for (const work of [
			({ sipTrunk }) => sipTrunk.check({}, trunk),
			({ sipTrunk }) => sipTrunk.check(inputs, plainTrunk),
			({ sipTrunk }) => sipTrunk.diff(id, outs, plainTrunk),
			({ sipTrunk }) => sipTrunk.diff(id, {}, inputs),
			({ sipTrunk }) => sipTrunk.read(id, outs),
			({ sipTrunk }) => sipTrunk.update(id, outs, inputs),
			({ sipTrunk }) => sipTrunk.import?.(id, outs),
			({ sipTrunk }) => sipTrunk.create(inputs),
			({ sipTrunk }) => sipTrunk.delete(id, outs),
		] satisfies ((run: Provider) => unknown)[]) {
			const run = open();
			expect(run.session.secrets.mask(password)).toBe(password);
			await Promise.resolve(work(run)).catch(() => undefined);
			expect(run.session.secrets.mask(`the service said: ${password}`)).not.toContain(password);
		}
	});

	test("is masked in each reason that the engine shows", () => {
		const error = new InitError("trk_1", {}, new Error(`refused: ${password}`));
		redactError(error, (text) => text.replaceAll(password, "***"));
		expect(error).toMatchObject({ message: "refused: ***", stack: "refused: ***", reasons: ["refused: ***"] });
	});
});

describe("a provider process", () => {
	test("answers what came before its configuration as soon as that is there", async () => {
		const session = new Session({ env: { TELEPHONY_API_KEY: emulator.apiKey }, cwd: "/" });
		const handler = sipTrunkHandler(session);
		const early = handler.check({}, aTrunk());
		await handler.configure({ config: { get: (key) => (key === "telephony:baseUrl" ? emulator.url : undefined) } });
		expect((await early).failures).toEqual([]);
	});

	test.each(kinds)(
		"that serves another operation forgets the $noun that the last one declared, and its configuration",
		async ({ name, declare }) => {
			const { id, outs } = await create(open()[name], declare());
			emulator.edit(name, id, { reference: null });
			const run = open({ env: { TELEPHONY_API_KEY: "" }, config: { "telephony:apiKey": emulator.apiKey } });
			await checked(run[name], declare());
			await run[name].read(id, outs);
			const adopting = declare({ adopt: id }, "other");
			const inputs = await checked(run[name], adopting);
			expect((await failureOf(run[name].create(inputs))).messageCode).toBe("shared-object");
			await run[name].configure({
				config: { get: (key) => (key === "telephony:apiKey" ? emulator.apiKey : undefined) },
			});
			await checked(run[name], adopting);
			expect((await run[name].create(inputs)).id).toBe(id);
			await run[name].configure({ config: { get: () => undefined } });
			expect((await run[name].check({}, declare())).failures).toHaveLength(1);
		},
	);

	describe("whose request takes long", () => {
		afterEach(() => void vi.useRealTimers());

		test("says every five seconds, at the resource, what it waits for, and nothing once it is done", async () => {
			const { id, outs } = await create(open().sipTrunk, aTrunk());
			const run = open();
			vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
			const status = vi.spyOn(run.session.progress, "status");
			const waiting = vi.spyOn(run.session, "waitingFor").mockReturnValue("the service allows no more requests now");
			const { id: fault } = emulator.control.faults.set({ operation: "patchTrunk", kind: "hold" });
			const inputs = await checked(run.sipTrunk, aTrunk({ capacity: 11 }));
			const work = run.sipTrunk.update(id, outs, inputs);
			const isHeld = () => emulator.control.faults.list()[0]?.held === 1;
			while (!isHeld()) await new Promise((resolve) => setImmediate(resolve));
			vi.advanceTimersByTime(4_999);
			expect(status).not.toHaveBeenCalled();
			vi.advanceTimersByTime(5_001);
			expect(status.mock.calls).toEqual(Array(2).fill([inputs.resourceUrn, "the service allows no more requests now"]));
			waiting.mockReturnValue(undefined);
			vi.advanceTimersByTime(5_000);
			expect(status).toHaveBeenCalledTimes(2);
			emulator.control.faults.release(fault);
			await work;
			waiting.mockReturnValue("something");
			vi.advanceTimersByTime(60_000);
			expect(status).toHaveBeenCalledTimes(2);
		});
	});
});

test("trunks and webhooks carry their reference also at a service that changes no numbers", async () => {
	emulator.control.settings({ features: { patchNumber: false } });
	const trunk = await create(open().sipTrunk, aTrunk());
	expect(emulator.control.state().trunks[0]?.reference).toContain(String(trunk.outs.lease));
	expect((await create(open().sipTrunk, aTrunk())).id).toBe(trunk.id);
});
