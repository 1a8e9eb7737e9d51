/** Random lives of a pool: growth, shrinking, faults and crashes at any request, edits and releases by others. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { isLeft, parseReference } from "../../../../provider/ownership/reference";
import type { Values } from "../../../../provider/properties/table";
import { useAccount } from "../../../helpers/account";
import { type Fault, useFaultProxy } from "../../../helpers/fault-proxy";
import { type Stack, upOf } from "../../../helpers/foreseen";
import { numbersIn } from "../../../helpers/pools";
import { aPool, openProvider } from "../../../helpers/provider";
import { type Entry, upAgain, urnOf } from "../../../helpers/runs";

const { emulator, clock, live, released } = useAccount();
const proxy = useFaultProxy(emulator);

interface Up {
	readonly count: number;
	readonly label: number;
	readonly onDelete: "release" | "retain";
	readonly faults: readonly (readonly [request: number, fault: Fault])[];
	/** The process is killed before this request, and saves nothing. */
	readonly crash: number | undefined;
}
type Step = Up | { readonly others: "edit" | "release"; readonly which: number };

const fault = fc.constantFrom<Fault>(
	{ kind: "lost" },
	{ kind: "unanswered" },
	{ kind: "cut" },
	{ kind: "refused", status: 503 },
	{ kind: "refused", status: 429, retryAfter: "3" },
	{ kind: "replaced", status: 503 },
);
const anUp: fc.Arbitrary<Up> = fc.record({
	count: fc.integer({ min: 1, max: 5 }),
	label: fc.nat(2),
	onDelete: fc.constantFrom("release", "retain"),
	faults: fc.array(fc.tuple(fc.nat(12), fault), { maxLength: 4 }),
	crash: fc.option(fc.integer({ min: 1, max: 14 }), { nil: undefined, freq: 2 }),
});
const byOthers: fc.Arbitrary<Step> = fc.record({ others: fc.constantFrom("edit", "release"), which: fc.nat(4) });
const aStep = fc.oneof({ weight: 3, arbitrary: anUp as fc.Arbitrary<Step> }, { weight: 1, arbitrary: byOthers });

class Life {
	readonly #stack: Stack = { entries: new Map(), condemned: [] };
	/** The most numbers that a run was to have, also a killed one. */
	#most = 0;

	get #entry(): Entry | undefined {
		return this.#stack.entries.get(urnOf(aPool()));
	}

	#ids(): string[] {
		return this.#entry === undefined ? [] : numbersIn(this.#entry).map(({ id }) => id);
	}

	#indices(): number[] {
		return ((this.#entry?.outs.members ?? []) as { index: number }[]).map((member) => member.index);
	}

	async step(step: Step): Promise<void> {
		await clock.sleep(120_000);
		if (!("others" in step)) {
			const { count, onDelete, label } = step;
			return this.#up(aPool({ count, onDelete, ...(label > 0 && { label: `desk ${label}-{index}` }) }), step);
		}
		const id = this.#ids()[step.which];
		if (id === undefined || !live().some((each) => each.id === id)) return;
		if (step.others === "edit") emulator.control.patchNumber(id, { label: "mine" });
		else await emulator.call("DELETE", `/numbers/${id}`);
	}

	async #up(news: Values, { faults, crash }: Pick<Up, "faults" | "crash">): Promise<void> {
		const [held, saved, before] = [this.#ids(), this.#entry?.outs.onDelete, released().length];
		const [run, first, isKilled] = [openProvider(proxy, { clock }), proxy.count, crash !== undefined];
		proxy.plan = (request) =>
			request - first >= (crash ?? Number.POSITIVE_INFINITY)
				? { kind: "lost" }
				: faults.find(([at]) => at === request - first)?.[1];
		await upOf(run, this.#stack, [news], isKilled);
		proxy.plan = () => undefined;
		const gone = released().slice(before);
		expect(
			gone.filter((id) => !held.includes(id)),
			"only a killed run knows them",
		).toEqual([]);
		if (saved !== "release") expect(gone).toEqual([]);
		expect(gone.length).toBeLessThanOrEqual(Math.max(0, held.length - Number(news.count)));
		const tokens = live().flatMap(({ reference }) => parseReference(reference)?.token ?? []);
		expect(new Set(tokens).size).toBe(tokens.length);
		this.#most = Math.max(this.#most, Number(news.count));
		const claimed = live().filter(({ reference }) => reference && !isLeft(reference));
		expect(claimed.length).toBeLessThanOrEqual(this.#most);
	}

	/** Undisturbed, the program gets exactly what it declares. */
	async end(): Promise<void> {
		await clock.sleep(120_000);
		const news = aPool({ count: 5, label: "desk {index}" });
		if (this.#entry !== undefined) {
			const run = openProvider(proxy, { clock, env: { TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" } });
			const { id, props = {}, inputs = {} } = await run.numberPool.read(this.#entry.id, this.#entry.outs);
			if (id) this.#stack.entries.set(urnOf(news), { id, outs: props, inputs });
			else this.#stack.entries.clear();
		}
		await this.#up(news, { faults: [], crash: undefined });
		expect(this.#ids()).toHaveLength(5);
		const labels = live().flatMap(({ id, label }) => (this.#ids().includes(id) ? [label] : []));
		expect(labels.sort()).toEqual(
			this.#indices()
				.map((each) => `desk ${each}`)
				.sort(),
		);
		const { changes } = await upAgain(openProvider(proxy, { clock }), this.#entry as Entry, news, this.#entry?.inputs);
		expect(changes).toBe(false);
	}
}

test("has no more numbers than declared, and releases by its saved onDelete", { timeout: 300_000 }, () =>
	fc.assert(
		fc.asyncProperty(fc.array(aStep, { maxLength: 7 }), async (planned) => {
			emulator.control.reset();
			await clock.sleep(3_600_000);
			const life = new Life();
			for (const step of planned) await life.step(step);
			await life.end();
		}),
		{ numRuns: 50 },
	),
);
