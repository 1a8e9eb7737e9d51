/** Random lives of a stack: each run buys, resumes, releases and leaves what its plan forecast. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { factsOf } from "../../../cli/plan";
import type { Forecast } from "../../../cli/plan-forecast";
import { planStepsIn } from "../../../cli/plan-steps";
import { isLeft } from "../../../provider/ownership/reference";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { previewOf, type Stack, upOf } from "../../helpers/foreseen";
import { aNumber, aPool, openProvider } from "../../helpers/provider";

const { emulator, clock, purchases, released, live } = useAccount();
const proxy = useFaultProxy(emulator);

const rarely = <T>(arbitrary: fc.Arbitrary<T>, weight: number): fc.Arbitrary<T | undefined> =>
	fc.oneof({ weight, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const aLine = fc.record({
	name: fc.nat(4),
	country: fc.constantFrom("NL", "NL", "SE"),
	generation: fc.constantFrom(0, 0, 1),
	onDelete: fc.constantFrom("release", "retain"),
	releaseProtection: fc.constantFrom(false, false, false, true),
});
const aStep = fc.record({
	lines: fc.uniqueArray(aLine, { maxLength: 4, selector: ({ name }) => name }),
	pool: fc.option(
		fc.record({
			count: fc.integer({ min: 1, max: 4 }),
			country: fc.constantFrom("NL", "NL", "US"),
			onDelete: fc.constantFrom("release", "retain"),
		}),
	),
	/** A number of the account that is released outside Pulumi. */
	loses: rarely(fc.nat(9), 9),
	/** The process is killed before this request of the run, and nothing is saved. */
	crash: rarely(fc.nat(20), 5),
});
type Step = typeof aStep extends fc.Arbitrary<infer T> ? T : never;

const programOf = ({ lines, pool }: Step): Values[] => [
	...lines.map(({ name, ...args }) => aNumber(args, `n${name}`)),
	...(pool === null ? [] : [aPool(pool)]),
];

const leftIds = () => live().flatMap(({ id, reference }) => (isLeft(reference) ? [id] : []));

async function forecastOf(stack: Stack, program: readonly Values[]): Promise<Forecast> {
	const events = await previewOf(opened(), stack, program);
	const service = await opened().session.service();
	const { forecast } = await factsOf(planStepsIn(events), service);
	await service.client.close();
	return forecast;
}

const opened = () =>
	openProvider(proxy, {
		...{ clock, engine: randomUUID(), hasProgram: true },
		env: { TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" },
	});

async function liveOnce(stack: Stack, step: Step, seen: Record<string, number>): Promise<void> {
	// The service's lag is over.
	await clock.sleep(120_000);
	const lost = step.loses === undefined ? undefined : live()[step.loses % Math.max(1, live().length)];
	if (lost !== undefined) emulator.edit("number", lost.id, { status: "released" });
	const program = programOf(step);
	const forecast = await forecastOf(stack, program);
	const { purchases: bought, resumes, endings, refusals } = forecast;
	const unclaimed = live().filter(({ reference }) => !reference).length;
	// A killed run may have left a number that its state still holds: the next update claims it again.
	const held = new Set([...stack.entries.values()].map(({ id }) => id));
	const before = { bought: purchases().length, released: released().length, left: leftIds() };
	const first = proxy.count;
	if (step.crash !== undefined)
		proxy.plan = (request) => (request - first >= (step.crash ?? 0) ? { kind: "lost" } : undefined);
	const errors = await upOf(opened(), stack, program, step.crash !== undefined);
	proxy.plan = () => undefined;
	const count = (what: string) => {
		seen[what] = (seen[what] ?? 0) + 1;
	};
	if (step.crash !== undefined) return count("killed");
	const idsOf = (...outcomes: string[]) =>
		endings.flatMap(({ id, outcome }) => (outcomes.includes(outcome) ? [id] : [])).sort();
	const told = JSON.stringify({ forecast, errors: errors.map(({ message }) => message) });
	expect(errors.length > 0, told).toBe(refusals.length > 0);
	if (errors.length > 0) return count("failed");
	// Under its key, a purchase may turn out to be an unclaimed one's.
	const made = purchases().length - before.bought;
	expect(made <= bought.length && made >= bought.length - unclaimed, told).toBe(true);
	expect(released().slice(before.released).map(String).sort(), told).toEqual(idsOf("removed"));
	const left = leftIds().filter((id) => !before.left.includes(id));
	expect(left.sort(), told).toEqual(idsOf("left"));
	expect(
		before.left
			.filter((id) => !leftIds().includes(id) && !held.has(id))
			.every((id) => resumes.some((each) => each.id === id)),
		told,
	).toBe(true);
	for (const { why } of bought) count(why);
	for (const { outcome } of endings) count(outcome);
	if (resumes.length > 0) count("resumed");
}

test("what the plan forecasts, the run does", { timeout: 3_600_000 }, async () => {
	const seen: Record<string, number> = {};
	await fc.assert(
		fc.asyncProperty(fc.array(aStep, { minLength: 1, maxLength: 5 }), async (steps) => {
			emulator.control.reset();
			const stack: Stack = { entries: new Map(), condemned: [] };
			for (const step of steps) await liveOnce(stack, step, seen);
		}),
		{ numRuns: Number(process.env.LIVES ?? 25), endOnFailure: process.env.LIVES !== undefined },
	);
	if (process.env.LIVES) process.stdout.write(`${JSON.stringify(seen)}\n`);
});
