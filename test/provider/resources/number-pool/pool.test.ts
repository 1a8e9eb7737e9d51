/** The life of a pool: what it buys, keeps, releases and repairs, and how many requests that costs. */
import { describe, expect, test } from "vitest";
import type { TelephonyError } from "../../../../provider/api/errors";
import { InitError } from "../../../../provider/lifecycle/resource";
import { isRetained } from "../../../../provider/ownership/reference";
import type { Values } from "../../../../provider/properties/table";
import { poolDrift } from "../../../../provider/resources/number-pool/handler";
import { openGate } from "../../../carriers/gate.mts";
import { useAccount } from "../../../helpers/account";
import { observed } from "../../../helpers/observed";
import { namesIn, numbersIn } from "../../../helpers/pools";
import { aNumber, aPool, checked, create, failureOf, openProvider } from "../../../helpers/provider";
import { differs, failedUp, type ResourceState, refreshed, replaced, upAgain } from "../../../helpers/runs";

const { emulator, open, live, purchases, clock, released, another, off } = useAccount();
const { labels } = emulator;
const hour = 3_600_000;
const made = (args: Values = {}) => create(open().numberPool, aPool(args));
const applyUpdate = (resource: ResourceState, news: Values, olds: Values = news) =>
	upAgain(open(), resource, news, olds);
const idsIn = (resource: Pick<ResourceState, "outs">) => numbersIn(resource).map(({ id }) => id);
const retainedCount = () => live().filter(({ reference }) => isRetained(reference)).length;
const support = (...indices: number[]) => indices.map((index) => `support[${index}]`);
const messageOf = async (work: Promise<unknown>) => (await failureOf(work)).message;

test("buys and configures its numbers with one list and two requests each", async () => {
	const news = aPool({ label: "support-{index}", routing: { type: "agent", agentId: "a" }, metadata: { team: "x" } });
	const resource = await create(open().numberPool, news);
	expect(namesIn(resource)).toEqual(support(0, 1, 2));
	expect(labels()).toEqual(["support-0", "support-1", "support-2"]);
	expect(live().map(({ routing }) => routing?.type)).toEqual(["agent", "agent", "agent"]);
	expect(emulator.requests()).toHaveLength(1 + 3 + 3);
	const later = open();
	expect(await refreshed(later, resource, news)).toMatchObject({ changes: false, outs: resource.outs });
	expect(later.warnings).toEqual([]);
});

test("reads 1,000 unchanged numbers with the list's pages alone", async () => {
	const news = aPool({ count: 1_000, label: "support-{index}", country: "SE" });
	const resource = await create(open().numberPool, news);
	expect(JSON.stringify(resource.outs).length).toBeLessThan(400 * 1_000);
	await clock.sleep(hour);
	const before = emulator.requests().length;
	expect((await applyUpdate(resource, news)).changes).toBe(false);
	expect(emulator.requests(before)).toEqual([]);
	expect((await refreshed(open(), resource, news)).changes).toBe(false);
	expect(emulator.requests(before)).toHaveLength(10);
}, 240_000);

test.each([
	["buyNumber", { status: 403, error: "forbidden" }],
	["patchNumber", { status: 422, error: "validation_failed" }],
] as const)("saves all that it bought if %s fails, and the next run continues", async (operation, refusal) => {
	emulator.control.faults.set({ operation, nth: 3, ...refusal });
	const saved = await failedUp(open(), aPool({ count: 5, label: "desk {index}" }));
	emulator.control.faults.clear();
	expect(new Set(idsIn(saved))).toEqual(new Set(live().map(({ id }) => id)));
	const whole = await applyUpdate(saved, aPool({ count: 5, label: "desk {index}" }));
	expect([idsIn(whole).length, purchases().length, labels().length]).toEqual([5, 5, 5]);
});

test("buys each number once if it is killed at each tenth of its purchases", async () => {
	const news = aPool({ count: 30, label: "desk {index}" });
	const gate = await openGate(emulator.url);
	const service = { url: gate.url, apiKey: emulator.apiKey };
	for (let tenth = 1; tenth < 10; tenth++) {
		// The run writes each number that it resumes, and then buys three.
		gate.begin({ write: purchases().length + 3, phase: tenth % 2 === 0 ? "before" : "after" });
		await expect(create(openProvider(service, { clock }).numberPool, news)).rejects.toThrow();
		expect(gate.isCut()).toBe(true);
	}
	await gate.close();
	expect(purchases().length).toBeGreaterThan(9);
	const resource = await create(open().numberPool, news);
	expect([purchases().length, new Set(idsIn(resource)).size, new Set(labels()).size]).toEqual([30, 30, 30]);
}, 60_000);

describe("a pool that changes", () => {
	test.each([
		["retain", "release", 3, 3],
		["release", "retain", 2, 4],
	])("shrinks by its saved onDelete: %s, not %s", async (saved, declared, remaining, bought) => {
		const resource = await made({ onDelete: saved });
		const two = aPool({ count: 2, onDelete: declared });
		const smaller = await applyUpdate(resource, two, aPool({ onDelete: saved }));
		expect([namesIn(smaller), live().length, retainedCount()]).toEqual([support(0, 1), remaining, remaining - 2]);
		await applyUpdate(smaller, aPool({ onDelete: saved }), two);
		expect([live().length, purchases().length], "a retained number comes back").toEqual([3, bought]);
	});

	test("releases the named numbers first, then those of the highest index", async () => {
		const five = aPool({ count: 5 });
		const resource = await create(open().numberPool, five);
		const smaller = await applyUpdate(resource, aPool({ count: 3, releaseFirst: support(1) }), five);
		expect(namesIn(smaller)).toEqual(support(0, 2, 3));
		expect(new Set(released())).toEqual(new Set([1, 4].map((index) => idsIn(resource)[index])));
		const next = await applyUpdate(smaller, aPool({ count: 4, releaseFirst: support(1) }), aPool());
		expect(namesIn(next)).toEqual(support(0, 1, 2, 3));
	});

	test("repairs the drift of each number alone, also a cleared value", async () => {
		const news = aPool({ label: "desk {index}", routing: { type: "agent", agentId: "a" } });
		const resource = await create(open().numberPool, news);
		// A program may have marked a shared value as a secret, of which `members` must hold no copy.
		expect(JSON.stringify(resource.outs.members)).not.toContain("agentId");
		const [first = "", second = ""] = idsIn(resource);
		emulator.edit("number", first, { label: null });
		emulator.edit("number", second, { routing: { type: "agent", agent_id: "b" } });
		await clock.sleep(hour);
		const afterRefresh = await refreshed(open(), resource, news);
		const members = afterRefresh.outs.members as Values[];
		expect([afterRefresh.changes, ...members.map(({ different }) => different)]).toEqual([
			...[true, { label: null }, { routing: { type: "agent", agentId: "b" } }, undefined],
		]);
		expect(poolDrift.drifted?.(afterRefresh.outs)).toEqual(["members[0].label", "members[1].routing"]);
		const before = emulator.requests().length;
		const next = await applyUpdate(afterRefresh, news);
		expect(emulator.writes(before).sort()).toEqual([first, second].map((id) => `PATCH /numbers/${id}`).sort());
		expect((await refreshed(open(), next, news)).changes).toBe(false);
		expect(labels()).toEqual(["desk 0", "desk 1", "desk 2"]);
	});

	test.each([
		["release", { country: "SE" }, ["SE", "SE", "SE"]],
		["retain", { country: "SE" }, ["NL", "NL", "NL", "SE", "SE", "SE"]],
		["release", { type: "geographic" }, ["NL", "NL", "NL"]],
	])("is replaced for other criteria, by its saved onDelete: %s %j", async (onDelete, args, remaining) => {
		const resource = await made({ onDelete });
		const run = open();
		const inputs = await checked(run.numberPool, aPool({ ...args, onDelete: "release" }), aPool({ onDelete }));
		expect((await run.numberPool.diff(resource.id, resource.outs, inputs)).replaces).toEqual(Object.keys(args));
		await run.numberPool.create(inputs);
		await run.numberPool.delete(resource.id, resource.outs);
		expect(
			live()
				.map(({ country }) => country)
				.sort(),
		).toEqual(remaining);
	});
});

describe("a number that leaves a pool", () => {
	const excluding = aPool({ count: 2, exclude: support(1) });
	const refuse = (nth: number) =>
		emulator.control.faults.set({ operation: "patchNumber", nth, status: 422, error: "validation_failed" });

	test("stays on the account if the pool is replaced as well", async () => {
		const resource = await made();
		const next = await replaced(open(), resource, excluding);
		expect([namesIn(next), released(), retainedCount()]).toEqual([support(0, 2), [], 1]);
	});

	test("stays on the account if other criteria replace the rest", async () => {
		const resource = await made();
		const run = open();
		const inputs = await checked(run.numberPool, { ...excluding, country: "SE" }, aPool());
		await run.numberPool.create(inputs);
		await run.numberPool.delete(resource.id, resource.outs);
		expect(released().sort()).toEqual([0, 2].map((index) => idsIn(resource)[index]).sort());
	});

	test("stays on the account if a failed up and a destroy follow", async () => {
		const resource = await made();
		refuse(3);
		const saved = await failedUp(open(), { ...excluding, label: "desk {index}" }, resource);
		expect(namesIn(saved)).toEqual(support(0, 1, 2));
		emulator.control.faults.clear();
		await open().numberPool.delete(saved.id, saved.outs);
		expect([released().length, retainedCount()]).toEqual([2, 1]);
	});

	test("is removed as saved before an up that failed", async () => {
		const resource = await made({ onDelete: "retain" });
		const news = aPool({ count: 2, onDelete: "release", label: "desk {index}" });
		refuse(1);
		const saved = await failedUp(open(), news, resource);
		emulator.control.faults.clear();
		expect(namesIn(await applyUpdate(saved, news))).toEqual(support(0, 1));
		expect([released(), retainedCount()]).toEqual([[], 1]);
	});

	test("is removed if the replacement of the pool resumes others", async () => {
		const resource = await made();
		const next = await replaced(open(), resource, aPool({ count: 2, releaseFirst: support(0) }));
		expect(
			live()
				.map(({ id }) => id)
				.sort(),
		).toEqual(idsIn(next).sort());
	});
});

describe("a pool", () => {
	test.each<[string, Values, string]>([
		["to lose all numbers", { count: 1, exclude: support(0, 1, 2) }, '`onDelete: "retain"`'],
		["to lose a number while count stays", { exclude: support(1) }, "`count` to 2"],
		["to exclude what it doesn't have", { count: 2, exclude: support(7) }, "exclude: support[7]"],
		["to exclude another pool's number", { count: 2, exclude: ["sales[1]"] }, "exclude: sales[1]"],
		["to release what it doesn't have", { count: 2, releaseFirst: support(7) }, "releaseFirst: support[7]"],
		["to adopt more than there is room for", { adopt: ["num_1"] }, "num_1"],
	])("refuses in preview and update %s", async (_, args, text) => {
		const { id, outs } = await made();
		const before = emulator.requests().length;
		const { numberPool } = open();
		expect(await messageOf(numberPool.diff(id, outs, aPool(args)))).toContain(text);
		expect(await messageOf(numberPool.update(id, outs, aPool(args)))).toContain(text);
		expect(emulator.requests(before)).toEqual([]);
	});
});

describe("the delete of a pool", () => {
	test.each<[Values, number]>([
		[{ releaseProtection: true }, 3],
		[{ onDelete: "retain" }, 3],
		[{ onDelete: "release" }, 0],
	])("follows its saved values: %j retains %i", async (args, retained) => {
		const resource = await made(args);
		await open().numberPool.delete(resource.id, resource.outs);
		expect([live().length, retainedCount()]).toEqual([retained, retained]);
		const next = await made(args);
		expect(idsIn(next).sort()).toEqual(
			live()
				.map(({ id }) => id)
				.sort(),
		);
		expect(purchases()).toHaveLength(6 - retained);
	});

	test("names the released numbers in one line", async () => {
		const { id, outs } = await create(open().numberPool, aPool({ count: 12, onDelete: "release" }));
		const run = open();
		await run.numberPool.delete(id, outs);
		expect(run.notes).toEqual([
			expect.stringMatching(/^(Released \+\d+ \(num_\w+\)\. ?){10}and 2 more \[telephony:released\]$/),
		]);
	});

	test("continues at a service without single reads, until no number is left", async () => {
		const { id, outs } = await create(open().numberPool, aPool({ count: 30 }));
		off("getById");
		const nth = [14, 15, 16, 17, 18, 19, 20, 21, 22, 23];
		emulator.control.faults.set({ operation: "releaseNumber", nth, status: 409, error: "number_in_use" });
		await failureOf(open().numberPool.delete(id, outs));
		const remaining = live().length;
		expect(remaining).toBeGreaterThan(0);
		expect(remaining).toBeLessThan(30);
		emulator.control.faults.clear();
		await open().numberPool.delete(id, outs);
		expect(live()).toEqual([]);
	});

	test("keeps what can't be released, or is another stack's", async () => {
		const resource = await made();
		const taken = idsIn(resource)[1] ?? "";
		emulator.edit("number", taken, { reference: "other.stack.who.lease~theirs/prod" });
		const run = open();
		expect((await refreshed(run, resource, aPool())).changes).toBe(false);
		expect(run.warnings).toEqual([expect.stringMatching(/^support\[1\] .*\[telephony:claimed\]$/)]);
		emulator.control.faults.set({ operation: "releaseNumber", nth: 2, status: 409, error: "number_in_use" });
		expect(await messageOf(open().numberPool.delete(resource.id, resource.outs))).toMatch(
			/support\[\d\] \+316\d+ \(num_\w+\): /,
		);
		expect(live()).toHaveLength(2);
		await open().numberPool.delete(resource.id, resource.outs);
		expect(live().map(({ id }) => id)).toEqual([taken]);
	});
});

test.each([
	["settle", aPool({ count: 1 }), 2],
	["remove", undefined, 1],
] as const)("reports a refused release by its operation: %s", async (operation, news, count) => {
	const { id, outs } = await made();
	emulator.control.faults.set({ operation: "releaseNumber", status: 409, error: "number_in_use" });
	const { numberPool } = open();
	const work: Promise<unknown> = news ? numberPool.update(id, outs, news) : numberPool.delete(id, outs);
	const error = await work.catch((reason: unknown) => (reason instanceof InitError ? reason.cause : reason));
	expect(error).toMatchObject({ messageCode: "in-use", values: { operation, count } });
	expect((error as TelephonyError).values?.failed).toEqual([expect.stringMatching(/^support\[\d\]$/)]);
});

test("reports each lost number, and each one that another stack claimed", async () => {
	const news = aPool({ count: 14 });
	const resource = await create(open().numberPool, news);
	const [ported = "", released = "", ...claimed] = idsIn(resource);
	emulator.edit("number", ported, { status: "ported_out" });
	emulator.remove("number", released);
	for (const id of claimed) emulator.edit("number", id, { reference: "other.stack.who.lease~theirs/prod" });
	const { drifts, props = {} } = await observed(open(), resource, news);
	const codes = drifts.map(({ code }) => code);
	expect(codes).toEqual(["ported-out", "released-outside", ...claimed.map(() => "claimed")]);
	for (const id of claimed) emulator.edit("number", id, { reference: null });
	expect((await refreshed(open(), { ...resource, outs: props }, news)).outs.findings).toBeUndefined();
});

describe("an adopting pool", () => {
	test.each(["pool first", "number first"])("takes back a number that left it: %s", async (order) => {
		const resource = await made();
		const id = idsIn(resource)[1] ?? "";
		const [smaller, vip] = [aPool({ count: 2, exclude: support(1) }), aNumber({ adopt: id }, "vip")];
		// While the pool claims it, no resource can adopt it.
		if (order === "number first") expect((await failureOf(create(open().number, vip))).messageCode).toBe("claimed");
		const pool = await applyUpdate(resource, smaller, aPool());
		const number = await create(open().number, vip);
		expect([namesIn(pool), number.id]).toEqual([support(0, 2), id]);
		expect([await differs(open(), number, vip), await differs(open(), pool, smaller)]).toEqual([false, false]);

		const whole = aPool({ count: 3, adopt: [id] });
		const early = await failedUp(open(), whole, pool);
		expect(early.error.message).toContain("[telephony:claimed]");
		await open().number.delete(id, number.outs);
		const full = await applyUpdate(early, whole, smaller);
		expect(idsIn(full)).toEqual(idsIn(resource));
		expect([purchases().length, released(), (await applyUpdate(full, whole)).changes]).toEqual([3, [], false]);
	});

	test("takes the number that it names before one that it has retained", async () => {
		const [three, two] = [aPool({ onDelete: "retain" }), aPool({ onDelete: "retain", count: 2 })];
		const smaller = await applyUpdate(await create(open().numberPool, three), two, three);
		const id = await another();
		const whole = { ...three, adopt: [id] };
		const full = await applyUpdate(smaller, whole, two);
		expect(idsIn(full)).toContain(id);
		expect((await applyUpdate(full, whole)).changes).toBe(false);
	});

	test("retains it after a refreshed replacement without `adopt`", async () => {
		const adopting = aPool({ count: 1, adopt: [await another()] });
		const dropped = await applyUpdate(await create(open().numberPool, adopting), aPool({ count: 1 }), adopting);
		const next = await replaced(open(), dropped, aPool({ count: 1 }), true);
		await open().numberPool.delete(next.id, next.outs);
		expect([released(), retainedCount()]).toEqual([[], 1]);
	});

	test("keeps its bought and adopted numbers if it is replaced", async () => {
		const [small, vip] = [aPool({ count: 1 }), aNumber({ onDelete: "retain" }, "vip")];
		const resource = await create(open().numberPool, small);
		const number = await create(open().number, vip);
		await open().number.delete(number.id, number.outs);
		const grown = aPool({ count: 2, adopt: [number.id] });
		const full = await applyUpdate(resource, grown, small);
		const run = open();
		const next = await create(run.numberPool, grown);
		await run.numberPool.delete(full.id, full.outs);
		expect([idsIn(next).sort(), released(), purchases().length]).toEqual([idsIn(full).sort(), [], 2]);
	});
});
