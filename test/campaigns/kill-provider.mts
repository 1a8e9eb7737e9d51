/**
 * `node test/campaigns/kill-provider.mts [--front plugin] [--trials N] [--seed S] [--service …] [--replay SEED]`: kills
 * the provider process of a front at the boundaries of its calls, goes on as one does after that, and looks at what was
 * bought.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createEmulator, type Emulator, type FaultRequest, features, liveNumbers, writes } from "./account.mts";
import { must, runCampaign, type Trial } from "./campaign.mts";
import { destroy, emptyState, preview, type Run, refresh, type State, up } from "./engine.mts";
import { Filings, refuseFilings } from "./filings.mts";
import { type Hosts, openHosts } from "./host.mts";
import { concerns, factsOf, isRemoval, type Kind, kindNames, kinds, type Operation } from "./kinds.mts";
import { Oracle } from "./oracle.mts";
import { changeAll, firstProgram, newGenerations, numbersOf, type Program, removeSome } from "./program.mts";
import { type Random, seeded } from "./random.mts";
import { isRightlyAsked } from "./verdict.mts";

type Call = "create" | "update" | "delete";

/** One part of a program's life: what it declares, how it is run, and where that can be cut. */
interface Phase {
	readonly name: string;
	readonly program: Program;
	readonly replace?: readonly string[];
	readonly destroys?: true;
	/** Profiles and orders are refused before it: only those may be changed. */
	readonly refuses?: true;
	readonly operations: readonly Operation[];
	readonly calls: readonly Call[];
}

const every = (what: "create" | "patch" | "remove"): Operation[] =>
	kindNames.map((kind) => kinds[kind].operations[what]);
const rotations = kindNames.flatMap((kind) => factsOf(kind).rotate ?? []);
/** Papers, and what hands them in. */
const besides = kindNames.flatMap((kind) => factsOf(kind).besides ?? []);

function* life(random: Random): Generator<Phase> {
	const costless = { trunks: random.int(0, 2), webhooks: random.int(0, 1) };
	const filings = { profiles: random.pick([0, 1, 1, 1]), ports: random.pick([0, 1, 1, 1]) };
	const size = { numbers: random.int(1, 4), ...costless, ...filings };
	let program = firstProgram(size, random);
	yield { name: "first up", program, operations: ["patchNumber", ...every("create"), ...besides], calls: ["create"] };
	const later = ["change", "replace", "generation", "remove"].filter(() => random.chance(0.55));
	for (const name of later) {
		if (name === "change") {
			program = changeAll(program, random);
			const operations = [...every("patch"), ...rotations, ...besides];
			yield { name, program, refuses: true, operations, calls: ["update"] };
		} else if (name === "replace") {
			const replace = random.some(program.map((each) => each.name));
			yield {
				name,
				program,
				replace,
				operations: [...every("patch"), ...besides],
				calls: ["create", "delete"],
			};
		} else if (name === "generation" && numbersOf(program).length > 0) {
			program = newGenerations(program, random);
			yield { name, program, operations: ["buyNumber", "patchNumber", "releaseNumber"], calls: ["create", "delete"] };
		} else if (name === "remove") {
			program = removeSome(program, random);
			yield { name, program, operations: [...every("remove"), "patchNumber"], calls: ["delete", "update"] };
		}
	}
	if (random.chance(0.6))
		yield { name: "destroy", program: [], destroys: true, operations: every("remove"), calls: ["delete"] };
}

/** Where a process is killed, as rules for the emulator or as a count of answers. */
interface Boundary {
	readonly rules: FaultRequest[];
	readonly answer?: { readonly call: Call; readonly nth: number };
	readonly name: string;
	/** What is on its way to the service arrives when the process is long gone. */
	readonly late: boolean;
}

function chooseBoundary(random: Random, phase: Phase, present: readonly Kind[], tellsLate: boolean): Boundary {
	// The first ones more often, as a run that goes on after a kill has less left to do.
	const within = (count: number) => random.int(1, random.int(1, Math.max(1, count)));
	const nth = (operation: Operation) => within(present.filter((kind) => concerns(operation, kind)).length);
	const where = random.pick(["lost", "committed", "committed", "after", "after", "mid", "answer"] as const);
	if (where === "answer") {
		return {
			rules: [],
			answer: { call: random.pick(phase.calls), nth: within(present.length) },
			name: "after the answer",
			late: false,
		};
	}
	const operations = random
		.some(
			[...new Set(phase.operations)].filter((each) => present.some((kind) => concerns(each, kind))),
			0.6,
		)
		.filter((each) => where !== "mid" || !isRemoval(each));
	// Without a key nobody can tell that a purchase of the dead is still on its way.
	const late = tellsLate && where === "committed" && !phase.destroys && random.chance(0.5);
	const rule = { kind: "hold", phase: where === "lost" || where === "committed" ? "before" : where } as const;
	const rules = operations
		// A late release of what is wanted again by then can't be told from one that is wanted.
		.filter((each) => !late || !isRemoval(each))
		.map(
			(operation): FaultRequest => ({
				...rule,
				operation,
				nth: nth(operation),
				...(where === "committed" ? { whenGone: "commit" } : {}),
			}),
		);
	const names = {
		lost: "before, lost",
		committed: late ? "before, committed late" : "before, committed",
		after: "after",
		mid: "mid",
	};
	return { rules, name: names[where], late };
}

/** One program from its first up to its end, on an empty account. */
class Life {
	readonly #emulator: Emulator;
	readonly #hosts: Hosts;
	readonly #random: Random;
	readonly #trial: Trial;
	readonly #oracle: Oracle;
	readonly #filings: Filings;
	readonly #state: State = emptyState();
	#late: string[] = [];
	/** The honest end of a run at a service that can't tell: what it said. */
	#stopped: string[] = [];

	/** What the provider said to the engine. */
	readonly #log: readonly string[];

	constructor(emulator: Emulator, hosts: Hosts, trial: Trial, log: readonly string[]) {
		[this.#emulator, this.#hosts, this.#trial, this.#log] = [emulator, hosts, trial, log];
		this.#random = seeded(trial.seed);
		this.#oracle = new Oracle(emulator.control);
		this.#filings = new Filings(emulator.control);
	}

	async run(): Promise<void> {
		for (const phase of life(this.#random)) {
			this.#trial.say(`${phase.name}: ${phase.program.map(({ name }) => name).join(" ") || "nothing"}`);
			if (phase.refuses) refuseFilings(this.#control);
			await this.#preview(phase.program);
			let exact = true;
			for (let kills = this.#random.int(2, 4); kills > 0; kills--) {
				const killed = await this.#killedRun(phase);
				if (!killed) break;
				exact = false;
				if (this.#random.chance(0.5)) await this.#refresh();
			}
			await this.#converge(phase, exact);
			if (this.#stopped.length > 0) return this.#stoppedHonestly(phase);
		}
	}

	#kindsIn({ program }: Phase): Kind[] {
		return [...(program.length > 0 ? program : this.#state.entries.values())].map(({ kind }) => kind);
	}

	get #control() {
		return this.#emulator.control;
	}

	async #perform(phase: Phase, run: Run): Promise<string[]> {
		this.#oracle.expect(this.#state, phase.program);
		this.#filings.before(this.#state, phase.replace);
		const heard = this.#log.length;
		const errors = phase.destroys
			? await destroy(run, this.#state)
			: await up(run, this.#state, phase.program, phase.replace);
		for (const error of errors) this.#trial.say(`  error: ${error}`);
		this.#oracle.look(this.#state, phase.program);
		const said = [...this.#log.slice(heard), ...errors].join("\n");
		this.#filings.after(this.#state, said, errors.length === 0 && !run.host.killed);
		return errors;
	}

	/** True if the process was killed before its work was done. */
	async #killedRun(phase: Phase): Promise<boolean> {
		const host = await this.#hosts.start();
		const boundary = chooseBoundary(
			this.#random,
			phase,
			this.#kindsIn(phase),
			this.#control.settings().features.idempotencyKey,
		);
		this.#trial.say(` run to be killed ${boundary.name}: ${JSON.stringify(boundary.answer ?? boundary.rules)}`);
		const { faults } = this.#control;
		const ids = boundary.rules.map((rule) => faults.set(rule).id);
		let [answers, cut]: [number, string | undefined] = [0, undefined];
		const run: Run = {
			host,
			parallel: this.#random.pick([1, 4]),
			answered: async (call) => {
				if (call !== boundary.answer?.call) return;
				answers += 1;
				if (answers !== boundary.answer.nth) return;
				cut = call;
				await host.kill();
			},
			say: this.#trial.say,
		};
		let over = false;
		const work = this.#perform(phase, run).finally(() => {
			over = true;
		});
		// It is awaited below, and may fail before.
		work.catch(() => {});
		const hadLate = this.#late.length > 0;
		const letGo = this.#letLateOnesGo(() => over || host.killed);
		while (!over && ids.length > 0 && cut === undefined) {
			const held = faults.list().find(({ id, held }) => held > 0 && ids.includes(id));
			if (held === undefined) await sleep(4);
			else {
				cut = held.operation;
				await host.kill();
			}
		}
		const errors = await work;
		await letGo;
		if (!host.killed) await host.kill();
		await this.#clear(ids, boundary);
		this.#oracle.look(this.#state, phase.program);
		// A request of a killed run may make this one fail.
		if (!hadLate) this.#judge(errors);
		if (cut === undefined) return false;
		this.#trial.say(` killed: ${cut} ${boundary.name}`);
		this.#trial.count(`kill ${cut} ${boundary.name}`);
		return true;
	}

	/** What the service still holds of a dead process is dropped, or carried out: now or later. */
	async #clear(ids: readonly string[], { late }: Boundary): Promise<void> {
		const { faults } = this.#control;
		const dropped = () =>
			faults
				.list()
				.every(
					(rule) => !ids.includes(rule.id) || rule.held === 0 || ("whenGone" in rule && rule.whenGone === "commit"),
				);
		// The emulator hears of a killed client a moment later.
		while (!dropped()) await sleep(1);
		for (const { id, held } of faults.list().filter((rule) => ids.includes(rule.id))) {
			if (late && held > 0) this.#late.push(id);
			else faults.clear(id);
		}
		await sleep(1);
	}

	/** Some time into the next run. */
	async #letLateOnesGo(over: () => boolean): Promise<void> {
		if (this.#late.length === 0) return;
		const requests = () => this.#control.requests();
		const until = requests().length + this.#random.int(1, 12);
		while (!over() && requests().length < until && requests().at(-1)?.status !== 409) await sleep(2);
		this.#trial.say(`  a late request arrives`);
		for (const id of this.#late.splice(0)) this.#control.faults.clear(id);
		await sleep(1);
	}

	#plainRun(host: Run["host"]): Run {
		return { host, parallel: 4, answered: async () => {}, say: this.#trial.say };
	}

	/** Answers what it has changed. Where all is gone, it asks whether this is the right account, and is told so. */
	async #refresh(env?: Readonly<Record<string, string>>): Promise<readonly string[]> {
		const host = await this.#hosts.start(env);
		const { errors, changed } = await refresh(this.#plainRun(host), this.#state);
		await host.kill();
		this.#trial.say(` refresh: ${changed.join("; ") || "nothing changed"}`);
		if (env === undefined && errors.length > 0 && errors.every((error) => isRightlyAsked(this.#control, error))) {
			this.#trial.say("  TELEPHONY_ACCEPT_EMPTY_ACCOUNT=yes");
			return [...changed, ...(await this.#refresh({ TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" }))];
		}
		must(errors.length === 0, () => `refresh failed: ${errors.join("; ")}`);
		return changed;
	}

	/** Where all is gone, it asks whether this is the right account, and is told so. */
	async #up(phase: Phase, env?: Readonly<Record<string, string>>): Promise<string[]> {
		this.#trial.say(" up");
		const host = await this.#hosts.start(env);
		let over = false;
		const letGo = this.#letLateOnesGo(() => over);
		const errors = await this.#perform(phase, this.#plainRun(host));
		over = true;
		await letGo;
		await host.kill();
		if (env !== undefined || errors.length === 0 || !errors.every((error) => isRightlyAsked(this.#control, error)))
			return errors;
		this.#trial.say("  TELEPHONY_ACCEPT_EMPTY_ACCOUNT=yes");
		return await this.#up(phase, { TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" });
	}

	/** Up until all is done. A refresh comes between if the state may be older than the service. */
	async #converge(phase: Phase, exact: boolean): Promise<void> {
		const { replace: _, ...plain } = phase;
		const hadLate = this.#late.length > 0;
		const errors = await this.#up(plain);
		// A request of the dead in the midst of a run may make it fail, never do harm.
		if (!hadLate) this.#judge(errors);
		if (this.#stopped.length > 0) return;
		// What the dead have changed behind the state shows in a refresh, and goes with one more up.
		const settled = await this.#verify(plain.program, exact && !hadLate);
		if (settled) return;
		this.#judge(await this.#up(plain));
		if (this.#stopped.length === 0) await this.#verify(plain.program, true);
	}

	#judge(errors: readonly string[]): void {
		if (errors.length === 0) return;
		if (this.#late.length > 0) return;
		must(this.#trial.service !== "full", () => `errors: ${errors.join("; ")}`);
		for (const error of errors)
			must(/unknown|claimed|It may be|waits for|in `adopt`/.test(error), () => `not an honest end: ${error}`);
		this.#stopped.push(...errors);
	}

	/** Nothing was bought twice, and what is bought and not in the state is named. */
	async #stoppedHonestly(phase: Phase): Promise<void> {
		const errors = await this.#up(phase);
		const known = new Set([...this.#state.entries.values(), ...this.#state.condemned].map(({ id }) => id));
		const text = [...this.#stopped, ...errors].join("\n");
		for (const { id, number } of liveNumbers(this.#control).filter((row) => !known.has(row.id)))
			must(
				text.includes(id) || text.includes(number),
				() => `${id} ${number} is bought, and no error names it: ${text}`,
			);
		this.#trial.count("stopped honestly");
	}

	/** Answers what would be done. Nothing is written for it. */
	async #preview(program: Program): Promise<readonly string[]> {
		const before = writes(this.#control);
		const host = await this.#hosts.start();
		const steps = await preview(host, this.#state, program).catch((error: Error) => [`failed: ${error.message}`]);
		await host.kill();
		this.#trial.say(` preview: ${steps.join("; ") || "nothing to do"}`);
		must(writes(this.#control) === before, () => "a preview wrote");
		must(!steps.some((step) => step.startsWith("failed: ")), () => `a preview ${steps.join("; ")}`);
		return steps;
	}

	/** A refresh finds nothing, a preview does nothing, and the service has what is declared; false if not yet. */
	async #verify(program: Program, strict: boolean): Promise<boolean> {
		const before = writes(this.#control);
		const changed = await this.#refresh();
		// Each run shows how far an order is.
		const isUnderWay = (step: string) =>
			program.some(({ kind, name }) => kind === "portOrder" && step === `update ${name}`);
		const steps = (await this.#preview(program)).filter((step) => !isUnderWay(step));
		must(writes(this.#control) === before, () => "reads and previews wrote");
		const differs = [...changed, ...steps];
		must(!strict || differs.length === 0, () => `not settled after all: ${differs.join("; ")}`);
		if (differs.length > 0) return false;
		const told = this.#trial.service === "neither" ? this.#log.join("\n") : "";
		this.#oracle.settled(this.#state, program, told);
		this.#filings.settled(this.#state);
		return true;
	}
}

await runCampaign({
	name: "kill-provider",
	trials: 20,
	workers: 2,
	async open({ front }) {
		const emulator = await createEmulator({ kyc: "immediate" });
		const heard: { trial?: Trial; log: string[] } = { log: [] };
		const hosts = await openHosts(
			emulator,
			(line) => {
				heard.log.push(line);
				heard.trial?.say(`  [log] ${line}`);
			},
			front,
		);
		return {
			async trial(trial) {
				[heard.trial, heard.log] = [trial, []];
				emulator.control.reset();
				emulator.control.settings({ features: features[trial.service] });
				try {
					await new Life(emulator, hosts, trial, heard.log).run();
				} catch (error) {
					const requests = emulator.control.requests();
					trial.say(requests.map(({ method, path, status }) => `${method} ${path} ${status}`).join("\n"));
					throw error;
				}
			},
			async close() {
				await hosts.close();
				await emulator.close();
			},
		};
	},
});
