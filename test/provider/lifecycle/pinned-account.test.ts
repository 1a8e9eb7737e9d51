/** The pinned account: with another account's key, no run writes, and nothing counts as deleted, in any order of calls. */
import { beforeEach, describe, expect, test } from "vitest";
import { callFunction } from "../../../provider/functions";
import { type Handler, InitError } from "../../../provider/lifecycle/resource";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { type ChosenResponse, eachRecord, faultsAt, rewriteReads, useFaultProxy } from "../../helpers/fault-proxy";
import { allKinds } from "../../helpers/kinds";
import {
	aNumber,
	aPool,
	aTrunk,
	checked,
	create,
	failureOf,
	openProvider,
	type ProviderOptions,
} from "../../helpers/provider";

const right = useAccount();
const wrong = useAccount();
const stranger: ProviderOptions = { place: "https://elsewhere.example" };
const day = 24 * 3_600_000;
beforeEach(async () => {
	for (const { clock } of [right, wrong]) await clock.sleep(day);
});

const accountOf = async ({ emulator }: typeof right) => (await emulator.call("GET", "/account")).body.id;
const pinned = (account: string, more: ProviderOptions = {}): ProviderOptions => ({
	...more,
	config: { "telephony:account": account, ...more.config },
});
/** Buys a number of a market in which the other account has none: both sell the same numbers in the same order. */
const onlyRight = async () => {
	const { body } = await right.emulator.call("POST", "/numbers", { country: "GB", type: "mobile" });
	return { id: body.id, phone: String(body.number) };
};
const spaced = (phone: string) => phone.replace(/^(.{3})(.{3})/, "$1 $2-");

type Pin = readonly [what: string, pin: () => Promise<string>];
const pins: readonly Pin[] = [
	["the account's id", () => accountOf(right)],
	["a phone number", async () => spaced((await onlyRight()).phone)],
	["a number's id", async () => (await onlyRight()).id],
];

const valid = (name: string): Values => (name === "kycProfile" ? { country: "US" } : {});
const made = (handler: Handler, inputs: Values) =>
	create(handler, inputs).catch((error: unknown) => {
		if (error instanceof InitError) return { id: error.id, outs: error.properties };
		throw error;
	});

describe.each(pins)("pinned by %s, with another account's key", (_, pin) => {
	/** Every call fails, and neither account changes. */
	const refuses = async (call: (run: ReturnType<typeof wrong.open>) => Promise<unknown>, more?: ProviderOptions) => {
		const account = await pin();
		const before = wrong.emulator.writes();
		const error = await failureOf(call(wrong.open(pinned(account, more))));
		expect([error.messageCode, wrong.emulator.writes()]).toEqual(["wrong-account", before]);
		expect(error.message).toContain(account.replace(/[ -]/g, ""));
	};

	test.each(allKinds)("makes, adopts, imports, changes and reads no $noun", async ({ name, declare }) => {
		// The state is empty, or the engine hasn't reported it yet, as with `--target NEW`.
		await refuses((run) => create(run[name], declare(valid(name))));
		const theirs = await made(wrong.open(stranger)[name], declare({ ...valid(name), onDelete: "retain" }, "theirs"));
		await refuses((run) => create(run[name], declare({ ...valid(name), adopt: theirs.id })));
		await refuses((run) => run[name].import?.(theirs.id, {}) ?? Promise.reject(new Error("no import")));
		const { id, outs } = await made(right.open()[name], declare(valid(name)));
		await refuses((run) => run[name].read(id, outs));
		await refuses((run) => run[name].update(id, outs, declare(valid(name))));
		await refuses((run) => run[name].delete(id, outs));
	});

	test("buys, changes and forgets no number of a pool", async () => {
		const { id, outs } = await create(right.open().numberPool, aPool());
		await refuses(async ({ numberPool }) => create(numberPool, aPool({}, "second")));
		await refuses(({ numberPool }) => numberPool.read(id, outs));
		await refuses(({ numberPool }) => numberPool.delete(id, outs));
	});

	test("reads nothing for the program", async () => {
		await refuses((run) => run.number.read("num_01", {}));
		await refuses(({ session }) => callFunction(session, "getNumbers", {}));
		await refuses(({ session }) => callFunction(session, "getNumber", { id: "num_01" }));
	});

	test("stays refused although the user accepts an empty account", async () => {
		const { id, outs } = await create(right.open().number, aNumber());
		const accepting = { env: { TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" } };
		await refuses((run) => run.number.read(id, outs), accepting);
		await refuses((run) => create(run.number, aNumber({}, "second")), accepting);
	});
});

describe.each(pins)("pinned by %s, with the right key", (_, pin) => {
	test("buys, reads, updates and releases", async () => {
		const account = await pin();
		const run = right.open(pinned(account));
		const { id, outs } = await create(run.number, aNumber());
		expect(await run.number.read(id, outs)).toMatchObject({ id });
		const updated = await run.number.update(id, outs, await checked(run.number, aNumber({ label: "desk" }), outs));
		await right.open(pinned(account)).number.delete(id, updated.outs);
		expect(right.released()).toEqual([id]);
	});
});

describe("a pin that proves the account", () => {
	test("needs no other evidence, and no wait", async () => {
		const account = await accountOf(right);
		const { id, outs } = await create(right.open().number, aNumber());
		right.emulator.remove("number", id);
		await right.clock.sleep(day);
		const start = right.clock.now();
		const run = right.open(pinned(account));
		const from = right.emulator.requests().length;
		// The state's only object isn't on the account.
		await run.number.diff(id, outs, aNumber());
		await create(run.number, aNumber({}, "second"));
		expect(right.emulator.requests(from)).toEqual([
			"GET /account",
			"GET /numbers",
			"POST /numbers",
			expect.stringMatching(/^PATCH/),
		]);
		expect(right.clock.now()).toBe(start);
		expect(await run.number.read(id, outs)).toEqual({});
	});

	test("is compared once in a process, and only with a pin", async () => {
		const counted = async (options: ProviderOptions) => {
			const from = right.emulator.requests().length;
			const run = right.open(options);
			await Promise.all(["a", "b", "c"].map((name) => create(run.number, aNumber({}, name))));
			const { id, outs } = await create(run.sipTrunk, aTrunk());
			await run.sipTrunk.read(id, outs);
			await callFunction(run.session, "getNumbers", {});
			return right.emulator.requests(from).filter((request) => request === "GET /account").length;
		};
		expect(await counted({})).toBe(0);
		right.emulator.control.reset();
		expect(await counted(pinned(await accountOf(right)))).toBe(1);
	});

	test("says that a phone number lacks its plus", async () => {
		const error = await failureOf(create(right.open(pinned("31201234567")).number, aNumber()));
		expect([error.messageCode, right.emulator.writes()]).toEqual(["wrong-account", []]);
		expect(error.message).toMatch(/E\.164/);
	});

	test("refuses another object with an id of the state", async () => {
		const { id, outs } = await create(right.open().number, aNumber());
		const run = right.open(pinned(await accountOf(right)));
		const error = await failureOf(
			run.number.read(id, { ...outs, phoneNumber: "+31687654321", lease: "x", token: "R.G" }),
		);
		expect(error.messageCode).toBe("wrong-account");
	});
});

test("needs evidence besides a number's id, which other accounts may have", async () => {
	const { id, outs } = await create(right.open().number, aNumber());
	const theirs = await create(wrong.open(stranger).number, aNumber({}, "theirs"));
	const before = wrong.emulator.writes();
	const run = wrong.open(pinned(theirs.id));
	await run.number.diff(id, outs, aNumber());
	expect((await failureOf(create(run.number, aNumber({}, "second")))).messageCode).toBe("wrong-account");
	expect(wrong.emulator.writes()).toEqual(before);
});

describe("a service without GET /account", () => {
	beforeEach(() => right.off("account"));

	test("makes a pinned account id an error before anything is written", async () => {
		const run = right.open(pinned("acc_1"));
		const error = await failureOf(create(run.number, aNumber()));
		expect([error.messageCode, right.emulator.writes()]).toEqual(["not-offered", []]);
		expect(error.message).toMatch(/E\.164/);
	});

	test("is not requested if the stack declares that", async () => {
		const run = right.open(pinned("acc_1", { config: { "telephony:features": "-account" } }));
		await failureOf(create(run.number, aNumber()));
		expect(right.emulator.requests()).not.toContain("GET /account");
	});

	test("refuses a number's id of digits only: every account may have it", async () => {
		const error = await failureOf(create(right.open(pinned("42")).number, aNumber()));
		expect([error.messageCode, right.emulator.writes()]).toEqual(["not-offered", []]);
	});
});

describe("an account that can't be read", () => {
	const fault = (more: object) => right.emulator.control.faults.set({ operation: "getAccount", ...more } as never);

	test.each([
		[{ kind: "status", status: 503, every: true }, "unavailable"],
		[{ kind: "status", status: 401 }, "rejected-key"],
		[{ kind: "reset", every: true }, "unavailable"],
	])("is reported as %j, and read again by the next call", async (kind, code) => {
		const account = await accountOf(right);
		fault(kind);
		const run = right.open(pinned(account));
		expect((await failureOf(create(run.number, aNumber()))).messageCode).toBe(code);
		expect(right.emulator.writes()).toEqual([]);
		right.emulator.control.faults.clear();
		await create(run.number, aNumber());
		expect(right.purchases()).toHaveLength(1);
	});
});

describe("a pinned number that has left the account", () => {
	test("ends in an error that names the account and how to pin it again", async () => {
		const { id, phone } = await onlyRight();
		right.emulator.remove("number", id);
		const account = await accountOf(right);
		const error = await failureOf(create(right.open(pinned(phone)).number, aNumber()));
		expect(error.messageCode).toBe("wrong-account");
		expect(error.message).toContain(`pulumi config set telephony:account ${account}`);
		await create(right.open(pinned(account)).number, aNumber());
	});

	test("is no pin for a run with TELEPHONY_ACCOUNT=none", async () => {
		const run = right.open(pinned("+447700900123", { env: { TELEPHONY_ACCOUNT: "none" } }));
		await create(run.number, aNumber());
		expect(right.purchases()).toHaveLength(1);
	});
});

describe("a pinned number that is hard to read", () => {
	const proxy = useFaultProxy(right.emulator);
	const run = (pin: string) => openProvider(proxy, { clock: right.clock, ...pinned(pin) });
	const page: ChosenResponse = { kind: "chosen", status: 404, type: "text/html", body: "<html>", isCarriedOut: false };

	test("is found although the list shows no phone numbers of many numbers", async () => {
		for (let index = 0; index < 12; index++) await right.another();
		const { phone } = await onlyRight();
		proxy.rewrite = (text, _, path) =>
			/^\/v1\/numbers(\?|$)/.test(path) ? text.replaceAll(/"number":"[^"]*",/g, "") : text;
		await create(run(phone).number, aNumber());
	});

	test("is found although its record can't be read", async () => {
		const { phone } = await onlyRight();
		rewriteReads(
			proxy,
			eachRecord((record) => (record.number === phone ? { ...record, country: 7 } : record)),
		);
		await create(run(phone).sipTrunk, aTrunk());
	});

	test("is not found if its unreadable record says that it was released", async () => {
		const { phone } = await onlyRight();
		rewriteReads(
			proxy,
			eachRecord((record) => (record.number === phone ? { ...record, country: 7, status: "released" } : record)),
		);
		expect((await failureOf(create(run(phone).number, aNumber()))).messageCode).toBe("wrong-account");
	});

	test("is no other account's if a gateway responds with a page", async () => {
		const { id } = await onlyRight();
		const before = right.emulator.writes();
		proxy.plan = faultsAt({ [`GET /numbers/${id}`]: page });
		const error = await failureOf(create(run(id).number, aNumber()));
		expect([error.messageCode, right.emulator.writes()]).toEqual(["unavailable", before]);
	});
});

describe("the environment", () => {
	test("wins over the stack's configuration, with a warning that names both", async () => {
		const account = await accountOf(right);
		const run = right.open(pinned("acc_other", { env: { TELEPHONY_ACCOUNT: account } }));
		await create(run.number, aNumber());
		const warnings = run.warnings.filter((text) => text.includes("TELEPHONY_ACCOUNT"));
		expect(warnings).toEqual([expect.stringMatching(/acc_other.*\[telephony:config\]$/)]);
		const same = right.open(pinned(account, { env: { TELEPHONY_ACCOUNT: account } }));
		await create(same.number, aNumber({}, "second"));
		expect(same.warnings.filter((text) => text.includes("TELEPHONY_ACCOUNT"))).toEqual([]);
	});
});

test("refuses a value that is neither an id nor a phone number, in check", async () => {
	const run = right.open(pinned("+3120123456O"));
	const { failures } = await run.number.check({}, aNumber());
	expect(failures.map(({ reason }) => reason)).toEqual([
		expect.stringMatching(/telephony:account.*\[telephony:config\]$/),
	]);
});

describe("the first run of a stack without a pin", () => {
	const commands = (run: ReturnType<typeof right.open>) =>
		run.notes.flatMap((text) => /pulumi config set telephony:account (\S+?)`/.exec(text)?.[1] ?? []);

	test("prints once how to pin the account by its id", async () => {
		const run = right.open();
		const { id, outs } = await create(run.number, aNumber());
		await create(run.number, aNumber({}, "second"));
		expect(commands(run)).toEqual([await accountOf(right)]);
		const next = right.open();
		await next.number.diff(id, outs, aNumber());
		await create(next.number, aNumber({}, "third"));
		expect(commands(next)).toEqual([]);
	});

	test("prints a phone number that it bought if there is no GET /account", async () => {
		right.off("account");
		const run = right.open();
		const { outs } = await create(run.numberPool, aPool());
		const [{ phoneNumber }] = outs.numbers as [{ phoneNumber: string }];
		expect(commands(run)).toEqual([phoneNumber]);
		await create(right.open(pinned(phoneNumber)).number, aNumber());
	});

	test.each(["-17", "none"])("prints no command with the id %j", async (accountId) => {
		right.emulator.control.settings({ accountId });
		const run = right.open();
		const { outs } = await create(run.number, aNumber());
		expect(commands(run)).toEqual([outs.phoneNumber]);
		const error = await failureOf(create(right.open(pinned("acc_other")).number, aNumber({}, "second")));
		expect(error.message).not.toContain(`telephony:account ${accountId}`);
	});

	test("prints nothing if the stack is pinned", async () => {
		const run = right.open(pinned(await accountOf(right)));
		await create(run.number, aNumber());
		expect(commands(run)).toEqual([]);
	});
});
