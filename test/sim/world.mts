/** Performs a story's steps on an emulated account, and lets the oracle judge each run. */
import { createRequire } from "node:module";
import {
	type Clock,
	createEmulator,
	declarationIn,
	type Emulator,
	liveIds,
	liveNumbers,
	type ServiceName,
	services,
	VirtualClock,
	withLease,
	writesSoFar,
} from "./account.mts";
import { allIn, copyOf, destroy, emptyState, type Errors, objectIn, preview, type Run, refresh, type State, up } from "./engine.mts";
import { edit, kinds, rowsOf } from "./kinds.mts";
import { must, Oracle, type Ran } from "./oracle.mts";
import { isComing, type Program } from "./program.mts";
import { openProvider } from "./provider.mts";
import { type Decision, programAfter, type RunOptions, type Step } from "./story.mts";

const { createClient } = createRequire(import.meta.url)(
	"../../dist/provider/api/client.js",
) as typeof import("../../provider/api/client.ts");

export interface Setting {
	readonly service: ServiceName;
	readonly seed: number;
	say(line: string): void;
	/** Counts what happened, for the report. */
	count(what: string): void;
}

/** The same backend, as people write it. */
const backends = [
	"https://state.example",
	"https://state.example/",
	"https://somebody:a-password@state.example",
	"HTTPS://State.example:443?region=eu",
] as const;

/** A lag that outlasts a run's re-reads, ms. */
const longLagMs = 8_000;

/** Each story begins a day after the one before, as a process remembers services by their address. */
let began = Date.parse("2026-01-01T00:00:00Z");

/** Performs a story on an account of its own. @throws Violation */
export async function play(steps: readonly Step[], setting: Setting): Promise<void> {
	const clock = new VirtualClock(began);
	const emulator = await createEmulator({ clock, kyc: "2h", seed: setting.seed });
	const wrong = await createEmulator({ clock, kyc: "immediate", seed: setting.seed });
	emulator.control.settings({ features: services[setting.service] });
	try {
		const world = new World(emulator, wrong, clock, setting);
		for (const step of steps) await world.perform(step);
		await world.finish();
	} finally {
		began = clock.now() + 86_400_000;
		await Promise.all([emulator.close(), wrong.close()]);
	}
}

export class World {
	readonly #emulator: Emulator;
	readonly #wrong: Emulator;
	readonly #clock: Clock;
	readonly #setting: Setting;
	readonly #oracle: Oracle;
	readonly #state: State = emptyState();
	#program: Program = [];
	/** Names given by aliases since the last good `up`. */
	readonly #renamed = new Set<string>();
	#runs = 0;
	#acceptsEmptyAccount = false;

	constructor(emulator: Emulator, wrong: Emulator, clock: Clock, setting: Setting) {
		[this.#emulator, this.#wrong, this.#clock, this.#setting] = [emulator, wrong, clock, setting];
		this.#oracle = new Oracle(emulator.control, setting.service);
	}

	get #control() {
		return this.#emulator.control;
	}

	async perform(step: Step): Promise<void> {
		const { do: what, run, ...rest } = { run: undefined, ...step };
		this.#setting.say(`${what} ${JSON.stringify(run ?? rest)}`);
		switch (step.do) {
			case "up":
			case "refresh":
			case "destroy":
				await this.#run(step.do, step.run);
				return;
			case "rename":
				this.#rename(step);
				break;
			case "remove":
				this.#oracle.forgo();
				break;
			case "change":
				if ("generation" in step.args || "country" in step.args) this.#oracle.forgo();
				break;
			case "declare":
				this.#oracle.forgo();
				break;
			default:
				await this.#others(step);
		}
		this.#program = programAfter(this.#program, step);
	}

	#rename({ name, to, hasAlias }: Extract<Step, { do: "rename" }>): void {
		this.#oracle.forgo();
		const old = this.#state.resources.get(name);
		if (!hasAlias || old === undefined || this.#state.resources.has(to)) return;
		this.#state.resources.delete(name);
		this.#state.resources.set(to, { ...old, name: to });
		this.#renamed.add(to);
	}

	// ---- Others ---------------------------------------------------------------------------------------------------------

	async #others(step: Step): Promise<void> {
		switch (step.do) {
			case "edit":
				return this.#edit(step);
			case "release": {
				const row = this.#rowOf(step.name);
				if (row === undefined) return;
				this.#control.deleteNumber(row.id);
				return this.#oracle.released(row.id);
			}
			case "restore":
				return this.#restore();
			case "buy": {
				const { data } = await this.#asked((client) => client.numbers.buy({ country: step.country, type: "mobile" }));
				return this.#oracle.bought(String(data.id));
			}
			case "decide":
				return this.#decide(step.name, step.what);
			case "kyc":
				return void this.#control.kyc(step.policy);
			case "pass":
				return this.#clock.advance(step.ms);
			default:
		}
	}

	/** The resource's live number, or the newest of the account if the state has none. */
	#rowOf(name: string) {
		const resource = this.#state.resources.get(name);
		const live = liveNumbers(this.#control);
		return resource === undefined ? live.at(-1) : live.find(({ id }) => id === objectIn(resource));
	}

	#edit({ name, what }: Extract<Step, { do: "edit" }>): void {
		const row = this.#rowOf(name);
		const isOfReference = what !== "label" && what !== "routing";
		if (row === undefined || (isOfReference && declarationIn(row.reference) === undefined)) return;
		const patches = {
			label: { label: `edited ${row.id}`.slice(0, 20) },
			routing: { routing: { type: "sip_uri" as const, uri: "sip:a@elsewhere.example" } },
			"cleared reference": { reference: null },
			"foreign reference": { reference: "somebody else's" },
			"other lease": { reference: withLease(row.reference ?? "", `other${row.id}`) },
		};
		this.#control.patchNumber(row.id, patches[what]);
		this.#setting.count(`edited ${what}`);
		this.#oracle.edited(row.id, what);
	}

	async #restore(): Promise<void> {
		const row = this.#control.state().numbers.find(({ status }) => status === "released");
		if (row === undefined) return;
		await this.#asked((client) => client.numbers.restore(row.id));
		this.#oracle.restored(row.id);
	}

	/** A request of someone else's client. */
	async #asked<T>(ask: (client: ReturnType<typeof createClient>) => Promise<T>): Promise<T> {
		const { url: baseUrl, apiKey } = this.#emulator;
		const client = createClient({ baseUrl, apiKey, retry: { tries: 1 }, states: new Map() });
		return ask(client).finally(() => client.close());
	}

	#decide(name: string, what: Extract<Step, { do: "decide" }>["what"]): void {
		const resource = this.#state.resources.get(name);
		if (resource === undefined) return;
		const { kind } = resource;
		const row = rowsOf(this.#control.state(), kind).find(({ id }) => id === objectIn(resource));
		if (row === undefined) return;
		const isUnderWay = ["submitted", "in_review", "scheduled"].includes(String(row.status));
		if (kind === "number" && what !== "complete" && what !== "cancel" && what !== "advance") {
			if (row.status !== "pending" || row.kyc === null) return;
			this.#control.decide(row.id, what);
		} else if (kind === "kycProfile" && (what === "approve" || what === "reject" || what === "expire")) {
			if (row.status !== (what === "expire" ? "approved" : "in_review")) return;
			this.#control.decideProfile(row.id, what);
			// The numbers of the profile follow it.
			for (const { id, kyc } of liveNumbers(this.#control))
				if (kyc?.profile_id === row.id && what !== "approve") this.#oracle.changed(id);
		} else if (kind === "portOrder" && what !== "approve" && what !== "expire") {
			if (!isUnderWay && !(what === "cancel" && ["draft", "exception"].includes(String(row.status)))) return;
			this.#control.decidePortOrder(row.id, what);
		} else return;
		this.#setting.count(`${kind} ${what}`);
		this.#oracle.changed(row.id);
	}

	#decideAll(decision: Decision): void {
		for (const { id, status, kyc } of liveNumbers(this.#control)) {
			if (status !== "pending" || kyc === null) continue;
			this.#control.decide(id, decision);
			if (decision !== "approve") this.#oracle.changed(id);
		}
	}

	// ---- Runs -----------------------------------------------------------------------------------------------------------

	async #run(kind: "up" | "refresh" | "destroy", options: RunOptions): Promise<Errors> {
		if (options.isWrongKey) return this.#runAstray(kind);
		const program = kind === "destroy" ? [] : this.#program;
		// Replacing a resource in the run that renames it is a known limit.
		const replace = (options.replace ?? []).filter(
			(name) => !this.#renamed.has(name) && program.some((each) => each.name === name),
		);
		this.#oracle.begin(this.#state, kind === "refresh" ? [] : program, { ...options, replace });
		const before = copyOf(this.#state);
		const writes = writesSoFar(this.#control);
		const changed = new Map<string, string[]>();
		const ran = await this.#within(options, async (run) => {
			if (kind === "up") return up(run, this.#state, program, replace);
			if (kind === "destroy") return destroy(run, this.#state);
			const found = await refresh(run, this.#state);
			for (const [name, outputs] of found.changed) changed.set(name, outputs);
			return found.errors;
		});
		const whole: Ran = { ...ran, kind, options, program, state: this.#state };
		for (const error of ran.errors) this.#setting.say(`  error: ${error}`);
		this.#setting.count(`${kind}${ran.isKilled ? ", killed" : ran.errors.length > 0 ? ", failed" : ""}`);
		this.#oracle.end(whole);
		if (kind === "refresh") {
			this.#setting.say(`  changed: ${[...changed].map(([name, outputs]) => `${name} ${outputs}`).join("; ") || "nothing"}`);
			must(writesSoFar(this.#control) === writes, () => "a refresh wrote");
			const unasked = this.#oracle.unasked(before, changed);
			must(!this.#oracle.isSettled || ran.troubles.has("long lag") || unasked.length === 0, () => `drift that nobody made: ${unasked.join("; ")}`);
			return ran.errors;
		}
		this.#oracle.isSettled = false;
		if (kind === "up" && !ran.isKilled && ran.errors.length === 0) await this.#settle(whole);
		return ran.errors;
	}

	/** One provider process and its run. */
	async #within(options: RunOptions, work: (run: Run) => Promise<Errors>) {
		const { kill, faults = [], lagMs = 0, listLagMs = 0, isSoldOut, parallel = 4, decided } = options;
		const { faults: rules, settings } = this.#control;
		const killing = (kill?.operations ?? []).map(
			(operation) => rules.set({ operation, nth: kill?.nth ?? 1, phase: kill?.phase ?? "before", kind: "reset" }).id,
		);
		const failing = faults.map((rule) => rules.set(rule).id);
		// Without keys only lists tell what was bought, and a lag beyond ten seconds is a known limit.
		const most = this.#setting.service === "full" || this.#setting.service === "no-reference" ? Number.POSITIVE_INFINITY : longLagMs;
		settings({ readLagMs: Math.min(lagMs, most), listLagMs: Math.min(listLagMs, most), stealOnBuy: isSoldOut ? 1_000 : 0 });
		const firedOf = (ids: readonly string[]) => rules.list().filter(({ id, fired }) => ids.includes(id) && fired > 0);
		const isCrashed = () => killing.length > 0 && firedOf(killing).length > 0;
		const printed: string[] = [];
		const say = (line: string) => {
			if (line.includes("[warning]")) printed.push(line);
			this.#setting.say(line);
		};
		let pauses = 0;
		const provider = this.#open(this.#emulator, isCrashed, say, () => {
			pauses += 1;
			if (decided !== undefined && pauses >= 3) this.#decideAll(decided);
		});
		const errors = await work({ provider, parallel, say });
		const isKilled = isCrashed();
		await provider.kill();
		const troubles = new Set<string>(firedOf(failing).map(({ operation }) => operation));
		for (const { operation, kind } of firedOf([...killing, ...failing])) this.#setting.count(`${isKilled ? "kill at" : kind} ${operation}`);
		if (lagMs > 0 || listLagMs > 0) troubles.add("lag");
		if (Math.max(lagMs, listLagMs) > longLagMs) troubles.add("long lag");
		if (isSoldOut) troubles.add("sold out");
		for (const id of [...killing, ...failing]) rules.clear(id);
		settings({ readLagMs: 0, listLagMs: 0, stealOnBuy: 0 });
		const mine = isKilled ? [] : errors;
		return { isKilled, errors: mine, printed: [...printed, ...mine].join("\n"), troubles };
	}

	#open(service: Emulator, isCrashed: () => boolean, say: (line: string) => void, pausing: () => void) {
		this.#runs += 1;
		return openProvider({
			service,
			env: {
				PULUMI_BACKEND_URL: backends[this.#runs % backends.length] ?? "",
				...(this.#acceptsEmptyAccount ? { TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" } : {}),
			},
			config: { "telephony:onDelete": "release" },
			clock: this.#clock,
			isCrashed,
			pausing,
			say,
		});
	}

	/** Promise 3: on an account that shows nothing of this stack, nothing is bought, created or forgotten. */
	async #runAstray(kind: "up" | "refresh" | "destroy"): Promise<Errors> {
		const namesIn = (state: State) =>
			allIn(state)
				.flatMap(({ name, id }) => (id.startsWith("+") ? [] : [`${name} ${id}`]))
				.sort()
				.join(", ");
		const before = namesIn(this.#state);
		// A run that neither keeps nor compares an existing resource can't tell the account: a known limit.
		const isTold = this.#program.some(({ name }) => this.#state.resources.has(name));
		if (before === "" || (kind === "up" && !isTold)) return [];
		this.#oracle.isSettled = false;
		const provider = this.#open(this.#wrong, () => false, this.#setting.say, () => {});
		const run: Run = { provider, parallel: 4, say: this.#setting.say };
		if (kind === "up") await up(run, this.#state, this.#program);
		else if (kind === "destroy") await destroy(run, this.#state);
		else await refresh(run, this.#state);
		await provider.kill();
		this.#setting.count(`${kind} with a wrong key`);
		const made = [...liveIds(this.#wrong.control), ...this.#wrong.control.ledger()];
		must(made.length === 0, () => `${kind} with a wrong key made ${JSON.stringify(made)}`);
		const after = namesIn(this.#state);
		must(before === after, () => `${kind} with a wrong key: the state had ${before}, and has ${after}`);
		return [];
	}

	/** Promises 4 and 5, after a good `up`: a preview plans nothing, a refresh finds nothing, and both write nothing. */
	async #settle(ran: Ran): Promise<void> {
		this.#renamed.clear();
		this.#oracle.settle(ran);
		const isMoving = (step: string) =>
			[...this.#state.resources.values()].some(
				(resource) =>
					step === `update ${resource.name}` &&
					(isComing(resource.outputs) || (resource.kind === "portOrder" && resource.outputs.status !== "completed")),
			);
		const writes = writesSoFar(this.#control);
		let steps: string[] = [];
		let changed = new Map<string, string[]>();
		const { errors } = await this.#within({}, async (run) => {
			steps = await preview(run.provider, this.#state, this.#program);
			return [];
		});
		must(errors.length === 0 && (steps = steps.filter((step) => !isMoving(step))).length === 0, () => `a preview after a good up: ${steps.join("; ")}`);
		const found = await this.#within({}, async (run) => {
			const all = await refresh(run, copyOf(this.#state));
			changed = all.changed;
			return all.errors;
		});
		const unasked = this.#oracle.unasked(this.#state, changed);
		const wrong = found.errors.filter((error) => !error.includes("[telephony:wrong-account]"));
		must(wrong.length === 0, () => `a refresh failed: ${wrong.join("; ")}`);
		must(unasked.length === 0, () => `drift after a good up: ${unasked.join("; ")}`);
		must(writesSoFar(this.#control) === writes, () => "a preview or a refresh wrote");
		this.#oracle.isSettled = true;
	}

	// ---- The end --------------------------------------------------------------------------------------------------------

	/** In fair weather and with KYC approved, everything comes true; then everything goes. */
	async finish(): Promise<void> {
		this.#setting.say("finish");
		this.#control.kyc("immediate");
		const errors = await this.#repeat("up");
		must(errors.length === 0, () => `up doesn't settle: ${errors.join("; ")}`);
		const refused = await this.#repeat("destroy");
		must(refused.length === 0, () => `destroy doesn't end: ${refused.join("; ")}`);
		const left = this.#oracle.leftOver();
		must(left.length === 0, () => `left after a destroy: ${left}`);
	}

	/** Runs and refreshes, and does what errors ask for, until nothing fails. */
	async #repeat(kind: "up" | "destroy"): Promise<Errors> {
		let errors: Errors = [];
		for (let round = 0; round < 5; round += 1) {
			this.#approve();
			errors = await this.#run(kind, {});
			this.#acceptsEmptyAccount = false;
			if (round > 0 && errors.length === 0) break;
			this.#heed(errors, round);
			await this.#run("refresh", {});
		}
		return errors;
	}

	#approve(): void {
		this.#decideAll("approve");
		for (const { name, kind } of this.#state.resources.values())
			if (kind !== "number") this.#decide(name, kind === "portOrder" ? "complete" : "approve");
	}

	/** Releases what an error names as possibly ours and no state holds, or marks it as used. */
	#giveUp(error: string): void {
		const held = new Set(allIn(this.#state).map(objectIn));
		for (const { id } of liveNumbers(this.#control)) {
			if (!error.includes(id)) continue;
			if (held.has(id) || this.#oracle.isTheirs(id)) this.#control.patchNumber(id, { label: "in use" });
			else {
				this.#control.deleteNumber(id);
				this.#oracle.released(id);
			}
		}
	}

	/** Points the numbers that an error names away from the program's trunks and profiles. */
	#detach(error: string): void {
		for (const { id } of liveNumbers(this.#control))
			if (error.includes(id)) this.#control.patchNumber(id, { routing: null, kyc_profile_id: null });
	}

	#heed(errors: readonly string[], round: number): void {
		for (const error of errors) {
			if (error.includes("[telephony:wrong-account]")) this.#acceptsEmptyAccount = true;
			const name = /^(\w+): /.exec(error)?.[1] ?? "";
			const declared = this.#program.find((each) => each.name === name);
			if (/\[telephony:(claimed|duplicate|adopt-refused|another-state)\]/.test(error)) {
				this.#oracle.forgo();
				if (declared?.args.adopt !== undefined) this.#program = programAfter(this.#program, { do: "remove", name });
				else this.#program = programAfter(this.#program, { do: "change", name, args: { generation: 1_000 + this.#runs } });
			}
			// The service refuses changes to what it has reviewed: another one takes its place.
			if (/kyc_profile_locked|port_in_progress|\[telephony:kyc-locked\]/.test(error) && declared !== undefined)
				this.#program = programAfter(this.#program, { do: "rename", name, to: `${name}b`, hasAlias: false });
			if (error.includes("[telephony:shared-object]")) {
				this.#state.resources.delete(name);
				this.#oracle.forgetSecrets();
			}
			if (error.includes("It may be")) this.#giveUp(error);
			if (/_in_use/.test(error)) this.#detach(error);
			// The order will never bring the number, or its numbers have arrived.
			const isOver = /number_not_portable|\[telephony:(port-pending|port-exception|not-found)\]/.test(error);
			if (isOver && round > 0 && declared !== undefined) this.#program = programAfter(this.#program, { do: "remove", name });
			// The numbers of an order that is being cancelled are free a little later.
			if (/number_not_portable|cancel pending/.test(error)) this.#clock.advance(3 * 3_600_000);
		}
	}
}

export { edit, kinds };
