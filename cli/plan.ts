import { resolve } from "node:path";
import type { Command } from "commander";
import type { Client } from "../provider/api/client";
import type { NumberRecord } from "../provider/api/contract";
import { isTelephonyError } from "../provider/api/errors";
import { isReleasedOrFailed } from "../provider/api/record";
import { type Priced, Prices } from "../provider/reads/prices";
import type { Config, ConfigSource } from "../provider/session/config";
import { amountsOf, countOf, type Limits } from "../provider/session/limits";
import { isKeyed } from "../provider/session/staleness";
import { openClient } from "./account";
import { type EngineRun, preview, selectedStack } from "./engine";
import { publish } from "./job";
import { assertOptions, collected, type ReportOptions, withReport, withStack } from "./options";
import { type Origin, present } from "./origin";
import { type Forecast, forecast } from "./plan-forecast";
import { criteriaIn, criteriaKey, type Facts, type NamedLimits, type PlanReport, planReportOf } from "./plan-report";
import { type PlanStep, planStepsIn } from "./plan-steps";
import { planMarkdown, planText } from "./plan-text";
import { ProgressLine } from "./progress";
import { assertSucceeded } from "./refusals";
import { comesBack } from "./release";
import { UsageError } from "./usage";

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
		const report = await look(options);
		const isOver = report.over.length > 0;
		const count = report.buys.reduce((sum, buy) => sum + buy.count, 0);
		return {
			report,
			markdown: planMarkdown(report),
			text: planText(report),
			outputs: { result: isOver ? "over" : "planned", buys: count, releases: report.releases.length },
			isFound: false,
			isOver,
		};
	});

async function look(options: Options): Promise<PlanReport> {
	const { stack, savePlan } = options;
	assertOptions(options);
	const own: NamedLimits = { limits: limitsIn(options), nameOf: optionOf };
	const cwd = resolve(options.cwd);
	const place = { cwd, stack };
	const progress = new ProgressLine(`previewing${stack === undefined ? "" : ` stack ${stack}`}`);
	const asked = {
		targets: options.target,
		refresh: options.refresh,
		savePlan: savePlan === undefined ? undefined : resolve(savePlan),
	};
	let engine: EngineRun;
	let now: Awaited<ReturnType<typeof present>>;
	try {
		[engine, now] = await Promise.all([
			preview(place, asked, (event) => progress.see(event)),
			present(place, process.env),
		]);
	} finally {
		progress.end();
	}
	assertSucceeded(engine, `the plan${stack === undefined ? "" : ` of stack ${stack}`}`, "plan-unknown");
	const steps = planStepsIn(engine.events);
	const name = engine.events
		.flatMap(({ resourcePreEvent }) => resourcePreEvent?.metadata.urn.split("::")[0]?.replace("urn:pulumi:", "") ?? [])
		.at(0);
	const title = name ?? stack ?? (await selectedStack(cwd)) ?? "";
	return priced(steps, { cwd, title, own, ...now });
}

interface Asked extends Awaited<ReturnType<typeof present>> {
	readonly cwd: string;
	readonly title: string;
	readonly origin: Origin;
	readonly own: NamedLimits;
	readonly config: ConfigSource;
}

const priced = (
	steps: readonly PlanStep[],
	{ cwd, title, own, settings, origin, config: stack }: Asked,
): Promise<PlanReport> =>
	openClient(
		{ ...process.env, ...settings },
		cwd,
		async (client, config) => {
			const limits = [own, ...stackLimits(config)];
			return planReportOf(title, origin, { ...(await factsOf(steps, { client, config })), limits });
		},
		stack,
	);

/** Reads the price once for each different criteria, and the list of numbers once, if numbers change. */
export async function factsOf(
	steps: readonly PlanStep[],
	service: { readonly client: Client; readonly config: Config },
): Promise<Omit<Facts, "limits">> {
	const { client } = service;
	const { live, warnings } = steps.some(changesNumbers)
		? await liveNumbers(client)
		: { live: undefined, warnings: [] as string[] };
	const expected = await forecast(steps, { service, live });
	const prices = await pricesOf(client, expected);
	return { forecast: expected, prices, live, warnings, comesBack: comesBack(client), isKeyed: isKeyed({ client }) };
}

const changesNumbers = ({ type, op }: PlanStep): boolean =>
	(type === "Number" || type === "NumberPool") && op !== "same";

const stackLimits = ({ limits }: Config): NamedLimits[] =>
	limits === undefined ? [] : [{ limits, nameOf: (limit) => `telephony:limits.${limit}` }];

async function liveNumbers(client: Client): Promise<{ live: readonly NumberRecord[] | undefined; warnings: string[] }> {
	try {
		const live: NumberRecord[] = [];
		for await (const record of client.numbers.list()) if (!isReleasedOrFailed(record)) live.push(record);
		return { live, warnings: [] };
	} catch (error) {
		if (!isTelephonyError(error) || error.kind === "Unauthorized") throw error;
		const warning = `The account's numbers can't be read, so it is unknown which numbers can be resumed: ${error.text}`;
		return { live: undefined, warnings: [warning] };
	}
}

async function pricesOf(client: Client, expected: Forecast): Promise<ReadonlyMap<string, Priced>> {
	const prices = new Prices(client);
	const asked = criteriaIn(expected).map(
		async (criteria) => [criteriaKey(criteria), await prices.of(criteria)] as const,
	);
	return new Map(await Promise.all(asked));
}

// ---- Options ------------------------------------------------------------------------------------------------------------

const optionOf = (limit: string): string => `--${limit.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** @throws UsageError for the first one that can't be used */
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
			"Forecast which numbers the next `up` buys, resumes, releases and leaves, with money; changes nothing.",
		)
		.option("--target <urn>", "only this resource; can be repeated", collected, [])
		.option("--refresh", "refresh first, as `pulumi up --refresh` does", false)
		.option("--save-plan <file>", "keep the engine's plan for `pulumi up --plan`")
		.option("--max-purchases <n>", "exit 5 if it buys more numbers")
		.option("--max-releases <n>", "exit 5 if it releases more numbers")
		.option(
			"--max-setup <amount>",
			"exit 5 if the purchases cost more at once, such as 500EUR; one for each currency",
			collected,
			[],
		)
		.option("--max-monthly <amount>", "exit 5 if they cost more each month, such as 1000EUR", collected, [])
		.addHelpText(
			"after",
			"\nExit codes: 0 planned, 5 over a limit, 2 usage, 3 key rejected, 6 no such stack, 1 anything else.",
		)
		.action(run);
};
