/** A pool keeps the rules of a Number for each of its numbers: refusals, replacement, claims, removal. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLeft } from "../../../../provider/ownership/reference";
import type { Values } from "../../../../provider/properties/table";
import { membersIn, membersOutputs } from "../../../../provider/resources/number-pool/members";
import { FakeClock } from "../../../helpers/clock";
import { useEmulator } from "../../../helpers/emulator";
import { namesIn, numbersIn } from "../../../helpers/pools";
import { aPool, checked, create, failureOf, initErrorOf, openProvider } from "../../../helpers/provider";
import { refreshed, upAgain } from "../../../helpers/runs";

const emulator = useEmulator();
const { live, labels } = emulator;
const open = () => openProvider(emulator);
const later = (minutes = 60) => openProvider(emulator, { clock: new FakeClock(Date.now() + minutes * 60_000) });

describe("check refuses", () => {
	const reasons = async (news: Values, olds: Values = {}) =>
		(await open().numberPool.check(olds, news)).failures.map(({ reason }) => reason);

	test("all numbers leaving, as a pool has one at least", async () => {
		const exclude = ["support[0]", "support[1]", "support[2]"];
		expect(await reasons(aPool({ count: 1, exclude }), aPool())).toEqual([
			expect.stringContaining('`onDelete: "retain"`'),
		]);
	});

	test("a number that leaves while count stays, as another would be bought", async () => {
		expect(await reasons(aPool({ exclude: ["support[1]"] }), aPool())).toEqual([
			expect.stringContaining("Set `count` to 2"),
		]);
	});
});

describe("update refuses, before anything happens,", () => {
	test.each<[string, Values, string]>([
		[
			"a name that the pool doesn't have",
			{ count: 2, exclude: ["support[7]"] },
			"exclude: support[7] is not in the pool",
		],
		[
			"the same in releaseFirst",
			{ count: 2, releaseFirst: ["support[7]"] },
			"releaseFirst: support[7] is not in the pool",
		],
		["more to adopt than there is room for", { adopt: ["num_1"] }, "adopt: the pool can't adopt num_1"],
	])("%s", async (_, args, text) => {
		const entry = await create(open().numberPool, aPool());
		const before = emulator.control.requests().length;
		expect((await failureOf(later().numberPool.update(entry.id, entry.outs, aPool(args)))).message).toContain(text);
		expect(emulator.control.requests()).toHaveLength(before);
	});

	test("to buy in the place of what can't be adopted", async () => {
		const entry = await create(open().numberPool, aPool());
		const error = await initErrorOf(
			later().numberPool.update(entry.id, entry.outs, aPool({ count: 5, adopt: ["num_none"] })),
		);
		expect(error.message).toContain("support[3]: adopt: there is no number num_none");
		expect(live()).toHaveLength(3);
	});
});

describe("at its end", () => {
	test.each<[string, Values, number]>([
		["releaseProtection leaves all", { releaseProtection: true }, 3],
		["onDelete: retain leaves all", { onDelete: "retain" }, 3],
		["onDelete: release leaves none", { onDelete: "release" }, 0],
	])("%s", async (_, args, kept) => {
		const entry = await create(open().numberPool, aPool(args));
		await later().numberPool.delete(entry.id, entry.outs);
		expect(live().map(({ reference }) => isLeft(reference))).toEqual(Array(kept).fill(true));
		const again = await create(later().numberPool, aPool(args));
		expect(emulator.purchases()).toHaveLength(6 - kept);
		expect(
			numbersIn(again)
				.map(({ id }) => id)
				.sort(),
		).toEqual(
			live()
				.map(({ id }) => id)
				.sort(),
		);
	});

	test.each([
		["release", { country: "SE" }, ["SE", "SE", "SE"]],
		["retain", { country: "SE" }, ["NL", "NL", "NL", "SE", "SE", "SE"]],
		["release", { type: "geographic" }, ["NL", "NL", "NL"]],
	])(
		"other criteria replace the pool, and the old one ends by its saved onDelete: %s %j",
		async (onDelete, args, left) => {
			const entry = await create(open().numberPool, aPool({ onDelete }));
			const run = later();
			const inputs = await checked(run.numberPool, aPool({ ...args, onDelete: "release" }), aPool({ onDelete }));
			expect((await run.numberPool.diff(entry.id, entry.outs, inputs)).replaces).toEqual(Object.keys(args));
			await run.numberPool.create(inputs);
			await run.numberPool.delete(entry.id, entry.outs);
			expect(
				live()
					.map(({ country }) => country)
					.sort(),
			).toEqual(left);
		},
	);

	test("what can't be released stays, and the next destroy goes on", async () => {
		const entry = await create(open().numberPool, aPool());
		emulator.control.faults.set({ operation: "releaseNumber", nth: 2, status: 409, error: "number_in_use" });
		const error = await failureOf(later().numberPool.delete(entry.id, entry.outs));
		expect(error.message).toMatch(/support\[\d\] \+316\d+ \(num_\w+\): /);
		expect(live()).toHaveLength(1);
		await later().numberPool.delete(entry.id, entry.outs);
		expect(live()).toEqual([]);
	});

	test("a number that another stack has claimed is kept", async () => {
		const entry = await create(open().numberPool, aPool());
		const taken = numbersIn(entry)[1]?.id ?? "";
		emulator.control.patchNumber(taken, { reference: "other.stack.who.lease~theirs/prod" });
		const run = later();
		expect((await refreshed(run, entry, aPool())).changes).toBe(false);
		expect(run.warnings).toEqual([expect.stringMatching(/^support\[1\] .*theirs\/prod.*\[telephony:claimed\]$/)]);
		await later().numberPool.delete(entry.id, entry.outs);
		expect(live().map(({ id }) => id)).toEqual([taken]);
	});
});

describe("drift", () => {
	test("of each number is found and repaired, also a value that was cleared", async () => {
		const news = aPool({ label: "desk {index}", routing: { type: "agent", agentId: "a" } });
		const entry = await create(open().numberPool, news);
		const [first, second] = numbersIn(entry);
		emulator.control.patchNumber(first?.id ?? "", { label: null });
		emulator.control.patchNumber(second?.id ?? "", { routing: { type: "agent", agent_id: "b" } });
		const seen = await refreshed(later(), entry, news);
		expect(seen.changes).toBe(true);
		expect(seen.outs.numbers).toMatchObject([{}, { routing: { type: "agent", agentId: "b" } }, {}]);
		expect(seen.outs.members).toMatchObject([{ without: ["label"] }, {}, {}]);
		const next = await upAgain(later(), seen, news);
		expect((await refreshed(later(), next, news)).changes).toBe(false);
		expect(
			live()
				.map(({ label, routing }) => [label, (routing as Values | null)?.agent_id])
				.sort(),
		).toEqual([0, 1, 2].map((n) => [`desk ${n}`, "a"]));
	});

	test("is none after a run that failed half-way, as far as it came", async () => {
		const entry = await create(open().numberPool, aPool({ label: "a {index}" }));
		emulator.control.faults.set({ operation: "patchNumber", nth: 2, status: 422, error: "validation_failed" });
		const news = aPool({ label: "b {index}", count: 5 });
		const error = await initErrorOf(
			later().numberPool.update(entry.id, entry.outs, await checked(open().numberPool, news, aPool())),
		);
		const run = later();
		const { props = {} } = await run.numberPool.read(error.id, error.properties);
		// The engine compares with the inputs from before the write.
		const { changes } = await run.numberPool.diff(
			error.id,
			props,
			await checked(openProvider(emulator).numberPool, aPool({ label: "a {index}" })),
		);
		expect(changes).toBe(false);
		expect(namesIn(await upAgain(later(), { id: error.id, outs: props }, news))).toHaveLength(5);
		expect(labels()).toEqual([0, 1, 2, 3, 4].map((n) => `b ${n}`));
	});
});

describe("what it costs", () => {
	test("an unchanged pool of 1,000: no request for a preview, the list's pages for a refresh, 400 bytes a number", async () => {
		const news = aPool({ count: 1_000, label: "support-{index}", country: "SE" });
		const entry = await create(open().numberPool, news);
		expect(emulator.control.requests()).toHaveLength(1 + 2 * 1_000);
		expect(JSON.stringify(entry.outs).length).toBeLessThan(400 * 1_000);
		const before = emulator.control.requests().length;
		expect((await upAgain(later(), entry, news)).changes).toBe(false);
		expect(emulator.control.requests()).toHaveLength(before);
		expect((await refreshed(later(), entry, news)).changes).toBe(false);
		expect(emulator.control.requests()).toHaveLength(before + 10);
	}, 240_000);
});

test("what a state keeps of a number is what its next write needs", () => {
	const value = fc.constantFrom(undefined, "a", "b");
	const own = fc.record({
		label: value,
		smsWebhookUrl: value,
		status: fc.constantFrom("active", "pending"),
		phoneNumber: fc.constantFrom(undefined, "+31612345678"),
		lease: fc.constantFrom("", "lease"),
		open: fc.constantFrom(undefined, { leases: ["x"], unseen: [] }, { owed: { metadata: "hash" }, unseen: ["label"] }),
		adopted: fc.constantFrom(undefined, true),
	});
	const pool = { ...aPool({ label: "a", onDelete: "release" }), token: undefined };
	fc.assert(
		fc.property(fc.uniqueArray(fc.nat(20), { minLength: 1 }), own, (indices, outs) => {
			const members = indices.map((index) => ({
				index,
				id: `num_${index}`,
				outs: { ...outs, token: `t${index}`, country: "NL", type: "mobile", onDelete: "release" },
			}));
			const again = membersIn({ ...pool, ...JSON.parse(JSON.stringify(membersOutputs(pool, members))) });
			expect(again.map(({ index }) => index)).toEqual([...indices].sort((a, b) => a - b));
			for (const member of again) {
				const kept = Object.fromEntries(Object.keys(own).map((key) => [key, member.outs[key] ?? undefined]));
				expect({ ...outs, ...kept }).toEqual(outs);
			}
		}),
	);
});

test("a state in which somebody has moved numbers is refused", async () => {
	const { id, outs } = await create(open().numberPool, aPool());
	const moved = { ...outs, numbers: [...(outs.numbers as Values[])].reverse() };
	expect((await failureOf(later().numberPool.delete(id, moved))).message).toContain("was probably edited");
	expect(live()).toHaveLength(3);
});
