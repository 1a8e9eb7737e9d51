/** A story: what happens to a program, as plain data. Steps name resources, so that a story without some steps still runs. */
import type { FaultRequest } from "../../emulator/index.ts";
import { portArgs, portNumbers, profileArgs } from "./documents.mts";
import { declaredOf, type Edit, editOf, spellingOf } from "./edits.mts";
import { type Args, factsOf, type Kind, type Operation, readsOf, writesOf } from "./kinds.mts";
import { type Declared, type Program, relinked } from "./program.mts";
import type { Random } from "./random.mts";

/** Faults of one run. */
export interface Trouble {
	/** The process is killed at the nth such request, before or after the service carries it out. */
	readonly kill?: {
		readonly operations: readonly Operation[];
		readonly nth: number;
		readonly phase: "before" | "after";
	};
	readonly faults?: readonly FaultRequest[];
	/** Reads show the account as it was so long ago, ms. */
	readonly lagMs?: number;
	/** Lists show the account as it was so long ago, ms. */
	readonly listLagMs?: number;
	/** Someone else buys each number first. */
	readonly isSoldOut?: true;
	/** The key belongs to another account. */
	readonly isWrongKey?: true;
	/** The provider logs its requests. */
	readonly isVerbose?: true;
	/** `telephony:limits` of the run. */
	readonly limits?: { readonly maxPurchases: number; readonly maxReleases: number };
}

export interface RunOptions extends Trouble {
	readonly parallel?: number;
	readonly replace?: readonly string[];
	/** The service decides on all KYC while the run waits. */
	readonly decided?: Decision;
}

export type Decision = "approve" | "reject" | "expire";

export type Claimant = "nobody" | "another tool" | "another run";

export type Step =
	| { readonly do: "declare"; readonly declared: Declared }
	| { readonly do: "change"; readonly name: string; readonly args: Args; readonly links?: Partial<Declared> }
	| { readonly do: "remove"; readonly name: string }
	| { readonly do: "rename"; readonly name: string; readonly to: string; readonly hasAlias: boolean }
	| { readonly do: "up" | "refresh" | "destroy"; readonly run: RunOptions }
	| ({ readonly do: "edit"; readonly name: string } & Edit)
	/** Someone else writes the reference of a number: clears it, claims it, or is another run of this declaration. */
	| { readonly do: "claim"; readonly name: string; readonly by: Claimant }
	| { readonly do: "spell"; readonly settings: Args }
	| { readonly do: "release" | "restore"; readonly name: string }
	| { readonly do: "buy"; readonly country: string }
	| { readonly do: "decide"; readonly name: string; readonly what: Decision | "complete" | "cancel" | "advance" }
	| { readonly do: "kyc"; readonly policy: string }
	| { readonly do: "pass"; readonly ms: number };

export type StepName = Step["do"] | "redeclare" | "bare" | "generation" | "criteria" | "onDelete" | "adopt" | "revert";

/** Returns the program after a step; most steps leave it as it is. */
export function programAfter(program: Program, step: Step): Program {
	switch (step.do) {
		case "declare": {
			const { declared } = step;
			if (program.some(({ name }) => name === declared.name)) return program;
			// Numbers depend on the other kinds.
			return declared.kind === "number" ? [...program, declared] : [declared, ...program];
		}
		case "change":
			return program.map((each) =>
				each.name === step.name
					? {
							...each,
							trunk: step.links?.trunk ?? (step.links ? undefined : each.trunk),
							profile: step.links?.profile ?? (step.links ? undefined : each.profile),
							args: merged(each.args, step.args),
						}
					: each,
			);
		case "remove":
			return program.filter(({ name }) => name !== step.name).map((each) => relinked(each, step.name, undefined));
		case "rename":
			if (program.some(({ name }) => name === step.to)) return program;
			return program.map((each) => ({
				...relinked(each, step.name, step.to),
				...(each.name === step.name ? { name: step.to } : {}),
			}));
		default:
			return program;
	}
}

/** A null removes a property. */
const merged = (args: Args, changed: Args): Args =>
	Object.fromEntries(Object.entries({ ...args, ...changed }).filter(([, value]) => value !== null));

/** Weights of steps and runs, and the troubles of runs. */
export interface Plot {
	readonly kinds: readonly Kind[];
	/** Countries of numbers; in Germany the emulator asks for KYC. */
	readonly countries?: readonly string[];
	/** The weight of each step between two runs. */
	readonly steps: Readonly<Partial<Record<StepName, number>>>;
	/** The weight of each kind of run. Default: only `up`. */
	readonly runs?: Readonly<Partial<Record<"up" | "refresh" | "destroy", number>>>;
	/** Resources declared before the first run, with many properties. */
	readonly fleet?: { readonly numbers: number; readonly trunks: number; readonly webhooks: number };
	/** Runs of a story, at least and at most. */
	readonly length: readonly [number, number];
	/** Returns what goes wrong at the operations of a run. */
	readonly trouble?: (random: Random, operations: readonly Operation[], passwords: readonly string[]) => Trouble;
	/** Trunks have passwords of the program's. */
	readonly hasPasswords?: true;
	/** Share of runs with trouble, 0 to 1. Default: 0.5. */
	readonly troubled?: number;
	/** Share of `up` with `--replace`, 0 to 1. Default: 0. */
	readonly replaced?: number;
	/** Share of `up` in which KYC is decided during a wait, 0 to 1. Default: 0. */
	readonly decided?: number;
}

export const killed = (random: Random, operations: readonly Operation[]): Trouble => ({
	kill: {
		operations: random.some(operations, 0.4),
		nth: random.pick([1, 1, 1, 2, 3]),
		phase: random.pick(["before", "after"]),
	},
});

/** Codes of the service that say nothing about what is there. */
const codes = ["internal_error", "service_unavailable", "rate_limited", "timeout", "conflict"] as const;

/** Every attempt of a request. */
export const always = Array.from({ length: 20 }, (_, index) => index + 1);

export const failing = (random: Random, operations: readonly Operation[]): Trouble => {
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
		...(isRemoval ? [] : [{ kind: "truncated", phase: "mid" }]),
		...(operation.startsWith("list")
			? [
					{ kind: "duplicate", phase: "after" },
					{ kind: "empty_page", phase: "after" },
				]
			: []),
	];
	const nth = random.pick<number | number[]>([1, 1, 2, [1, 2], always, always, always]);
	const fault = { operation, nth, ...random.pick(shapes) } as FaultRequest;
	if (/^list/.test(operation) && random.chance(0.5)) {
		// Neither the list nor a single read shows the object.
		const get = operation.replace(/^list(\w+)s$/, "get$1") as Operation;
		return { faults: [fault, { operation: get, nth: always, kind: "html", phase: "before", status: 404 }] };
	}
	if (!isWrite || random.chance(0.7)) return { faults: [fault] };
	// The first try is carried out without a response, and the others fail.
	const first = { operation, nth: 1, kind: "reset", phase: "after" } as const;
	return { faults: [first, { operation, nth: always.slice(1), kind: "status", status: 503, phase: "before" }] };
};

/** Longer than the ten seconds for which a run doubts what it reads. */
export const lagging = (random: Random): Trouble => ({
	...(random.chance(0.7) ? { lagMs: random.pick([1_000, 2_000, 5_000, 15_000]) } : {}),
	...(random.chance(0.7) ? { listLagMs: random.pick([2_000, 5_000, 15_000, 60_000]) } : {}),
});

export const limited = (random: Random, operations: readonly Operation[]): Trouble => ({
	limits: { maxPurchases: random.int(0, 2), maxReleases: random.int(0, 2) },
	...(random.chance(0.3) ? killed(random, operations) : {}),
});

/** The key of every emulated account; a service may repeat it in any form. */
export const apiKey = 'canary-"key\\of-the-account';
const passwordOf = (random: Random): string => `canary-"${random.int(1e6, 1e7)}\\pass/word?`;

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Returns the forms in which a service may repeat a secret. */
export const formsOf = (secret: string): string[] => [
	secret,
	escaped(secret),
	escaped(escaped(secret)),
	encodeURIComponent(secret),
	Buffer.from(secret).toString("base64"),
];

/** The service fails and repeats a secret that the run has sent: of two passwords, the other may come later. */
export const repeating = (random: Random, operations: readonly Operation[], passwords: readonly string[]): Trouble => {
	const operation = random.pick(operations);
	const isSent = passwords.length === 1 && /^(create|patch)Trunk$/.test(operation);
	const secrets = isSent ? [apiKey, ...passwords] : [apiKey];
	const message = random.pick(formsOf(random.pick(secrets))).replaceAll(/[^\x20-\x7e]/g, "");
	const phase = /^(buy|create)/.test(operation) ? "before" : random.pick(["before", "after"] as const);
	const status = random.pick(phase === "after" ? [500, 503] : [400, 401, 409, 422, 500, 503]);
	return {
		faults: [{ operation, nth: [1, 2], kind: "status", status, phase, message } as FaultRequest],
		isVerbose: true,
	};
};

const labels = ["a", "b", "c"] as const;

/** Returns a story of the plot; the same random numbers make the same story. */
export function tell(plot: Plot, random: Random): Step[] {
	const teller = new Teller(plot, random);
	return teller.story();
}

export const passwordsIn = (program: Program): string[] =>
	program.flatMap(({ args }) => (args.auth as { readonly password?: string } | undefined)?.password ?? []);

const weighted = <T extends string>(random: Random, weights: Readonly<Partial<Record<T, number>>>): T => {
	const all = Object.entries(weights) as [T, number][];
	let remaining = random.next() * all.reduce((sum, [, weight]) => sum + weight, 0);
	for (const [name, weight] of all) {
		remaining -= weight;
		if (remaining < 0) return name;
	}
	return all[0]?.[0] as T;
};

class Teller {
	readonly #plot: Plot;
	readonly #random: Random;
	readonly #steps: Step[] = [];
	/** Names that resources had before, by their kinds. */
	readonly #former = new Map<string, Kind>();
	#program: Program = [];
	#count = 0;
	/** Operations that the next run needs. */
	readonly #due = new Set<Operation>();
	/** True if something was to go wrong in the last run. */
	#isTroubled = false;
	/** Resources before their last change. */
	readonly #previous = new Map<string, Declared>();
	/** Stories stay with one resource, as faults hide where steps meet. */
	#focus = "";

	constructor(plot: Plot, random: Random) {
		[this.#plot, this.#random] = [plot, random];
	}

	story(): Step[] {
		const random = this.#random;
		this.#add(...this.#first());
		this.#run("up");
		for (let runs = random.int(...this.#plot.length); runs > 1; runs -= 1) {
			this.#change();
			// A refresh must not forget the pending writes of a failed run.
			if (this.#isTroubled && random.chance(0.35)) {
				this.#add({ do: "refresh", run: {} }, { do: "up", run: {} });
				this.#isTroubled = false;
			} else this.#run(weighted(random, this.#plot.runs ?? { up: 1 }));
		}
		return this.#steps;
	}

	/** Adds steps between two runs. A run that went wrong is followed by the same program, or by the one before. */
	#change(): void {
		const random = this.#random;
		const { steps } = this.#plot;
		if (this.#isTroubled && "revert" in steps && random.chance(0.3)) {
			this.#add(...this.#step("revert"));
			return;
		}
		for (let count = random.pick(this.#isTroubled ? [0, 0, 1] : [0, 1, 1, 2]); count > 0; count -= 1)
			this.#add(...this.#step(weighted(random, steps)));
	}

	#first(): Step[] {
		const { fleet } = this.#plot;
		if (fleet === undefined) return [this.#declare(), ...(this.#random.chance(0.6) ? [this.#declare()] : [])];
		const named = (kind: "number" | "sipTrunk" | "webhook", count: number) =>
			Array.from({ length: count }, () => ({ kind, name: this.#name(kind) }));
		const trunks = named("sipTrunk", fleet.trunks);
		const all = [...named("number", fleet.numbers), ...trunks, ...named("webhook", fleet.webhooks)];
		return all.map(({ kind, name }) => ({
			do: "declare",
			declared: declaredOf(
				kind,
				name,
				this.#random,
				trunks.map((trunk) => trunk.name),
			),
		}));
	}

	#add(...steps: readonly Step[]): void {
		for (const step of steps) {
			this.#steps.push(step);
			this.#note(step);
			this.#program = programAfter(this.#program, step);
		}
	}

	#note(step: Step): void {
		const old = "name" in step ? this.#program.find(({ name }) => name === step.name) : undefined;
		const declared = step.do === "declare" ? step.declared : old;
		if (declared === undefined) return;
		const { create, patch, remove, get, list } = factsOf(declared.kind).operations;
		const due = {
			declare: [create, patch, list, ...factsOf(declared.kind).besides],
			change: [patch, get],
			remove: [remove, patch, get],
			rename: [patch, get],
		};
		for (const operation of due[step.do as keyof typeof due] ?? []) this.#due.add(operation);
		const isReplaced = step.do === "change" && ("generation" in step.args || "country" in step.args);
		if (isReplaced) for (const operation of [create, remove]) this.#due.add(operation);
		if (step.do === "change") this.#previous.set(step.name, declared);
	}

	/** Returns operations of the next run: those it needs, or any. */
	#operations(kind: "up" | "refresh" | "destroy"): readonly Operation[] {
		const { kinds } = this.#plot;
		if (kind === "refresh") return readsOf(kinds);
		if (this.#random.chance(0.2)) return [...writesOf(kinds), ...readsOf(kinds)];
		if (kind === "destroy") return this.#program.map((each) => factsOf(each.kind).operations.remove);
		return [...this.#due];
	}

	#run(kind: "up" | "refresh" | "destroy"): void {
		const { trouble, troubled = 0.5, replaced = 0, decided = 0 } = this.#plot;
		const random = this.#random;
		const isUp = kind === "up";
		const target = this.#target();
		const operations = this.#operations(kind);
		const isTroubled = trouble !== undefined && operations.length > 0 && random.chance(troubled);
		this.#add({
			do: kind,
			run: {
				parallel: random.pick([1, 4]),
				...(isTroubled ? trouble(random, operations, passwordsIn(this.#program)) : {}),
				...(isUp && target !== undefined && random.chance(replaced) ? { replace: [target.name] } : {}),
				...(isUp && random.chance(decided) ? { decided: random.pick(["approve", "reject", "expire"] as const) } : {}),
			},
		});
		// A run that failed leaves its work to the next one.
		if (isUp && !isTroubled) this.#due.clear();
		this.#isTroubled = isTroubled;
	}

	#target(kind?: Kind): Declared | undefined {
		const from = this.#program.filter((each) => kind === undefined || each.kind === kind);
		const focused = from.find(({ name }) => name === this.#focus);
		const chosen = focused !== undefined && this.#random.chance(0.6) ? focused : from[0] && this.#random.pick(from);
		if (chosen !== undefined) this.#focus = chosen.name;
		return chosen;
	}

	#name(kind: Kind): string {
		return `${kind}${this.#count++}`;
	}

	/** Returns the arguments of a kind that a program may change later. */
	#configuration(kind: Kind): Args {
		const random = this.#random;
		const version = random.int(0, 2);
		switch (kind) {
			case "number":
				return {
					label: random.pick([...labels, null]),
					...(random.chance(0.3) ? { metadata: { site: random.pick(labels) } } : { metadata: null }),
				};
			case "sipTrunk": {
				const password = this.#plot.hasPasswords ? { password: passwordOf(random) } : {};
				const auth = { mode: "digest", username: "office", ...password };
				return { auth, name: random.pick(labels), capacity: random.int(1, 9) };
			}
			case "webhook":
				return { url: `https://hooks.example.com/${random.int(0, 9)}`, events: ["message.received"] };
			case "kycProfile":
				return profileArgs(`Erika ${random.pick(labels)}`, version);
			case "portOrder":
				return portArgs(`Example ${random.pick(labels)}`, version);
		}
	}

	#declare(kind = this.#random.pick(this.#plot.kinds), name = this.#name(kind)): Step {
		const random = this.#random;
		const fixed: Args = {
			...(kind === "number"
				? {
						country: random.pick(this.#plot.countries ?? ["NL"]),
						type: "mobile",
						activationTimeoutSeconds: 60,
						...(random.chance(0.3) ? { onDelete: "retain" } : {}),
						...(random.chance(0.2) ? { waitForActive: false } : {}),
					}
				: {}),
			...(kind === "portOrder" ? portNumbers(this.#count++) : {}),
		};
		this.#focus = name;
		const declared = { kind, name, args: merged({}, { ...fixed, ...this.#configuration(kind) }) };
		return { do: "declare", declared: { ...declared, ...(kind === "number" ? this.#links() : {}) } };
	}

	#links(): Pick<Declared, "trunk" | "profile"> {
		const linkTo = (kind: Kind) => {
			const names = this.#program.flatMap((each) => (each.kind === kind ? [each.name] : []));
			return names.length > 0 && this.#random.chance(0.6) ? this.#random.pick(names) : undefined;
		};
		return { trunk: linkTo("sipTrunk"), profile: linkTo("kycProfile") };
	}

	/** Changes a resource back to what it was before its last change. */
	#revert({ name, args }: Declared): readonly Step[] {
		const previous = this.#previous.get(name);
		if (previous === undefined) return [];
		const cleared = Object.fromEntries(Object.keys(args).map((key) => [key, null]));
		return [{ do: "change", name, args: { ...cleared, ...previous.args }, links: previous }];
	}

	#remove({ kind, name }: Declared): Step {
		this.#former.set(name, kind);
		return { do: "remove", name };
	}

	#step(name: StepName): readonly Step[] {
		const random = this.#random;
		switch (name) {
			case "declare":
				return this.#program.length < 5 || this.#plot.fleet !== undefined ? [this.#declare()] : [];
			case "redeclare": {
				const free = [...this.#former].filter(([each]) => this.#program.every((resource) => resource.name !== each));
				const [former, kind] = free.length > 0 ? random.pick(free) : [];
				return former === undefined ? [] : [this.#declare(kind, former)];
			}
			case "kyc":
				return [{ do: "kyc", policy: random.pick(["manual", "immediate", "reject", "1s", "1s", "30s", "2h"]) }];
			case "pass":
				return [{ do: "pass", ms: random.pick([120_000, 25 * 3_600_000]) }];
			case "spell":
				return [{ do: "spell", settings: spellingOf(random) }];
			case "buy":
				return [{ do: "buy", country: random.pick(this.#plot.countries ?? ["NL"]) }];
			case "adopt":
				return this.#adopt();
			default:
				return this.#stepOf(name);
		}
	}

	/** A number that an order of the program brings. */
	#adopt(): readonly Step[] {
		const order = this.#target("portOrder");
		const [adopt] = (order?.args.numbers ?? []) as readonly string[];
		if (order === undefined || this.#program.some(({ args }) => args.adopt === adopt)) return [];
		const name = this.#name("number");
		const args = { country: "NL", type: "geographic", adopt, label: "a", activationTimeoutSeconds: 60 };
		const waitForActive = this.#random.chance(0.5);
		this.#focus = name;
		return [{ do: "declare", declared: { kind: "number", name, args: { ...args, waitForActive }, port: order.name } }];
	}

	#rename({ kind, name }: Declared, hasAlias: boolean): readonly Step[] {
		this.#former.set(name, kind);
		const to = this.#name(kind);
		if (this.#focus === name) this.#focus = to;
		const renamed: Step = { do: "rename", name, to, hasAlias };
		// Another resource may get the old name at once.
		return this.#random.chance(0.3) ? [renamed, this.#declare(kind, name)] : [renamed];
	}

	/** Steps that need a resource. */
	#stepOf(
		step: Exclude<StepName, "declare" | "redeclare" | "kyc" | "pass" | "spell" | "buy" | "adopt">,
	): readonly Step[] {
		const random = this.#random;
		const isOfNumber = ["generation", "criteria", "onDelete", "claim", "release", "restore"].includes(step);
		const target = this.#target(isOfNumber ? "number" : undefined);
		if (target === undefined) return [];
		const { kind, name, args } = target;
		const isBought = args.adopt === undefined;
		switch (step) {
			case "change":
				return [{ do: "change", name, args: this.#configuration(kind), links: kind === "number" ? this.#links() : {} }];
			case "revert":
				return this.#revert(target);
			case "generation":
				return isBought ? [{ do: "change", name, args: { generation: Number(args.generation ?? 0) + 1 } }] : [];
			case "criteria":
				return isBought ? [{ do: "change", name, args: { country: random.pick(["NL", "FR", "DE"]) } }] : [];
			case "onDelete":
				return [{ do: "change", name, args: { onDelete: random.pick(["release", "retain", null]) } }];
			case "remove":
				return [this.#remove(target)];
			case "rename":
			case "bare":
				return this.#rename(target, step === "rename");
			case "edit":
				return [{ do: "edit", name, ...editOf(target, random, this.#program) }];
			case "claim":
				return [{ do: "claim", name, by: random.pick(["nobody", "another tool", "another run"] as const) }];
			case "decide": {
				const port = ["advance", "complete", "reject", "cancel"] as const;
				const what = random.pick(kind === "portOrder" ? port : (["approve", "reject", "expire"] as const));
				return [{ do: "decide", name, what }];
			}
			case "release":
			case "restore":
				return [{ do: step, name }];
			default:
				return [];
		}
	}
}
