/** The law of rule 2: whatever the engine does, no number is released without a saved `release`. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { InitError } from "../../../provider/lifecycle/resource";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { aNumber, type Provider } from "../../helpers/provider";

const { emulator, open, live, released } = useAccount();

interface Entry {
	readonly id: string;
	readonly outs: Values;
	readonly inputs: Values;
	readonly isTainted?: boolean;
}

const names = ["a", "b"];
type Wish = {
	readonly name: string;
	readonly onDelete?: "release" | "retain";
	readonly area: string;
	readonly generation: number;
};
interface Step {
	readonly program: readonly Wish[];
	readonly stack: "" | "release" | "retain";
	readonly taint?: string | undefined;
	readonly isDeletedFirst: boolean;
	readonly isKilled: boolean;
	readonly lag: number;
}

const wish = fc.record<Wish>(
	{
		name: fc.constantFrom(...names),
		onDelete: fc.constantFrom("release", "retain"),
		area: fc.constantFrom("20", "10"),
		generation: fc.nat(1),
	} as { [K in keyof Wish]: fc.Arbitrary<Exclude<Wish[K], undefined>> },
	{ requiredKeys: ["name", "area", "generation"] },
) as fc.Arbitrary<Wish>;
const step: fc.Arbitrary<Step> = fc.record({
	program: fc.uniqueArray(wish, { selector: ({ name }) => name, maxLength: names.length }),
	stack: fc.constantFrom("" as const, "release" as const, "retain" as const),
	taint: fc.option(fc.constantFrom(...names), { nil: undefined }),
	isDeletedFirst: fc.boolean(),
	isKilled: fc.boolean(),
	lag: fc.constantFrom(0, 0, 2_000),
});

/** The state, and the objects that a replacement has yet to delete. */
class World {
	readonly entries = new Map<string, Entry>();
	condemned: Entry[] = [];
	/** Numbers whose saved outputs said `release` when they were deleted. */
	readonly given = new Set<string>();

	async run({ program, stack, taint, isDeletedFirst, isKilled, lag }: Step): Promise<void> {
		emulator.control.settings({ listLagMs: lag });
		const saved = { entries: [...this.entries], condemned: this.condemned };
		const run = open({ config: { "telephony:onDelete": stack } });
		const tainted = taint === undefined ? undefined : this.entries.get(taint);
		if (taint !== undefined && tainted !== undefined) this.entries.set(taint, { ...tainted, isTainted: true });
		for (const each of program) await this.#step(run, each, isDeletedFirst);
		const declared = new Set(program.map(({ name }) => name));
		const removed = [...this.entries].filter(([name]) => !declared.has(name));
		for (const entry of [...this.condemned, ...removed.map(([, each]) => each)]) await this.#delete(run, entry);
		this.condemned = [];
		for (const [name] of removed) this.entries.delete(name);
		if (isKilled) await this.#restore(saved.entries, saved.condemned);
	}

	/** A killed run has saved nothing. The next one begins with a refresh. */
	async #restore(entries: readonly [string, Entry][], condemned: Entry[]): Promise<void> {
		this.entries.clear();
		this.condemned = condemned;
		const run = open();
		for (const [name, entry] of entries) {
			const { id, props = {} } = await run.number.read(entry.id, entry.outs);
			if (id) this.entries.set(name, { ...entry, outs: props });
		}
	}

	async #step(run: Provider, { name, ...args }: Wish, isDeletedFirst: boolean): Promise<void> {
		const news = aNumber({ type: "geographic", ...args }, name);
		const old = this.entries.get(name);
		const { inputs } = await run.number.check(old === undefined || old.isTainted ? {} : old.inputs, news);
		const save = (entry: { id: string; outs: Values }) => void this.entries.set(name, { ...entry, inputs });
		const diff = old === undefined || old.isTainted ? undefined : await run.number.diff(old.id, old.outs, inputs);
		try {
			if (old !== undefined && diff?.replaces.length === 0) {
				if (diff.changes) save({ id: old.id, ...(await run.number.update(old.id, old.outs, inputs)) });
				return;
			}
			if (old !== undefined && isDeletedFirst) await this.#delete(run, old);
			save(await run.number.create(inputs));
			if (old !== undefined && !isDeletedFirst) this.condemned.push(old);
		} catch (error) {
			if (!(error instanceof InitError)) throw error;
			save({ id: error.id, outs: error.properties });
		}
	}

	async #delete(run: Provider, { id, outs }: Entry): Promise<void> {
		if (outs.onDelete === "release" && outs.releaseProtection !== true) this.given.add(id);
		await run.number.delete(id, outs);
	}
}

test("no number is released without a saved `release`, none of the state is lost, and none is bought twice", async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
			emulator.control.reset();
			const world = new World();
			for (const each of steps) {
				await world.run(each);
				for (const id of released()) expect(world.given).toContain(id);
				const alive = live().map(({ id }) => id);
				for (const { id } of world.entries.values()) expect(alive).toContain(id);
				if (!each.isKilled)
					expect([...world.entries.keys()].sort()).toEqual(each.program.map(({ name }) => name).sort());
				const tokens = live().map(({ reference }) => reference?.split(".").slice(0, 2).join("."));
				expect(new Set(tokens).size, "two numbers of one declaration").toBe(tokens.length);
			}
		}),
		{ numRuns: 60 },
	);
});
