/** The shape of every handler: what it refuses, masks, notes, and hands to the engine. */
import { describe, expect, test, vi } from "vitest";
import {
	handler,
	InitError,
	type Lifecycle,
	messageOf,
	plain,
	redactError,
} from "../../../provider/lifecycle/resource";
import { unknownValue, type Values } from "../../../provider/properties/table";
import { FakeClock } from "../../helpers/clock";
import { useEmulator } from "../../helpers/emulator";
import { kinds } from "../../helpers/kinds";
import { aNumber, aTrunk, checked, create, failureOf, openProvider, type Provider } from "../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
const open = (options = {}) => openProvider(emulator, options);
const password = "correct-horse-battery";
const auth = { mode: "digest", username: "pbx-1", password };

describe.each(kinds)("the handler of a $noun", ({ name, declare }) => {
	test("forgets configuration and declarations in the next operation", async () => {
		const { id, outs } = await create(open()[name], declare());
		emulator.edit(name, id, { reference: null });
		const config = { "telephony:apiKey": emulator.apiKey };
		const run = open({ env: { TELEPHONY_API_KEY: "" }, config });
		const configure = (stack: Record<string, string>) => run[name].configure({ config: { get: (key) => stack[key] } });
		await checked(run[name], declare());
		await run[name].read(id, outs);
		const inputs = await checked(run[name], declare({ adopt: id }, "other"));
		expect((await failureOf(run[name].create(inputs))).messageCode).toBe("shared-object");
		await configure(config);
		await checked(run[name], declare({ adopt: id }, "other"));
		expect((await run[name].create(inputs)).id).toBe(id);
		await configure({});
		expect((await run[name].check({}, declare())).failures).toHaveLength(1);
	});
});

describe("a run", () => {
	test.each<[string, Values, string[]]>([
		["an object of a state", { token: "t" }, ["named"]],
		["an object of a state with another name", { token: "t", foundId: "num_1" }, ["num_1"]],
		["a state of several objects", { members: [], foundId: "num_1" }, ["named"]],
		["nothing while there is no object yet", { token: "t", foundId: "" }, []],
		["nothing that a program only looks up", { foundId: "num_1", status: "active" }, []],
	])("notes %s", async (_, outs, noted) => {
		const lifecycle = { properties: {}, read: async () => ({}) } as unknown as Lifecycle;
		const ids: string[] = [];
		const memory = { note: (id: string) => void ids.push(id), clear: () => {}, unfinished: new Set<string>() };
		const { read } = handler(open().session, lifecycle, memory);
		await read("named", outs);
		expect(ids).toEqual(noted);
		const bare = handler(open().session, lifecycle);
		for (const _time of [1, 2]) await bare.configure({ config: { get: () => undefined } });
		expect(await bare.read("named", outs)).toEqual({});
	});

	test("notes no declaration whose values or name are unknown", async () => {
		const { id, outs } = await create(open().number, aNumber());
		const inputs = await checked(open().number, aNumber());
		const run = open();
		for (const news of [aNumber({ area: unknownValue }), { ...aNumber(), __resourceUrn: undefined }])
			await checked(run.number, news);
		expect(run.session.memory.number.declaresAny).toBe(false);
		const diff = await run.number.diff(id, outs, { ...inputs, area: unknownValue });
		expect(diff).toMatchObject({ changes: true, replaces: [] });
		expect(run.session.memory.number.holderOf(id)).toBe(outs.token);
	});
});

describe("the engine", () => {
	test("gets plain JSON without undefined", () => {
		const nested = { a: undefined, b: [1, undefined, { c: undefined, d: null, e: "" }], f: { g: undefined }, h: false };
		expect(plain(nested)).toStrictEqual({ b: [1, { d: null, e: "" }], f: {}, h: false });
		for (const value of [null, undefined, 0, "text"]) expect(plain(value)).toBe(value);
	});

	test("gets an error with the object's id, so that it saves the object", () => {
		const cause = new Error(`refused: ${password}`);
		const error = new InitError("num_1", { status: "pending", kyc: undefined }, cause);
		expect(error).toMatchObject({ name: "InitError", id: "num_1", reasons: [error.message], cause });
		expect(error.properties).toStrictEqual({ status: "pending" });
		redactError(error, (text) => text.replaceAll(password, "***"));
		expect(error).toMatchObject({ message: "refused: ***", stack: "refused: ***", reasons: ["refused: ***"] });
		expect(messageOf("thrown as text")).toBe("thrown as text");
	});
});

describe("a secret", () => {
	test("is masked after any operation that brought it", async () => {
		const trunk = aTrunk({ auth });
		const { id, outs } = await create(open().sipTrunk, trunk);
		const inputs = await checked(open().sipTrunk, trunk);
		for (const work of [
			({ sipTrunk }) => sipTrunk.check({}, trunk),
			({ sipTrunk }) => sipTrunk.check(inputs, aTrunk()),
			({ sipTrunk }) => sipTrunk.diff(id, outs, aTrunk()),
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
			expect(run.session.secrets.mask(password)).not.toBe(password);
		}
	});
});

describe("a long request", () => {
	test("reports every five seconds at the resource until it is done", async () => {
		const { id, outs } = await create(open().sipTrunk, aTrunk());
		const clock = new FakeClock();
		const run = open({ clock });
		const status = vi.spyOn(run.session.progress, "status");
		const waiting = vi.spyOn(run.session, "waitingFor").mockReturnValue("the rate limit");
		const { id: fault } = emulator.control.faults.set({ operation: "patchTrunk", kind: "hold" });
		const inputs = await checked(run.sipTrunk, aTrunk({ capacity: 11 }));
		const work = run.sipTrunk.update(id, outs, inputs);
		while (emulator.control.faults.list()[0]?.held !== 1) await new Promise((resolve) => setImmediate(resolve));
		await clock.sleep(4_999);
		expect(status).not.toHaveBeenCalled();
		for (const ms of [1, 5_000]) await clock.sleep(ms);
		expect(status.mock.calls).toEqual(Array(2).fill([inputs.__resourceUrn, "the rate limit"]));
		waiting.mockReturnValue(undefined);
		await clock.sleep(5_000);
		emulator.control.faults.release(fault);
		await work;
		waiting.mockReturnValue("something");
		await clock.sleep(60_000);
		expect(status).toHaveBeenCalledTimes(2);
	});
});
