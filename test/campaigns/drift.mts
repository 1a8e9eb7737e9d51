/**
 * `node test/campaigns/drift.mts [--trials N] [--seed S] [--replay SEED] [--short]`: a large stack, random edits behind its
 * back, a service that spells its answers another way each time, and a refresh that must name exactly those; then an up that must put everything back and touch nothing else.
 */

import { createEmulator, type Emulator, VirtualClock } from "./account.mts";
import { must, runCampaign, type Trial } from "./campaign.mts";
import { driftProgram } from "./drift-program.mts";
import { bystanders, type Edited, editAtRandom } from "./edits.mts";
import { type Entry, emptyState, type Run, type State, up } from "./engine.mts";
import type { Host, Values } from "./host.mts";
import { openProcess } from "./process.mts";
import { numbersOf, type Program } from "./program.mts";
import { type Random, seeded } from "./random.mts";

const short = process.argv.includes("--short");
const size = short ? { numbers: 120, trunks: 5, webhooks: 3 } : { numbers: 1000, trunks: 20, webhooks: 5 };
const edits = [0, 1, 10, 50];
/** Reads in flight: the engine has that many on two cores. */
const parallel = 8;
const pageSize = 100;

class DriftWorld {
	readonly #clock: VirtualClockOf;
	readonly #state: State = emptyState();
	readonly #program: Program = driftProgram(size, seeded(1));
	readonly #emulator: Emulator;

	constructor(emulator: Emulator, clock: VirtualClockOf) {
		[this.#emulator, this.#clock] = [emulator, clock];
	}

	async #within<T>(trial: Pick<Trial, "say">, work: (host: Host) => Promise<T>): Promise<T> {
		const host = openProcess({
			service: this.#emulator,
			clock: this.#clock,
			crashed: () => false,
			pausing: () => {},
			say: (line) => trial.say(line),
		});
		try {
			return await work(host);
		} finally {
			await host.kill();
		}
	}

	async up(trial: Pick<Trial, "say">): Promise<void> {
		const errors = await this.#within(trial, (host) => {
			const run: Run = { host, parallel, answered: async () => {}, say: () => {} };
			return up(run, this.#state, this.#program);
		});
		must(errors.length === 0, () => `up failed: ${errors.slice(0, 3).join("; ")}`);
	}

	/** Refresh of everything, as the engine does it: what it names, by name, with the outputs that changed. */
	async #refresh(trial: Trial): Promise<Map<string, readonly string[] | "missing">> {
		const named = new Map<string, readonly string[] | "missing">();
		await this.#within(trial, async (host) => {
			const left = [...this.#state.entries.values()].values();
			const work = async () => {
				for (const entry of left) {
					const found = await this.#read(host, entry);
					if (found !== undefined) named.set(entry.name, found);
				}
			};
			await Promise.all(Array.from({ length: parallel }, work));
		});
		return named;
	}

	/** What shows in a refresh of one entry, if anything. */
	async #read(host: Host, entry: Entry): Promise<readonly string[] | "missing" | undefined> {
		const { id, props, inputs } = await host.read(entry.id, entry.outputs);
		if (id === "") {
			this.#state.entries.delete(entry.name);
			return "missing";
		}
		// The engine asks with the inputs of the state.
		const { changes } = await host.diff(entry.id, props, entry.inputs);
		const differs = changed(entry.outputs, props);
		this.#state.entries.set(entry.name, { ...entry, outputs: props, inputs: { ...entry.inputs, ...inputs } });
		// What changes in the state shows in a refresh, whether or not anything is to be done about it.
		return changes ? differs : differs.length > 0 ? [] : undefined;
	}

	async trial(trial: Trial): Promise<void> {
		const random = seeded(trial.seed);
		const count = edits[trial.seed % edits.length] ?? 0;
		const { control } = this.#emulator;
		control.settings(spelling(random));
		this.#clock.advance(3_600_000);
		const entries = [...this.#state.entries.values()];
		const edited = editAtRandom(control, entries, count, random);
		for (const { kind, name, property = "gone", patch } of edited) {
			trial.count(`edited ${kind} ${property}`);
			trial.say(`${name}: ${property} ${patch === undefined ? "" : JSON.stringify(patch)}`);
		}

		const before = control.requests().length;
		const named = await this.#refresh(trial);
		const requests = control.requests().slice(before);
		must(
			requests.every(({ method }) => method === "GET"),
			() => "a refresh wrote",
		);
		const pages = Math.ceil(size.numbers / pageSize);
		// Each of the three kinds has its own list.
		const bound = 2 * pages + 10 + 2 * (2 * Math.min(size.trunks, 1) + 10);
		must(requests.length <= bound, () => `${requests.length} requests, ${bound} allowed`);
		trial.count(`${count} edits: ${String(requests.length).padStart(2, "0")} requests`);
		compare(edited, named);

		this.#clock.advance(3_600_000);
		const start = control.requests().length;
		await this.up(trial);
		const others = bystanders(entries, edited);
		const strangers = control
			.requests()
			.slice(start)
			.filter(({ method, path }) => method !== "GET" && path.split("/").some((part) => others.has(part)));
		must(strangers.length === 0, () => `up touched ${JSON.stringify(strangers.slice(0, 5))}`);
		const { trunks, webhooks } = control.state();
		must(
			trunks.length === size.trunks && webhooks.length === size.webhooks,
			() => `${trunks.length} trunks and ${webhooks.length} webhooks, declared ${size.trunks} and ${size.webhooks}`,
		);
		const declared = numbersOf(this.#program).length;
		const [purchases, releases] = ["purchase", "release"].map(
			(kind) => control.ledger().filter((row) => row.kind === kind).length,
		);
		must(
			(purchases ?? 0) - (releases ?? 0) === declared,
			() => `bought ${purchases}, released ${releases}, declared ${declared}`,
		);
		const after = await this.#refresh(trial);
		must(after.size === 0, () => `still different after up: ${[...after].slice(0, 5).map(String).join("; ")}`);
	}
}

/** How the service spells what it answers from now on: another way of it is no drift. */
function spelling(random: Random) {
	return {
		shuffleArrays: random.chance(0.5),
		cidr: random.pick(["asGiven", "strip32", "add32"] as const),
		hostCase: random.pick(["asGiven", "lower", "upper"] as const),
		urlSlash: random.pick(["asGiven", "add", "strip"] as const),
		phonePlus: random.chance(0.5),
		trimText: random.chance(0.5),
		secretEcho: random.pick(["omit", "mask", "hash"] as const),
	};
}

type VirtualClockOf = InstanceType<typeof VirtualClock>;

/** What other resources change about one, and what every write does: the engine shows it, and nothing compares it. */
const incidental = new Set(["numbersCount", "updatedAt"]);

/** The outputs that a read has changed, without what never is drift. */
function changed(outputs: Values, props: Values): string[] {
	return Object.keys({ ...outputs, ...props }).filter(
		(key) => !incidental.has(key) && JSON.stringify(outputs[key]) !== JSON.stringify(props[key]),
	);
}

/** What goes with the edit of a property. */
const companions: Readonly<Record<string, readonly string[]>> = {
	auth: ["password", "passwordUpdatedAt"],
	enabled: ["status"],
	password: ["passwordUpdatedAt"],
	secret: ["secretHint", "secretVersion"],
};

/** Exactly what was edited, each by its property: nothing missed, nothing more. */
function compare(edited: readonly Edited[], named: ReadonlyMap<string, readonly string[] | "missing">): void {
	const wanted = new Map(edited.map((each) => [each.name, each]));
	const extra = [...named.keys()].filter((name) => !wanted.has(name));
	must(extra.length === 0, () => `named, and nobody edited them: ${extra}`);
	for (const { name, property } of edited) {
		const found = named.get(name);
		const right =
			property === undefined
				? found === "missing"
				: Array.isArray(found) &&
					found.includes(property) &&
					found.every((each) => each === property || companions[property]?.includes(each));
		must(right, () => `${name}: ${property ?? "removed"} was edited, and the refresh says ${found ?? "nothing"}`);
	}
}

await runCampaign({
	name: "drift",
	trials: short ? 8 : 100,
	open: async () => {
		const clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
		const emulator = await createEmulator({ clock, kyc: "immediate", seed: 1 });
		emulator.control.settings({ acceptUnknownProfiles: true });
		const world = new DriftWorld(emulator, clock);
		await world.up({ say: () => {} });
		return { trial: (trial) => world.trial(trial), close: () => emulator.close() };
	},
});
