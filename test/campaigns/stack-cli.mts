/** A stack of the real CLI; a crash is a kill -9 of all that it consists of. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Emulator } from "./account.mts";
import type { Trial } from "./campaign.mts";
import { descendants, gone, kill, type Project, type Running } from "./cli.mts";
import type { Entry, State } from "./engine.mts";
import type { Program } from "./program.mts";
import type { Crash, Outcome, Refreshed, Stack, UpOptions } from "./stack.mts";

const unattended = ["--yes", "--skip-preview"];

export class CliStack implements Stack {
	isAstray = false;
	readonly #emulator: Emulator;
	readonly #project: Project;
	readonly #trial: Trial;
	/** The names that a resource had before, by the one it has now. */
	readonly #aliases = new Map<string, string[]>();

	constructor(emulator: Emulator, project: Project, trial: Trial) {
		[this.#emulator, this.#project, this.#trial] = [emulator, project, trial];
	}

	set allGone(isSo: boolean) {
		this.#project.env.TELEPHONY_ACCEPT_EMPTY_ACCOUNT = isSo ? "yes" : "";
	}

	/** Its time is the real one. */
	pass(): void {}

	/** As the program names its entries now. */
	async state(): Promise<State> {
		const state = await this.#project.state();
		for (const [name, aliases] of this.#aliases) {
			for (const alias of aliases) {
				const entry = state.entries.get(alias);
				if (entry === undefined) continue;
				state.entries.delete(alias);
				state.entries.set(name, { ...entry, name });
			}
		}
		return state;
	}

	async #run(args: readonly string[], { crash, waiting }: UpOptions = {}): Promise<Outcome> {
		const { faults } = this.#emulator.control;
		const { operations = [], nth = 1, phase = "before" } = crash ?? {};
		const ids = operations.map(
			(operation) =>
				faults.set({ operation, nth, kind: "hold", ...(phase === "after" ? { phase } : { phase, whenGone: "drop" }) })
					.id,
		);
		const held = () => faults.list().find((rule) => ids.includes(rule.id) && rule.held > 0);
		const run = this.#project.start(...args);
		for (; !run.over && held() === undefined; await sleep(20)) waiting?.();
		const cut = run.over ? undefined : held()?.operation;
		if (cut !== undefined) await this.#kill(run);
		const { code, output } = await run.ended;
		for (const id of ids) faults.clear(id);
		this.#trial.say(`  pulumi ${args.join(" ")}: ${code}\n${output}`);
		if (cut === undefined) return { crashed: false, errors: code === 0 ? [] : [output], said: output };
		this.#trial.count(`kill ${cut} ${phase}`);
		if (this.#project.mend()) this.#trial.count("torn state files mended");
		await this.#project.start("cancel", "--yes").ended;
		const refreshed = await this.#run(["refresh", "--clear-pending-creates", ...unattended]);
		if (refreshed.errors.length > 0) throw new Error(refreshed.said);
		return { crashed: true, errors: [], said: output };
	}

	async #kill(run: Running): Promise<void> {
		const all = descendants(run.pid);
		for (const pid of [run.pid, ...all.map((each) => each.pid)]) kill(pid);
		for (const { pid } of all) await gone(pid, 5_000);
		// The service hears of it a moment later: what is held for the dead is dropped.
		await sleep(30);
	}

	async up(program: Program, options: UpOptions): Promise<Outcome> {
		// What is no longer declared has no entry either, and its old names are free.
		const names = new Set(program.map(({ name }) => name));
		for (const name of [...this.#aliases.keys()]) if (!names.has(name)) this.#aliases.delete(name);
		this.#project.write(program, this.#aliases);
		const { replace = [], parallel = 4 } = options;
		const urns = await this.#project.urns();
		const targets = replace.flatMap((name) => {
			const urn = [name, ...(this.#aliases.get(name) ?? [])].map((each) => urns.get(each)).find((each) => each);
			// Of what doesn't exist yet there is nothing to replace.
			return urn === undefined ? [] : ["--replace", urn];
		});
		return this.#run(["up", ...unattended, "--parallel", String(parallel), ...targets], options);
	}

	async refresh(): Promise<Refreshed> {
		const { changed } = await this.drift();
		return { ...(await this.#run(["refresh", ...unattended])), changed };
	}

	async drift(): Promise<Refreshed> {
		const outcome = await this.#run(["refresh", "--preview-only", "--diff"]);
		const changed = outcome.said.split("\n").flatMap((line) => {
			const name = /urn:pulumi:\S*telephony\S*::([^\]\s:]+)/.exec(line)?.[1];
			return name === undefined ? [] : [name];
		});
		return { ...outcome, changed };
	}

	async destroy(crash?: Crash): Promise<Outcome> {
		return this.#run(["destroy", ...unattended, "--parallel", "1"], { crash });
	}

	async preview(program: Program): Promise<readonly string[]> {
		this.#project.write(program, this.#aliases);
		const { errors } = await this.#run(["preview", "--expect-no-changes"]);
		return errors;
	}

	async forget({ name }: Entry): Promise<void> {
		const urn = (await this.#project.urns()).get(name);
		if (urn !== undefined) await this.#run(["state", "delete", urn, "--force", "--yes"]);
	}

	rename(from: string, to: string): void {
		this.#aliases.set(to, [...(this.#aliases.get(from) ?? []), from]);
		this.#aliases.delete(from);
	}
}
