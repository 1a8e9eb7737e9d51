/** Random lives of a pool: growth, shrinking, faults and crashes at any request, edits by others, `--replace`. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isTelephonyError } from "../../../../provider/api/errors";
import { type Handler, InitError } from "../../../../provider/lifecycle/resource";
import { isLeft, parseReference } from "../../../../provider/ownership/reference";
import type { Values } from "../../../../provider/properties/table";
import { useAccount } from "../../../helpers/account";
import { type Fault, useFaultProxy } from "../../../helpers/fault-proxy";
import { aPool, openProvider, type Provider } from "../../../helpers/provider";
import { CheckFailed, type Entry, type State, up, upAgain, urnOf } from "../../../helpers/runs";

const { emulator, clock, live, released } = useAccount();
const proxy = useFaultProxy(emulator);

type PoolHandler = Provider["numberPool"];
/** What is done to a run's handler, to see that it is found. */
type Sabotage = (handler: PoolHandler) => Pick<Handler, "create" | "update">;

interface Up {
	readonly kind: "up";
	readonly count: number;
	readonly label: number;
	readonly onDelete: "release" | "retain";
	readonly first: readonly number[];
	readonly exclude: readonly number[];
	readonly faults: readonly (readonly [number, Fault])[];
	/** The process is killed before this request: nothing is saved. */
	readonly crash: number | undefined;
}
type Step = Up | { readonly kind: "refresh" | "replace" | "lose" | "edit"; readonly which: number };

const fault = fc.oneof(
	fc.constantFrom<Fault>({ kind: "lost" }, { kind: "unanswered" }, { kind: "cut" }),
	fc.constantFrom<Fault>({ kind: "refused", status: 503 }, { kind: "refused", status: 429, retryAfter: "3" }),
	fc.constantFrom<Fault>({ kind: "refused", status: 500 }, { kind: "replaced", status: 503 }),
);
const index = fc.integer({ min: 0, max: 5 });
const anUp: fc.Arbitrary<Up> = fc.record({
	kind: fc.constant("up" as const),
	count: fc.integer({ min: 1, max: 5 }),
	label: fc.integer({ min: 0, max: 2 }),
	onDelete: fc.constantFrom("release", "retain"),
	first: fc.uniqueArray(index, { maxLength: 2 }),
	exclude: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.tuple(index) }),
	faults: fc.array(fc.tuple(fc.integer({ min: 0, max: 12 }), fault), { maxLength: 4 }),
	crash: fc.option(fc.integer({ min: 1, max: 14 }), { nil: undefined, freq: 2 }),
});
const other: fc.Arbitrary<Step> = fc.record({
	kind: fc.constantFrom("refresh" as const, "replace" as const, "lose" as const, "edit" as const),
	which: fc.nat(4),
});
const steps = fc.array(fc.oneof({ weight: 3, arbitrary: anUp }, { weight: 1, arbitrary: other }), { maxLength: 7 });

const names = (indices: readonly number[]) => indices.map((each) => `support[${each}]`);
/** Only what the pool has can leave it. */
const wished = ({ count, label, onDelete, first, exclude }: Up, has: readonly number[]): Values => {
	const out = exclude.filter((each) => !first.includes(each) && has.includes(each));
	return aPool({
		count,
		...(label === 0 ? {} : { label: `desk ${label}-{index}` }),
		onDelete,
		...(first.length === 0 ? {} : { releaseFirst: names(first) }),
		...(out.length === 0 ? {} : { exclude: names(out) }),
	});
};
const idsIn = (entry: Entry | undefined): string[] =>
	((entry?.outs.numbers ?? []) as { id: string }[]).map(({ id }) => id);
const codeOf = (error: unknown): unknown => {
	const told = error instanceof InitError ? error.cause : error;
	return isTelephonyError(told) ? told.messageCode : told;
};

const idsNamed = (error: unknown): string[] =>
	codeOf(error) === "purchase-unknown" ? ((error as Error).message.match(/num_\w+/g) ?? []) : [];

interface LifeOptions {
	readonly sabotage?: Sabotage;
	/** What the service offers, if not all. */
	readonly features?: Readonly<Partial<Record<"idempotencyKey" | "reference", boolean>>>;
}

class Life {
	readonly #state: State = new Map();
	/** What the pool has left on the account. */
	readonly #left = new Set<string>();
	readonly #sabotage: Sabotage | undefined;
	readonly #isBlind: boolean;
	/** What errors have named as bought by a killed run: the program takes it over. */
	#adopt: readonly string[] = [];
	readonly #held = new Set<string>();
	/** The most numbers that a killed run was to have. */
	#asked = 0;
	/** The lowest free names may be others than a run that was killed has used. */
	#hasGaps = false;

	constructor({ sabotage, features = {} }: LifeOptions) {
		this.#sabotage = sabotage;
		this.#isBlind = features.idempotencyKey === false && features.reference === false;
	}

	get entry(): Entry | undefined {
		return this.#state.get(urnOf(aPool()));
	}

	/** Undefined: it is gone. */
	keep(entry: Entry | undefined): void {
		if (entry === undefined) this.#state.clear();
		else this.#state.set(urnOf(aPool()), entry);
	}

	open(): Provider {
		return openProvider(proxy, { clock, env: { TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" } });
	}

	async step(step: Step): Promise<void> {
		await clock.sleep(120_000);
		if (step.kind === "up") await this.watched(wished(step, this.#indices()), step);
		else if (step.kind === "refresh") await this.refresh();
		// Without keys and references, a create that gets no old state can't know a number that has a label.
		else if (step.kind === "replace") await (this.#isBlind ? this.refresh() : this.replace());
		else {
			const id = idsIn(this.entry)[step.which];
			if (id === undefined || !live().some((each) => each.id === id)) return;
			if (step.kind === "edit") emulator.control.patchNumber(id, { label: "mine" });
			else {
				await emulator.call("DELETE", `/numbers/${id}`);
				this.#hasGaps = true;
			}
		}
	}

	/** An `up`, with what must hold of any. */
	async watched(declared: Values, step?: Pick<Up, "faults" | "crash">): Promise<unknown> {
		const news = this.#adopting(declared);
		const count = Number(news.count);
		this.#hasGaps ||= count < this.#asked;
		if (step?.crash !== undefined) this.#asked = Math.max(this.#asked, count);
		const held = new Set(idsIn(this.entry));
		const isReleasing = this.entry?.outs.onDelete === "release";
		const before = { pool: this.#own(), released: released().length };
		const error = await this.up(news, step);
		// A number that a killed run has left, and the state still holds, comes back.
		expect(this.#own()).toBeLessThanOrEqual(Math.max(before.pool, held.size, count));
		const gone = released().slice(before.released);
		expect(gone.length).toBeLessThanOrEqual(isReleasing ? Math.max(0, held.size - count) : 0);
		// Nothing that only a killed run knows of.
		expect(gone.filter((id) => !held.has(id))).toEqual([]);
		const tokens = live().flatMap(({ reference }) => parseReference(reference)?.token ?? []);
		expect(new Set(tokens).size).toBe(tokens.length);
		if (error !== undefined) expect(isTelephonyError(error) || error instanceof InitError).toBe(true);
		return error;
	}

	/**
	 * Live numbers, without left ones, and those that a killed run bought under a name that is no longer used. A service
	 * without keys and references doesn't tell what a killed run has bought and labelled.
	 */
	#own(): number {
		for (const id of idsIn(this.entry)) this.#held.add(id);
		const isLost = ({ id, reference }: { id: string; reference?: string | null }) =>
			(this.#hasGaps || this.#isBlind) && !reference && !this.#held.has(id);
		return live().filter((each) => !this.#left.has(each.id) && !isLost(each)).length;
	}

	async up(news: Values, { faults = [], crash }: Partial<Pick<Up, "faults" | "crash">> = {}): Promise<unknown> {
		const run = this.open();
		const first = proxy.count;
		proxy.plan = (request) =>
			crash !== undefined && request - first >= crash
				? { kind: "lost" }
				: faults.find(([at]) => at === request - first)?.[1];
		const before = idsIn(this.entry);
		const handlers =
			this.#sabotage === undefined ? {} : { numberPool: { ...run.numberPool, ...this.#sabotage(run.numberPool) } };
		const [error] = await up({ ...run, ...handlers }, this.#state, [news], crash !== undefined);
		proxy.plan = () => undefined;
		if (error instanceof CheckFailed) return undefined;
		const now = idsIn(this.entry);
		for (const id of now) this.#left.delete(id);
		for (const id of before) if (!now.includes(id)) this.#leave(id);
		// A killed run may have left these too, but has saved nothing.
		if (crash !== undefined) for (const { id, reference } of live()) if (isLeft(reference)) this.#leave(id);
		return error;
	}

	#leave(id: string): void {
		this.#left.add(id);
		this.#hasGaps = true;
	}

	async refresh(): Promise<void> {
		if (this.entry === undefined) return;
		const run = this.open();
		const { id, props = {}, inputs = {} } = await run.numberPool.read(this.entry.id, this.entry.outs);
		this.keep(id ? { id, outs: props, inputs } : undefined);
		await (await run.session.service()).client.close();
	}

	/** `--replace`: check gets no old inputs, the new one is created, then the old one deleted. */
	async replace(): Promise<void> {
		const old = this.entry;
		if (old === undefined) return;
		const before = { live: live().length, released: released().length };
		const run = this.open();
		const { inputs } = await run.numberPool.check({}, { ...old.inputs, count: Math.max(1, idsIn(old).length) });
		try {
			const { id, outs } = await run.numberPool.create(inputs);
			this.keep({ id, outs, inputs });
			await run.numberPool.delete(old.id, old.outs);
		} catch (error) {
			if (error instanceof InitError) this.keep({ id: error.id, outs: error.properties, inputs });
			expect(isTelephonyError(error) || error instanceof InitError).toBe(true);
		}
		// What the state didn't know to be gone is bought anew, and no other.
		expect(live().length).toBeLessThanOrEqual(Math.max(before.live, idsIn(old).length + this.#left.size));
		// A killed growth may hold the place of one that the state holds; then that one ends by its saved onDelete.
		const gone = released().slice(before.released);
		if (this.#asked <= idsIn(old).length || old.outs.onDelete !== "release") expect(gone).toEqual([]);
		expect(gone.filter((id) => !idsIn(old).includes(id))).toEqual([]);
		await (await run.session.service()).client.close();
	}

	/** In the end, a program that runs undisturbed has exactly what it declares. */
	async end(): Promise<void> {
		await clock.sleep(120_000);
		await this.refresh();
		const news = aPool({ count: 5, label: "desk {index}" });
		expect(await this.settled(news)).toBeUndefined();
		expect(idsIn(this.entry)).toHaveLength(5);
		const mine = live().filter(({ id }) => idsIn(this.entry).includes(id));
		expect(mine.map(({ label }) => label).sort()).toEqual(
			[0, 1, 2, 3, 4].map((n) => `desk ${this.#indices()[n]}`).sort(),
		);
		const before = proxy.count;
		await this.refresh();
		expect(proxy.count - before).toBe(1);
		const { changes } = await upAgain(this.open(), this.entry as Entry, this.#adopting(news), this.entry?.inputs);
		expect(changes).toBe(false);
	}

	/** An `up` that adopts what an error names. */
	async settled(news: Values): Promise<unknown> {
		let error = await this.watched(news);
		// At a service that can't show it, each error names what a killed run may have bought.
		for (let named = idsNamed(error); named.length > 0; named = idsNamed(error)) {
			expect(this.#adopt).not.toEqual(expect.arrayContaining(named));
			this.#adopt = [...new Set([...this.#adopt, ...named])];
			error = await this.watched(news);
		}
		return error;
	}

	#adopting(news: Values): Values {
		return this.#adopt.length === 0 ? news : { ...news, adopt: this.#adopt };
	}

	#indices(): number[] {
		return ((this.entry?.outs.members ?? []) as { index: number }[]).map(({ index }) => index);
	}
}

const lives = (numRuns: number, options: LifeOptions = {}) =>
	fc.assert(
		fc.asyncProperty(steps, async (planned) => {
			emulator.control.reset();
			emulator.control.settings({ features: options.features ?? {} });
			await clock.sleep(3_600_000);
			const life = new Life(options);
			for (const step of planned) await life.step(step);
			await life.end();
		}),
		{ numRuns, endOnFailure: options.sabotage !== undefined },
	);

describe("whatever happens to a pool", { timeout: 300_000 }, () => {
	test("it never has more numbers than declared, and releases by its saved onDelete", () => lives(40));

	test.each([
		["keys", { idempotencyKey: false }],
		["references", { reference: false }],
		["keys and references", { idempotencyKey: false, reference: false }],
	])("nor at a service without %s, where errors name what is to be taken over", (_, features) =>
		lives(Number(process.env.LIVES ?? 12), { features }),
	);

	test.each<[string, Sabotage]>([
		[
			"names that are new in each run",
			(handler) => {
				const own = (inputs: Values) => ({ ...inputs, resourceUrn: `${inputs.resourceUrn}-${proxy.count}` });
				return { ...handler, create: (inputs) => handler.create(own(inputs)) };
			},
		],
		[
			"a release that the state doesn't allow",
			(handler) => ({
				...handler,
				update: (id, olds, news) => handler.update(id, { ...olds, onDelete: "release" }, news),
			}),
		],
		[
			"a state that forgets a number",
			(handler) => ({
				...handler,
				update: async (id, olds, news) => {
					const { outs } = await handler.update(id, olds, news);
					const all = outs.numbers as unknown[];
					return { outs: { ...outs, numbers: all.slice(1), members: (outs.members as unknown[]).slice(1) } };
				},
			}),
		],
	])("and that would find %s", async (_, sabotage) => {
		await expect(lives(40, { sabotage })).rejects.toThrow(/Property failed/);
	});
});
