/** What the program no longer wants of a pool is released, whatever the run has looked at before. */
import { expect, test } from "vitest";
import { InitError } from "../../../../provider/lifecycle/resource";
import type { Values } from "../../../../provider/properties/table";
import { useEmulator } from "../../../helpers/emulator";
import { namesIn } from "../../../helpers/pools";
import { aPool, checked, create, failureOf, openProvider } from "../../../helpers/provider";
import { type Entry, refreshed, upAgain } from "../../../helpers/runs";

const emulator = useEmulator({ kyc: "immediate" });
const open = () => openProvider(emulator);
const alive = () => emulator.live().length;

/** A growth whose run was killed before it could save anything. */
async function grownUnseen({ id, outs }: Entry, declared: Values, count: number): Promise<void> {
	const run = open();
	await run.numberPool.update(id, outs, await checked(run.numberPool, { ...declared, count }, declared));
}

const firstOf = (count: number) => [...Array(count).keys()].map((index) => `support[${index}]`);

/** An \`up\` that refuses to release: what the state holds after it. */
async function refusedAt(entry: Entry, news: Values, olds: Values): Promise<Entry> {
	const error = await upAgain(open(), entry, news, olds).then(
		() => new Error("done"),
		(reason: Error) => reason,
	);
	const isSaved = error instanceof InitError;
	expect(isSaved ? error.cause : error).toMatchObject({ kind: "Invalid", messageCode: "release-refused" });
	expect(error.message).toMatch(/Nothing was released/);
	return isSaved ? { id: error.id, outs: error.properties } : entry;
}

test("up --refresh with a lower count releases what is too many", async () => {
	const declared = aPool({ count: 4 });
	const entry = await create(open().numberPool, declared);
	const run = open();
	const read = await refreshed(run, entry, declared);
	const after = await upAgain(
		run,
		{ id: entry.id, outs: read.outs },
		{ ...declared, count: 2, allowRelease: true },
		declared,
	);
	expect({ count: after.outs.count, alive: alive() }).toEqual({ count: 2, alive: 2 });
});

test("destroy --refresh releases all", async () => {
	const declared = aPool({ count: 3 });
	const entry = await create(open().numberPool, declared);
	const state = await checked(open().numberPool, declared, declared);
	const run = open();
	const { props = {} } = await run.numberPool.read(entry.id, entry.outs);
	await run.numberPool.diff(entry.id, props, state);
	await run.numberPool.delete(entry.id, props);
	expect(alive()).toBe(0);
});

test("what a growth has bought that was killed is taken in and named, and goes only by its name", async () => {
	const declared = aPool({ count: 3 });
	const entry = await create(open().numberPool, declared);
	await grownUnseen(entry, declared, 6);
	expect(alive()).toBe(6);
	// Nothing of that is in the state.
	const smaller = { ...declared, count: 4, allowRelease: true };
	let left = await refusedAt(entry, smaller, declared);
	expect({ names: namesIn(left).length, alive: alive() }).toEqual({ names: 6, alive: 6 });
	// No later run releases them either.
	left = await refusedAt(left, smaller, declared);
	left = await refusedAt(left, { ...smaller, release: ["support[1]"] }, declared);
	expect({ names: namesIn(left).length, alive: alive() }).toEqual({ names: 6, alive: 6 });
	const chosen = { ...smaller, release: ["support[4]", "support[5]"] };
	const after = await upAgain(open(), left, chosen, declared);
	expect(after.outs.count).toBe(4);
	expect(namesIn(after), "names").toEqual(firstOf(4));
	expect(alive()).toBe(4);
	expect((await upAgain(open(), after, chosen)).changes).toBe(false);
});

const settling: [string, Values, number][] = [
	["a higher count", { count: 6 }, 6],
	["`exclude`", { count: 4, exclude: ["support[4]", "support[5]"] }, 4],
];
const kept = async (change: Values, count: number, olds: Values): Promise<void> => {
	const declared = aPool({ count: 3 });
	const entry = await create(open().numberPool, declared);
	await grownUnseen(entry, declared, 6);
	const left = await refusedAt(entry, { ...declared, count: 4, allowRelease: true }, declared);
	const kept = { ...declared, ...change };
	const after = await upAgain(open(), left, kept, { ...declared, ...olds });
	expect({ names: namesIn(after), alive: alive() }).toEqual({ names: firstOf(count), alive: 6 });
	expect((await upAgain(open(), after, kept)).changes).toBe(false);
	// What is kept is like any other from here on.
	const fewer = { ...kept, count: count - 1, allowRelease: true };
	expect(namesIn(await upAgain(open(), after, fewer, kept))).toEqual(firstOf(count - 1));
};

// After a refresh, the old inputs say how many there are.
test.each(settling)("what a killed growth has bought is kept by %s after a refresh", (_, change, count) =>
	kept(change, count, { count: 6 }),
);

test("what a killed growth has bought is kept by a higher count at once", () => kept({ count: 6 }, 6, {}));

test("what a killed growth has bought is kept by `exclude` at once", () =>
	kept({ count: 4, exclude: ["support[4]", "support[5]"] }, 4, {}));

test("a pool whose first run was killed, and that has another label now, takes its numbers over by `adopt`", async () => {
	await create(open().numberPool, aPool({ count: 2, label: "one" }));
	const [a, b] = emulator.control.state().numbers.map(({ id }) => id);
	const other = aPool({ count: 2, label: "two" });
	expect((await failureOf(create(open().numberPool, other))).messageCode).toBe("rename");
	const { outs } = await create(open().numberPool, { ...other, adopt: [a, b] });
	expect({ count: outs.count, alive: alive() }).toEqual({ count: 2, alive: 2 });
});

test("a pool whose first run was killed, and that has another label now, is changed once it is as that run declared", async () => {
	const [one, two] = [aPool({ count: 2, label: "one" }), aPool({ count: 2, label: "two" })];
	await create(open().numberPool, one);
	expect((await failureOf(create(open().numberPool, two))).messageCode).toBe("rename");
	const entry = await create(open().numberPool, one);
	await upAgain(open(), entry, two, one);
	expect(emulator.control.state().numbers.map(({ label }) => label)).toEqual(["two", "two"]);
});

test("what the state holds never goes in the place of what such a growth has bought", async () => {
	const two = aPool({ count: 4 });
	const four = await create(open().numberPool, two);
	const high = { ...two, count: 2, allowRelease: true, release: ["support[0]", "support[1]"] };
	const entry = await upAgain(open(), four, high, two);
	const held = namesIn(entry);
	expect(held).toEqual(["support[2]", "support[3]"]);
	await grownUnseen(entry, high, 5);
	// The growth has bought 0, 1 and 4 anew; the program still names the first two from before.
	const after = await refusedAt(entry, { ...high, count: 3, release: [] }, high);
	expect(namesIn(after)).toEqual(["support[0]", "support[1]", ...held, "support[4]"]);
	expect(alive()).toBe(5);
	const done = await upAgain(open(), after, { ...high, count: 3, release: ["support[1]", "support[4]"] }, high);
	expect(namesIn(done)).toEqual(["support[0]", ...held]);
	expect(alive()).toBe(3);
});

test("a lower count without allowRelease keeps what a killed growth has bought, and says so", async () => {
	const declared = aPool({ count: 3 });
	const entry = await create(open().numberPool, declared);
	await grownUnseen(entry, declared, 6);
	await expect(upAgain(open(), entry, { ...declared, count: 4 }, declared)).rejects.toThrow(/allowRelease/);
	expect(alive()).toBe(6);
});

test("a number that somebody else has claimed since isn't bought again, and a pool is told what pools can do", async () => {
	const declared = aPool({ count: 1 });
	await create(open().numberPool, declared);
	const [number] = emulator.control.state().numbers;
	emulator.control.patchNumber(number?.id ?? "", { reference: "order 4711" });
	const { message } = await failureOf(create(open().numberPool, declared));
	expect(message).toContain("take it into the pool with `adopt`");
	expect(message).not.toContain("generation");
	expect(alive()).toBe(1);
});
