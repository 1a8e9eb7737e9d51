/** Buys a number once at any service, or names the numbers that may be this resource's. */
import { beforeEach, describe, expect, test } from "vitest";
import type { Values } from "../../../../provider/properties/table";
import { useAccount } from "../../../helpers/account";
import { type Fault, useFaultProxy } from "../../../helpers/fault-proxy";
import { aNumber, checked, create, failureOf, openProvider, type Provider } from "../../../helpers/provider";
import { losing, timeOf, useCarrier } from "../../../helpers/scripted-carrier";

const { emulator, open, clock, live, purchases, off, lose, another } = useAccount();
const proxy = useFaultProxy(emulator);
const hour = 3_600_000;
const neither = ["idempotencyKey", "reference"];
const ids = () => live().map(({ id }) => id);
const posts = () => emulator.requests().filter((request) => request.startsWith("POST")).length;
const throughProxy = () => openProvider(proxy, { clock });
const onPost = (what: Fault, first: () => unknown = () => {}) => {
	proxy.plan = (_, method) => {
		if (method !== "POST") return undefined;
		void first();
		return what;
	};
};
/** A create that can't tell what it bought; its error names these numbers. */
const unknown = async (run: Provider, news: Values, ...named: readonly unknown[]) => {
	const error = await failureOf(create(run.number, news));
	expect(error).toMatchObject({ kind: "OutcomeUnknown", messageCode: "purchase-unknown" });
	for (const id of named) expect(error.message).toContain(String(id));
	return error;
};

const keyed = "idempotencyKey reference -statusFilter";
const routed = { routing: { type: "agent", agentId: "a" } };

describe("without keys", () => {
	beforeEach(() => off("idempotencyKey"));

	test("names a number that another program bought at the same time", async () => {
		onPost({ kind: "unanswered" }, another);
		const error = await unknown(throughProxy(), aNumber());
		for (const id of ids()) expect(error.message).toContain(id);
		expect(purchases()).toHaveLength(2);
	});

	test.each<[string, object, Values, boolean]>([
		["is unused", {}, {}, false],
		["has a label", { label: "x" }, {}, true],
		["has routing", { routing: { type: "agent", agent_id: "a" } }, {}, true],
		["has a reference, as all numbers have", { reference: "order 4711" }, {}, false],
		["is as declared", { label: "x" }, { label: "x" }, false],
		["is routed as declared", { routing: { type: "agent", agent_id: "a", ring_timeout_seconds: 30 } }, routed, false],
		["has another label", { label: "x" }, { label: "y" }, true],
		["has another type", {}, { type: "national" }, true],
	])("decides on a purchase by a number that %s", async (_, patch, args, isBought) => {
		const id = await another(patch);
		if (isBought) await create(open().number, aNumber(args));
		else await unknown(open(), aNumber(args), id);
		expect(posts()).toBe(isBought ? 2 : 1);
	});

	test("buys beside a number that has a reference, unless all have one", async () => {
		await another({ reference: "order 4711" });
		await another({ label: "Reception" });
		await create(open().number, aNumber());
		expect(purchases()).toHaveLength(3);
	});

	test("ignores an unused number that is a day old", async () => {
		await another();
		await clock.sleep(25 * hour);
		await create(open().number, aNumber());
		expect(purchases()).toHaveLength(2);
	});
});

describe("without references", () => {
	test("names what an interrupted run bought, and adopts it", async () => {
		off("reference");
		const { id } = await create(open().number, aNumber());
		await clock.sleep(5_000);
		await unknown(open(), aNumber(), id);
		expect((await create(open().number, aNumber({ adopt: id }))).id).toBe(id);
		expect(purchases()).toHaveLength(1);
	});

	test.each<[string, (run: Provider, id: string, outs: Values) => unknown]>([
		["diff", (run, id, outs) => run.number.diff(id, outs, aNumber())],
		["read", (run, id, outs) => run.number.read(id, outs)],
		["delete", (run, id, outs) => run.number.delete(id, outs)],
	])("keeps in a replacement the number that %s has seen", async (_, see) => {
		off(...neither);
		const { id, outs } = await create(open().number, aNumber());
		const run = open();
		const inputs = await checked(run.number, aNumber());
		await see(run, id, outs);
		expect((await run.number.create(inputs)).id).toBe(id);
		await run.number.configure({ config: { get: () => undefined } });
		expect((await failureOf(run.number.create(inputs))).message, "the next operation").toContain(id);
		expect(purchases()).toHaveLength(1);
	});
});

describe("without keys and references", () => {
	beforeEach(() => off(...neither));
	const forward = { type: "forward", to: "+31201234567" };
	const declared = { label: "Support", routing: forward };

	const bought = (hours: number) => new Date(clock.now() - hours * hour).toISOString();
	const timesOf = (hours: number) =>
		Object.fromEntries(["created_at", "updated_at", "activated_at"].map((field) => [field, bought(hours)]));
	/** Changes how GET shows a number. */
	const show = (fields: object) => {
		proxy.rewrite = (text, method, path) => {
			if (method !== "GET" || !/\/numbers(\?|$)/.test(path)) return text;
			const { data, ...page } = JSON.parse(text);
			return JSON.stringify({ ...page, data: data.map((record: object) => ({ ...record, ...fields })) });
		};
	};

	test.each<[string, () => object, boolean]>([
		["has only the declared label", () => ({ label: "Support" }), false],
		["has only the declared routing", () => ({ routing: forward }), false],
		["is spelled otherwise", () => ({ label: "SUPPORT", routing: { ...forward, to: "31201234567" } }), false],
		["has a longer routing", () => ({ routing: { ...forward, ring_timeout_seconds: 25, failover: null } }), false],
		["has a time without a zone", () => ({ created_at: bought(20).slice(0, 19).replace("T", " ") }), false],
		["has no time", () => ({ created_at: undefined }), false],
		["is pending for two months", () => ({ ...declared, status: "pending", created_at: bought(1440) }), false],
		["has the declared label for two months", () => ({ ...declared, created_at: bought(1440) }), false],
		["is active for two days without a label", () => ({ routing: forward, ...timesOf(48) }), true],
		["has another routing", () => ({ ...declared, routing: { ...forward, to: "+31201234568" } }), true],
	])("decides on a purchase by a number that %s", async (_, fields, isBought) => {
		const id = await another();
		show(fields());
		if (isBought) await create(throughProxy().number, aNumber(declared));
		else await unknown(throughProxy(), aNumber(declared), `\`adopt: "${id}"\``);
		expect(posts()).toBe(isBought ? 2 : 1);
	});

	test.each([
		["names a number as declared", forward, false],
		["buys beside a number with another routing", { type: "agent", agent_id: "a" }, true],
	])("%s, though the list shows no routing", async (_, routing, isBought) => {
		const id = await another({ routing });
		proxy.rewrite = (text, method, path) =>
			method === "GET" && /\/numbers(\?|$)/.test(path) ? text.replace(/"routing":\{[^}]*\},?/g, "") : text;
		if (isBought) await create(throughProxy().number, aNumber(declared));
		else await unknown(throughProxy(), aNumber(declared), id);
		expect(posts()).toBe(isBought ? 2 : 1);
	});

	test("buys another number once the named one has a label of its own", async () => {
		const id = await another();
		await unknown(open(), aNumber(declared), id);
		emulator.edit("number", id, { label: "another program's" });
		await create(open().number, aNumber(declared));
		expect(purchases()).toHaveLength(2);
	});
});

test("buys a new generation without references, even after a diff", async () => {
	off("reference");
	const { id, outs } = await create(open().number, aNumber());
	const run = open();
	const inputs = await checked(run.number, aNumber({ generation: 1 }));
	await run.number.diff(id, outs, inputs);
	expect((await run.number.create(inputs)).id).not.toBe(id);
});

describe("with keys and references", () => {
	test.each([
		["unused", undefined, false],
		["unused, and the response is lost", undefined, true],
		["used", { label: "x" }, false],
	])("warns of a matching number beside a purchase: %s", async (_, patch, isLost) => {
		const id = await another(patch);
		await clock.sleep(61_000);
		if (isLost) lose();
		const run = open();
		await create(run.number, aNumber());
		expect(run.warnings).toEqual(patch ? [] : [expect.stringContaining(id)]);
	});

	test.each([
		["order 4711", {}],
		["a.b.c.d", {}],
		["order 4711", { kind: "unmarked" } as const],
	])("refuses a replay whose number has the reference %s by now: %j", async (reference, fault) => {
		const { id } = await create(open().number, aNumber());
		emulator.control.patchNumber(id, { reference });
		if ("kind" in fault) onPost(fault);
		const error = await failureOf(create(throughProxy().number, aNumber()));
		expect(error).toMatchObject({ kind: "Claimed", message: expect.stringContaining(id) });
		expect(purchases()).toHaveLength(1);
	});

	test.each([
		["a replay", 0, {}],
		["an old replay", hour, {}],
		["an unmarked replay", hour, { kind: "unmarked" } as const],
	])("buys another number after a release, with %s", async (_, pause, fault) => {
		if ("kind" in fault) onPost(fault);
		const { id, outs } = await create(throughProxy().number, aNumber());
		await clock.sleep(pause);
		await open().number.delete(id, outs);
		const next = await create(throughProxy().number, aNumber());
		expect(next.id).not.toBe(id);
		expect(ids()).toEqual([next.id]);
	});

	test("doesn't believe an empty list at a service without single reads", async () => {
		off("getById");
		const { id } = await create(open().number, aNumber());
		await clock.sleep(hour);
		proxy.rewrite = (text, method) => (method === "GET" ? JSON.stringify({ ...JSON.parse(text), data: [] }) : text);
		await unknown(throughProxy(), aNumber(), id);
		expect((await create(open().number, aNumber())).id).toBe(id);
		expect(purchases()).toHaveLength(1);
	});
});

describe("a response without an id", () => {
	beforeEach(() => void emulator.control.settings({ purchaseId: false }));

	test("leaves the number to be found in the list, also for many at once", async () => {
		const run = open();
		const news = (name: string) => aNumber({ type: "geographic", ...(name === "a" && { area: "20" }) }, name);
		const made = await Promise.all(["a", "b", "c"].map((name) => create(run.number, news(name))));
		expect(new Set(made.map(({ id }) => id))).toEqual(new Set(ids()));
		expect(purchases()).toHaveLength(3);
		emulator.control.settings({ purchaseId: true });
		onPost({ kind: "garbled" });
		const { id } = await create(throughProxy().number, aNumber({}, "garbled"));
		expect(ids()).toContain(id);
	});

	test.each([
		["an interrupted run may have bought it", false, []],
		["the service keeps no references", false, ["reference"]],
		["it came late", true, []],
	])("names the number if %s", async (_, isLost, missing) => {
		off(...missing);
		if (!isLost) {
			emulator.control.faults.set({ operation: "patchNumber", every: true, kind: "reset" });
			await create(open().number, aNumber()).catch(() => undefined);
			emulator.control.faults.clear();
		} else lose();
		const error = await unknown(open(), aNumber());
		const [id = ""] = ids();
		expect(error.message).toContain(id);
		expect((await create(open().number, aNumber({ adopt: id }))).id).toBe(id);
		expect(purchases()).toHaveLength(1);
	});
});

describe("an unreadable response", () => {
	test("names its number beside one that another buyer bought meanwhile", async () => {
		onPost({ kind: "garbled" });
		const run = throughProxy();
		const first = await create(run.number, aNumber({}, "a"));
		const theirs = await another();
		const second = await create(run.number, aNumber({}, "b"));
		expect([first.id, theirs, second.id]).toEqual(ids());
	});

	test("lets no later purchase take another buyer's number", async () => {
		const run = throughProxy();
		await create(run.number, aNumber({}, "readable"));
		onPost({ kind: "garbled" });
		await create(run.number, aNumber({}, "a"));
		const theirs = await another();
		const before = new Set(ids());
		proxy.rewrite = (text, method, path) => {
			if (method !== "GET" || !/\/numbers(\?|$)/.test(path)) return text;
			const { data, ...json } = JSON.parse(text);
			return JSON.stringify({ ...json, data: data.filter(({ id }: { id: string }) => before.has(id)) });
		};
		await unknown(run, aNumber({}, "b"));
		expect(emulator.row(theirs)?.reference).toBeNull();
	});
});

test.each([true, false])("reports a refusal after one request; with keys: %s", async (idempotencyKey) => {
	emulator.control.settings({ features: { idempotencyKey }, numbersMax: 0 });
	const error = await failureOf(create(open().number, aNumber()));
	expect(error).toMatchObject({ kind: "Conflict", errorCode: "limit_exceeded" });
	expect(posts()).toBe(1);
});

test.each([
	{ stealOnBuy: 1 },
	{ inventoryLeft: 0 },
	{ stealOnBuy: 1, readLagMs: 5_000, listLagMs: 5_000 },
	{ stealOnBuy: 1, features: { idempotencyKey: false, inventory: false } },
	{ inventoryLeft: 0, features: { inventory: false } },
])("leaves the next purchase to the next run if no number is free: %j", async (settings) => {
	emulator.control.settings(settings);
	const error = await failureOf(create(open().number, aNumber()));
	expect([error.messageCode, posts(), purchases()]).toEqual(["no-inventory", 1, []]);
	emulator.control.settings({ stealOnBuy: 0, inventoryLeft: null });
	await create(open().number, aNumber());
	expect(purchases()).toHaveLength(1);
});

test("buys nothing more if the retry of a lost purchase is refused", async () => {
	const { faults } = emulator.control;
	faults.set({ operation: "buyNumber", nth: 1, kind: "reset", phase: "after" });
	faults.set({ operation: "buyNumber", nth: 2, kind: "status", status: 409, error: "no_inventory", phase: "before" });
	const run = open({ config: { "telephony:features": "idempotencyKey" } });
	const error = await failureOf(create(run.number, aNumber()));
	expect([error.messageCode, posts(), purchases().length]).toEqual(["no-inventory", 2, 1]);
	faults.clear();
	await create(open().number, aNumber());
	expect(purchases()).toHaveLength(1);
});

test.each([
	["file:///srv/state", {}, 1],
	["file:///srv/state", { "telephony:owner": "ci" }, 0],
	["s3://state", {}, 0],
])("warns a CI job once that its state in %s has no owner: %j", async (place, config, count) => {
	const run = open({ place, config, env: { CI: "true" } });
	for (const name of ["one", "two"]) await create(run.number, aNumber({}, name));
	expect(run.warnings.filter((text) => text.includes("[telephony:owner-missing]"))).toHaveLength(count);
});

describe("a service whose clock is off", () => {
	const carrier = useCarrier(keyed);

	test.each([
		[-11, "", "marked"],
		[-1, "Z", "unmarked"],
		[5, "Z", "marked"],
	] as const)("sells once, and another number after a release: %i h%s, %s replays", async (hours, zone, keys) => {
		const created_at = timeOf(carrier.clock.now() + hours * hour).replace("Z", zone);
		Object.assign(carrier.make, {
			keys,
			sell: (serial: number) => ({ id: `n${serial}`, status: "active", created_at }),
		});
		const next = async (name = "a") => (await create(carrier.open().number, aNumber({}, name))).id;
		expect([await next(), await next("b")]).toEqual(["n1", "n2"]);
		carrier.make.show = (row, where) => (where === "list" ? undefined : row);
		expect(await next(), "not listed yet").toBe("n1");
		carrier.rows.length = 0;
		expect(await next(), "released").toBe("n3");
	});
});

describe("a purchase whose response shows no new number", () => {
	const carrier = useCarrier("", () => ({ keys: "marked", sell: (serial) => ({ id: `n${serial}` }) }));
	const openWith = (features: string) => carrier.open({ config: { "telephony:features": features } });

	test.each([keyed, "-idempotencyKey reference", "-idempotencyKey -reference"])(
		"has an order's id: %s",
		async (features) => {
			carrier.make.sold = (row) => ({ id: `ord_${row.id}`, status: "completed" });
			const run = openWith(features);
			const made = await Promise.all(["a", "b"].map((name) => create(run.number, aNumber({}, name))));
			expect(made.map(({ id }) => id).sort()).toEqual(["n1", "n2"]);
			const { number } = openWith(features);
			for (const { id, outs } of made) expect(await number.read(id, outs)).toMatchObject({ id });
		},
	);

	test.each([keyed, "-idempotencyKey reference"])("has an order's id, which a number has too: %s", async (features) => {
		const stranger = {
			number: "+31600000001",
			country: "NL",
			type: "mobile",
			status: "active",
			reference: null,
			created_at: "2026-01-01T00:00:00Z",
		};
		const released = { ...stranger, id: "2", status: "released" };
		const claimed = { ...stranger, id: "3", reference: "r.g.owner.lease~shop/other" };
		carrier.rows.push({ ...stranger, id: "1" }, released, claimed);
		carrier.make.sell = (serial) => ({ id: `n${serial}`, reference: null });
		carrier.make.show = (row, place) => (place === "list" && row.id === released.id ? undefined : row);
		const before = structuredClone(carrier.rows);
		for (const id of ["1", "2", "3"]) {
			carrier.make.sold = () => ({ id, status: "completed" });
			await create(openWith(features).number, aNumber({}, `order${id}`));
		}
		expect(carrier.rows.slice(0, 3)).toEqual(before);
		expect(carrier.rows).toHaveLength(6);
	});

	test.each([keyed, keyed.replace(" reference", " -reference")])(
		"repeats one of a released number without a mark: %s",
		async (features) => {
			carrier.make.keys = "unmarked";
			const first = await create(openWith(features).number, aNumber());
			await openWith(features).number.delete(first.id, first.outs);
			expect((await failureOf(create(openWith(features).number, aNumber()))).messageCode).toBe("purchase-unknown");
			expect(carrier.rows).toEqual([]);
			const next = await create(openWith(features).number, aNumber({ generation: 1 }));
			expect(carrier.rows).toMatchObject([{ id: next.id }]);
		},
	);
});

describe("keys whose numbers were released", () => {
	const carrier = useCarrier(keyed, () => ({ keys: "marked", sell: (serial) => ({ id: `n${serial}` }) }));
	const { open } = carrier;
	const names = ["a", "b"];
	const pausesOf = (run: Provider) => run.clock.slept.reduce((sum, ms) => sum + ms, 0);
	/** Buys numbers for both resources that are released outside Pulumi, so that each has this many spent keys. */
	const spend = async (count: number) => {
		for (let index = 0; index < count; index++) {
			for (const name of names) await create(open().number, aNumber({}, name));
			carrier.rows.length = 0;
		}
	};

	test.each([1, 2, 4])("cost one wait in a run, however many there are: %i", async (count) => {
		await spend(count);
		const run = open();
		const before = pausesOf(run);
		const made = await Promise.all(names.map((name) => create(run.number, aNumber({}, name))));
		expect(new Set(made.map(({ id }) => id)).size).toBe(2);
		expect(carrier.rows).toHaveLength(2);
		expect(pausesOf(run) - before).toBeGreaterThan(70_000);
		expect(pausesOf(run) - before).toBeLessThan(90_000);
	});

	test("shorten no wait for a sale of the same run", async () => {
		await spend(2);
		const run = open();
		await create(run.number, aNumber({}, "a"));
		const before = pausesOf(run);
		carrier.make.show = (row, where) => (where === "purchase" ? row : undefined);
		run.clock.after(60, () => {
			carrier.make.show = (row) => row;
		});
		losing(carrier, "POST");
		await create(run.number, aNumber({}, "c"));
		expect(carrier.rows).toHaveLength(2);
		expect(pausesOf(run) - before).toBeGreaterThan(55_000);
	});
});
