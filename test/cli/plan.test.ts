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
		const stack = await upped([aNumber({}, "same"), aNumber({}, "again"), aNumber({}, "moved"), aPool({ count: 2 })]);
		const report = await planned(
			[
				aNumber({}, "same"),
				aNumber({ generation: 1 }, "again"),
				aNumber({ country: "SE" }, "moved"),
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

	test("are none where a number is adopted, or an interrupted run has bought it", async () => {
		const [id, killed] = [await another(), await upped([aNumber({}, "main"), aPool({ count: 2 })])];
		expect(killed.entries.size).toBe(2);
		const report = await planned([aNumber({}, "main"), aPool({ count: 3 }), aNumber({ adopt: id }, "adopted")]);
		expect(buysOf(report)).toEqual(["new 1: support[2]"]);
		expect(report.resumes.map(({ name }) => name)).toEqual(["main", "support[0]", "support[1]"]);
		expect(report.adopts).toEqual([{ name: "adopted", wanted: id }]);
		expect(planHeadline(report)).toContain("buys 1, releases 0, resumes 3,");
	});

	test.each([
		["resumes it if a run bought it", {}, /nothing claims or uses\. If an interrupted run bought it/],
		["refuses to buy beside it", { "telephony:features": "-idempotencyKey" }, /`up` refuses to buy another/],
	])("beside an unused number: the plan says that the run %s", async (_, config, says) => {
		await another();
		const report = await planned([aNumber()], { options: { config } });
		expect(report.warnings).toEqual([expect.stringMatching(/^The account has \+316\d+ \(num_\w+\), NL mobile/)]);
		expect(report.warnings[0]).toMatch(says);
	});

	test("that fail are named before: `adopt` names nothing, or a number that another resource claims", async () => {
		await upped([aNumber({}, "theirs")]);
		const [theirs] = emulator.live();
		const report = await planned([aNumber({ adopt: "num_nowhere" }, "one"), aNumber({ adopt: theirs?.id }, "two")]);
		expect(report.warnings).toEqual([
			expect.stringMatching(/fails at one: adopt: there is no number num_nowhere/),
			expect.stringMatching(/fails at two: adopt: .* is claimed by this stack/),
		]);
		expect(report.adopts).toEqual([]);
	});
});

const inComponent = (news: Values): Values => ({
	...news,
	resourceUrn: String(news.resourceUrn).replace("::pulumi-nodejs:", "::shop:index:Desk$pulumi-nodejs:"),
});

describe("a rename or a move without aliases", () => {
	test.each([
		["renamed", aNumber({}, "old"), aNumber({}, "fresh"), "rename", 'aliases: [{ name: "old" }]'],
		[
			"moved into a component",
			aNumber(),
			inComponent(aNumber()),
			"move",
			"aliases: [{ parent: pulumi.rootStackResource }]",
		],
		[
			"moved out of a component",
			inComponent(aNumber()),
			aNumber(),
			"move",
			'aliases: [{ parent: "urn:pulumi:dev::shop::shop:index:Desk::desk" }]',
		],
		[
			"moved and renamed",
			aNumber({}, "old"),
			inComponent(aNumber({}, "fresh")),
			"rename",
			'aliases: [{ name: "old", parent: pulumi.rootStackResource }]',
		],
		[
			"renamed, a pool",
			aPool({ count: 1 }, "old"),
			aPool({ count: 1 }, "fresh"),
			"rename",
			'aliases: [{ name: "old" }]',
		],
	])("of a resource that is %s names the alias that keeps the number", async (_, before, after, why, alias) => {
		const stack = await upped([before]);
		const edit = parentOf("urn:pulumi:dev::shop::shop:index:Desk::desk");
		const report = await planned([after], { stack, edit });
		expect(report.buys).toMatchObject([{ why, count: 1, were: [expect.stringMatching(/^(old|main)/)] }]);
		expect(report.releases).toHaveLength(1);
		expect(report.warnings).toEqual([expect.stringContaining(`\`${alias}\``)]);
	});

	test("shares one advice where several resources need the same alias", async () => {
		const both = [aNumber({}, "a"), aNumber({}, "b")];
		const report = await planned(both.map(inComponent), { stack: await upped(both) });
		expect(report.warnings).toEqual([expect.stringMatching(/^a, b buy .*parent: pulumi.rootStackResource/)]);
	});

	test.each([
		["another kind", aNumber({ country: "SE" }, "fresh")],
		["an adopted number", aNumber({ country: "SE", adopt: "+46700000000" }, "fresh")],
	])("is not suspected of %s", async (_, after) => {
		const report = await planned([after], { stack: await upped([aNumber({}, "old")]) });
		expect(report.warnings).toEqual([]);
		expect(report.buys.map(({ why }) => why)).not.toContain("rename");
	});

	test("resumes the number that the stack left under the old name", async () => {
		const stack = await upped([aNumber({ onDelete: "retain" }, "old")]);
		await upped([aNumber({}, "fresh")], stack);
		const report = await planned([aNumber({}, "old")], { stack });
		expect(report.resumes).toMatchObject([{ name: "old" }]);
		expect(report).toMatchObject({ buys: [], releases: [{ name: "fresh" }], warnings: [] });
	});
});

/** Gives old resources in a component this parent. */
const parentOf =
	(parent: string): NonNullable<Planning["edit"]> =>
	(events) => {
		for (const { resourcePreEvent } of events) {
			const old = resourcePreEvent?.metadata.old;
			if (old?.urn?.includes("Desk$")) Object.assign(old, { parent });
		}
	};

test.each([
	["a number", aNumber(), 1],
	["a pool", aPool({ count: 2 }), 2],
])("%s that is tainted keeps its numbers, and resumes none", async (_, declared, keeps) => {
	const stack = await upped([declared]);
	const [entry] = stack.entries.values();
	const state = {
		id: entry?.id ?? "",
		urn: String(entry?.outs.resourceUrn),
		inputs: entry?.inputs,
		outputs: entry?.outs,
	};
	const report = await planned([declared], {
		stack,
		edit: (events) => {
			const [step] = events.flatMap(({ resourcePreEvent }) => resourcePreEvent?.metadata ?? []);
			if (step === undefined) return;
			Object.assign(step, { op: "create-replacement" });
			events.push({ resourcePreEvent: { metadata: { ...step, op: "delete-replaced", old: state as never } } });
		},
	});
	expect(report).toMatchObject({ buys: [], resumes: [], releases: [], leaves: [], warnings: [], keeps });
	expect(planText(report)).not.toMatch(/[Rr]esume/);
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
		expect(report.unpriced).toMatchObject([{ names: ["main"], why: "the inventory has no matching number now" }]);
	});

	test.each([
		["FI", {}],
		["JP", { type: "geographic" }],
		["AU", { type: "toll_free", area: "1" }],
	])("that the service doesn't have is named: %s", async (country, more) => {
		const report = await planned([aNumber({ country, ...more })]);
		expect(report.unpriced).toMatchObject([{ names: ["main"], why: `the service sells no numbers in ${country}` }]);
	});

	test("that has fewer than are wanted, too", async () => {
		emulator.control.settings({ inventoryLeft: 3 });
		const report = await planned([aPool({ count: 4 }), aNumber()]);
		expect(report.warnings).toEqual(["The inventory has 3 NL mobile, and 5 are wanted: `up` fails half-way."]);
	});
});

describe("a number that the stack no longer has", () => {
	test("is released or left by its saved `onDelete`, with its rent", async () => {
		const all = [
			aNumber({}, "gone"),
			aNumber({ onDelete: "retain" }, "kept"),
			aNumber({ releaseProtection: true }, "safe"),
			aPool({ count: 4 }),
		];
		const stack = await upped(all);
		const report = await planned([aPool({ count: 1, exclude: ["support[0]"] })], { stack });
		expect(releasesOf(report).sort()).toEqual(["removed: gone", "shrinking: support[2]", "shrinking: support[3]"]);
		expect(report.monthlyChange).toEqual([usd("-6.00")]);
		expect(report.comesBack).toMatch(/can restore it for a while \(its quarantine\)/);
		expect(report.leaves.map(({ name, because, monthly }) => [name, because, monthly])).toEqual([
			["support[0]", "`exclude` names it", usd("2.00")],
			["kept", "`onDelete` is `retain`", usd("2.00")],
			["safe", "`releaseProtection` is set", usd("2.00")],
		]);
		const text = planText(report);
		expect(text).toMatch(/−2 +NL mobile +shrinking of a pool +−4\.00 USD +support\[3\] \+31\d+, support\[2\]/);
		expect(text).toMatch(/Leaves `kept` .*You are still billed 2\.00 USD a month\./);
		expect(text).toContain("telephony release --left --stack prod");
		await upOf(open(), stack, [aPool({ count: 1, exclude: ["support[0]"] })]);
		expect(emulator.released().sort()).toEqual(report.releases.map(({ id }) => id).sort());
	});

	test("ends by the saved `onDelete`, not by that of its replacement", async () => {
		const stack = await upped([aNumber({ onDelete: "retain" }, "a"), aNumber({ onDelete: "release" }, "b")]);
		const report = await planned(
			[aNumber({ onDelete: "release", generation: 1 }, "a"), aNumber({ onDelete: "retain", country: "SE" }, "b")],
			{ stack },
		);
		expect(buysOf(report).sort()).toEqual(["generation 1: a", "replacement 1: b"]);
		expect(releasesOf(report)).toEqual(["replacement: b"]);
		expect(report.leaves.map(({ why, name }) => `${why}: ${name}`)).toEqual(["generation: a"]);
		expect(report.warnings).toEqual([]);
	});

	test("stays if another stack has claimed it, and isn't listed if it was released", async () => {
		const stack = await upped([aNumber({}, "theirs"), aNumber({}, "lost")]);
		const idOf = (name: string) => stack.entries.get(String(aNumber({}, name).resourceUrn))?.id ?? "";
		emulator.control.patchNumber(idOf("theirs"), { reference: "r.g.owner.lease~shop/prod" });
		emulator.edit("number", idOf("lost"), { status: "released" });
		const report = await planned([], { stack });
		expect(report).toMatchObject({
			...{ releases: [], leaves: [] },
			forgets: [{ name: "theirs", owner: "the stack shop/prod" }],
		});
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
		["--max-releases", "some", '"some" isn\'t a whole number'],
		["--max-setup", "500", '"500" has no currency'],
		["--max-monthly", "5.00.1EUR", "isn't an amount"],
		["--max-monthly", "5XYZ", "unknown currency XYZ"],
		["--save-plan", "", "--save-plan is empty"],
		["--save-plan", "nowhere/plan.json", "can't be written"],
	])("%s %s is refused in one sentence", async (option, value, sentence) => {
		const done = await run("node", [telephony, "plan", `${option}=${value}`], join(telephony, "../.."), process.env);
		expect(done.code).toBe(2);
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
