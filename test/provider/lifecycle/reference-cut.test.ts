/** A service that cuts or refuses references: nothing is bought where a later run couldn't recognize it. */
import { beforeEach, describe, expect, test } from "vitest";
import type { Handler, InitError } from "../../../provider/lifecycle/resource";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { type Fault, refusalOf, useFaultProxy } from "../../helpers/fault-proxy";
import { aNumber, aTrunk, create, failureOf, initErrorOf, type ProviderOptions } from "../../helpers/provider";
import { failedUp, upAgain } from "../../helpers/runs";

const account = useAccount();
const { emulator } = account;
const proxy = useFaultProxy(emulator);
const open = ({ config }: ProviderOptions = {}) =>
	account.open({ env: { TELEPHONY_BASE_URL: proxy.url }, ...(config && { config }) });
const without: ProviderOptions = { config: { "telephony:onDelete": "release", "telephony:features": "-reference" } };

/** Keeps so many characters of each reference. */
const cutting = (length: number): Fault => ({
	kind: "altered",
	alter: (body) => {
		const { reference } = body as Values;
		return typeof reference === "string" ? { ...(body as Values), reference: reference.slice(0, length) } : body;
	},
});
const isWrite = (method: string, path: string) =>
	method === "PATCH" || (method === "POST" && path.startsWith("/v1/trunks"));
const cutAt = (length: number) => {
	proxy.plan = (_, method, path) => (isWrite(method, path) ? cutting(length) : undefined);
};
const codeOf = (error: InitError) => (error.cause as { messageCode?: string }).messageCode;
const failed = async (handler: Handler, inputs: Values) => {
	const error = await initErrorOf(create(handler, inputs));
	return { id: error.id, outs: error.properties, code: codeOf(error), text: error.message };
};

const declarations = [
	["number", "number", aNumber],
	["trunk", "sipTrunk", aTrunk],
] as const;

// Within the declaration, before the owner, within the owner, within the lease, and within the stack's name.
describe.each([20, 31, 32, 36, 44, 50])("a service that keeps %i characters", (length) => {
	beforeEach(() => cutAt(length));

	test.each(declarations)("saves the %s with its id, and names the line to write", async (_, name, declare) => {
		const made = await failed(open()[name], declare());
		expect(made).toMatchObject({ id: emulator.rows(name)[0]?.id, code: "reference-cut" });
		expect(made.text).toContain("-reference");
		expect(made.text).toContain(made.id);
		const secondRun = await failedUp(open(), declare(), made);
		expect([secondRun.id, (secondRun.error as InitError | undefined) && codeOf(secondRun.error as InitError)]).toEqual([
			made.id,
			"reference-cut",
		]);
		const done = await upAgain(open(without), made, declare());
		await open(without)[name].delete(made.id, done.outs);
		expect(emulator.rows(name)).toEqual([]);
	});

	test.each(declarations)("buys and creates nothing after the first %s", async (_, name, declare) => {
		const run = open();
		const made = await failed(run[name], declare());
		for (const [, sibling, another] of declarations)
			expect((await failureOf(create(run[sibling], another({}, "second")))).messageCode).toBe("reference-cut");
		expect([...emulator.rows("number"), ...emulator.rows("sipTrunk")].map(({ id }) => id)).toEqual([made.id]);
	});

	test.each(declarations)("never makes a second %s after an interrupted run", async (_, name, declare) => {
		const { id } = await failed(open()[name], declare());
		for (const options of [{}, without]) {
			const run = open(options);
			const outcome = await create(run[name], declare()).catch((error) => error);
			if (options === without) expect(outcome.id).toBe(id);
			expect(emulator.rows(name)).toHaveLength(1);
		}
	});

	test.each(declarations)("ends the %s that a run has saved", async (_, name, declare) => {
		const { id, outs } = await failed(open()[name], declare());
		await open()[name].delete(id, outs);
		expect(emulator.rows(name)).toEqual([]);
	});
});

describe.each([31, 32, 36, 44])("an account that shows a reference of %i characters", (length) => {
	test.each(declarations)("buys, creates and adopts no %s", async (_, name, declare) => {
		cutAt(length);
		const { id } = await failed(open()[name], declare({}, "theirs"));
		const before = emulator.writes();
		for (const args of [{}, { adopt: id }]) {
			const error = await failureOf(create(open()[name], declare(args)));
			expect(error.messageCode).toBe("reference-cut");
			expect(error.text).toContain(id);
			expect(error.text).toContain("-reference");
		}
		expect(emulator.writes()).toEqual(before);
	});
});

describe("a service that refuses a reference", () => {
	beforeEach(() => {
		proxy.plan = (_, method, path) =>
			isWrite(method, path) ? refusalOf("validation_failed", "unknown field", 400) : undefined;
	});

	test("keeps the number in the state, and sells no other", async () => {
		const run = open();
		const made = await failed(run.number, aNumber());
		expect(made).toMatchObject({ id: emulator.live()[0]?.id, code: "reference-cut" });
		expect(made.text).toContain("-reference");
		expect((await failureOf(create(run.number, aNumber({}, "second")))).messageCode).toBe("reference-cut");
		expect(emulator.live()).toHaveLength(1);
	});

	test("creates no trunk, and sells no number after it", async () => {
		const run = open();
		expect((await failureOf(create(run.sipTrunk, aTrunk()))).messageCode).toBe("reference-cut");
		expect((await failureOf(create(run.number, aNumber()))).messageCode).toBe("reference-cut");
		expect(emulator.live()).toEqual([]);
	});
});

test("blames a reference only for itself, until one was shown whole", async () => {
	const run = open();
	await create(run.number, aNumber());
	proxy.plan = (_, method) => (method === "PATCH" ? refusalOf("validation_failed", "no", 422) : undefined);
	expect((await failed(run.number, aNumber({}, "second"))).code).toBe("invalid-input");
	const sibling = open({ config: { "telephony:owner": "other" } });
	proxy.plan = (_, method) => (method === "PATCH" ? refusalOf("validation_failed", "label: no", 422) : undefined);
	expect((await failed(sibling.number, aNumber({ label: "x" }, "third"))).code).toBe("invalid-input");
});
