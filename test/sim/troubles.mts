/**
 * Everything that goes wrong in a story. A trouble chooses how it happens before the story begins, as plain data, and strikes while
 * the world performs the story. To add one, add an entry to `duringRuns` or `betweenRuns`, and its name to a profile.
 */
import type { FaultRequest } from "../../emulator/index.ts";
import type { createClient } from "../../provider/api/client.ts";
import {
	type Control,
	declarationIn,
	type Emulator,
	liveNumbers,
	type ServiceName,
	services,
	withLease,
} from "./account.mts";
import type { Excuse, Happening } from "./checks/check.mts";
import { type Edit, editOf, spellingOf } from "./edits.mts";
import { objectIn, type State } from "./engine.mts";
import { type Args, allKinds, endingIn, kinds, type Operation, rowsOf, type SimulatedKind } from "./kinds/index.mts";
import { type Declared, type Program, passwordsIn } from "./program.mts";
import type { Random } from "./random.mts";
import { apiKey, formsOf } from "./secrets.mts";
import type { Kill, StackRun } from "./stack.mts";
import type { Claimant } from "./story.mts";

/** The story so far, from which a trouble chooses. */
export interface Scene {
	readonly random: Random;
	readonly program: Program;
	/** Operations that the next run needs, or any. */
	readonly operations: readonly Operation[];
	/** Countries of numbers. */
	readonly countries: readonly string[];
	/** Returns a resource of the program: often the one that the story is about. */
	target(isPossible?: (kind: SimulatedKind) => boolean): Declared | undefined;
}

/** Where a trouble strikes. */
export interface Place {
	readonly control: Control;
	readonly service: ServiceName;
	/** An account that shows nothing of the stack. */
	readonly wrong: Emulator;
	state(): Promise<State>;
	/** Passes time. */
	advance(ms: number): void;
	/** Sends a request of someone else. */
	request<T>(send: (client: ReturnType<typeof createClient>) => Promise<T>): Promise<T>;
	/** Reports to the checkers. */
	report(happening: Happening): void;
	/** Counts what happened, for the report. */
	count(what: string): void;
}

/** A trouble that has struck a run. */
export interface Strike {
	/** Options of the run. */
	readonly run?: StackRun;
	/** Ends the trouble with the run. Returns what it excuses. */
	end?(): readonly Excuse[];
}

interface During<How> {
	/** Returns how it happens; undefined if it can't happen to this run. */
	choose(scene: Pick<Scene, "random" | "operations" | "program">): How | undefined;
	strike(place: Pick<Place, "control" | "service" | "wrong" | "report" | "count">, how: How): Strike;
}

interface Between<How> {
	/** Returns how it happens; undefined if it can't happen now. */
	choose(scene: Scene): How | undefined;
	strike(place: Place, how: How): void | Promise<void>;
}

const during = <How,>(trouble: During<How>): During<How> => trouble;
const between = <How,>(trouble: Between<How>): Between<How> => trouble;

export type Decision = "approve" | "reject" | "expire";

/** Every attempt of a request. */
export const always = Array.from({ length: 20 }, (_, index) => index + 1);

/** Codes of the service that say nothing about what is there. */
const codes = ["internal_error", "service_unavailable", "rate_limited", "timeout", "conflict"] as const;

function failuresOf(random: Random, operations: readonly Operation[]): FaultRequest[] {
	const operation = random.pick(operations);
	const isRemoval = /^(release|delete|cancel)/.test(operation);
	const isWrite = !/^(list|get)/.test(operation);
	const phase = random.pick(["before", "after"] as const);
	// If the service refuses a request that it carried out, nothing can find that out.
	const isLie = phase === "after";
	const status = random.pick(isLie ? [500, 502, 503, 504] : [403, 404, 409, 422, 429, 500, 502, 503, 504]);
	const shapes = [
		// The service's own 404 means that the object was deleted; a gateway's page doesn't.
		{ kind: "status", phase, status: status === 404 ? 500 : status },
		{ kind: "status", phase, status: random.pick([500, 503]), ...(isLie ? {} : { error: random.pick(codes) }) },
		{ kind: "html", phase, status },
		{ kind: "reset", phase },
	];
	if (!isRemoval) shapes.push({ kind: "truncated", phase: "mid" as "before" });
	if (operation.startsWith("list"))
		shapes.push({ kind: "duplicate", phase: "after" }, { kind: "empty_page", phase: "after" });
	const nth = random.pick<number | number[]>([1, 1, 2, [1, 2], always, always, always]);
	const fault = { operation, nth, ...random.pick(shapes) } as FaultRequest;
	const listed = allKinds.find(({ operations: { list } }) => list === operation);
	// Neither the list nor a single read shows the object.
	if (listed !== undefined && random.chance(0.5))
		return [fault, { operation: listed.operations.get, nth: always, kind: "html", phase: "before", status: 404 }];
	if (!isWrite || random.chance(0.7)) return [fault];
	// The first try is carried out without a response, and the others fail.
	return [
		{ operation, nth: 1, kind: "reset", phase: "after" },
		{ operation, nth: always.slice(1), kind: "status", status: 503, phase: "before" },
	];
}

/** Sets faults of requests for one run. */
function failing({ control, count }: Pick<Place, "control" | "count">, faults: readonly FaultRequest[]): Strike {
	const ids = faults.map((fault) => control.faults.set(fault).id);
	return {
		end() {
			const fired = control.faults.list().filter((rule) => ids.includes(rule.id) && rule.fired > 0);
			for (const { operation, kind } of fired) count(`${kind} at ${operation}`);
			for (const id of ids) control.faults.clear(id);
			if (fired.length === 0) return [];
			return fired.some(({ operation }) => operation === "buyNumber")
				? ["failed requests", "unknown purchase"]
				: ["failed requests"];
		},
	};
}

/** A lag that outlasts a run's re-reads, ms. */
const longLagMs = 8_000;

export const duringRuns = {
	/** The process is killed at the nth request, before or after the service carries it out. */
	kill: during<Kill>({
		choose: ({ random, operations }) => ({
			operations: random.some(operations, 0.4),
			nth: random.pick([1, 1, 1, 2, 3]),
			phase: random.pick(["before", "after"] as const),
		}),
		strike: (_, kill) => ({ run: { kill } }),
	}),
	/** A request fails in a way that a service or a gateway can fail. */
	failure: during<readonly FaultRequest[]>({
		choose: ({ random, operations }) => failuresOf(random, operations),
		strike: failing,
	}),
	/** Every twentieth request fails. */
	outage: during<readonly FaultRequest[]>({
		choose: ({ random }) => [
			{ operation: "*", probability: 0.05, seed: random.int(1, 1_000), kind: "status", status: 503, phase: "before" },
		],
		strike: failing,
	}),
	/** The service fails, and its message repeats a secret of the run. The provider logs everything. */
	repetition: during<FaultRequest>({
		choose({ random, operations, program }) {
			const operation = random.pick(operations);
			const passwords = passwordsIn(program);
			const isOfSecret = ({ secret, operations: { create, patch } }: SimulatedKind) =>
				secret?.declaredIn !== undefined && [create, patch].includes(operation);
			// Of two passwords, the other may be sent later.
			const isSent = passwords.length === 1 && allKinds.some(isOfSecret);
			const secret = random.pick(isSent ? [apiKey, ...passwords] : [apiKey]);
			const message = random.pick(formsOf(secret)).replaceAll(/[^\x20-\x7e]/g, "");
			const phase = /^(buy|create)/.test(operation) ? "before" : random.pick(["before", "after"] as const);
			const status = random.pick(phase === "after" ? [500, 503] : [400, 401, 409, 422, 500, 503]);
			return { operation, nth: [1, 2], kind: "status", status, phase, message };
		},
		strike: (place, fault) => ({ ...failing(place, [fault]), run: { env: { TELEPHONY_LOG: "debug" } } }),
	}),
	/** Someone else buys each number first. */
	"sold out": during<true>({
		choose: () => true,
		strike({ control }) {
			control.settings({ stealOnBuy: 1_000 });
			return {
				end() {
					control.settings({ stealOnBuy: 0 });
					return ["failed requests"];
				},
			};
		},
	}),
	/** Reads and lists show the account as it was, for longer than the ten seconds for which a run doubts what it reads. */
	lag: during<{ readonly readMs: number; readonly listMs: number }>({
		choose: ({ random }) => ({
			readMs: random.chance(0.7) ? random.pick([1_000, 2_000, 5_000, 15_000]) : 0,
			listMs: random.chance(0.7) ? random.pick([2_000, 5_000, 15_000, 60_000]) : 0,
		}),
		strike({ control, service }, { readMs, listMs }) {
			// Without keys only lists tell what was bought, and a lag beyond ten seconds is a known limit.
			const most = "idempotencyKey" in services[service] ? longLagMs : Number.POSITIVE_INFINITY;
			control.settings({ readLagMs: Math.min(readMs, most), listLagMs: Math.min(listMs, most) });
			return {
				end() {
					control.settings({ readLagMs: 0, listLagMs: 0 });
					const excuses: Excuse[] = readMs > 0 || listMs > 0 ? ["stale reads"] : [];
					if (readMs > longLagMs) excuses.push("long stale reads");
					if (Math.max(readMs, listMs) > longLagMs) excuses.push("long stale lists");
					return excuses;
				},
			};
		},
	}),
	/** The service applies each change seconds later, and until then perhaps shows the values before it. */
	"slow changes": during<{ readonly applyLagMs: number; readonly echoIntent: boolean }>({
		choose: ({ random }) => ({ applyLagMs: random.pick([500, 2_000, 5_000]), echoIntent: random.chance(0.5) }),
		strike({ control }, settings) {
			control.settings(settings);
			return {
				end() {
					control.settings({ applyLagMs: 0, echoIntent: true });
					return [];
				},
			};
		},
	}),
	/** The key belongs to another account. */
	"wrong key": during<true>({
		choose: () => true,
		strike: ({ wrong }) => ({ run: { service: wrong } }),
	}),
	/** The service decides on all KYC while the run waits. */
	decision: during<Decision>({
		choose: ({ random }) => random.pick(["approve", "reject", "expire"] as const),
		strike(place, what) {
			let pauses = 0;
			const waiting = () => {
				pauses += 1;
				if (pauses >= 3) decideAll(place, what);
			};
			return { run: { waiting } };
		},
	}),
};

/** Decides on every number that waits for KYC. */
export function decideAll({ control, report }: Pick<Place, "control" | "report">, what: Decision): void {
	for (const { id, status, kyc } of liveNumbers(control)) {
		if (status !== "pending" || kyc === null) continue;
		control.decide(id, what);
		if (what !== "approve") report({ what: "changed", id });
	}
}

interface Named {
	readonly name: string;
}

export interface Verdict extends Named {
	/** One of its kind's decisions. */
	readonly what: string;
}

/** Returns the resource's live object. */
async function objectOf({ state, control }: Pick<Place, "state" | "control">, name: string) {
	const resource = (await state()).resources.get(name);
	const row = resource && rowsOf(control.state(), kinds[resource.kind]).find(({ id }) => id === objectIn(resource));
	return resource !== undefined && row !== undefined ? { resource, row } : undefined;
}

/** Returns the resource's live number, or the newest of the account if the state has none. */
async function numberOf({ state, control }: Place, name: string) {
	const resource = (await state()).resources.get(name);
	const live = liveNumbers(control);
	return resource === undefined ? live.at(-1) : live.find(({ id }) => id === objectIn(resource));
}

const numberNamed = ({ target }: Scene): Named | undefined => {
	const number = target(({ isBought }) => isBought === true);
	return number && { name: number.name };
};

export const betweenRuns = {
	/** Someone edits an object. */
	edit: between<Edit & Named>({
		choose({ target, random, program }) {
			const declared = target();
			const edit = declared && editOf(declared, random, program);
			return edit && { name: declared.name, ...edit };
		},
		async strike(place, { name, property, patch: sent }) {
			const object = await objectOf(place, name);
			if (object === undefined) return;
			const { resource, row } = object;
			const { resources } = await place.state();
			const isName = (value: unknown) => typeof value === "string" && value.startsWith("@");
			const linked = JSON.parse(JSON.stringify(sent), (_, value) =>
				isName(value) ? (resources.get(value.slice(1))?.id ?? null) : value,
			) as Args;
			const { edit, completed = (whole) => whole } = kinds[resource.kind];
			const patch = completed(linked, row);
			if (patch === undefined) return;
			// A move of time tells this edit from the last write.
			place.advance(1_000);
			edit(place.control, row.id, patch);
			place.count(`edited ${property}`);
			place.report({ what: "edited", resource, property });
		},
	}),
	/** Someone writes the reference of a number. */
	claim: between<Named & { readonly by: Claimant }>({
		choose(scene) {
			const by = scene.random.pick(["nobody", "another tool", "another run"] as const);
			const number = numberNamed(scene);
			return number && { ...number, by };
		},
		async strike(place, { name, by }) {
			const row = await numberOf(place, name);
			if (row === undefined || declarationIn(row.reference) === undefined) return;
			const references = {
				nobody: null,
				"another tool": "somebody else's",
				"another run": withLease(row.reference ?? "", row.id.slice(-6)),
			};
			const reference = references[by];
			place.control.patchNumber(row.id, { reference });
			place.count(`claimed by ${by}`);
			place.report({ what: "claimed", id: row.id, by, reference });
		},
	}),
	/** Someone releases a number. */
	release: between<Named>({
		choose: numberNamed,
		async strike(place, { name }) {
			const row = await numberOf(place, name);
			if (row === undefined) return;
			place.control.deleteNumber(row.id);
			place.report({ what: "released", id: row.id });
		},
	}),
	/** Someone restores a released number. */
	restore: between<true>({
		choose: () => true,
		async strike(place) {
			const row = place.control.state().numbers.find(({ status }) => status === "released");
			if (row === undefined) return;
			await place.request((client) => client.numbers.restore(row.id));
			place.report({ what: "restored", id: row.id });
		},
	}),
	/** Someone buys a matching number. */
	purchase: between<{ readonly country: string }>({
		choose: ({ random, countries }) => ({ country: random.pick(countries) }),
		async strike(place, { country }) {
			const { data } = await place.request((client) => client.numbers.buy({ country, type: "mobile" }));
			place.report({ what: "bought", id: String(data.id) });
		},
	}),
	/** The service decides about a number, a profile or an order. */
	verdict: between<Verdict>({
		choose({ target, random }) {
			const declared = target();
			if (declared === undefined) return undefined;
			const { decisions } = kinds[declared.kind];
			return decisions && { name: declared.name, what: random.pick(Object.keys(decisions.when)) };
		},
		strike: decide,
	}),
	/** KYC takes another time from now on. */
	policy: between<string>({
		choose: ({ random }) => random.pick(["manual", "immediate", "reject", "1s", "1s", "30s", "2h"]),
		strike({ control, report }, policy) {
			control.kyc(policy);
			report({ what: "policy", policy });
		},
	}),
	/** Minutes or a day pass. */
	pause: between<number>({
		choose: ({ random }) => random.pick([120_000, 25 * 3_600_000]),
		strike({ control, report, advance }, ms) {
			// The carriers confirm cancellations meanwhile.
			for (const id of endingIn(control.state())) report({ what: "changed", id });
			advance(ms);
		},
	}),
	/** The service spells its responses in another way from now on. */
	spelling: between<Args>({
		choose: ({ random }) => spellingOf(random),
		strike: ({ control }, settings) => void control.settings(settings),
	}),
};

/** Has the service decide about an object. */
export async function decide(place: Omit<Place, "service" | "wrong" | "request" | "advance">, { name, what }: Verdict) {
	const object = await objectOf(place, name);
	if (object === undefined) return;
	const { control, report } = place;
	const { resource, row } = object;
	const { decisions } = kinds[resource.kind];
	if (!decisions?.when[what]?.includes(String(row.status))) return;
	const changed = decisions.take(control, row, what);
	if (changed.length > 0) place.count(`${resource.kind} ${what}`);
	for (const id of changed) report({ what: "changed", id });
}

type HowOf<T> = T extends { strike(place: never, how: infer How): unknown } ? How : never;
type Choices<T> = { readonly [N in keyof T]: { readonly what: N; readonly how: HowOf<T[N]> } }[keyof T];

export type DuringName = keyof typeof duringRuns;
export type BetweenName = keyof typeof betweenRuns;
/** A trouble of one run, and how it happens. */
export type DuringRun = Choices<typeof duringRuns>;
/** A trouble between two runs, and how it happens. */
export type BetweenRuns = Choices<typeof betweenRuns>;

export function chooseDuring(what: DuringName, scene: Parameters<During<unknown>["choose"]>[0]): DuringRun | undefined {
	const how = duringRuns[what].choose(scene);
	return how === undefined ? undefined : ({ what, how } as DuringRun);
}

export function chooseBetween(what: BetweenName, scene: Scene): BetweenRuns | undefined {
	const how = betweenRuns[what].choose(scene);
	return how === undefined ? undefined : ({ what, how } as BetweenRuns);
}

export const strikeDuring = (place: Parameters<During<unknown>["strike"]>[0], { what, how }: DuringRun): Strike =>
	(duringRuns[what] as During<unknown>).strike(place, how);

export const strikeBetween = async (place: Place, { what, how }: BetweenRuns): Promise<void> =>
	(betweenRuns[what] as Between<unknown>).strike(place, how);
