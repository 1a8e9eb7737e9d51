/** `telephony plan`: forecasts the next `pulumi up`. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { defined } from "../../provider/api/json";
import { phonePin, pinnable } from "../../provider/reads/account-pin";
import type { Config } from "../../provider/session/config";
import { amountsOf, countOf, type Limits, limitsIn as limitsOf } from "../../provider/session/limits";
import type { Session } from "../../provider/session/session";
import { restoreNote } from "../account/account";
import { stackConfig } from "../engine/config";
import { stackIn } from "../engine/events";
import { previewEvents } from "../engine/preview";
import { selectedStack } from "../engine/state";
import { assertOptions, collected, type ReportOptions, withReport, withStack } from "../report/options";
import { publish } from "../report/publish";
import { exitCodes, UsageError } from "../report/usage";
import { type Facts, factsOf, withSession } from "./facts";
import { forecastOf } from "./forecast";
import {
	kycWarnings,
	type NamedLimits,
	type Pin,
	type PlanReport,
	planReportOf,
	type ReportFacts,
	withPrices,
} from "./report";
import { type PlanStep, planStepsIn } from "./steps";
import { planView } from "./view";

interface Options extends ReportOptions {
	readonly cwd: string;
	readonly stack?: string;
	readonly target: readonly string[];
	readonly refresh: boolean;
	readonly savePlan?: string;
	readonly maxPurchases?: string;
	readonly maxReleases?: string;
	readonly maxSetup: readonly string[];
	readonly maxMonthly: readonly string[];
}

const run = (options: Options): Promise<void> =>
	publish(options, async () => {
		const report = await makePlan(options);
		const isOver = report.over.length > 0;
		const buys = report.buys.reduce((sum, buy) => sum + buy.count, 0);
		return {
			json: report,
			report: planView(report),
			outputs: { result: isOver ? "over" : "planned", buys, releases: report.releases.length },
			exitCode: isOver ? exitCodes.over : exitCodes.clean,
		};
	});

async function makePlan(options: Options): Promise<PlanReport> {
	assertOptions(options);
	const optionLimits: NamedLimits = { limits: limitsIn(options), nameOf: optionOf };
	const cwd = resolve(options.cwd);
	const place = { cwd, stack: options.stack };
	const [events, { settings, origin, config: configured }] = await Promise.all([
		previewEvents(place, {
			args: ["preview", ...previewArgs(options)],
			progress: "running the preview",
			subject: "plan",
			unknownCode: "plan-unknown",
			reason: "its preview failed",
		}),
		stackConfig(place, process.env),
	]);
	const [urn] = events.flatMap(({ resourcePreEvent }) => resourcePreEvent?.metadata.urn ?? []);
	const stack = urn === undefined ? (options.stack ?? (await selectedStack(cwd))) : stackIn(urn);
	return withSession({ ...process.env, ...settings }, cwd, configured, async (session) => {
		const steps = planStepsIn(events);
		const facts = await reportFactsOf(steps, session);
		const limits = [optionLimits, ...stackLimits(await session.config(), steps)];
		return planReportOf(stack, origin, { ...facts, limits });
	});
}

/** Forecasts the run of these steps, and reads the prices of its purchases. */
export async function reportFactsOf(
	steps: readonly PlanStep[],
	session: Session,
): Promise<Omit<ReportFacts, "limits">> {
	const facts = await factsOf(steps, session);
	const { service, warnings } = facts;
	const forecast = await forecastOf(facts);
	const [purchases, kyc] = await Promise.all([
		withPrices(forecast.purchases, service.prices),
		kycWarnings(forecast.purchases, session),
	]);
	return {
		forecast,
		purchases,
		warnings: [...warnings, ...kyc],
		pin: pinOf(facts),
		comesBack: restoreNote(service.client),
	};
}

/** Proposes what the requests of the plan have shown: the account's id, or one of its phone numbers. */
function pinOf({ service: { client, config }, live = [] }: Facts): Pin {
	if (config.account !== undefined) return { pinned: config.account.text };
	return defined({ proposed: pinnable(client.accountId, ...live.map(({ number }) => phonePin(number))) });
}

const previewArgs = ({ target, refresh, savePlan }: Options): string[] => [
	...target.flatMap((urn) => ["--target", urn]),
	...(refresh ? ["--refresh"] : []),
	...(savePlan === undefined ? [] : ["--save-plan", resolve(savePlan)]),
];

/** Each provider is a run of its own: that of the stack's configuration, and those of the program. */
function stackLimits({ limits: ofStack }: Config, steps: readonly PlanStep[]): NamedLimits[] {
	const processes = new Map(
		[undefined, ...steps.map(({ process }) => process)].map((process) => [process?.name, process]),
	);
	return [...processes].flatMap(([name, process]) => {
		const limits = process?.limits === undefined ? ofStack : limitsOf(process.limits);
		if (limits === undefined) return [];
		const suffix = name === undefined ? "" : ` of provider ${name}`;
		const nameOf = (limit: string) => `telephony:limits.${limit}${suffix}`;
		return [{ limits, nameOf, counts: (by: string | undefined) => by === name }];
	});
}

const optionOf = (limit: string): string => `--${limit.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** @throws UsageError for the first invalid limit */
function limitsIn({ maxPurchases, maxReleases, maxSetup, maxMonthly }: Options): Limits {
	const read = <T>(name: string, given: unknown, parse: (value: unknown) => T | string): T => {
		const value = parse(given);
		if (typeof value === "string") throw new UsageError("usage", `${optionOf(name)}: ${value}.`);
		return value;
	};
	return {
		...(maxPurchases === undefined ? {} : { maxPurchases: read("maxPurchases", maxPurchases, countOf) }),
		...(maxReleases === undefined ? {} : { maxReleases: read("maxReleases", maxReleases, countOf) }),
		...(maxSetup.length === 0 ? {} : { maxSetup: read("maxSetup", maxSetup, amountsOf) }),
		...(maxMonthly.length === 0 ? {} : { maxMonthly: read("maxMonthly", maxMonthly, amountsOf) }),
	};
}

export const addPlan = (program: Command): void => {
	withReport(withStack(program.command("plan")))
		.description(
			"Forecast which numbers the next `up` buys, resumes, releases and retains, and the cost. Changes nothing.",
		)
		.option("--target <urn>", "plan only this resource; can be repeated", collected, [])
		.option("--refresh", "refresh first, as `pulumi up --refresh` does", false)
		.option("--save-plan <file>", "save the engine's plan for `pulumi up --plan`")
		.option("--max-purchases <n>", "exit 5 if the plan buys more numbers than this")
		.option("--max-releases <n>", "exit 5 if the plan releases more numbers than this")
		.option(
			"--max-setup <amount>",
			"exit 5 if the setup costs exceed this amount, such as 500EUR; repeat for each currency",
			collected,
			[],
		)
		.option(
			"--max-monthly <amount>",
			"exit 5 if the purchases cost more than this a month, such as 1000EUR",
			collected,
			[],
		)
		.addHelpText(
			"after",
			"\nExit codes: 0 planned, 5 over a limit, 2 usage, 3 key rejected, 6 no such stack, 1 any other error.",
		)
		.action(run);
};
