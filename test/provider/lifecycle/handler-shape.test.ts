/** What every resource's handler does, whatever it manages: what it refuses, hides, and hands to the host. */
import { describe, expect, test } from "vitest";
import { InitError, messageOf, plain } from "../../../provider/lifecycle/resource";
import { resources } from "../../helpers/arbitraries";
import { useEmulator } from "../../helpers/emulator";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { aTrunk, checked, create, failureOf, initErrorOf, openProvider } from "../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);
const open = (options = {}) => openProvider(emulator, options);

describe.each(resources)("a %s", (name, _, declare) => {
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
			expect([error.kind, error.message]).toEqual([
				"Config",
				expect.stringMatching(
					/newer version .*\(format 2; this one reads 1\)\. Nothing was changed\. Install the newer/,
				),
			]);
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

	test("shows the host no stack of an error, only its message", async () => {
		const wrong = openProvider({ ...emulator, apiKey: "no" });
		const { id, outs } = await create(open()[name], declare());
		const inputs = await checked(wrong[name], declare());
		for (const work of [
			() => wrong[name].read(id, outs),
			() => wrong[name].delete(id, outs),
			() => wrong[name].create(inputs),
		]) {
			const error = await failureOf(work());
			expect(error.stack).toBe(error.message);
		}
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

describe("what the host is given", () => {
	test("is plain JSON: without undefined, however deep, and with all else as it was", () => {
		const nested = { a: undefined, b: [1, undefined, { c: undefined, d: null, e: "" }], f: { g: undefined }, h: false };
		expect(plain(nested)).toStrictEqual({ b: [1, { d: null, e: "" }], f: {}, h: false });
		for (const value of [null, undefined, 0, "text"]) expect(plain(value)).toBe(value);
	});

	test("is an error with the object's id where there is one already, so that the engine saves it", () => {
		const cause = new Error("not active yet");
		const error = new InitError("num_1", { status: "pending", kyc: undefined }, cause);
		expect([error.name, error.id, error.message, error.reasons, error.cause]).toEqual([
			"InitError",
			"num_1",
			"not active yet",
			["not active yet"],
			cause,
		]);
		expect(error.properties).toStrictEqual({ status: "pending" });
		expect(messageOf("thrown as text")).toBe("thrown as text");
	});
});
