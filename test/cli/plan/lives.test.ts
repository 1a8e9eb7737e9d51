/** Random lives of a stack: each run buys, resumes, releases and leaves what its plan forecast. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { factsOf } from "../../../cli/plan/command";
import { planStepsIn } from "../../../cli/plan/steps";
import { isLeft } from "../../../provider/ownership/reference";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { previewOf, type Stack, upOf } from "../../helpers/foreseen";
import { allGone, aNumber, aPool, openProvider } from "../../helpers/provider";

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
const opened = () => openProvider(proxy, { clock, hasProgram: true, ...allGone });

async function forecastOf(stack: Stack, program: readonly Values[]) {
	const events = await previewOf(opened(), stack, program);
	const service = await opened().session.service();
	const { forecast } = await factsOf(planStepsIn(events), service);
	await service.client.close();
	return forecast;
}

async function liveOnce(stack: Stack, step: Step): Promise<void> {
	// The service's lag is over.
	await clock.sleep(120_000);
	const lost = step.loses === undefined ? undefined : live()[step.loses % Math.max(1, live().length)];
	if (lost !== undefined) emulator.edit("number", lost.id, { status: "released" });
	const program = programOf(step);
	const forecast = await forecastOf(stack, program);
	const unclaimed = live().filter(({ reference }) => !reference).length;
	// A killed run may have left a number that its state still holds: the next update claims it again.
	const held = new Set([...stack.entries.values()].map(({ id }) => id));
	const before = { bought: purchases().length, released: released().length, left: leftIds() };
	const [first, { crash }] = [proxy.count, step];
	if (crash !== undefined) proxy.plan = (request) => (request - first >= crash ? { kind: "lost" } : undefined);
	const errors = await upOf(opened(), stack, program, crash !== undefined);
	proxy.plan = () => undefined;
	if (crash !== undefined) return;
	const context = JSON.stringify({ forecast, errors: errors.map(({ message }) => message) });
	expect(errors.length > 0, context).toBe(forecast.refusals.length > 0);
	if (errors.length > 0) return;
	// Under its key, a purchase may turn out to be an unclaimed number's.
	const [made, bought] = [purchases().length - before.bought, forecast.purchases.length];
	expect(made <= bought && made >= bought - unclaimed, context).toBe(true);
	const idsOf = (outcome: string) =>
		forecast.removals.flatMap((each) => (each.outcome === outcome ? [each.id] : [])).sort();
	expect(released().slice(before.released).map(String).sort(), context).toEqual(idsOf("removed"));
	const retained = leftIds();
	expect(retained.filter((id) => !before.left.includes(id)).sort(), context).toEqual(idsOf("left"));
	const resumed = before.left.filter((id) => !retained.includes(id) && !held.has(id));
	expect(
		forecast.resumes.map(({ id }) => id),
		context,
	).toEqual(expect.arrayContaining(resumed));
}

test("each run does what its plan forecast", { timeout: 3_600_000 }, async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(aStep, { minLength: 1, maxLength: 5 }), async (steps) => {
			emulator.control.reset();
			const stack: Stack = { entries: new Map(), condemned: [] };
			for (const step of steps) await liveOnce(stack, step);
		}),
		{ numRuns: Number(process.env.LIVES ?? 25), endOnFailure: process.env.LIVES !== undefined },
	);
});
