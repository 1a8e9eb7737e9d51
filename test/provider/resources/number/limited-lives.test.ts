/** Random lives of a stack under limits: two processes in each run, pools, adopted numbers, lost answers and kills. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isTelephonyError } from "../../../../provider/api/errors";
import { InitError } from "../../../../provider/lifecycle/resource";
import type { Values } from "../../../../provider/properties/table";
import { useAccount } from "../../../helpers/account";
import { type Fault, useFaultProxy } from "../../../helpers/fault-proxy";
import { aNumber, aPool, openProvider, type Provider, type ProviderOptions } from "../../../helpers/provider";
import { CheckFailed, handlerOf, type State, up, urnOf } from "../../../helpers/runs";

const { emulator, clock, purchases, released } = useAccount();
const proxy = useFaultProxy(emulator);

interface Step {
	/** The numbers that the program declares, by name. */
	readonly names: readonly number[];
	/** How many the pool has; without one, 0. */
	readonly pool: number;
	/** Somebody bought a number that the program adopts. */
	readonly adopts: boolean;
	readonly maxPurchases: number;
	/** The limit is one of money: each number costs 2 USD a month. */
	readonly inMoney: boolean;
	readonly maxReleases: number;
	readonly skipsPreview: boolean;
	readonly faults: readonly (readonly [number, Fault])[];
	/** All processes are killed before this request of the run, and nothing is saved. */
	readonly crash: number | undefined;
}

const fault = fc.constantFrom<Fault>(
	{ kind: "lost" },
	{ kind: "unanswered" },
	{ kind: "cut" },
	{ kind: "refused", status: 503 },
	{ kind: "refused", status: 429, retryAfter: "3" },
	{ kind: "replaced", status: 504 },
);
const aStep: fc.Arbitrary<Step> = fc.record({
	names: fc.uniqueArray(fc.nat(15), { maxLength: 16, size: "max" }),
	pool: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 6 })),
	adopts: fc.boolean(),
	maxPurchases: fc.oneof(fc.nat(8), fc.constant(24)),
	inMoney: fc.boolean(),
	maxReleases: fc.nat(4),
	skipsPreview: fc.boolean(),
	faults: fc.oneof(
		{ weight: 2, arbitrary: fc.constant([]) },
		{ weight: 1, arbitrary: fc.array(fc.tuple(fc.nat(24), fault), { maxLength: 4 }) },
	),
	crash: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(30) }),
});

const causeOf = (error: unknown): unknown => (error instanceof InitError ? error.cause : error);
const codeOf = (error: unknown): string => {
	const cause = causeOf(error);
	return isTelephonyError(cause) ? cause.messageCode : "other";
};
const isLimit = (error: unknown) => (error as Error).message.includes("[telephony:limit]");

const limitsOf = ({ inMoney, maxPurchases, maxReleases }: Step) =>
	JSON.stringify({
		...(inMoney ? { maxMonthly: `${maxPurchases * 2 + 1}.99USD` } : { maxPurchases }),
		maxReleases,
	});

class Life {
	state: State = new Map();
	readonly #features: string | undefined;
	/** What the program adopts; it stays declared. */
	#adopted: string | undefined;
	/** How often each thing was seen. */
	readonly seen: Record<string, number>;

	constructor(features: string | undefined, seen: Record<string, number>) {
		this.#features = features;
		this.seen = seen;
	}

	async step(step: Step): Promise<void> {
		// The service's lag is over, and keys of killed runs still live.
		await clock.sleep(120_000);
		if (step.adopts && this.#adopted === undefined) {
			const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "geographic" });
			this.#adopted = body.id;
		}
		const program = this.#program(step);
		const [state, account] = [new Map(this.state), emulator.control.snapshot()];
		const before = { bought: purchases().length, released: released().length };
		const errors = await this.#run(program, step, limitsOf(step));
		const bought = purchases().length - before.bought;
		const gone = released().length - before.released;

		const told = JSON.stringify({ bought, gone, errors: errors.map((error) => (error as Error).message) });
		expect(bought, told).toBeLessThanOrEqual(step.maxPurchases);
		expect(gone, told).toBeLessThanOrEqual(step.maxReleases);
		this.#count("runs");
		if (bought === step.maxPurchases && bought > 0) this.#count("at the limit");
		if (step.crash !== undefined) return this.#count("killed");
		await this.#judge(step, { program, state, account, errors, bought, gone, told });
	}

	/** Nobody was stopped whom the limit would have let buy or release more. */
	async #judge(
		step: Step,
		{
			program,
			state,
			account,
			errors,
			bought,
			gone,
			told,
		}: {
			readonly program: readonly Values[];
			readonly state: State;
			readonly account: ReturnType<typeof emulator.control.snapshot>;
			readonly errors: readonly unknown[];
			readonly bought: number;
			readonly gone: number;
			readonly told: string;
		},
	): Promise<void> {
		const stopped = errors.filter(isLimit);
		const checks = stopped.filter((error) => error instanceof CheckFailed);
		const unknown = errors.filter((error) => ["purchase-unknown", "unconfirmed-write"].includes(codeOf(error))).length;
		const isDone = (text: RegExp) =>
			stopped.some((error) => !(error instanceof CheckFailed) && text.test((error as Error).message));
		if (isDone(/maxPurchases|maxMonthly/)) {
			this.#count("purchase refused");
			expect(bought + unknown, told).toBeGreaterThanOrEqual(step.maxPurchases);
		}
		if (isDone(/maxReleases/)) {
			this.#count("release refused");
			expect(gone + unknown, told).toBeGreaterThanOrEqual(step.maxReleases);
		}
		if (checks.length === 0) return;
		this.#count("preview refused");
		// The same run without limits, in the same account.
		const [after, kept] = [this.state, emulator.control.snapshot()];
		emulator.control.restore(account);
		this.state = new Map(state);
		const first = purchases().length;
		const others = await this.#run(program, { ...step, faults: [] }, "{}");
		// Without keys, what a killed run may have left stops all that is like it.
		const isDoubtful = others.some((error) => codeOf(error) === "purchase-unknown");
		if (!isDoubtful) expect(purchases().length - first, told).toBeGreaterThan(step.maxPurchases);
		emulator.control.restore(kept);
		this.state = after;
	}

	#program({ names, pool }: Step): Values[] {
		return [
			...names.map((name) => aNumber({}, `n${name}`)),
			...(pool === 0 ? [] : [aPool({ count: pool })]),
			...(this.#adopted === undefined ? [] : [aNumber({ type: "geographic", adopt: this.#adopted }, "adopted")]),
		];
	}

	/** Both processes declare their half at once; then a third one deletes what the program has dropped. */
	async #run(program: readonly Values[], { faults, crash, skipsPreview }: Step, limits: string): Promise<unknown[]> {
		const first = proxy.count;
		const isKilled = crash !== undefined;
		proxy.plan = (request) =>
			isKilled && request - first >= crash ? { kind: "lost" } : faults.find(([at]) => at === request - first)?.[1];
		const engine = randomUUID();
		const open = (more: ProviderOptions = {}) => {
			const features = this.#features === undefined ? {} : { "telephony:features": this.#features };
			const config = { "telephony:limits": limits, ...features };
			return openProvider(proxy, { clock, engine, config, env: { TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" }, ...more });
		};
		if (!skipsPreview) {
			const refused = await this.#previewed(open(), program);
			if (refused.length > 0) return refused;
		}
		const half = (rest: number) => program.filter((_, index) => index % 2 === rest);
		const done = await Promise.all([0, 1].map((rest) => up(open(), this.state, half(rest), isKilled)));
		const errors: unknown[] = done.flat();
		if (errors.length === 0) errors.push(...(await this.#deleted(open({ hasProgram: true }), program, isKilled)));
		proxy.plan = () => undefined;
		return errors;
	}

	async #previewed(run: Provider, program: readonly Values[]): Promise<CheckFailed[]> {
		for (const news of program) {
			const { failures } = await handlerOf(run, news).check(this.state.get(urnOf(news))?.inputs ?? {}, news);
			if (failures.length > 0) return failures.map(({ reason }) => new CheckFailed(reason));
		}
		return [];
	}

	async #deleted(run: Provider, program: readonly Values[], isKilled: boolean): Promise<unknown[]> {
		const errors: unknown[] = [];
		const declared = new Set(program.map(urnOf));
		for (const [urn, { id, outs }] of [...this.state].filter(([each]) => !declared.has(each))) {
			const error: unknown = await handlerOf(run, outs)
				.delete(id, outs)
				.catch((reason: unknown) => reason);
			if (error !== undefined) errors.push(error);
			else if (!isKilled) this.state.delete(urn);
		}
		await (await run.session.service()).client.close();
		return errors;
	}

	#count(what: string): void {
		this.seen[what] = (this.seen[what] ?? 0) + 1;
	}
}

describe.each([
	["with keys", "idempotencyKey", 60],
	["without keys", "-idempotencyKey", 15],
])("a service %s", (_, features, lives) => {
	test("never sells one over a limit, and nobody is stopped below it", async () => {
		const seen: Record<string, number> = {};
		await fc.assert(
			fc.asyncProperty(fc.array(aStep, { minLength: 1, maxLength: 4 }), async (steps) => {
				emulator.control.reset();
				const life = new Life(features, seen);
				for (const step of steps) await life.step(step);
			}),
			{ numRuns: Number(process.env.LIVES ?? lives), endOnFailure: process.env.LIVES !== undefined },
		);
		if (process.env.LIVES) process.stdout.write(`${JSON.stringify(seen)}\n`);
		// A few lives don't show everything.
		if (lives < 50) return;
		for (const what of ["at the limit", "purchase refused", "release refused", "preview refused", "killed"])
			expect(seen[what], what).toBeGreaterThan(0);
	}, 600_000);
});
