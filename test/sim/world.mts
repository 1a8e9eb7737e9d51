/** Performs a story's steps on an emulated account, and lets the oracle judge each run. */
import { createRequire } from "node:module";
import type { FrontName } from "../helpers/protocol.mts";
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
import { openCli } from "./cli.mts";
import { asProcesses, inProcess } from "./drivers.mts";
import { allIn, copyOf, type Errors, objectIn, type ResourceState, type State } from "./engine.mts";
import type { RunError } from "./errors.mts";
import { type Args, type Kind, kinds, rowsOf } from "./kinds.mts";
import { must, Oracle, type Ran } from "./oracle.mts";
import { isComing, type Program } from "./program.mts";
import { type Driver, EngineStack, type Refreshed, type Stack, type StackRun } from "./stack.mts";
import { apiKey, type Decision, programAfter, type RunOptions, type Step } from "./story.mts";

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

const underWay = ["submitted", "in_review", "scheduled"];
/** The status values in which the service decides. */
const decidable: Readonly<Partial<Record<Kind, Readonly<Record<string, readonly string[]>>>>> = {
	number: { approve: ["pending"], reject: ["pending"], expire: ["pending"] },
	kycProfile: { approve: ["in_review"], reject: ["in_review"], expire: ["approved"] },
	portOrder: { advance: underWay, complete: underWay, reject: underWay, cancel: [...underWay, "draft", "exception"] },
};

/** A wait of one second: looks after 2 and 4 seconds, with time for a purchase. */
const longestQuickWaitMs = 15_000;

/** A lag that outlasts a run's re-reads, ms. */
const longLagMs = 8_000;

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
		await world.finish();
	} finally {
		began = clock.now() + 86_400_000;
		await Promise.all([stack.close(), emulator.close(), wrong.close()]);
	}
}

/** The processes of all stories of a run share one engine and one compile cache. */
const processes = new Map<FrontName, Promise<Driver>>();

function processesOf(driver: DriverName): Promise<Driver> {
	const front = driver === "plugin" ? "plugin" : "dynamic";
	const found = processes.get(front) ?? asProcesses(front);
	processes.set(front, found);
	return found;
}

export async function closeProcesses(): Promise<void> {
	for (const driver of processes.values()) await (await driver).close();
	processes.clear();
}

export class World {
	readonly #emulator: Emulator;
	readonly #wrong: Emulator;
	readonly #clock: Clock;
	readonly #setting: Setting;
	readonly #oracle: Oracle;
	readonly #stack: Stack;
	#program: Program = [];
	/** Names that resources had before. */
	readonly #former = new Set<string>();
	/** Names given by aliases since the last good `up`. */
	readonly #renamed = new Set<string>();
	#acceptsEmptyAccount = false;
	/** Requests before the run. */
	#requests = 0;
	/** The service's time for KYC. */
	#policy = "2h";

	constructor(emulator: Emulator, wrong: Emulator, stack: Stack, clock: Clock, setting: Setting) {
		[this.#emulator, this.#wrong, this.#stack] = [emulator, wrong, stack];
		[this.#clock, this.#setting] = [clock, setting];
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
				await this.#rename(step);
				break;
			case "remove":
				this.#former.add(step.name);
				this.#oracle.forgo();
				break;
			case "change":
				if ("generation" in step.args || "country" in step.args) this.#oracle.forgo();
				break;
			case "declare":
				if (this.#former.has(step.declared.name)) this.#oracle.forgo();
				break;
			default:
				await this.#others(step);
		}
		this.#program = programAfter(this.#program, step);
	}

	async #rename({ name, to, hasAlias }: Extract<Step, { do: "rename" }>): Promise<void> {
		this.#former.add(name);
		this.#oracle.forgo();
		const { resources } = await this.#stack.state();
		if (!hasAlias || !resources.has(name) || resources.has(to)) return;
		await this.#stack.rename(name, to);
		this.#renamed.add(to);
	}

	// ---- Others ---------------------------------------------------------------------------------------------------------

	async #others(step: Step): Promise<void> {
		switch (step.do) {
			case "edit":
				return this.#edit(step);
			case "claim":
				return this.#claim(step);
			case "spell":
				return void this.#control.settings(step.settings);
			case "release": {
				const row = await this.#rowOf(step.name);
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
				this.#policy = step.policy;
				return void this.#control.kyc(step.policy);
			case "pass":
				// The carriers confirm cancellations meanwhile.
				for (const { id, status } of this.#control.state().portOrders)
					if (status === "cancel_pending") this.#oracle.changed(id);
				return this.#clock.advance(step.ms);
			default:
		}
	}

	/** The resource's live number, or the newest of the account if the state has none. */
	async #rowOf(name: string) {
		const resource = (await this.#stack.state()).resources.get(name);
		const live = liveNumbers(this.#control);
		return resource === undefined ? live.at(-1) : live.find(({ id }) => id === objectIn(resource));
	}

	async #edit({ name, property, patch }: Extract<Step, { do: "edit" }>): Promise<void> {
		const { resources } = await this.#stack.state();
		const resource = resources.get(name);
		const row = resource && rowsOf(this.#control.state(), resource.kind).find(({ id }) => id === objectIn(resource));
		if (resource === undefined || row === undefined) return;
		const routing = patch.routing as Args | null | undefined;
		const live = row.routing as Args | null;
		const isOnTop = routing && !("type" in routing);
		if (isOnTop && (live === null || ("trunk_id" in routing && live.type !== "trunk"))) return;
		const linked = (value: unknown) =>
			typeof value === "string" && value.startsWith("@") ? resources.get(value.slice(1))?.id : value;
		const whole =
			routing &&
			Object.fromEntries(Object.entries({ ...live, ...routing }).map(([key, value]) => [key, linked(value)]));
		// A move of time tells this edit from the last write.
		this.#clock.advance(1_000);
		this.#control[kinds[resource.kind].edit](row.id, (isOnTop ? { routing: whole } : patch) as never);
		this.#setting.count(`edited ${property}`);
		this.#oracle.edited(resource, property);
	}

	async #claim({ name, by }: Extract<Step, { do: "claim" }>): Promise<void> {
		const row = await this.#rowOf(name);
		if (row === undefined || declarationIn(row.reference) === undefined) return;
		const references = {
			nobody: null,
			"another tool": "somebody else's",
			"another run": withLease(row.reference ?? "", row.id.slice(-6)),
		};
		this.#control.patchNumber(row.id, { reference: references[by] });
		this.#setting.count(`claimed by ${by}`);
		this.#oracle.claimed(row.id, by);
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

	async #decide(name: string, what: Extract<Step, { do: "decide" }>["what"]): Promise<void> {
		const resource = (await this.#stack.state()).resources.get(name);
		const row = resource && rowsOf(this.#control.state(), resource.kind).find(({ id }) => id === objectIn(resource));
		if (resource === undefined || row === undefined) return;
		if (!decidable[resource.kind]?.[what]?.includes(String(row.status))) return;
		this.#setting.count(`${resource.kind} ${what}`);
		this.#oracle.changed(row.id);
		if (resource.kind === "portOrder") this.#control.decidePortOrder(row.id, what as "cancel");
		else if (resource.kind === "number") {
			if (row.kyc !== null) this.#control.decide(row.id, what as Decision);
		} else {
			this.#control.decideProfile(row.id, what as Decision);
			// The numbers of the profile follow it.
			for (const { id, kyc } of liveNumbers(this.#control))
				if (kyc?.profile_id === row.id && what !== "approve") this.#oracle.changed(id);
		}
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
		const before = copyOf(await this.#stack.state());
		this.#oracle.begin(before, kind === "refresh" ? [] : program, { ...options, replace });
		const writes = writesSoFar(this.#control);
		this.#requests = this.#control.requests().length;
		const started = this.#clock.now();
		const calm = this.#strike(options);
		const run = { ...this.#stackRun(options), replace };
		const outcome = await (kind === "up" ? this.#stack.up(program, run) : this.#stack[kind](run));
		const troubles = calm();
		const { killedAt, errors } = outcome;
		const isKilled = killedAt !== undefined;
		for (const error of errors) this.#setting.say(`  error: ${error}`);
		if (isKilled) this.#setting.count(`kill at ${killedAt}`);
		this.#setting.count(`${kind}${isKilled ? ", killed" : errors.length > 0 ? ", failed" : ""}`);
		const state = await this.#stack.state();
		const ran: Ran = { ...outcome, kind, options, program, state, isKilled, troubles };
		this.#oracle.end(ran);
		if (kind === "refresh") this.#judgeRefreshed(ran, before, (outcome as Refreshed).changed, writes);
		else this.#oracle.isSettled = false;
		if (kind === "up" && !isKilled && errors.length === 0) {
			this.#mustBePrompt(before, ran, this.#clock.now() - started);
			await this.#settle(ran);
		}
		return errors;
	}

	/** Promise 4: a wait notices the end of KYC soon, and its requests don't grow with the numbers that wait. */
	#mustBePrompt(before: State, { troubles, state }: Ran, elapsedMs: number): void {
		const isPending = ({ outputs }: ResourceState) => outputs.status === "pending" || outputs.status === "porting";
		if (troubles.size > 0 || this.#policy !== "1s" || [...before.resources.values()].some(isPending)) return;
		if ([...state.resources.values()].some(isPending)) return;
		must(elapsedMs <= longestQuickWaitMs, () => `KYC took a second, and up ${elapsedMs} ms`);
		const reads = this.#control
			.requests()
			.slice(this.#requests)
			.filter(({ method, path }) => method === "GET" && path.includes("/numbers/")).length;
		must(reads <= 10, () => `up sent ${reads} single reads of numbers`);
	}

	#judgeRefreshed(
		{ isKilled, errors, troubles }: Ran,
		before: State,
		changed: Refreshed["changed"],
		writes: number,
	): void {
		const reported = [...changed].map(([name, outputs]) => `${name} ${outputs}`);
		this.#setting.say(`  changed: ${reported.join("; ") || "nothing"}`);
		must(writesSoFar(this.#control) === writes, () => "a refresh wrote");
		const requests = this.#control.requests().length - this.#requests;
		const count = before.resources.size;
		// The pages of each list, and single reads of what the lists don't show.
		const most = 40 + 2 * Math.ceil(count / 100) + 2 * changed.size;
		const isFair = troubles.size === 0 && !isKilled;
		const isShortLag = troubles.has("lag") && !troubles.has("long lag") && !isKilled;
		if (this.#oracle.isSettled && (isFair || isShortLag) && errors.length === 0)
			this.#oracle.mustBeExact(before, changed, isShortLag);
		if (!isFair) this.#oracle.isSettled = false;
		else must(requests <= most, () => `a refresh of ${count} resources sent ${requests} requests`);
	}

	/** Sets what goes wrong in a run; returns what ends it, and says which of it happened. */
	#strike({ faults = [], lagMs = 0, listLagMs = 0, isSoldOut }: RunOptions): () => ReadonlySet<string> {
		const { faults: rules, settings } = this.#control;
		const ids = faults.map((rule) => rules.set(rule).id);
		// Without keys only lists tell what was bought, and a lag beyond ten seconds is a known limit.
		const hasKeys = !("idempotencyKey" in services[this.#setting.service]);
		const most = hasKeys ? Number.POSITIVE_INFINITY : longLagMs;
		settings({
			readLagMs: Math.min(lagMs, most),
			listLagMs: Math.min(listLagMs, most),
			stealOnBuy: isSoldOut ? 1_000 : 0,
		});
		return () => {
			const fired = rules.list().filter(({ id, fired }) => ids.includes(id) && fired > 0);
			for (const { operation, kind } of fired) this.#setting.count(`${kind} at ${operation}`);
			for (const id of ids) rules.clear(id);
			settings({ readLagMs: 0, listLagMs: 0, stealOnBuy: 0 });
			return new Set([
				...fired.map(({ operation }) => operation),
				...(lagMs > 0 || listLagMs > 0 ? ["lag"] : []),
				...(Math.max(lagMs, listLagMs) > longLagMs ? ["long lag"] : []),
				...(lagMs > longLagMs ? ["long read lag"] : []),
				...(isSoldOut ? ["sold out"] : []),
			]);
		};
	}

	#stackRun({ parallel, kill, decided, isVerbose, limits }: RunOptions): StackRun {
		let pauses = 0;
		return {
			parallel,
			kill,
			env: {
				...(this.#acceptsEmptyAccount ? { TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" } : {}),
				...(isVerbose ? { TELEPHONY_LOG: "debug" } : {}),
				...(limits ? { PULUMI_CONFIG: JSON.stringify({ limits: JSON.stringify(limits) }) } : {}),
			},
			waiting: () => {
				pauses += 1;
				if (decided !== undefined && pauses >= 3) this.#decideAll(decided);
			},
		};
	}

	/** Promise 3: on an account that shows nothing of this stack, nothing is bought, created or forgotten. */
	async #runAstray(kind: "up" | "refresh" | "destroy"): Promise<Errors> {
		const namesIn = (state: State) =>
			allIn(state)
				.flatMap(({ name, id }) => (id.startsWith("+") ? [] : [`${name} ${id}`]))
				.sort()
				.join(", ");
		const state = await this.#stack.state();
		const before = namesIn(state);
		// A run that neither keeps nor compares an existing resource can't tell the account: a known limit.
		const isTold = this.#program.some(({ name }) => state.resources.has(name));
		if (before === "" || (kind === "up" && !isTold)) return [];
		this.#oracle.isSettled = false;
		const run = { service: this.#wrong };
		await (kind === "up" ? this.#stack.up(this.#program, run) : this.#stack[kind](run));
		this.#setting.count(`${kind} with a wrong key`);
		const made = [...liveIds(this.#wrong.control), ...this.#wrong.control.ledger()];
		must(made.length === 0, () => `${kind} with a wrong key made ${JSON.stringify(made)}`);
		const after = namesIn(await this.#stack.state());
		must(before === after, () => `${kind} with a wrong key: the state had ${before}, and has ${after}`);
		return [];
	}

	/** Promises 4 and 5, after a good `up`: a preview plans nothing, a refresh finds nothing, and both write nothing. */
	async #settle(ran: Ran): Promise<void> {
		this.#renamed.clear();
		this.#oracle.settle(ran);
		const isMoving = (resource: ResourceState) =>
			isComing(resource.outputs) ||
			(resource.kind === "portOrder" && resource.outputs.status !== "completed") ||
			// The run couldn't see what others had just changed.
			(ran.troubles.has("lag") && this.#oracle.isChanged(objectIn(resource)));
		const moving = new Set([...ran.state.resources.values()].filter(isMoving).map(({ name }) => `update ${name}`));
		const writes = writesSoFar(this.#control);
		const steps = (await this.#stack.preview(this.#program)).filter((step) => !moving.has(step));
		must(steps.length === 0, () => `a preview after a good up: ${steps.join("; ")}`);
		const { changed, errors } = await this.#stack.drift();
		const wrong = errors.filter((error) => !error.has("wrong-account"));
		must(wrong.length === 0, () => `a refresh failed: ${wrong.join("; ")}`);
		this.#oracle.mustBeExact(ran.state, changed);
		must(writesSoFar(this.#control) === writes, () => "a preview or a refresh wrote");
		this.#oracle.isSettled = true;
	}

	// ---- The end --------------------------------------------------------------------------------------------------------

	/** Without faults and with KYC approved, `up` succeeds, and a destroy removes everything. */
	async finish(): Promise<void> {
		this.#setting.say("finish");
		this.#control.kyc("immediate");
		const errors = await this.#repeat("up");
		must(errors.length === 0, () => `up doesn't settle: ${errors.join("; ")}`);
		const refused = await this.#repeat("destroy");
		must(refused.length === 0, () => `destroy doesn't end: ${refused.join("; ")}`);
		const leftOver = this.#oracle.leftOver();
		must(leftOver.length === 0, () => `left after a destroy: ${leftOver}`);
	}

	/** Runs and refreshes, and does what errors ask for, until nothing fails; then once more, unless each run takes seconds. */
	async #repeat(kind: "up" | "destroy"): Promise<Errors> {
		let errors: Errors = [];
		const least = this.#setting.driver === "cli" ? 0 : 1;
		for (let round = 0; round < 5; round += 1) {
			await this.#approve();
			errors = await this.#run(kind, {});
			this.#acceptsEmptyAccount = false;
			if (round >= least && errors.length === 0) break;
			for (const error of errors) await this.#heed(error, round);
			await this.#run("refresh", {});
		}
		return errors;
	}

	async #approve(): Promise<void> {
		this.#decideAll("approve");
		for (const { name, kind } of (await this.#stack.state()).resources.values())
			if (kind !== "number") await this.#decide(name, kind === "portOrder" ? "complete" : "approve");
	}

	/** Releases what an error names as possibly ours and no state holds, or marks it as used. */
	async #giveUp(error: RunError): Promise<void> {
		const held = new Set(allIn(await this.#stack.state()).map(objectIn));
		for (const id of error.idsAmong(liveNumbers(this.#control).map((number) => number.id))) {
			if (held.has(id) || this.#oracle.isTheirs(id)) this.#control.patchNumber(id, { label: "in use" });
			else {
				this.#control.deleteNumber(id);
				this.#oracle.released(id);
			}
		}
	}

	/** Removes a resource from the state if another one holds its object. */
	async #forgetShared(name: string): Promise<void> {
		const { resources } = await this.#stack.state();
		const id = resources.get(name)?.id;
		if ([...resources.values()].filter((each) => each.id === id).length < 2) return;
		await this.#stack.forget(name);
		this.#oracle.forgetSecrets();
	}

	/** Points the numbers that an error names away from the program's trunks and profiles. */
	#detach(error: RunError): void {
		for (const id of error.idsAmong(liveNumbers(this.#control).map((number) => number.id)))
			this.#control.patchNumber(id, { routing: null, kyc_profile_id: null });
	}

	/** Does what an error asks for. */
	async #heed(error: RunError, round: number): Promise<void> {
		const { name } = error;
		const declared = this.#program.find((each) => each.name === name);
		const edit = (step: Step) => {
			this.#program = programAfter(this.#program, step);
		};
		if (error.has("wrong-account")) this.#acceptsEmptyAccount = true;
		if (error.has("claimed", "duplicate", "adopt-refused", "another-state")) {
			this.#oracle.forgo();
			const isAdopted = declared?.args.adopt !== undefined;
			edit(isAdopted ? { do: "remove", name } : { do: "change", name, args: { generation: 1_000 + round } });
		}
		// The service refuses changes to what it has reviewed: another one takes its place.
		if (error.has("kyc-locked") || error.hasServiceCode("kyc_profile_locked", "port_in_progress"))
			edit({ do: "rename", name, to: `${name}b`, hasAlias: false });
		if (error.has("shared-object")) await this.#forgetShared(name);
		if (error.has("purchase-unknown")) await this.#giveUp(error);
		if (error.hasServiceCode("trunk_in_use", "kyc_profile_in_use", "number_in_use")) this.#detach(error);
		// The order will never bring the number, or its numbers have arrived.
		const isRefused = error.hasServiceCode("number_not_portable");
		const isOver = isRefused || error.has("port-pending", "port-exception", "not-found");
		if (isOver && round > 0) edit({ do: "remove", name });
		// The numbers of an order that is being cancelled are free a little later.
		const isCancelling = this.#control.state().portOrders.some(({ status }) => status === "cancel_pending");
		if (isRefused || isCancelling) this.#clock.advance(3 * 3_600_000);
	}
}
