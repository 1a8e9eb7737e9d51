/** From the engine's preview to the plan: what is bought and why, with money; what goes, what stays, and what isn't known. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { factsOf } from "../../cli/plan";
import { type Facts, type PlanReport, planReportOf } from "../../cli/plan-report";
import { planStepsIn } from "../../cli/plan-steps";
import { costLine, planHeadline, planMarkdown, planText } from "../../cli/plan-text";
import type { Values } from "../../provider/properties/table";
import type { Priced } from "../../provider/reads/prices";
import { type Limits, limitsIn } from "../../provider/session/limits";
import { useAccount } from "../helpers/account";
import { telephony } from "../helpers/drift-cli";
import { run } from "../helpers/engine";
import { origin, secret } from "../helpers/engine-events";
import { previewOf, type Stack, upOf } from "../helpers/foreseen";
import { aNumber, aPool, type ProviderOptions } from "../helpers/provider";

const { emulator, clock, open, another } = useAccount();

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const emptyStack = (): Stack => ({ entries: new Map(), condemned: [] });

interface Planning {
	readonly stack?: Stack;
	readonly limits?: Limits;
	readonly options?: ProviderOptions;
	/** What the inventory says instead. */
	readonly price?: Priced;
	/** Changes what the engine says. */
	readonly edit?: (events: Awaited<ReturnType<typeof previewOf>>) => void;
}

/** The plan of a program, by the provider's own check and diff. */
async function planned(
	program: readonly Values[],
	{ stack = emptyStack(), limits = {}, options = {}, price, edit }: Planning = {},
): Promise<PlanReport> {
	const all = { clock, ...options };
	const events = await previewOf(open(all), stack, program);
	edit?.(events);
	const service = await open(all).session.service();
	const facts = await factsOf(planStepsIn(events), service);
	await service.client.close();
	const prices = price === undefined ? facts.prices : new Map([...facts.prices.keys()].map((key) => [key, price]));
	const named: Facts["limits"] = [{ limits, nameOf: (limit) => limit }];
	return planReportOf("prod", origin, { ...facts, prices, limits: named });
}

async function upped(program: readonly Values[], stack: Stack = emptyStack()): Promise<Stack> {
	expect(await upOf(open(), stack, program)).toEqual([]);
	return stack;
}

const buysOf = ({ buys }: PlanReport) => buys.map(({ why, count, names }) => `${why} ${count}: ${names.join(" ")}`);
const releasesOf = ({ releases }: PlanReport) => releases.map(({ why, name }) => `${why}: ${name}`);
const usd = (amount: string) => ({ amount, currency: "USD" });

describe("purchases", () => {
	test("are told apart by their reason, and like ones are one row, the dearest first", async () => {
		const stack = await upped([
			aNumber({}, "same"),
			aNumber({}, "again"),
			aNumber({ allowReplacement: true }, "moved"),
			aPool({ count: 2 }),
		]);
		const report = await planned(
			[
				aNumber({}, "same"),
				aNumber({ generation: 1 }, "again"),
				aNumber({ country: "SE", allowReplacement: true }, "moved"),
				aPool({ count: 4 }),
				aNumber({ country: "US", type: "toll_free" }, "free"),
				...Array.from({ length: 3 }, (_, index) => aNumber({ country: "GB" }, `line-${index}`)),
			],
			{ stack },
		);
		expect(buysOf(report)).toEqual([
			"new 3: line-0 line-1 line-2",
			"growth 2: support[2] support[3]",
			"new 1: free",
			"generation 1: again",
			"replacement 1: moved",
		]);
		expect(report.buys[0]).toMatchObject({ country: "GB", type: "mobile", setup: usd("0.00"), monthly: usd("6.00") });
		expect(releasesOf(report).sort()).toEqual(["generation: again", "replacement: moved"]);
		expect(report).toMatchObject({ monthly: [usd("17.00")], monthlyChange: [usd("13.00")], unpriced: [], keeps: 3 });
		expect(planHeadline(report)).toBe("plan: buys 8, releases 2, keeps 3 numbers, changes 1 resource, stack prod");
		expect(costLine(report)).toBe("cost: 0.00 USD setup, 17.00 USD a month; monthly bill +13.00 USD");
	});

	test("of a new name for a number that goes are a rename, whose release `up` refuses", async () => {
		const stack = await upped([aNumber({}, "old"), aNumber({ country: "SE" }, "gone")]);
		const report = await planned([aNumber({}, "fresh")], { stack });
		expect(report.buys).toMatchObject([{ why: "rename", names: ["fresh"], were: ["old"] }]);
		expect(report.stays).toMatchObject([
			{ name: "old", isRefused: true, why: expect.stringContaining('aliases: [{ name: "old" }]') },
		]);
		// The run ends in an error there, so that this one may have to wait.
		expect(report.releases).toMatchObject([{ name: "gone", doubt: "error" }]);
		expect(report.warnings).toEqual([expect.stringMatching(/may leave the release of gone to a later run/)]);
		expect(planText(report)).toContain("fresh (was old)");
	});

	test("are none where a number is adopted, or an interrupted run has bought it", async () => {
		const [id, killed] = [await another(), await upped([aNumber({}, "main"), aPool({ count: 2 })])];
		expect(killed.entries.size).toBe(2);
		const report = await planned([aNumber({}, "main"), aPool({ count: 3 }), aNumber({ adopt: id }, "adopted")]);
		expect(buysOf(report)).toEqual(["new 1: support[2]"]);
		expect(report.takesOver.map(({ name }) => name)).toEqual(["main", "support[0]", "support[1]"]);
		expect(report.adopts).toEqual([{ name: "adopted", wanted: id }]);
		expect(planHeadline(report)).toContain("buys 1, releases 0, takes over 3,");
	});

	test("that nobody has claimed yet may be an interrupted run's: the plan says so", async () => {
		await another();
		const report = await planned([aNumber()]);
		expect(report.warnings).toEqual([
			expect.stringMatching(/^Nobody has claimed \+316\d+ \(num_\w+\) of the account, NL mobile/),
		]);
	});

	test("that `up` would refuse are said before it: what `adopt` names isn't there", async () => {
		const report = await planned([aNumber({ adopt: "num_nowhere" })]);
		expect(report.warnings).toEqual(["`up` refuses main: adopt: there is no number num_nowhere on the account."]);
	});
});

describe("prices", () => {
	test("of different currencies are never added", async () => {
		const eur = (amount: string) => ({ amount, currency: "EUR" });
		const stack = await upped([aNumber({}, "old")]);
		const cost = { setup: eur("1.10"), monthly: eur("0.70") };
		const report = await planned([aNumber({ generation: 1 }, "old"), aNumber({}, "more")], {
			stack,
			price: { next: cost, least: cost, most: cost },
		});
		expect(report).toMatchObject({
			setup: [eur("2.20")],
			monthly: [eur("1.40")],
			monthlyChange: [eur("1.40"), usd("-2.00")],
		});
		expect(costLine(report)).toBe("cost: 2.20 EUR setup, 1.40 EUR a month; monthly bill +1.40 EUR, -2.00 USD");
	});

	test.each([
		[
			"the service has no inventory",
			{ config: { "telephony:features": "-inventory" } },
			/the service has no inventory/,
		],
	])("are unknown where %s", async (_, options, why) => {
		const report = await planned([aNumber()], { options });
		expect(report).toMatchObject({
			setup: [],
			unpriced: [{ names: ["main"], count: 1, why: expect.stringMatching(why) }],
		});
		expect(costLine(report)).toContain("not in it: 1 without a known price");
	});

	test("are unknown where the criteria or the count are", async () => {
		const report = await planned([aNumber({ type: unknown }, "some"), aPool({ count: unknown })]);
		expect(report.buys).toMatchObject([{ count: 1, country: "NL", names: ["some"] }]);
		expect(report.unpriced.map(({ names, why }) => [...names, why])).toEqual([
			["some", "its type isn't known before other resources are made"],
			["support", "its count isn't known before other resources are made"],
		]);
	});

	test("of another account aren't asked for", async () => {
		const provider = "urn:pulumi:dev::shop::pulumi:providers:telephony::other";
		const report = await planned([aNumber()], {
			edit: (events) => {
				const declared = { inputs: { apiKey: secret } };
				for (const event of events)
					Object.assign(event.resourcePreEvent?.metadata ?? {}, { provider: `${provider}::some-id` });
				events.push({
					resourcePreEvent: {
						metadata: { op: "create", urn: provider, type: "pulumi:providers:telephony", new: declared },
					},
				});
			},
		});
		expect(report.unpriced).toMatchObject([
			{ names: ["main"], why: expect.stringMatching(/provider other has a key/) },
		]);
	});
});

describe("a market", () => {
	test("that is sold out is named before `up` fails half-way", async () => {
		emulator.control.settings({ exhausted: ["NL"] });
		const report = await planned([aNumber(), aNumber({ country: "SE" }, "other")]);
		expect(report.warnings).toEqual(["NL mobile is sold out: `up` fails at main."]);
		expect(report.unpriced).toMatchObject([{ names: ["main"], why: "the inventory has no such number now" }]);
	});

	test("that has fewer than are wanted, too", async () => {
		emulator.control.settings({ inventoryLeft: 3 });
		const report = await planned([aPool({ count: 4 }), aNumber()]);
		expect(report.warnings).toEqual(["The inventory has 3 NL mobile, and 5 are wanted: `up` fails half-way."]);
	});
});

describe("what goes", () => {
	test("has its saving, and says whether it can come back; what stays says why", async () => {
		const all = [aNumber({}, "gone"), aNumber({ onDelete: "retain" }, "kept"), aPool({ count: 3, allowRelease: true })];
		const stack = await upped(all);
		const report = await planned([aPool({ count: 1, allowRelease: true })], { stack });
		expect(releasesOf(report).sort()).toEqual(["removed: gone", "shrinking: support[1]", "shrinking: support[2]"]);
		expect(report.monthlyChange).toEqual([usd("-6.00")]);
		expect(report.comesBack).toMatch(/can restore it for a while \(its quarantine\)/);
		expect(report.stays).toMatchObject([
			{ name: "kept", isRefused: false, why: expect.stringMatching(/goes on costing money/) },
		]);
		expect(planText(report)).toMatch(
			/−2 +NL mobile +shrinking of a pool +−4\.00 USD +support\[2\] \+31\d+, support\[1\]/,
		);
	});

	test("is refused where it is protected, and gone where somebody has released it", async () => {
		const stack = await upped([aNumber({ releaseProtection: true }, "safe"), aNumber({}, "lost")]);
		emulator.edit("number", stack.entries.get(String(aNumber({}, "lost").resourceUrn))?.id ?? "", {
			status: "released",
		});
		const report = await planned([], { stack });
		expect(report.releases).toEqual([]);
		expect(report.stays).toMatchObject([{ name: "safe", isRefused: true }]);
	});
});

describe("limits", () => {
	const text = (limits: object) => limitsIn(JSON.stringify(limits));

	test.each([
		[{ maxPurchases: 2 }, ["maxPurchases 2: 3"]],
		[{ maxPurchases: 3, maxReleases: 0, maxMonthly: "6USD" }, []],
		[{ maxMonthly: ["5.99USD", "9EUR"] }, ["maxMonthly 5.99 USD, 9.00 EUR: 6.00 USD"]],
		[{ maxMonthly: "100EUR" }, ["maxMonthly 100.00 EUR: 6.00 USD"]],
	])("%j hold for what is planned", async (limits, broken) => {
		const report = await planned([aPool({ count: 3 })], { limits: text(limits) ?? {} });
		expect(report.over.map(({ limit, needed }) => `${limit}: ${needed}`)).toEqual(broken);
	});

	test("of money are over where a price isn't known", async () => {
		const options = { config: { "telephony:features": "-inventory" } };
		const report = await planned([aNumber()], { options, limits: text({ maxSetup: "5EUR" }) ?? {} });
		expect(report.over).toEqual([{ limit: "maxSetup 5.00 EUR", needed: "unknown: not every price is known" }]);
	});

	test.each([
		["--max-purchases", "-1", '"-1" is negative'],
		["--max-releases", "some", '"some" is no whole number'],
		["--max-setup", "500", '"500" has no currency'],
		["--max-monthly", "5.00.1EUR", "is no amount"],
		["--max-monthly", "5XYZ", "unknown currency XYZ"],
		["--save-plan", "", "--save-plan is empty"],
		["--save-plan", "nowhere/plan.json", "can't be written"],
	])("%s %s is refused in one sentence", async (option, value, sentence) => {
		const done = await run("node", [telephony, "plan", `${option}=${value}`], join(telephony, "../.."), process.env);
		expect(done.code).toBe(1);
		expect(done.output).toMatch(/^telephony: .* \[telephony:usage\]\n$/);
		expect(done.output).toContain(sentence);
	});
});

test("1,000 numbers of 5 criteria cost 5 requests, and those of the account's pages", async () => {
	for (let made = 0; made < 150; made++) await another({ label: `line ${made}` });
	const program = Array.from({ length: 1000 }, (_, index) =>
		aNumber({ country: ["NL", "SE", "US", "GB", "CA"][index % 5] }, `n${index}`),
	);
	const events = await previewOf(open(), emptyStack(), program);
	const before = emulator.requests().length;
	const service = await open().session.service();
	const { forecast } = await factsOf(planStepsIn(events), service);
	await service.client.close();
	const asked = emulator.requests(before);
	expect(forecast.purchases).toHaveLength(1000);
	expect(asked.filter((request) => request === "GET /available_numbers")).toHaveLength(5);
	expect(asked, asked.join(" ")).toHaveLength(5 + 2);
});

test("the Markdown mentions nobody, breaks no table, and has its place in a comment", async () => {
	const names = Array.from({ length: 300 }, (_, index) =>
		aNumber({ country: index % 2 ? "NL" : "SE" }, `@octocat|${index}\`<b>`),
	);
	const markdown = planMarkdown(
		await planned(names, { stack: await upped([aNumber({ onDelete: "retain" }, "@team|`*x*")]) }),
	);
	expect(markdown.length).toBeLessThan(60_000);
	expect(markdown).toContain("octocat");
	const bare = markdown.replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, "");
	expect(bare).not.toMatch(/@|<b>|\*/);
	for (const row of markdown.split("\n").filter((line) => line.startsWith("|")))
		expect(row.match(/(?<!\\)\|/g)).toHaveLength(7);
});
