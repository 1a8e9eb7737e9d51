/** Stacks of one account that run at once, and declare more numbers than the service has. */
import { type Emulator, liveNumbers, onAccount } from "./account.mts";
import { must } from "./checks/check.mts";
import { inProcess } from "./drivers.mts";
import type { Errors, State } from "./engine.mts";
import type { Program } from "./program.mts";
import { seeded } from "./random.mts";
import { EngineStack } from "./stack.mts";
import type { Setting } from "./world.mts";

const numbersOf = (count: number, suffix: string): Program =>
	Array.from({ length: count }, (_, index) => ({
		kind: "number",
		name: `number${index}${suffix}`,
		args: { country: "NL", type: "mobile", label: `label ${index}` },
	}));

const ledgerOf = ({ control }: Emulator, kind: "purchase" | "release"): number =>
	control.ledger().filter((row) => row.kind === kind).length;

/** Checks that each bought number is in exactly one state. */
function mustBeShared({ control }: Emulator, states: readonly State[]): void {
	const held = states.flatMap(({ resources }) => [...resources.values()].map(({ id }) => id)).sort();
	must(new Set(held).size === held.length, () => `a number is in two stacks: ${held}`);
	const live = liveNumbers(control)
		.map(({ id }) => id)
		.sort();
	must(live.join() === held.join(), () => `live are ${live}, in the states ${held}`);
}

/** Performs one trial. @throws Violation */
export const playStacks = ({ seed, say, count }: Setting): Promise<void> =>
	onAccount(seed, async (emulator, clock) => {
		const random = seeded(seed);
		const hasSameNames = random.chance(0.5);
		const stacks = Array.from({ length: random.int(2, 4) }, (_, index) => ({
			program: numbersOf(random.int(1, 4), hasSameNames ? "" : `of${index}`),
			stack: new EngineStack(emulator, inProcess(clock, `stack${index}`), say),
		}));
		const parallel = random.pick([1, 4]);
		const wanted = stacks.reduce((sum, { program }) => sum + program.length, 0);
		const offered = random.int(0, wanted + 1);
		const stolen = random.int(0, 2);
		const { control } = emulator;
		const up = async (): Promise<Errors> =>
			(await Promise.all(stacks.map(({ stack, program }) => stack.up(program, { parallel })))).flatMap(
				({ errors }) => errors,
			);
		const states = () => Promise.all(stacks.map(({ stack }) => stack.state()));
		control.settings({ inventoryLeft: offered, stealOnBuy: stolen });
		say(`${stacks.length} stacks want ${wanted} numbers of ${offered}`);
		const failed = await up();
		for (const error of failed) must(error.has("no-inventory"), () => `not an error of inventory: ${error}`);
		mustBeShared(emulator, await states());
		const missing = wanted - ledgerOf(emulator, "purchase");
		must(failed.length === missing, () => `${missing} numbers are missing, and ${failed.length} errors say so`);
		count(missing > 0 ? "too few numbers" : "enough numbers");
		control.settings({ inventoryLeft: null, stealOnBuy: 0 });
		const errors = await up();
		must(errors.length === 0, () => `there are enough numbers now: ${errors.join("; ")}`);
		mustBeShared(emulator, await states());
		const [bought, released] = [ledgerOf(emulator, "purchase"), ledgerOf(emulator, "release")];
		must(bought === wanted && released === 0, () => `bought ${bought} of ${wanted}, released ${released}`);
		for (const { stack, program } of stacks) {
			const { changed } = await stack.refresh({});
			const steps = await stack.preview(program);
			must(changed.size + steps.length === 0, () => `not settled: ${[...changed.keys(), ...steps].join("; ")}`);
		}
	});
