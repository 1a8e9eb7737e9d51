/** A pool's life in process: what is bought, kept, given up and released, and what that costs. */
import { describe, expect, test } from "vitest";

import { isLeft } from "../../../../provider/ownership/reference";
import type { Values } from "../../../../provider/properties/table";
import { useAccount } from "../../../helpers/account";
import { namesIn, numbersIn } from "../../../helpers/pools";
import { submitPort } from "../../../helpers/ports";
import { aNumber, aPool, checked, create, failureOf, initErrorOf, type Provider } from "../../../helpers/provider";
import { type Entry, refreshed, upAgain } from "../../../helpers/runs";

const { emulator, open, live, purchases, clock, released } = useAccount();
const { labels } = emulator;

const again = (entry: Entry, news: Values, olds: Values = news, run: Provider = open()) =>
	upAgain(run, entry, news, olds);

const requests = () => emulator.control.requests().map(({ method }) => method);

describe("a new pool", () => {
	test("buys as many as it declares, configures each, and is clean after that", async () => {
		const news = aPool({ label: "support-{index}", routing: { type: "agent", agentId: "a" }, metadata: { team: "x" } });
		const entry = await create(open().numberPool, news);
		expect(namesIn(entry)).toEqual(["support[0]", "support[1]", "support[2]"]);
		expect(labels()).toEqual(["support-0", "support-1", "support-2"]);
		expect(live().map(({ routing }) => routing?.type)).toEqual(["agent", "agent", "agent"]);
		expect(new Set(live().map(({ reference }) => reference)).size).toBe(3);
		expect(entry.outs.numbers).toEqual(
			numbersIn(entry).map(({ name, id, phoneNumber }) => ({ name, id, phoneNumber, status: "active" })),
		);
		expect(requests().filter((method) => method === "POST")).toHaveLength(3);
		expect(requests()).toHaveLength(1 + 3 + 3);

		const later = open();
		const read = await later.numberPool.read(entry.id, entry.outs);
		expect(read.props).toEqual(entry.outs);
		expect(
			(await later.numberPool.diff(entry.id, read.props ?? {}, await checked(later.numberPool, news, news))).changes,
		).toBe(false);
		expect(later.warnings).toEqual([]);
	});

	test("whose create was killed is resumed, also with another label, and nothing is bought again", async () => {
		const news = aPool({ label: "two" });
		const first = await create(open().numberPool, aPool({ label: "one" }));
		const run = open();
		const second = await create(run.numberPool, news);
		expect(numbersIn(second)).toEqual(numbersIn(first));
		expect(labels()).toEqual(["two", "two", "two"]);
		expect(purchases()).toHaveLength(3);
		expect(run.warnings).toHaveLength(1);
	});

	test("that can't buy all is saved with what it has, and the next run buys the rest", async () => {
		emulator.control.faults.set({ operation: "buyNumber", nth: 3, status: 403, error: "forbidden" });
		const news = aPool({ count: 5 });
		const error = await initErrorOf(create(open().numberPool, news));
		expect(error.message).toMatch(/The pool has \d of 5 numbers\. support\[\d\]: /);
		emulator.control.faults.clear();
		const bought = purchases().length;
		expect(bought).toBeLessThan(5);
		expect(numbersIn({ outs: error.properties })).toHaveLength(bought);
		const { outs, changes } = await again({ id: error.id, outs: error.properties }, news);
		expect(changes).toBe(true);
		expect(numbersIn({ outs })).toHaveLength(5);
		expect(purchases()).toHaveLength(5);
	});
});

test("a number that another program has claimed isn't bought again, and the error fits a pool", async () => {
	const declared = aPool({ count: 1 });
	await create(open().numberPool, declared);
	emulator.edit("number", live()[0]?.id ?? "", { reference: "order 4711" });
	const { message } = await failureOf(create(open().numberPool, declared));
	expect(message).toContain("adopt it into the pool");
	expect(message).not.toContain("generation");
	expect(purchases()).toHaveLength(1);
});

describe("a pool that exists", () => {
	test("buys only the difference when it grows", async () => {
		const entry = await create(open().numberPool, aPool());
		const grown = await again(entry, aPool({ count: 5 }), aPool());
		expect(numbersIn(grown).slice(0, 3)).toEqual(numbersIn(entry));
		expect(purchases()).toHaveLength(5);
	});

	test.each([
		["retain", "release", 3, 3],
		["release", "retain", 2, 4],
	])("that shrinks ends surplus numbers by the saved onDelete: %s, not %s", async (saved, declared, left, bought) => {
		const three = aPool({ onDelete: saved });
		const entry = await create(open().numberPool, three);
		const run = open();
		const { props = {} } = await run.numberPool.read(entry.id, entry.outs);
		const two = aPool({ count: 2, onDelete: declared });
		const smaller = await again({ id: entry.id, outs: props }, two, three, run);
		expect({ names: namesIn(smaller), live: live().length }).toEqual({
			names: ["support[0]", "support[1]"],
			live: left,
		});
		expect(live().filter(({ reference }) => isLeft(reference))).toHaveLength(left - 2);
		// A left number comes back when the pool grows.
		await again(smaller, three, two);
		expect({ live: live().length, bought: purchases().length }).toEqual({ live: 3, bought });
	});

	test.each(["retain", "release"])("keeps a changed onDelete for all its numbers: %s", async (onDelete) => {
		const first = aPool({ onDelete: onDelete === "retain" ? "release" : "retain" });
		const entry = await create(open().numberPool, first);
		const before = emulator.requests().length;
		const changed = await again(entry, aPool({ onDelete }), first);
		expect(emulator.writes(before)).toEqual([]);
		await open().numberPool.delete(changed.id, changed.outs);
		expect(released()).toHaveLength(onDelete === "release" ? 3 : 0);
	});

	test("resumes what a killed growth bought, and never releases what its state doesn't hold", async () => {
		const entry = await create(open().numberPool, aPool());
		const six = aPool({ count: 6 });
		await open().numberPool.update(entry.id, entry.outs, await checked(open().numberPool, six, aPool()));
		const four = await again(entry, aPool({ count: 4 }), aPool());
		expect({ has: namesIn(four).length, live: live().length, released: released() }).toEqual({
			has: 4,
			live: 6,
			released: [],
		});
		const whole = await again(four, six, aPool({ count: 4 }));
		expect(namesIn(whole)).toHaveLength(6);
		expect(purchases()).toHaveLength(6);
	});

	test("releases the named numbers first, then those of the highest index", async () => {
		const entry = await create(open().numberPool, aPool({ count: 5 }));
		const smaller = await again(entry, aPool({ count: 3, releaseFirst: ["support[1]"] }), aPool({ count: 5 }));
		expect(namesIn(smaller)).toEqual(["support[0]", "support[2]", "support[3]"]);
		expect(new Set(released())).toEqual(new Set([1, 4].map((index) => numbersIn(entry)[index]?.id)));
		const next = await again(smaller, aPool({ count: 4, releaseFirst: ["support[1]"] }), aPool({ count: 3 }));
		expect(namesIn(next)).toEqual(["support[0]", "support[1]", "support[2]", "support[3]"]);
		expect(live()).toHaveLength(4);
		expect(purchases()).toHaveLength(6);
	});

	test("shows the drift of each number, and repairs exactly that", async () => {
		const news = aPool({ label: "desk {index}" });
		const entry = await create(open().numberPool, news);
		const [, second] = numbersIn(entry);
		emulator.control.patchNumber(second?.id ?? "", { label: "mine" });
		const run = open();
		const read = await run.numberPool.read(entry.id, entry.outs);
		expect(
			(await run.numberPool.diff(entry.id, read.props ?? {}, await checked(run.numberPool, news, news))).changes,
		).toBe(true);
		const before = requests().length;
		const repaired = await again({ id: entry.id, outs: read.props ?? {} }, news);
		expect(repaired.changes).toBe(true);
		expect(requests().slice(before)).toEqual(["GET", "PATCH"]);
		expect(labels()).toEqual(["desk 0", "desk 1", "desk 2"]);
	});

	test("buys a number anew that is gone, under its own name, once a refresh has seen it", async () => {
		const entry = await create(open().numberPool, aPool());
		await clock.sleep(600_000);
		await emulator.call("DELETE", `/numbers/${numbersIn(entry)[1]?.id}`);
		const run = open();
		const read = await run.numberPool.read(entry.id, entry.outs);
		expect(read.inputs).toMatchObject({ count: 2 });
		expect(run.warnings.join()).toContain("support[1]");
		const next = await again({ id: entry.id, outs: read.props ?? {} }, aPool(), { ...aPool(), ...read.inputs });
		expect(namesIn(next)).toEqual(["support[0]", "support[1]", "support[2]"]);
		expect(purchases()).toHaveLength(4);
	});

	test("keeps its numbers under a new name, and gives each its new one", async () => {
		const entry = await create(open().numberPool, aPool());
		const news = aPool({}, "helpdesk");
		const renamed = await again(entry, news, aPool());
		expect(renamed.changes).toBe(true);
		expect(namesIn(renamed)).toEqual(["helpdesk[0]", "helpdesk[1]", "helpdesk[2]"]);
		expect(numbersIn(renamed).map(({ id }) => id)).toEqual(numbersIn(entry).map(({ id }) => id));
		// A killed run of the new name finds them.
		expect(numbersIn(await create(open().numberPool, news))).toEqual(numbersIn(renamed));
		expect({ purchases: purchases().length, released: released() }).toEqual({ purchases: 3, released: [] });
	});

	test("--replace keeps a gap as it is, also what was adopted in another spelling", async () => {
		const { id, outs } = await create(open().number, aNumber({}, "vip"));
		await open().number.delete(id, { ...outs, onDelete: "retain" });
		const spelled = String(outs.phoneNumber).replace(/^(\+\d\d)(\d)/, "$1 $2");
		const news = aPool({ adopt: [spelled] });
		const entry = await create(open().numberPool, news);
		expect(numbersIn(entry)[0]?.id).toBe(id);
		const gap = await again(entry, { ...news, count: 2, exclude: ["support[1]"] }, news);
		const run = open();
		const made = await run.numberPool.create(await checked(run.numberPool, { ...news, count: 2 }));
		await run.numberPool.delete(gap.id, gap.outs);
		expect(numbersIn(made)).toEqual(numbersIn(gap));
		expect(made.outs.members).toMatchObject([{ index: 0, adopted: true }, { index: 2 }]);
		expect({ purchases: purchases().length, released: released() }).toEqual({ purchases: 3, released: [] });
	});
});

describe("a number leaves a pool and comes back", () => {
	test.each(["pool first", "number first"])("a run at a time, and nothing is bought or released: %s", async (order) => {
		const entry = await create(open().numberPool, aPool());
		const { id } = numbersIn(entry)[1] as { id: string };
		const out = open();
		const smaller = aPool({ count: 2, exclude: ["support[1]"] });
		const vip = aNumber({ adopt: id }, "vip");
		// While the pool claims it, nothing else can adopt it.
		if (order === "number first") expect((await failureOf(create(out.number, vip))).messageCode).toBe("claimed");
		const pool = await again(entry, smaller, aPool(), out);
		const number = await create(order === "pool first" ? out.number : open().number, vip);
		expect({ names: namesIn(pool), id: number.id }).toEqual({ names: ["support[0]", "support[2]"], id });
		// Both are clean after that.
		const later = open();
		const { changes } = await refreshed(later, number, vip);
		expect([changes, (await again(pool, smaller, smaller, later)).changes]).toEqual([false, false]);

		const whole = aPool({ count: 3, adopt: [id] });
		const early = await initErrorOf(again(pool, whole, smaller));
		expect(early.message).toContain("[telephony:claimed]");
		await open().number.delete(id, number.outs);
		const full = await again({ id: early.id, outs: early.properties }, whole, smaller);
		expect(numbersIn(full).map((each) => each.id)).toEqual(numbersIn(entry).map((each) => each.id));
		expect({ bought: purchases().length, released: released() }).toEqual({ bought: 3, released: [] });
		expect((await again(full, whole, whole)).changes).toBe(false);
	});

	test("that a port order is to bring is waited for, and nothing is bought in its place", async () => {
		const [first, second] = ["+31612345678", "+31612345679"];
		await submitPort(emulator, [first, second]);
		const news = aPool({ count: 3, adopt: [first, "+31 6 1234 5679"] });
		const { properties, id, message } = await initErrorOf(create(open().numberPool, news));
		expect(message).toMatch(/is not on the account yet: port order .*\[telephony:port-pending\]$/);
		expect({ bought: purchases().length, live: live().length }, "only the third one").toEqual({ bought: 1, live: 1 });

		await clock.sleep(200 * 3_600_000);
		const whole = await again({ id, outs: properties }, news);
		expect(
			numbersIn(whole)
				.map(({ phoneNumber }) => phoneNumber)
				.sort(),
		).toEqual(expect.arrayContaining([first, second]));
		expect({ bought: purchases().length, live: live().length }).toEqual({ bought: 1, live: 3 });
		expect((await again(whole, news)).changes).toBe(false);
		await open().numberPool.delete(id, whole.outs);
		expect(live().map(({ number, reference }) => [number, isLeft(reference)])).toEqual([
			[first, true],
			[second, true],
		]);
	});

	test("stays with its Number when the pool could not take it in", async () => {
		const entry = await create(open().numberPool, aPool());
		const number = await create(open().number, aNumber({ country: "SE" }, "vip"));
		const run = open();
		await initErrorOf(again(entry, aPool({ count: 4, adopt: [String(number.outs.phoneNumber)] }), aPool(), run));
		expect({ live: live().length, released: released() }).toEqual({ live: 4, released: [] });
	});
});
