/** Tells random stories of a plot. */
import { type Args, type Kind, kinds, type Operation, readsOf, writesOf } from "./kinds/index.mts";
import type { Declared, Links, Program } from "./program.mts";
import type { Random } from "./random.mts";
import { merged, programAfter, type Step } from "./story.mts";
import {
	type BetweenName,
	betweenRuns,
	chooseBetween,
	chooseDuring,
	type DuringName,
	type Scene,
} from "./troubles.mts";

/** Changes of the program. */
type ChangeName =
	| "declare"
	| "redeclare"
	| "change"
	| "revert"
	| "generation"
	| "criteria"
	| "onDelete"
	| "remove"
	| "rename"
	| "bare"
	| "adopt";

type RunKind = "up" | "refresh" | "destroy";
type Weights<Name extends string> = Readonly<Partial<Record<Name, number>>>;

/** Weights of steps and runs, and the troubles of runs. */
export interface Plot {
	readonly kinds: readonly Kind[];
	/** Countries of numbers; in Germany the emulator asks for KYC. Default: the Netherlands. */
	readonly countries?: readonly string[];
	/** The weight of each step between two runs. */
	readonly steps: Weights<ChangeName | BetweenName>;
	/** The weight of each kind of run. Default: only `up`. */
	readonly runs?: Weights<RunKind>;
	/** Resources declared before the first run, with many properties. Links lead to kinds that stand before. */
	readonly fleet?: Readonly<Partial<Record<Kind, number>>>;
	/** Runs of a story, at least and at most. */
	readonly length: readonly [number, number];
	/** The share of runs that each trouble strikes, together at most 1. A run has one trouble. */
	readonly troubles?: Weights<DuringName>;
	/** Trunks have passwords of the program's. */
	readonly hasPasswords?: true;
	/** Share of `up` with `--replace`, 0 to 1. Default: 0. */
	readonly replaced?: number;
	/** Share of runs with limits, 0 to 1. Default: 0. */
	readonly limited?: number;
}

/** Returns a story of the plot; the same random numbers make the same story. */
export const tell = (plot: Plot, random: Random): Step[] => new Teller(plot, random).story();

/** Returns a name by its weight; undefined for the rest up to `total`. */
function weighted<T extends string>(random: Random, weights: Weights<T>, total?: number): T | undefined {
	const all = Object.entries(weights) as [T, number][];
	let remaining = random.next() * (total ?? all.reduce((sum, [, weight]) => sum + weight, 0));
	for (const [name, weight] of all) {
		remaining -= weight;
		if (remaining < 0) return name;
	}
	return undefined;
}

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
	/** New names of resources since the last run that went well. Until then, a program keeps them. */
	readonly #renamed = new Set<string>();
	/** Resources before their last change. */
	readonly #previous = new Map<string, Declared>();
	/** Stories stay with one resource, as faults hide where steps meet. */
	#focus = "";

	constructor(plot: Plot, random: Random) {
		this.#plot = plot;
		this.#random = random;
	}

	story(): Step[] {
		const random = this.#random;
		this.#first();
		this.#run("up");
		for (let runs = random.int(...this.#plot.length); runs > 1; runs -= 1) {
			this.#change();
			// A refresh must not forget the pending writes of a failed run.
			if (this.#isTroubled && random.chance(0.35)) {
				this.#add({ do: "refresh", run: {} }, { do: "up", run: {} });
				this.#isTroubled = false;
			} else this.#run(weighted(random, this.#plot.runs ?? { up: 1 }) ?? "up");
		}
		return this.#steps;
	}

	/** Adds steps between two runs. A run that went wrong is followed by the same program, or by the one before. */
	#change(): void {
		const random = this.#random;
		const { steps } = this.#plot;
		if (this.#isTroubled && "revert" in steps && random.chance(0.3)) {
			this.#add(...this.#changes("revert"));
			return;
		}
		for (let count = random.pick(this.#isTroubled ? [0, 0, 1] : [0, 1, 1, 2]); count > 0; count -= 1)
			this.#add(...this.#between(weighted(random, steps) ?? "change"));
	}

	#between(name: ChangeName | BetweenName): readonly Step[] {
		if (!(name in betweenRuns)) return this.#changes(name as ChangeName);
		const trouble = chooseBetween(name as BetweenName, this.#scene([]));
		return trouble === undefined ? [] : [{ do: "suffer", trouble }];
	}

	#scene(operations: readonly Operation[]): Scene {
		const countries = this.#plot.countries ?? ["NL"];
		const target: Scene["target"] = (isPossible) => this.#target(isPossible);
		return { random: this.#random, program: this.#program, operations, countries, target };
	}

	#first(): void {
		const random = this.#random;
		const { fleet } = this.#plot;
		if (fleet === undefined) {
			this.#add(this.#declare());
			if (random.chance(0.6)) this.#add(this.#declare());
			return;
		}
		const kindsInOrder = Object.entries(fleet).flatMap(([kind, count]) => Array<Kind>(count).fill(kind as Kind));
		for (const kind of kindsInOrder) {
			const [name, links] = [this.#name(kind), this.#links(kind)];
			const isLinked = Object.values(links).some((target) => target !== undefined);
			const args = kinds[kind].elaborate?.(random, name, isLinked) ?? this.#configuration(kind);
			this.#add({ do: "declare", declared: { kind, name, args, links } });
		}
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
		const { operations, besides = [] } = kinds[declared.kind];
		const { create, patch, remove, get, list } = operations;
		const due = {
			declare: [create, patch, list, ...besides],
			change: [patch, get],
			remove: [remove, patch, get],
			rename: [patch, get],
		};
		for (const operation of due[step.do as keyof typeof due] ?? []) this.#due.add(operation);
		if (step.do !== "change") return;
		this.#previous.set(step.name, declared);
		if ("generation" in step.args || "country" in step.args) this.#due.add(create).add(remove);
	}

	/** Returns operations of the next run: those it needs, or any. */
	#operations(kind: RunKind): readonly Operation[] {
		const { kinds: all } = this.#plot;
		if (kind === "refresh") return readsOf(all);
		if (this.#random.chance(0.2)) return [...writesOf(all), ...readsOf(all)];
		if (kind === "destroy") return this.#program.map((declared) => kinds[declared.kind].operations.remove);
		return [...this.#due];
	}

	#run(kind: RunKind): void {
		const { troubles = {}, replaced = 0, limited = 0 } = this.#plot;
		const random = this.#random;
		const isUp = kind === "up";
		const target = this.#target();
		const operations = this.#operations(kind);
		const what = operations.length > 0 ? weighted(random, troubles, 1) : undefined;
		const trouble = what && chooseDuring(what, this.#scene(operations));
		const isReplaced = isUp && target !== undefined && random.chance(replaced);
		const limits = random.chance(limited) && { maxPurchases: random.int(0, 2), maxReleases: random.int(0, 2) };
		this.#add({
			do: kind,
			run: {
				parallel: random.pick([1, 4]),
				...(trouble && { trouble }),
				...(isReplaced && { replace: [target.name] }),
				...(limits && { limits }),
			},
		});
		this.#isTroubled = trouble !== undefined || limits !== false;
		// A run that failed leaves its work to the next one.
		if (!isUp || this.#isTroubled) return;
		this.#due.clear();
		this.#renamed.clear();
	}

	#target: Scene["target"] = (isPossible = () => true) => {
		const from = this.#program.filter(({ kind }) => isPossible(kinds[kind]));
		const focused = from.find(({ name }) => name === this.#focus);
		const chosen = focused !== undefined && this.#random.chance(0.6) ? focused : from[0] && this.#random.pick(from);
		if (chosen !== undefined) this.#focus = chosen.name;
		return chosen;
	};

	#name(kind: Kind): string {
		return `${kind}${this.#count++}`;
	}

	/** Returns the arguments of a kind that a program may change later. */
	#configuration(kind: Kind): Args {
		return kinds[kind].configuration(this.#random, this.#plot.hasPasswords === true);
	}

	#declare(kind = this.#random.pick(this.#plot.kinds), name = this.#name(kind)): Step {
		const fixed = kinds[kind].fixed?.(this.#random, this.#plot.countries ?? ["NL"], this.#count++);
		this.#focus = name;
		const args = merged({}, { ...fixed, ...this.#configuration(kind) });
		return { do: "declare", declared: { kind, name, args, links: this.#links(kind) } };
	}

	/** Returns random links to resources of the program. */
	#links(kind: Kind): Links {
		const { links = {} } = kinds[kind];
		const chosen = Object.entries(links).filter(([, { args }]) => args !== undefined);
		const linkTo = (to: Kind) => {
			const names = this.#program.filter((declared) => declared.kind === to).map(({ name }) => name);
			return names.length > 0 && this.#random.chance(0.5) ? this.#random.pick(names) : undefined;
		};
		return Object.fromEntries(chosen.map(([name, { to }]) => [name, linkTo(to)]));
	}

	/** Changes a resource back to what it was before its last change, without links to resources that left since. */
	#revert({ name, args }: Declared): readonly Step[] {
		const previous = this.#previous.get(name);
		if (previous === undefined) return [];
		const cleared = Object.fromEntries(Object.keys(args).map((key) => [key, null]));
		const isDeclared = (target?: string) => this.#program.some((declared) => declared.name === target);
		const kept = ([link, target]: [string, string | undefined]) => [link, isDeclared(target) ? target : undefined];
		const links = Object.entries(previous.links ?? {}).map(kept);
		return [{ do: "change", name, args: { ...cleared, ...previous.args }, links: Object.fromEntries(links) }];
	}

	/** Declares an object that another one of the program brings. */
	#adopt(): readonly Step[] {
		const source = this.#target(({ brought }) => brought !== undefined);
		const adopting = source && kinds[source.kind].brought?.(source, this.#random);
		if (adopting === undefined || this.#program.some(({ args }) => args.adopt === adopting.args.adopt)) return [];
		const name = this.#name(adopting.kind);
		this.#focus = name;
		return [{ do: "declare", declared: { ...adopting, name } }];
	}

	#redeclare(): readonly Step[] {
		const free = [...this.#former].filter(([name]) => this.#program.every((declared) => declared.name !== name));
		const [former, kind] = free.length > 0 ? this.#random.pick(free) : [];
		return former === undefined ? [] : [this.#declare(kind, former)];
	}

	#rename({ kind, name }: Declared, hasAlias: boolean): readonly Step[] {
		if (this.#renamed.has(name)) return [];
		this.#former.set(name, kind);
		const to = this.#name(kind);
		this.#renamed.add(to);
		if (this.#focus === name) this.#focus = to;
		const renamed: Step = { do: "rename", name, to, hasAlias };
		// Another resource may get the old name at once.
		return this.#random.chance(0.3) ? [renamed, this.#declare(kind, name)] : [renamed];
	}

	#changes(change: ChangeName): readonly Step[] {
		switch (change) {
			case "declare":
				return this.#program.length < 5 || this.#plot.fleet !== undefined ? [this.#declare()] : [];
			case "redeclare":
				return this.#redeclare();
			case "adopt":
				return this.#adopt();
			default:
				return this.#changesOf(change);
		}
	}

	/** Changes of one resource. */
	#changesOf(change: Exclude<ChangeName, "declare" | "redeclare" | "adopt">): readonly Step[] {
		const random = this.#random;
		const isOfBought = ["generation", "criteria", "onDelete"].includes(change);
		const target = this.#target(isOfBought ? ({ isBought }) => isBought === true : undefined);
		if (target === undefined) return [];
		const { kind, name, args, links } = target;
		const withArgs = (changed: Args): readonly Step[] => [{ do: "change", name, args: changed }];
		const isBought = args.adopt === undefined;
		switch (change) {
			case "change":
				return [{ do: "change", name, args: this.#configuration(kind), links: { ...links, ...this.#links(kind) } }];
			case "revert":
				return this.#revert(target);
			case "generation":
				return isBought ? withArgs({ generation: Number(args.generation ?? 0) + 1 }) : [];
			case "criteria":
				return isBought ? withArgs({ country: random.pick(["NL", "FR", "DE"]) }) : [];
			case "onDelete":
				return withArgs({ onDelete: random.pick(["release", "retain", null]) });
			case "remove":
				this.#former.set(name, kind);
				return [{ do: "remove", name }];
			case "rename":
			case "bare":
				return this.#rename(target, change === "rename");
		}
	}
}
