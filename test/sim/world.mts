/** Performs a story's steps on an emulated account, and has the court judge each run. */
import { createRequire } from "node:module";
import type { FrontName } from "../helpers/protocol.mts";
import {
	type Clock,
	createEmulator,
	type Emulator,
	liveIds,
	type ServiceName,
	services,
	VirtualClock,
	writesSoFar,
} from "./account.mts";
import type { Before, Ran } from "./checks/check.mts";
import { isJudgeable, mustChangeNothing } from "./checks/right-account.mts";
import { openCli } from "./cli.mts";
import { Court } from "./court.mts";
import { asProcesses, inProcess } from "./drivers.mts";
import { copyOf, type Errors } from "./engine.mts";
import { finish } from "./finish.mts";
import type { Program } from "./program.mts";
import { apiKey } from "./secrets.mts";
import { type Driver, EngineStack, type Outcome, type Refreshed, type Stack, type StackRun } from "./stack.mts";
import { programAfter, type RunOptions, type Step } from "./story.mts";
import { type Place, type Strike, strikeBetween, strikeDuring } from "./troubles.mts";

const { createClient } = createRequire(import.meta.url)(
	"../../dist/provider/api/client.js",
) as typeof import("../../provider/api/client.ts");

/** How runs are performed: handlers in this process, processes of either entry point, or the real CLI. */
export const driverNames = ["in-process", "dynamic", "plugin", "cli"] as const;
export type DriverName = (typeof driverNames)[number];

export interface Setting {
	readonly driver: DriverName;
	readonly service: ServiceName;
	readonly seed: number;
	say(line: string): void;
	/** Counts what happened, for the report. */
	count(what: string): void;
}

/** Each story begins a day after the one before, as a process remembers services by their address. */
let began = Date.parse("2026-01-01T00:00:00Z");

/** Performs a story on an account of its own. @throws Violation */
export async function play(steps: readonly Step[], setting: Setting): Promise<void> {
	const isVirtual = setting.driver === "in-process";
	const clock = new VirtualClock(began);
	const options = { ...(isVirtual ? { clock } : {}), apiKey, seed: setting.seed };
	const emulator = await createEmulator({ ...options, kyc: isVirtual ? "2h" : "immediate" });
	const wrong = await createEmulator({ ...options, apiKey: `${apiKey}-2`, kyc: "immediate" });
	emulator.control.settings({ features: services[setting.service] });
	const driver = isVirtual ? inProcess(clock) : undefined;
	const stack =
		setting.driver === "cli"
			? await openCli(emulator, setting.say)
			: new EngineStack(emulator, driver ?? (await processesOf(setting.driver)), setting.say);
	try {
		const world = new World(emulator, wrong, stack, clock, setting);
		for (const step of steps) await world.perform(step);
		await finish(world);
	} finally {
		began = clock.now() + 86_400_000;
		await Promise.all([stack.close(), emulator.close(), wrong.close()]);
	}
}

/** The processes of all stories of a run share one engine and one compile cache. */
const processes = new Map<FrontName, Promise<Driver>>();

function processesOf(driver: DriverName): Promise<Driver> {
	const front = driver === "plugin" ? "plugin" : "dynamic";
	const open = processes.get(front) ?? asProcesses(front);
	processes.set(front, open);
	return open;
}

export async function closeProcesses(): Promise<void> {
	for (const driver of processes.values()) await (await driver).close();
	processes.clear();
}

type RunKind = Before["kind"];

export class World implements Place {
	readonly wrong: Emulator;
	readonly stack: Stack;
	readonly setting: Setting;
	readonly court: Court;
	readonly #emulator: Emulator;
	readonly #clock: Clock;
	#program: Program = [];
	/** Names that resources had before. */
	readonly #former = new Set<string>();
	/** Names given by aliases since the last good `up`. */
	readonly #renamed = new Set<string>();
	/** True if the user accepts in the next run that the account shows nothing. */
	acceptsEmptyAccount = false;

	constructor(emulator: Emulator, wrong: Emulator, stack: Stack, clock: Clock, setting: Setting) {
		[this.#emulator, this.wrong, this.stack] = [emulator, wrong, stack];
		this.#clock = clock;
		this.setting = setting;
		this.court = new Court(emulator.control, setting.service);
	}

	get control() {
		return this.#emulator.control;
	}

	get service() {
		return this.setting.service;
	}

	get program(): Program {
		return this.#program;
	}

	// ---- For troubles ---------------------------------------------------------------------------------------------------

	state = () => this.stack.state();
	advance = (ms: number) => this.#clock.advance(ms);
	report: Place["report"] = (happening) => this.court.happened(happening);
	count = (what: string) => this.setting.count(what);

	request: Place["request"] = async (send) => {
		const { url: baseUrl, apiKey: key } = this.#emulator;
		const client = createClient({ baseUrl, apiKey: key, retry: { tries: 1 }, states: new Map() });
		return send(client).finally(() => client.close());
	};

	// ---- Steps ----------------------------------------------------------------------------------------------------------

	async perform(step: Step): Promise<void> {
		const { do: what, ...rest } = step;
		this.setting.say(`${what} ${JSON.stringify(rest)}`);
		switch (step.do) {
			case "up":
			case "refresh":
			case "destroy":
				await this.run(step.do, step.run);
				return;
			case "suffer":
				await strikeBetween(this, step.trouble);
				return;
			case "rename":
				await this.#rename(step);
				break;
			case "remove":
				this.#former.add(step.name);
				this.report({ what: "redeclared" });
				break;
			case "change":
				if ("generation" in step.args || "country" in step.args) this.report({ what: "redeclared" });
				break;
			case "declare":
				if (this.#former.has(step.declared.name)) this.report({ what: "redeclared" });
		}
		this.edit(step);
	}

	/** Edits the program. */
	edit(step: Step): void {
		this.#program = programAfter(this.#program, step);
	}

	async #rename({ name, to, hasAlias }: Extract<Step, { do: "rename" }>): Promise<void> {
		this.#former.add(name);
		this.report({ what: "redeclared" });
		const { resources } = await this.state();
		if (!hasAlias || !resources.has(name) || resources.has(to)) return;
		await this.stack.rename(name, to);
		this.#renamed.add(to);
	}

	// ---- Runs -----------------------------------------------------------------------------------------------------------

	async run(kind: RunKind, options: RunOptions): Promise<Errors> {
		if (options.trouble?.what === "wrong key") return this.#runAstray(kind, options.trouble);
		const program = kind === "destroy" ? [] : this.#program;
		// Replacing a resource in the run that renames it is a known limit.
		const replace = (options.replace ?? []).filter(
			(name) => !this.#renamed.has(name) && program.some((declared) => declared.name === name),
		);
		const before: Before = {
			kind,
			program: kind === "refresh" ? [] : program,
			options: { ...options, replace },
			state: copyOf(await this.state()),
			live: liveIds(this.control),
		};
		this.court.begin(before);
		const strike = options.trouble ? strikeDuring(this, options.trouble) : {};
		const judged = this.#watched(before);
		const run = { ...this.#stackRun(options, strike), replace };
		const outcome = await (kind === "up" ? this.stack.up(program, run) : this.stack[kind](run));
		const ran = await judged(outcome, strike);
		this.court.end(ran);
		if (kind === "up" && !ran.isKilled && ran.errors.length === 0) await this.#settle(ran);
		return ran.errors;
	}

	/** Notes the time, the ledger and the requests before a run. Returns a function that adds what the run did. */
	#watched(before: Before): (outcome: Outcome & Partial<Refreshed>, strike: Strike) => Promise<Ran> {
		const [ledger, requests] = [this.control.ledger().length, this.control.requests().length];
		const started = this.#clock.now();
		return async (outcome, strike) => {
			const excuses = new Set(strike.end?.() ?? []);
			const { killedAt, errors } = outcome;
			const isKilled = killedAt !== undefined;
			for (const error of errors) this.setting.say(`  error: ${error}`);
			if (isKilled) this.count(`kill at ${killedAt}`);
			this.count(`${before.kind}${isKilled ? ", killed" : errors.length > 0 ? ", failed" : ""}`);
			const changed = outcome.changed ?? new Map();
			if (before.kind === "refresh") this.setting.say(`  changed: ${JSON.stringify([...changed])}`);
			return {
				...outcome,
				kind: before.kind,
				before,
				state: await this.state(),
				isKilled,
				excuses,
				isFair: !isKilled && excuses.size === 0,
				changed,
				ledger: this.control.ledger().slice(ledger),
				requests: this.control.requests().slice(requests),
				elapsedMs: this.#clock.now() - started,
			};
		};
	}

	#stackRun({ parallel, limits }: RunOptions, { run = {} }: Strike): StackRun {
		const env: Record<string, string> = { ...run.env };
		if (this.acceptsEmptyAccount) env.TELEPHONY_ACCEPT_EMPTY_ACCOUNT = "yes";
		if (limits) env.PULUMI_CONFIG = JSON.stringify({ limits: JSON.stringify(limits) });
		return { ...run, parallel, env };
	}

	async #runAstray(kind: RunKind, trouble: NonNullable<RunOptions["trouble"]>): Promise<Errors> {
		const before = copyOf(await this.state());
		// A run that neither keeps nor compares an existing resource can't tell the account: a known limit.
		const isKept = this.#program.some(({ name }) => before.resources.has(name));
		if (!isJudgeable(before) || (kind === "up" && !isKept)) return [];
		this.report({ what: "wrong key" });
		const { run = {} } = strikeDuring(this, trouble);
		await (kind === "up" ? this.stack.up(this.#program, run) : this.stack[kind](run));
		this.count(`${kind} with a wrong key`);
		mustChangeNothing(kind, this.wrong.control, before, await this.state());
		return [];
	}

	/** Previews and refreshes a copy of the state after a good `up`. */
	async #settle(ran: Ran): Promise<void> {
		this.#renamed.clear();
		const writes = writesSoFar(this.control);
		const steps = await this.stack.preview(this.#program);
		const { changed, errors } = await this.stack.drift();
		this.court.settled(ran, { steps, changed, errors, writes: writesSoFar(this.control) - writes });
	}
}
