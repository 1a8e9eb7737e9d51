/**
 * `node test/campaigns/kill-cli.mts [--trials N] [--seed S] [--service …] [--replay SEED] [--short]`: kills the real CLI,
 * or its provider alone, during the first up, an update of everything and a destroy; then `cancel`, `refresh
 * --clear-pending-creates`, `up`, and a preview that must be empty.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createEmulator, type Emulator, features, liveNumbers } from "./account.mts";
import { must, runCampaign, type Trial } from "./campaign.mts";
import { createProject, descendants, gone, kill, type Project, type Run, type Running } from "./cli.mts";
import { isRemoval, type Kind, kindNames, kinds, type Operation } from "./kinds.mts";
import { Oracle } from "./oracle.mts";
import { changeAll, firstProgram, type Program } from "./program.mts";
import { type Random, seeded } from "./random.mts";

interface Phase {
	readonly name: string;
	readonly command: readonly string[];
	readonly program: Program;
	/** What is killed at, and how often it comes. */
	readonly operations: readonly (readonly [Operation, number])[];
}

const short = process.argv.includes("--short");
const size = short ? { numbers: 4, trunks: 1, webhooks: 1 } : { numbers: 20, trunks: 4, webhooks: 2 };
const { numbers, trunks, webhooks } = size;
const unattended = ["--yes", "--skip-preview"];
/** How often an operation comes in a run. */
const sizes: Readonly<Partial<Record<Kind, number>>> = { number: numbers, sipTrunk: trunks, webhook: webhooks };
const methods = { create: "POST", patch: "PATCH", remove: "DELETE" } as const;
type Write = keyof typeof methods;

const each = (what: Write): (readonly [Operation, number])[] =>
	kindNames.flatMap((kind) => {
		const count = sizes[kind];
		return count === undefined ? [] : [[kinds[kind].operations[what], count] as const];
	});

/** What it looks like in the journal. */
const journalled = new Map(
	(Object.keys(methods) as Write[]).flatMap((what) =>
		kindNames.map((kind): [Operation, RegExp] => {
			const { operations, table } = kinds[kind];
			return [operations[what], new RegExp(`^${methods[what]} .*/${table}${what === "create" ? "$" : "/"}`)];
		}),
	),
);

function phasesOf(random: Random): Phase[] {
	const first = firstProgram(size, random);
	const second = changeAll(first, random);
	const phases: Phase[] = [
		{
			name: "first up",
			command: ["up", ...unattended],
			program: first,
			operations: [["buyNumber", numbers], ...each("create"), ["patchNumber", numbers]],
		},
		{
			name: "update",
			command: ["up", ...unattended],
			program: second,
			operations: each("patch"),
		},
		{
			name: "destroy",
			command: ["destroy", ...unattended],
			program: second,
			operations: each("remove"),
		},
	];
	return short ? phases.slice(0, 1) : phases;
}

class Life {
	readonly #emulator: Emulator;
	readonly #project: Project;
	readonly #trial: Trial;
	readonly #random: Random;
	readonly #oracle: Oracle;
	/** All that the CLI has said. */
	#told = "";

	constructor(emulator: Emulator, project: Project, trial: Trial) {
		[this.#emulator, this.#project, this.#trial] = [emulator, project, trial];
		this.#random = seeded(trial.seed);
		this.#oracle = new Oracle(emulator.control);
	}

	async run(): Promise<void> {
		for (const phase of phasesOf(this.#random)) {
			this.#trial.say(phase.name);
			this.#project.write(phase.program);
			await this.#killedRun(phase);
			if (this.#project.mend()) this.#trial.count("torn state files mended");
			await this.#project.start("cancel", "--yes").ended;
			const refreshed = await this.#done("refresh", "--clear-pending-creates", ...unattended);
			must(refreshed.code === 0, () => `refresh ended with ${refreshed.code}:\n${refreshed.output}`);
			const before = await this.#project.state();
			this.#oracle.expect(before, phase.program);
			const up = await this.#done("up", ...unattended);
			const state = await this.#project.state();
			this.#oracle.look(before, phase.program);
			if (up.code !== 0 && this.#trial.service !== "full") return this.#stoppedHonestly(up);
			must(up.code === 0, () => `up ended with ${up.code}:\n${up.output}`);
			const preview = await this.#done("preview", "--expect-no-changes");
			must(preview.code === 0, () => `preview ended with ${preview.code}:\n${preview.output}`);
			this.#oracle.settled(state, phase.program, this.#trial.service === "neither" ? this.#told : "");
		}
	}

	async #done(...args: string[]): Promise<Run> {
		const run = await this.#project.start(...args).ended;
		this.#told += run.output;
		this.#trial.say(` pulumi ${args.join(" ")}: ${run.code}\n${run.output}`);
		return run;
	}

	async #killedRun(phase: Phase): Promise<void> {
		const random = this.#random;
		const { control } = this.#emulator;
		const state = await this.#project.state();
		this.#oracle.expect(state, phase.command[0] === "destroy" ? [] : phase.program);
		const [operation, count] = random.pick(phase.operations);
		const nth = random.int(1, count);
		const where = random.pick(["before, lost", "before, committed", "after", "mid", "after the answer"] as const);
		const cut = where === "mid" && isRemoval(operation) ? "after" : where;
		const victim = random.pick(["cli", "cli, its provider later", "provider"] as const);
		this.#trial.say(` kill ${victim} ${cut} ${operation} ${nth}`);
		const requests = control.requests().length;
		const held = cut === "after the answer" ? undefined : this.#hold(cut, operation, nth);
		const run = this.#project.start(...phase.command);
		const answered = () => {
			const pattern = journalled.get(operation);
			const rows = control.requests().slice(requests);
			return (
				rows.filter(({ method, path, status }) => pattern?.test(`${method} ${path}`) && status !== null).length >= nth
			);
		};
		const due = () =>
			held === undefined ? answered() : control.faults.list().some((rule) => rule.id === held && rule.held > 0);
		while (!run.over && !due()) await sleep(held === undefined ? 1 : 5);
		const killed = !run.over;
		await this.#kill(run, victim);
		control.faults.clear();
		await sleep(50);
		this.#oracle.look(state, phase.command[0] === "destroy" ? [] : phase.program);
		this.#trial.count(killed ? `kill ${victim} ${cut} ${operation}` : `missed ${phase.name}`);
	}

	#hold(cut: "before, lost" | "before, committed" | "after" | "mid", operation: Operation, nth: number): string {
		const rule = { operation, nth, kind: "hold" } as const;
		const { faults } = this.#emulator.control;
		if (cut === "after" || cut === "mid") return faults.set({ ...rule, phase: cut }).id;
		return faults.set({ ...rule, phase: "before", whenGone: cut === "before, lost" ? "drop" : "commit" }).id;
	}

	async #kill(run: Running, victim: "cli" | "cli, its provider later" | "provider"): Promise<void> {
		const { control } = this.#emulator;
		const all = descendants(run.pid);
		const providers = all.filter(
			({ command }) => command.includes("dynamic-provider") || command.includes("pulumi-resource-"),
		);
		const ours = new Set(providers.map(({ pid }) => pid));
		if (victim !== "provider") {
			kill(run.pid);
			for (const { pid } of all) if (!ours.has(pid)) kill(pid);
		}
		if (victim === "cli, its provider later") {
			// The orphan gets its answer, and may end by itself.
			control.faults.clear();
			const ended = await Promise.all(providers.map(({ pid }) => gone(pid, 10_000)));
			this.#trial.count(ended.every((each) => each) ? "orphans that ended" : "orphans that had to be killed");
		}
		for (const { pid } of providers) kill(pid);
		const last = await run.ended;
		this.#trial.say(` killed; the CLI said:\n${last.output}`);
		for (const { pid } of all) await gone(pid, 5_000);
		// The service hears of it a moment later: what is held for the dead is dropped, unless it is to arrive.
		await sleep(30);
	}

	/** What is bought and not in the state is named. */
	async #stoppedHonestly(stopped: Run): Promise<void> {
		// The engine begins nothing more after an error, unless it is told to: then all say what they have to.
		const next = await this.#done("up", ...unattended, "--continue-on-error");
		const output = stopped.output + next.output;
		const known = new Set([...(await this.#project.state()).entries.values()].map(({ id }) => id));
		for (const { id, number } of liveNumbers(this.#emulator.control).filter((row) => !known.has(row.id)))
			must(output.includes(id) || output.includes(number), () => `${id} ${number} is not named:\n${output}`);
		this.#trial.count("stopped honestly");
	}
}

await runCampaign({
	name: "kill-cli",
	trials: 2,
	async open() {
		const emulator = await createEmulator({ kyc: "immediate" });
		return {
			async trial(trial) {
				emulator.control.reset();
				emulator.control.settings({ features: features[trial.service] });
				const project = await createProject(emulator);
				try {
					await new Life(emulator, project, trial).run();
				} catch (error) {
					const requests = emulator.control.requests();
					trial.say(requests.map(({ method, path, status }) => `${method} ${path} ${status}`).join("\n"));
					throw error;
				} finally {
					project.remove();
				}
			},
			close: () => emulator.close(),
		};
	},
});
