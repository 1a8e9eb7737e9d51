/** The plan of a program, from the engine's preview: purchases, releases, money, warnings and limits. */
import { describe, expect, test } from "vitest";
import { reportFactsOf } from "../../../cli/plan/command";
import { type NamedLimits, type PlanReport, planReportOf } from "../../../cli/plan/report";
import { planStepsIn } from "../../../cli/plan/steps";
import { costLine, planHeadline, planView } from "../../../cli/plan/view";
import { terminalText } from "../../../cli/report/terminal";
import type { Values } from "../../../provider/properties/table";
import type { Priced } from "../../../provider/reads/prices";
import { limitsIn } from "../../../provider/session/limits";
import { useAccount } from "../../helpers/account";
import { origin, secret } from "../../helpers/engine-events";
import { submitPort } from "../../helpers/ports";
import { previewOf } from "../../helpers/preview";
import {
	aNumber,
	aPool,
	aPortOrder,
	aTrunk,
	checked,
	create,
	failureOf,
	type ProviderOptions,
} from "../../helpers/provider";
import { handlerOf, type ResourceState, refreshed, type State, urnOf } from "../../helpers/runs";

const { emulator, clock, open, another } = useAccount();

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

interface Planning {
	readonly stack?: State;
	readonly limits?: object;
	readonly options?: ProviderOptions;
	/** Replaces every price of the inventory. */
	readonly price?: Priced;
	/** Changes the engine's events. */
	readonly edit?: (events: Awaited<ReturnType<typeof previewOf>>) => void;
}

async function planned(
	program: readonly Values[],
	{ stack = new Map(), limits = {}, options = {}, price, edit }: Planning = {},
): Promise<PlanReport> {
	const all = { clock, ...options };
	const events = await previewOf(open(all), stack, program);
	edit?.(events);
	const { session } = open(all);
	const facts = await reportFactsOf(planStepsIn(events), session);
	await session.close();
	const purchases = facts.purchases.map((purchase) => ({ ...purchase, price: price ?? purchase.price }));
	const named: NamedLimits[] = [{ limits: limitsIn(JSON.stringify(limits)) ?? {}, nameOf: (limit) => limit }];
	return planReportOf("prod", origin, { ...facts, purchases, limits: named });
}

/** Returns the stack after an `up` of the program. */
async function upped(program: readonly Values[]): Promise<State> {
	const run = open();
	const made = program.map(async (news): Promise<[string, ResourceState]> => {
		const inputs = await checked(handlerOf(run, news), news);
		return [urnOf(news), { inputs, ...(await handlerOf(run, news).create(inputs)) }];
	});
	return new Map(await Promise.all(made));
}

const buysOf = ({ buys }: PlanReport) => buys.map(({ why, count, names }) => `${why} ${count}: ${names.join(" ")}`);
const endsOf = (ends: PlanReport["releases"]) => ends.map(({ why, name }) => `${why}: ${name}`).sort();
const usd = (amount: string) => ({ amount, currency: "USD" });
const withoutInventory: ProviderOptions = { config: { "telephony:features": "-inventory" } };

describe("a purchase in a regulated market", () => {
	const german = { country: "DE", type: "geographic", area: "30" };
	const checks = /^A geographic number in DE needs identity checks \(.+\) and stays pending until they clear\./;

	test("warns of identity checks, and names what lacks a profile", async () => {
		const program = [
			aNumber(german, "berlin"),
			aPool({ ...german, count: 1 }),
			aNumber({ ...german, area: "89", kycProfileId: "kyc_1" }, "munich"),
		];
		const { warnings } = await planned([...program, aNumber({}, "open")]);
		expect(warnings).toEqual([expect.stringMatching(checks)]);
		expect(warnings[0]).toMatch(/ Declare a KycProfile and set `kycProfileId` of berlin, support\[0\]\.$/);
		const profiled = await planned(program.slice(2));
		expect(profiled.warnings).toEqual([expect.stringMatching(/until they clear\.$/)]);
	});

	test("warns of no checks that the service doesn't show", async () => {
		const program = [aNumber(german), aNumber({ ...german, country: unknown }, "later")];
		expect((await planned(program, { options: { config: { "telephony:features": "-kyc" } } })).warnings).toEqual([]);
	});
});

test("fails with a rejected key, even if the run changes nothing", async () => {
	const stack = await upped([aNumber(), aTrunk()]);
	const options = { env: { TELEPHONY_API_KEY: "rejected" } };
	const error = await failureOf(planned([aNumber(), aTrunk()], { stack, options }));
	expect(error.messageCode).toBe("rejected-key");
});

describe("purchases", () => {
	test("group matching numbers by reason, the most expensive first", async () => {
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
		expect(endsOf(report.releases)).toEqual(["generation: again", "replacement: moved"]);
		expect(report).toMatchObject({
			monthly: [usd("17.00")],
			monthlyChange: [usd("13.00")],
			unpriced: [],
			unchanged: 3,
		});
		expect(planHeadline(report)).toBe("plan: buys 8, releases 2, 3 unchanged, changes 1 resource, stack prod");
		expect(costLine(report)).toBe("cost: 0.00 USD setup, 17.00 USD a month; monthly bill +13.00 USD");
	});

	test("warn beside an unused number that an interrupted run may have bought", async () => {
		const id = await another();
		const { warnings, refusals } = await planned([aNumber()]);
		expect({ warnings, refusals }).toEqual({ warnings: [expect.stringContaining(id)], refusals: [] });
	});

	test("are refused beside an unused number without trusted keys", async () => {
		await another();
		const options = { config: { "telephony:features": "-idempotencyKey" } };
		const report = await planned([aNumber()], { options });
		expect(report).toMatchObject({ buys: [], refusals: [{ name: "main", code: "purchase-unknown" }] });
		expect(planHeadline(report)).toContain("fails at 1");
	});

	test("are refused if no port order brings the number that `adopt` names", async () => {
		const [ported, declared, lost] = ["+31201234561", "+31201234562", "+31201234563"] as const;
		await submitPort(emulator, [ported]);
		const numbers = [ported, declared, lost].map((number) => aNumber({ adopt: number }, number));
		const report = await planned([aPortOrder({ numbers: [declared] }), ...numbers]);
		expect(report.adopts.map(({ name }) => name)).toEqual([ported, declared]);
		expect(report.refusals).toMatchObject([{ name: lost, code: "adopt-refused" }]);
	});

	test.each([
		["hasn't brought", 0, {}],
		["never had, although the program adds it", 1, { numbers: ["+31201234561", "+31201234562"] }],
	])("are refused for a number that the program's ended order %s", async (_, index, args) => {
		const both = ["+31201234561", "+31201234562"];
		const adopt = await submitPort(emulator, both.slice(0, 1));
		const declared = (more: object = {}) => aPortOrder({ numbers: both.slice(0, 1), adopt, ...more });
		const stack = await upped([declared()]);
		await clock.sleep(1000 * 3_600_000);
		emulator.remove("number", String(emulator.live()[0]?.id));
		const [[urn, resource] = ["", { id: "", outs: {} }]] = stack;
		stack.set(urn, { ...resource, ...(await refreshed(open(), resource, declared())), inputs: declared() });
		const line = aNumber({ adopt: both[index] }, "line");
		const report = await planned([declared(args), line], { stack });
		const { messageCode } = await failureOf(create(open().number, line));
		expect(report.adopts).toEqual([]);
		expect(report.refusals).toContainEqual(expect.objectContaining({ name: "line", code: messageCode }));
	});

	test("are refused on an account that shows nothing of the stack", async () => {
		const stack = await upped([aNumber()]);
		emulator.control.reset();
		const report = await planned([aNumber(), aNumber({}, "more")], { stack });
		expect(report).toMatchObject({ buys: [], refusals: [{ name: "more", code: "wrong-account" }] });
	});

	test("read the account once, inventory by criteria and KYC by market", async () => {
		for (let made = 0; made < 150; made++) await another();
		const program = Array.from({ length: 1000 }, (_, index) =>
			aNumber({ country: ["NL", "SE", "US", "GB", "CA"][index % 5] }, `n${index}`),
		);
		const before = emulator.requests().length;
		expect((await planned(program)).buys.reduce((sum, { count }) => sum + count, 0)).toBe(1000);
		const requests = emulator.requests(before);
		for (const path of ["/available_numbers", "/kyc/requirements"])
			expect(requests.filter((request) => request === `GET ${path}`)).toHaveLength(5);
		expect(requests, requests.join(" ")).toHaveLength(2 * 5 + 2);
	});
});

const inComponent = (news: Values): Values => ({
	...news,
	__resourceUrn: String(news.__resourceUrn).replace("::pulumi-nodejs:", "::shop:index:Desk$pulumi-nodejs:"),
});
const desk = "urn:pulumi:dev::shop::shop:index:Desk::desk";
/** Old resources of a component have it as their parent. */
const withParent: NonNullable<Planning["edit"]> = (events) => {
	for (const { resourcePreEvent } of events) {
		const old = resourcePreEvent?.metadata.old;
		if (old?.urn?.includes("Desk$")) Object.assign(old, { parent: desk });
	}
};

describe("a rename or a move without aliases", () => {
	const [old, fresh] = [aNumber({}, "old"), aNumber({}, "fresh")];
	const [root, renamed] = ["parent: pulumi.rootStackResource", 'name: "old"'];
	test.each([
		["a renamed number", old, fresh, "rename", renamed],
		["a renamed pool", aPool({ count: 1 }, "old"), aPool({ count: 1 }, "fresh"), "rename", renamed],
		["a number moved into a component", aNumber(), inComponent(aNumber()), "move", root],
		["a number moved out of a component", inComponent(aNumber()), aNumber(), "move", `parent: "${desk}"`],
		["a number moved and renamed", old, inComponent(fresh), "rename", `${renamed}, ${root}`],
	])("names the alias that keeps the number: %s", async (_, before, after, why, alias) => {
		const report = await planned([after], { stack: await upped([before]), edit: withParent });
		expect(report.buys).toMatchObject([{ why, count: 1, formerNames: [expect.stringMatching(/^(old|main)/)] }]);
		expect(report.releases).toHaveLength(1);
		expect(report.buys).toMatchObject([{ alias: `aliases: [{ ${alias} }]` }]);
		expect(planView(report).notes).toContainEqual(expect.stringContaining(`\`aliases: [{ ${alias} }]\``));
	});

	test("shares one alias if several resources need the same", async () => {
		const both = [aNumber({}, "a"), aNumber({}, "b")];
		const { buys } = await planned(both.map(inComponent), { stack: await upped(both) });
		expect(buys).toMatchObject([{ names: ["a", "b"], alias: expect.stringContaining("rootStackResource") }]);
	});

	test.each([
		["other criteria", aNumber({ country: "SE" }, "fresh")],
		["an adopted number", aNumber({ country: "SE", adopt: "+46700000000" }, "fresh")],
	])("isn't suspected of %s", async (_, after) => {
		const report = await planned([after], { stack: await upped([old]) });
		expect(report.buys.map(({ why }) => why)).not.toContain("rename");
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
		const money = { setup: [eur("2.20")], monthly: [eur("1.40")], monthlyChange: [eur("1.40"), usd("-2.00")] };
		expect(report).toMatchObject(money);
		expect(costLine(report)).toBe("cost: 2.20 EUR setup, 1.40 EUR a month; monthly bill +1.40 EUR, -2.00 USD");
	});

	test.each([
		[{ maxMonthly: "900USD" }, [{ limit: "maxMonthly 900.00 USD", needed: expect.stringMatching(/^unknown: .*XBT/) }]],
		[{ maxSetup: "900USD" }, []],
	])("that can't be compared exceed their limit alone: %j", async (limits, over) => {
		const cost = { setup: usd("1.00"), monthly: { amount: "5.00", currency: "XBT" } };
		const incomparable = { monthly: "the inventory's monthly price has the currency XBT" };
		const report = await planned([aNumber()], { limits, price: { next: cost, least: cost, most: cost, incomparable } });
		expect(report).toMatchObject({ over, monthly: [cost.monthly] });
	});

	test.each([
		["without an inventory", aNumber(), "main", /inventory/, withoutInventory],
		["before the type is known", aNumber({ type: unknown }), "main", /its type isn't known/],
		["before the count is known", aPool({ count: unknown }), "support", /its count isn't known/],
		["in a country without numbers", aNumber({ country: "FI" }), "main", /\bFI\b/],
		["of a type that isn't sold", aNumber({ country: "JP", type: "geographic" }), "main", /\bJP\b/],
		["in an area without numbers", aNumber({ country: "AU", type: "toll_free", area: "1" }), "main", /\bAU\b/],
	] as const)("are unknown %s", async (_, declared, name, why, options = {}) => {
		const report = await planned([declared], { options });
		expect(report).toMatchObject({
			setup: [],
			unpriced: [{ names: [name], count: 1, why: expect.stringMatching(why) }],
		});
		expect(costLine(report)).toContain("1 without a known price");
	});

	test.each([{ apiKey: secret }, { features: "-reference" }])(
		"of a provider with %o of its own are unknown",
		async (settings) => {
			const urn = "urn:pulumi:dev::shop::pulumi:providers:telephony::other";
			const type = "pulumi:providers:telephony";
			const report = await planned([aNumber()], {
				edit: (events) => {
					for (const { resourcePreEvent } of events)
						Object.assign(resourcePreEvent?.metadata ?? {}, { provider: `${urn}::some-id` });
					const metadata = { op: "create", urn, type, new: { inputs: settings } };
					events.push({ resourcePreEvent: { metadata } });
				},
			});
			expect(report.unpriced).toMatchObject([{ names: ["main"], why: expect.stringContaining("other") }]);
		},
	);

	test("of a sold-out kind are unknown, with a warning", async () => {
		emulator.control.settings({ exhausted: ["NL"] });
		const report = await planned([aNumber(), aNumber({ country: "SE" }, "other")]);
		expect(report.warnings).toEqual([expect.stringMatching(/^NL mobile .* fails at main/)]);
		expect(report.unpriced).toMatchObject([{ names: ["main"] }]);
	});

	test("come with a warning if the inventory has too few numbers", async () => {
		emulator.control.settings({ inventoryLeft: 3 });
		const { warnings } = await planned([aPool({ count: 4 }), aNumber()]);
		expect(warnings).toEqual([expect.stringMatching(/ 3 NL mobile, and 5 /)]);
	});
});

describe("a number that the stack no longer has", () => {
	test("is released or retained by its saved `onDelete`, with its price", async () => {
		const stack = await upped([
			aNumber({}, "gone"),
			aNumber({ onDelete: "retain" }, "kept"),
			aNumber({ releaseProtection: true }, "safe"),
			aPool({ count: 4 }),
		]);
		const program = [aPool({ count: 1, exclude: ["support[0]"] })];
		const report = await planned(program, { stack });
		expect(endsOf(report.releases)).toEqual(["removed: gone", "shrinking: support[2]", "shrinking: support[3]"]);
		expect(report).toMatchObject({ monthlyChange: [usd("-6.00")], comesBack: expect.stringContaining("quarantine") });
		expect(report.retains.map(({ name, because, monthly }) => [name, because, monthly])).toEqual([
			["support[0]", expect.stringContaining("`exclude`"), usd("2.00")],
			["kept", expect.stringContaining("`onDelete`"), usd("2.00")],
			["safe", expect.stringContaining("`releaseProtection`"), usd("2.00")],
		]);
		const text = terminalText(planView(report));
		expect(text).toMatch(/^−2 +NL mobile .* −4\.00 USD +support\[3\] \+31\d+, support\[2\]/m);
		expect(text).toMatch(/^Retains `kept` .* 2\.00 USD a month/m);
		expect(text).toContain("`telephony release --retained --stack prod`");
	});
});

test("counts the release of a number that leaves with its own provider", async () => {
	const stack = await upped([aNumber()]);
	emulator.control.reset();
	const urn = "urn:pulumi:dev::shop::pulumi:providers:telephony::other";
	const report = await planned([], {
		stack,
		edit: (events) => {
			for (const { resourcePreEvent } of events)
				Object.assign(resourcePreEvent?.metadata ?? {}, { provider: `${urn}::some-id` });
			const old = { inputs: { apiKey: secret } };
			events.push({ resourcePreEvent: { metadata: { op: "delete", urn, type: "pulumi:providers:telephony", old } } });
		},
	});
	expect(endsOf(report.releases)).toEqual(["removed: main"]);
});

describe("limits", () => {
	test.each([
		[{ maxPurchases: 2 }, {}, ["maxPurchases 2: 3"]],
		[{ maxPurchases: 3, maxReleases: 0, maxMonthly: "6USD" }, {}, []],
		[{ maxMonthly: ["5.99USD", "9EUR"] }, {}, ["maxMonthly 5.99 USD, 9.00 EUR: 6.00 USD"]],
		[{ maxMonthly: "100EUR" }, {}, ["maxMonthly 100.00 EUR: 6.00 USD"]],
		[{ maxSetup: "5EUR" }, withoutInventory, [expect.stringMatching(/^maxSetup 5\.00 EUR: unknown/)]],
	])("of %j are compared with the plan", async (limits, options, over) => {
		const report = await planned([aPool({ count: 3 })], { limits, options });
		expect(report.over.map(({ limit, needed }) => `${limit}: ${needed}`)).toEqual(over);
	});
});

describe("the pin", () => {
	const account = () => emulator.control.state().account.id;
	const notesOf = (report: PlanReport) => terminalText(planView(report));

	test("is named", async () => {
		const report = await planned([aNumber()], { options: { config: { "telephony:account": account() } } });
		expect(report.pin).toEqual({ pinned: account() });
		expect(notesOf(report)).toContain(`pinned to the account of ${account()}`);
	});

	test("is proposed by what the account shows", async () => {
		const report = await planned([aNumber()]);
		expect(report.pin).toEqual({ proposed: account() });
		expect(notesOf(report)).toContain(`pulumi config set telephony:account ${account()}`);
		emulator.control.settings({ features: { account: false } });
		const id = await another();
		expect((await planned([aNumber()])).pin).toEqual({ proposed: emulator.row(id)?.number });
	});

	test("refuses the plan on another account", async () => {
		const refused = planned([aNumber()], { options: { config: { "telephony:account": "acc_other" } } });
		expect((await failureOf(refused)).messageCode).toBe("wrong-account");
	});
});
