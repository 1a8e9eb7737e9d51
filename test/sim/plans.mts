/** Random programs, each forecast as `telephony plan` does it: the run then buys, resumes, releases and retains just that. */
import { createRequire } from "node:module";
import type { EngineEvent } from "../../cli/engine/events.ts";
import type { Forecast } from "../../cli/plan/forecast.ts";
import { type Control, type Emulator, isMarkedRetained, liveNumbers, onAccount } from "./account.mts";
import { must } from "./checks/check.mts";
import { inProcess } from "./drivers.mts";
import { allIn, type Errors, preview, type State, type Step } from "./engine.mts";
import type { Declared, Program } from "./program.mts";
import { type Random, seeded } from "./random.mts";
import { EngineStack } from "./stack.mts";
import { duringRuns } from "./troubles.mts";
import type { Setting } from "./world.mts";

const require = createRequire(import.meta.url);
const { factsOf } = require("../../dist/cli/plan/facts.js") as typeof import("../../cli/plan/facts.ts");
const plan = require("../../dist/cli/plan/forecast.js") as typeof import("../../cli/plan/forecast.ts");
const { planStepsIn } = require("../../dist/cli/plan/steps.js") as typeof import("../../cli/plan/steps.ts");

function programOf(random: Random): Program {
	const onDelete = () => random.pick(["release", "retain"]);
	const names = [0, 1, 2, 3, 4].filter(() => random.chance(0.5));
	const numbers = names.map((name): Declared => {
		const args = { generation: random.pick([0, 0, 1]), releaseProtection: random.chance(0.25) };
		const country = random.pick(["NL", "NL", "SE"]);
		return { kind: "number", name: `n${name}`, args: { country, type: "mobile", onDelete: onDelete(), ...args } };
	});
	const args = { country: random.pick(["NL", "NL", "US"]), type: "mobile", onDelete: onDelete() };
	const pool: Declared = {
		...{ kind: "number", type: "NumberPool", name: "support" },
		args: { ...args, count: random.int(1, 4) },
	};
	return random.chance(0.5) ? numbers : [...numbers, pool];
}

/** Returns the event of `pulumi preview --json`. */
function eventOf({ op, old, inputs }: Step): EngineEvent {
	const urn = String((inputs ?? old?.outputs)?.__resourceUrn);
	const saved = old && { old: { id: old.id, urn, inputs: old.inputs, outputs: old.outputs } };
	const keys = op === "create-replacement" ? { keys: ["country"] } : {};
	const metadata = { op, urn, type: urn.split("::")[2] ?? "", ...keys, ...saved, ...(inputs && { new: { inputs } }) };
	return { resourcePreEvent: { metadata } };
}

/** Performs one trial. @throws Violation */
export const playPlans = ({ seed, say, count }: Setting): Promise<void> =>
	onAccount(seed, async (emulator, clock) => {
		const [random, driver] = [seeded(seed), inProcess(clock)];
		const stack = new EngineStack(emulator, driver, say);
		const planned = async (program: Program): Promise<Forecast> => {
			const provider = await driver.open({ service: emulator, env, isCrashed: () => false, pausing: () => {}, say });
			const events = (await preview(provider, await stack.state(), program)).map(eventOf);
			must(provider.session !== undefined, () => "a plan needs the provider in this process");
			const forecast = await plan.forecastOf(await factsOf(planStepsIn(events), provider.session));
			await provider.kill();
			return forecast;
		};
		for (let runs = random.int(1, 5); runs > 0; runs -= 1) {
			clock.advance(120_000);
			const live = liveNumbers(emulator.control);
			if (live.length > 0 && random.chance(0.1)) emulator.control.deleteNumber(random.pick(live).id);
			const program = programOf(random);
			const judge = judgeOf(emulator, await stack.state(), await planned(program));
			const kill = random.chance(0.15) ? duringRuns.kill.choose({ random, operations, program }) : undefined;
			const { killedAt, errors } = await stack.up(program, { kill, env });
			count(killedAt === undefined ? "up" : "up, killed");
			if (killedAt === undefined) judge(errors);
		}
	});

const operations = ["listNumbers", "buyNumber", "patchNumber"] as const;
const env = { TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" };

const idsIn = (objects: readonly { readonly id: string }[]): string[] => objects.map(({ id }) => id);

const retainedIn = (control: Control): string[] =>
	liveNumbers(control).flatMap(({ id, reference }) => (isMarkedRetained(reference) ? [id] : []));

/** Returns a function that compares a run with its forecast. */
function judgeOf({ control }: Emulator, state: State, forecast: Forecast): (errors: Errors) => void {
	const rows = control.ledger().length;
	const unclaimed = liveNumbers(control).filter(({ reference }) => !reference).length;
	const retainedBefore = retainedIn(control);
	// A killed run may have left a number that its state still holds: the next update claims it again.
	const held = new Set(allIn(state).map(({ id }) => id));
	const mustBe = (what: string, found: readonly string[], wanted: readonly string[]) =>
		must([...found].sort().join() === [...wanted].sort().join(), () => `${what} ${found}, and the plan says ${wanted}`);
	return (errors) => {
		const refusals = forecast.refusals.map(({ message }) => message);
		must(errors.length > 0 === refusals.length > 0, () => `the run says ${errors}, and the plan ${refusals}`);
		if (errors.length > 0) return;
		const since = control.ledger().slice(rows);
		const idsOf = (kind: string) => since.flatMap((row) => (row.kind === kind ? [row.number_id] : []));
		const [bought, planned] = [idsOf("purchase").length, forecast.purchases.length];
		// Under its key, a purchase may turn out to be an unclaimed number's.
		must(bought <= planned && bought >= planned - unclaimed, () => `bought ${bought}, and the plan says ${planned}`);
		mustBe("released", idsOf("release"), idsIn(forecast.releases));
		const retainedAfter = retainedIn(control);
		mustBe(
			"retained",
			retainedAfter.filter((id) => !retainedBefore.includes(id)),
			idsIn(forecast.retains),
		);
		const resumes = new Set(forecast.resumes.map(({ id }) => id));
		const unplanned = retainedBefore.filter((id) => !retainedAfter.includes(id) && !held.has(id) && !resumes.has(id));
		must(unplanned.length === 0, () => `resumed ${unplanned}, and the plan says ${[...resumes]}`);
	};
}
