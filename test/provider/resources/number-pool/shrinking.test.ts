/** What the program no longer wants of a pool is released, whatever the run has looked at before. */
import { expect, test } from "vitest";
import { useEmulator } from "../../../helpers/emulator";
import { namesIn, refreshed, upAgain } from "../../../helpers/pools";
import { aPool, checked, create, openProvider } from "../../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
const open = () => openProvider(emulator);
const alive = () => emulator.control.state().numbers.filter(({ status }) => status !== "released").length;

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
	expect([after.outs.count, alive()]).toEqual([2, 2]);
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

test("a growth that was killed and then declared smaller ends with as many as declared", async () => {
	const declared = aPool({ count: 3 });
	const entry = await create(open().numberPool, declared);
	const larger = { ...declared, count: 6 };
	await open().numberPool.update(entry.id, entry.outs, await checked(open().numberPool, larger, declared));
	expect(alive()).toBe(6);
	// Nothing of that is in the state.
	const smaller = { ...declared, count: 4, allowRelease: true };
	const after = await upAgain(open(), entry, smaller, declared);
	expect([after.outs.count, namesIn(after).length, alive()]).toEqual([4, 4, 4]);
	expect((await upAgain(open(), after, smaller)).changes).toBe(false);
});

test("what the state holds never goes in the place of what such a growth has bought", async () => {
	const two = aPool({ count: 4 });
	const four = await create(open().numberPool, two);
	const high = { ...two, count: 2, allowRelease: true, release: ["support[0]", "support[1]"] };
	const entry = await upAgain(open(), four, high, two);
	const held = namesIn(entry);
	expect(held).toEqual(["support[2]", "support[3]"]);
	const larger = { ...high, count: 5 };
	await open().numberPool.update(entry.id, entry.outs, await checked(open().numberPool, larger, high));
	const after = await upAgain(open(), entry, { ...high, count: 3 }, high);
	expect(namesIn(after)).toEqual(["support[0]", ...held]);
	expect(alive()).toBe(3);
});

test("and without allowRelease keeps all of them, and says so", async () => {
	const declared = aPool({ count: 3 });
	const entry = await create(open().numberPool, declared);
	const larger = { ...declared, count: 6 };
	await open().numberPool.update(entry.id, entry.outs, await checked(open().numberPool, larger, declared));
	await expect(upAgain(open(), entry, { ...declared, count: 4 }, declared)).rejects.toThrow(/allowRelease/);
	expect(alive()).toBe(6);
});
