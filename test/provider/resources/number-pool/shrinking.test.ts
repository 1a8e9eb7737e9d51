/** What the program no longer wants of a pool is released, whatever the run has looked at before. */
import { expect, test } from "vitest";
import type { Values } from "../../../../provider/properties/table";
import { useEmulator } from "../../../helpers/emulator";
import { namesIn, type PoolEntry, refreshed, upAgain } from "../../../helpers/pools";
import { aPool, checked, create, failureOf, openProvider } from "../../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
const open = () => openProvider(emulator);
const alive = () => emulator.control.state().numbers.filter(({ status }) => status !== "released").length;

/** A growth whose run was killed before it could save anything. */
async function grownUnseen({ id, outs }: PoolEntry, declared: Values, count: number): Promise<void> {
	const run = open();
	await run.numberPool.update(id, outs, await checked(run.numberPool, { ...declared, count }, declared));
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
	await grownUnseen(entry, declared, 6);
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
	await grownUnseen(entry, high, 5);
	const after = await upAgain(open(), entry, { ...high, count: 3 }, high);
	expect(namesIn(after)).toEqual(["support[0]", ...held]);
	expect(alive()).toBe(3);
});

test("and without allowRelease keeps all of them, and says so", async () => {
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
