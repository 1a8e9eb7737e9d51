/** Random lives of a stack: what `telephony plan` says of each run is what the run does at the account. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { deedsOf } from "../../cli/plan-deeds";
import type { Deeds } from "../../cli/plan-run";
import { isRefused } from "../../cli/plan-run";
import { planStepsIn } from "../../cli/plan-steps";
import type { NumberRecord } from "../../provider/api/contract";
import { isReleasedOrFailed } from "../../provider/api/record";
import type { Values } from "../../provider/properties/table";
import { useAccount } from "../helpers/account";
import { useFaultProxy } from "../helpers/fault-proxy";
import { previewOf, type Stack, upOf } from "../helpers/foreseen";
import { aNumber, aPool, aTrunk, openProvider } from "../helpers/provider";
import { CheckFailed } from "../helpers/runs";

const { emulator, clock, purchases, released, live } = useAccount();
const proxy = useFaultProxy(emulator);

interface Line {
	readonly name: number;
	readonly country: string;
	readonly generation: number;
	readonly allowReplacement: boolean;
	readonly label: string;
	readonly onDelete: "retain" | undefined;
	readonly releaseProtection: boolean;
}

interface Pool {
	readonly count: number;
	readonly country: string;
	readonly label: string;
}

interface Step {
	readonly lines: readonly Line[];
	readonly pool: Pool | undefined;
	/** Its capacity. */
	readonly trunk: number;
	readonly adopts: boolean;
	/** Somebody releases one of the numbers. */
	readonly loses: number | undefined;
	/** `telephony:release` names one of the numbers. */
	readonly letsGo: number | undefined;
	/** The process is killed before this request of the run, and nothing is saved. */
	readonly crash: number | undefined;
}

const rarely = <T>(arbitrary: fc.Arbitrary<T>, weight = 6): fc.Arbitrary<T | undefined> =>
	fc.oneof({ weight, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const aLine: fc.Arbitrary<Line> = fc.record({
	name: fc.nat(5),
	country: fc.constantFrom("NL", "NL", "SE"),
	generation: fc.constantFrom(0, 0, 0, 1),
	allowReplacement: fc.constantFrom(true, true, false),
	label: fc.constantFrom("a", "b"),
	onDelete: fc.constantFrom(undefined, undefined, undefined, undefined, "retain" as const),
	releaseProtection: fc.constantFrom(false, false, false, false, false, false, false, true),
});
const aStep: fc.Arbitrary<Step> = fc.record({
	lines: fc.uniqueArray(aLine, { maxLength: 5, selector: ({ name }) => name }),
	pool: fc.oneof(
		fc.constant(undefined),
		fc.record({
			count: fc.integer({ min: 1, max: 4 }),
			country: fc.constantFrom("NL", "NL", "US"),
			label: fc.constantFrom("p", "q"),
		}),
	),
	trunk: fc.integer({ min: 1, max: 3 }),
	adopts: fc.constantFrom(false, false, false, true),
	loses: rarely(fc.nat(9), 10),
	letsGo: rarely(fc.nat(9)),
	crash: rarely(fc.nat(20), 4),
});

class Life {
	readonly stack: Stack = { entries: new Map(), condemned: [] };
	/** What the program adopts; it stays declared. */
	#adopted: string | undefined;
	readonly seen: Record<string, number>;

	constructor(seen: Record<string, number>) {
		this.seen = seen;
	}

	async step(step: Step): Promise<void> {
		// The service's lag is over.
		await clock.sleep(120_000);
		if (step.adopts && this.#adopted === undefined) {
			const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "geographic" });
			this.#adopted = body.id;
		}
		const some = (at: number | undefined) =>
			at === undefined ? undefined : live()[at % Math.max(1, live().length)]?.id;
		const lost = some(step.loses);
		if (lost !== undefined) emulator.edit("number", lost, { status: "released" });
		const config = { "telephony:release": some(step.letsGo) ?? "" };
		const program = this.#program(step);
		const open = (service = proxy) =>
			openProvider(service, {
				clock,
				engine: randomUUID(),
				hasProgram: true,
				config,
				env: { TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" },
			});
		const events = await previewOf(open(), this.stack, program).catch((error: unknown) => {
			if (error instanceof CheckFailed) return undefined;
			throw error;
		});
		if (events === undefined) return this.#count("refused by check");
		const { client, config: own } = await open().session.service();
		const numbers: NumberRecord[] = [];
		for await (const record of client.numbers.list()) if (!isReleasedOrFailed(record)) numbers.push(record);
		await client.close();
		const deeds = deedsOf(planStepsIn(events), { service: { client, config: own }, live: numbers });
		const unclaimed = numbers.filter(({ reference }) => !reference).length;

		const before = { bought: purchases().length, released: released().length };
		const first = proxy.count;
		proxy.plan = (request) =>
			step.crash !== undefined && request - first >= step.crash ? { kind: "lost" } : undefined;
		const errors = await upOf(open(), this.stack, program, step.crash !== undefined);
		proxy.plan = () => undefined;
		this.#count("runs");
		if (step.crash !== undefined) return this.#count("killed");
		this.#compare(deeds, unclaimed, {
			bought: purchases().length - before.bought,
			gone: released().slice(before.released).map(String),
			errors: errors.map(({ message }) => message),
		});
	}

	#compare(
		deeds: Deeds,
		unclaimed: number,
		done: { bought: number; gone: readonly string[]; errors: readonly string[] },
	): void {
		const told = JSON.stringify({ done, deeds });
		const { purchases: planned, endings, refusals, takeOvers } = deeds;
		const hasError = refusals.length > 0 || endings.some((each) => each.doubt !== undefined || isRefused(each));
		expect(done.errors.length > 0 && !hasError, `an error that the plan doesn't say: ${told}`).toBe(false);
		// Under its key, a purchase may turn out to be an earlier one's: only the order says which.
		const least = refusals.length > 0 ? 0 : planned.length - unclaimed;
		expect(done.bought, told).toBeLessThanOrEqual(planned.length);
		expect(done.bought, told).toBeGreaterThanOrEqual(least);
		const going = (isSure: boolean) =>
			endings
				.filter(({ fate, doubt }) => (fate === "released" && doubt === undefined) || (!isSure && doubt !== undefined))
				.map(({ id }) => id);
		const [sure, possible] = [going(true), going(false)];
		expect(
			done.gone.filter((id) => !possible.includes(id)),
			`released, and not in the plan: ${told}`,
		).toEqual([]);
		expect(
			sure.filter((id) => !done.gone.includes(id)),
			`in the plan, and not released: ${told}`,
		).toEqual([]);
		if (unclaimed === 0 && !hasError) this.#count("exact");
		if (takeOvers.length > 0) this.#count("taken over");
		for (const { why } of planned) this.#count(`bought: ${why}`);
		for (const { fate, doubt } of endings) this.#count(`${doubt === undefined ? "" : "perhaps "}${fate}`);
	}

	#program({ lines, pool, trunk }: Step): Values[] {
		return [
			...lines.map(({ name, ...args }) => aNumber({ ...args }, `n${name}`)),
			...(pool === undefined ? [] : [aPool({ ...pool, allowRelease: true, allowReplacement: true })]),
			aTrunk({ capacity: trunk }),
			...(this.#adopted === undefined ? [] : [aNumber({ type: "geographic", adopt: this.#adopted }, "adopted")]),
		];
	}

	#count(what: string): void {
		this.seen[what] = (this.seen[what] ?? 0) + 1;
	}
}

const lives = Number(process.env.LIVES ?? 25);

test("what the plan says is bought and released, the run buys and releases", async () => {
	const seen: Record<string, number> = {};
	await fc.assert(
		fc.asyncProperty(fc.array(aStep, { minLength: 1, maxLength: 5 }), async (steps) => {
			emulator.control.reset();
			const life = new Life(seen);
			for (const step of steps) await life.step(step);
		}),
		{
			numRuns: lives,
			endOnFailure: process.env.LIVES !== undefined,
		},
	);
	if (process.env.LIVES) process.stdout.write(`${JSON.stringify(seen)}\n`);
}, 3_600_000);
