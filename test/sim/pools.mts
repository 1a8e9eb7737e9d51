/** A pool that grows, shrinks and is renamed, while requests fail, processes are killed and others edit its numbers. */
import { declarationIn, type Emulator, isMarkedRetained, liveNumbers, onAccount } from "./account.mts";
import { must } from "./checks/check.mts";
import { inProcess } from "./drivers.mts";
import type { Program } from "./program.mts";
import { type Random, seeded } from "./random.mts";
import { EngineStack } from "./stack.mts";
import { chooseDuring, type DuringRun, strikeDuring } from "./troubles.mts";
import type { Setting } from "./world.mts";

const operations = ["buyNumber", "patchNumber", "releaseNumber", "listNumbers", "getNumber"] as const;

function troubleOf(random: Random): DuringRun | undefined {
	const what = random.pick(["none", "kill", "failure"] as const);
	return what === "none" ? undefined : chooseDuring(what, { random, operations, program: [] });
}

/** Performs one trial. @throws Violation */
export const playPools = ({ seed, say, count }: Setting): Promise<void> =>
	onAccount(seed, async (emulator, clock) => {
		const random = seeded(seed);
		const pool = new Pool(emulator, new EngineStack(emulator, inProcess(clock), say));
		for (let steps = random.int(1, 8); steps > 0; steps -= 1) {
			clock.advance(120_000);
			count(await pool.step(random));
		}
		clock.advance(120_000);
		await pool.end();
	});

class Pool {
	readonly #emulator: Emulator;
	readonly #stack: EngineStack;
	#name = "pool0";
	/** False until a run under this name has saved what it did: docs/troubleshooting.md#claimed. */
	#isSettled = true;
	/** The most numbers that a run was to have, also a killed one. */
	#most = 0;
	/** Bought by killed runs under a former name. */
	readonly #forgone = new Set<string>();

	constructor(emulator: Emulator, stack: EngineStack) {
		this.#emulator = emulator;
		this.#stack = stack;
	}

	async #saved() {
		const { numbers = [], onDelete } = (await this.#stack.state()).resources.get(this.#name)?.outputs ?? {};
		return { members: numbers as readonly { readonly name: string; readonly id: string }[], onDelete };
	}

	#claimed = (): string[] =>
		liveNumbers(this.#emulator.control).flatMap(({ id, reference }) =>
			reference && !isMarkedRetained(reference) && !this.#forgone.has(id) ? [id] : [],
		);

	/** Performs a random step, and returns its name. */
	async step(random: Random): Promise<string> {
		const { control } = this.#emulator;
		const { members } = await this.#saved();
		const live = new Set(liveNumbers(control).map(({ id }) => id));
		const edited = members.find(({ id }) => live.has(id));
		const rename = this.#isSettled ? (["rename"] as const) : [];
		const what = random.pick(["up", "up", "up", "up", "refresh", ...rename, "edit", "release"] as const);
		if (what === "rename") {
			const to = `pool${random.int(1, 9)}`;
			await this.#stack.rename(this.#name, to);
			for (const id of this.#claimed()) if (!members.some((member) => member.id === id)) this.#forgone.add(id);
			this.#name = to;
			this.#isSettled = false;
		}
		if (what === "refresh") await this.#stack.refresh({});
		if (what === "edit" && edited) control.patchNumber(edited.id, { label: "mine" });
		if (what === "release" && edited) control.deleteNumber(edited.id);
		if (what !== "up") return what;
		const label = random.pick([{}, { label: "desk {index}" }, { label: "line {index}" }]);
		await this.#up(random.int(1, 5), { onDelete: random.pick(["release", "retain"]), ...label }, troubleOf(random));
		return what;
	}

	async #up(count: number, args: object, trouble?: DuringRun): Promise<Program> {
		const { control } = this.#emulator;
		const { members, onDelete } = await this.#saved();
		const [held, rows] = [members.map(({ id }) => id), control.ledger().length];
		const declared = { country: "NL", type: "mobile", count, ...args };
		const program: Program = [{ kind: "number", type: "NumberPool", name: this.#name, args: declared }];
		const place = { control, service: "full", wrong: this.#emulator, report() {}, count() {} } as const;
		const { run = {}, end } = trouble ? strikeDuring(place, trouble) : {};
		const { errors, killedAt } = await this.#stack.up(program, run);
		this.#isSettled ||= killedAt === undefined && errors.length === 0;
		end?.();
		const gone = control
			.ledger()
			.slice(rows)
			.flatMap(({ kind, number_id: id }) => (kind === "release" ? [id] : []));
		must(
			gone.every((id) => held.includes(id)),
			() => `released ${gone}, and the state had ${held}`,
		);
		must(gone.length === 0 || onDelete === "release", () => `released ${gone}, and the saved state says ${onDelete}`);
		must(
			gone.length <= Math.max(0, held.length - count),
			() => `released ${gone} of ${held}, and ${count} are declared`,
		);
		const declarations = liveNumbers(control).flatMap(({ reference }) => declarationIn(reference) ?? []);
		must(new Set(declarations).size === declarations.length, () => `two numbers of one declaration: ${declarations}`);
		this.#most = Math.max(this.#most, count);
		const claimed = this.#claimed();
		must(claimed.length <= this.#most, () => `${claimed} are claimed, and the most were ${this.#most}`);
		return program;
	}

	/** Undisturbed, the program gets what it declares, and a destroy leaves no claim. */
	async end(): Promise<void> {
		await this.#stack.refresh({ env: { TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" } });
		const program = await this.#up(5, { onDelete: "release", label: "desk {index}" });
		const live = new Map(liveNumbers(this.#emulator.control).map(({ id, label }) => [id, label]));
		const { members } = await this.#saved();
		must(members.length === 5, () => `the pool has ${members.length} of 5 numbers`);
		for (const { id, name } of members) {
			const label = `desk ${/\d+(?=\]$)/.exec(name)?.[0]}`;
			must(live.get(id) === label, () => `${name}: the label of ${id} is ${live.get(id)}`);
		}
		const steps = await this.#stack.preview(program);
		must(steps.length === 0, () => `a preview after a good up: ${steps.join("; ")}`);
		const { errors } = await this.#stack.destroy({});
		must(errors.length + this.#claimed().length === 0, () => `left after a destroy: ${this.#claimed()}; ${errors}`);
	}
}
