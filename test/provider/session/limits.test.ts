/** `telephony:limits` as a stack states it, and the count of one provider process. */
import { describe, expect, it } from "vitest";
import { brokenBy, limitsIn, nothing } from "../../../provider/session/limits";
import { howToRaise, Spending } from "../../../provider/session/spending";

describe("limits of a stack", () => {
	it.each([
		["no text", undefined, undefined],
		["an empty text", "", undefined],
		["nothing", "{}", {}],
		["counts", '{"maxPurchases":3,"maxReleases":0}', { maxPurchases: 3, maxReleases: 0 }],
		["counts as texts", '{"maxPurchases":"3"}', { maxPurchases: 3 }],
		["an amount", '{"maxSetup":"500EUR"}', { maxSetup: [{ amount: "500.00", currency: "EUR" }] }],
		[
			"an amount for each currency",
			'{"maxMonthly":["10 eur","7.5USD"]}',
			{
				maxMonthly: [
					{ amount: "10.00", currency: "EUR" },
					{ amount: "7.50", currency: "USD" },
				],
			},
		],
		["destroy", '{"destroy":true}', { destroy: true }],
		["destroy as a text", '{"destroy":"false"}', { destroy: false }],
	])("%s are read", (_, text, expected) => {
		expect(limitsIn(text)).toEqual(expected);
	});

	it.each([
		["no JSON", "10", /"10" isn't an object. Set each limit by name/],
		["a list", "[]", /"\[\]" isn't an object/],
		["a negative count", '{"maxPurchases":-1}', /maxPurchases: -1 is negative: write zero or more/],
		["a broken count", '{"maxReleases":1.5}', /maxReleases: 1\.5 isn't a whole number/],
		["a word for a count", '{"maxReleases":"many"}', /maxReleases: "many" isn't a whole number/],
		["an amount without a currency", '{"maxSetup":500}', /maxSetup: "500" has no currency/],
		["an unknown currency", '{"maxSetup":"5XQZ"}', /maxSetup: "5XQZ" has the unknown currency XQZ/],
		["a negative amount", '{"maxMonthly":"-5EUR"}', /maxMonthly: "-5EUR" is negative/],
		["no decimal", '{"maxMonthly":["1,5EUR"]}', /maxMonthly: "1,5EUR" isn't an amount/],
		["an object for an amount", '{"maxMonthly":{}}', /maxMonthly: "\{\}" isn't an amount/],
		["a currency twice", '{"maxMonthly":["1EUR","2EUR"]}', /maxMonthly: it has two amounts in EUR/],
		["a word for a flag", '{"destroy":"sometimes"}', /destroy: "sometimes" is neither true nor false/],
		["a wrong name", '{"maxPurchase":1}', /maxPurchase: there is no such property\. Did you mean maxPurchases\?/],
	])("%s is refused in one sentence", (_, text, expected) => {
		expect(() => limitsIn(text)).toThrow(expected);
		expect(() => limitsIn(text)).toThrow(/^telephony:limits can't be used\. .*\. \[telephony:config\]$/);
	});

	it("are named all at once where several are wrong", () => {
		expect(() => limitsIn('{"maxPurchases":-1,"maxSetup":"5"}')).toThrow(/maxPurchases: .*\. maxSetup: .*\./);
	});
});

describe("a limit of money", () => {
	const total = (amount: string, currency: string) => {
		const made = nothing();
		made.setup.add({ amount, currency });
		return made;
	};
	const limits = limitsIn('{"maxSetup":"10EUR"}') ?? {};

	it.each([
		["10.00", "EUR", []],
		["10.001", "EUR", ["maxSetup"]],
		["0.01", "USD", ["maxSetup"]],
		["0.00", "USD", []],
	])("of 10 EUR, and a total of %s %s", (amount, currency, expected) => {
		expect(brokenBy(total(amount, currency), limits).map(({ name }) => name)).toEqual(expected);
	});

	it.each([
		['"10EUR"', ["20 EUR"]],
		['"10 eur"', ["20 EUR", "10.5 usd"]],
		['["10EUR","5USD"]', ["1 EUR", "6 USD"]],
		['"10EUR,5USD"', ["11 EUR", "6 USD", "0.1 GBP"]],
	])("of %s holds for nothing more once the advice is followed", (maxSetup, amounts) => {
		const made = nothing();
		for (const each of amounts) {
			const [amount = "", currency = ""] = each.split(" ");
			made.setup.add({ amount, currency });
		}
		const broken = brokenBy(made, limitsIn(`{"maxSetup":${maxSetup}}`) ?? {});
		const commands = [...howToRaise(broken).matchAll(/telephony:limits\.maxSetup ([^`\s]+)`/g)].map(
			([, value]) => value,
		);
		expect(commands).toHaveLength(1);
		const followed = limitsIn(JSON.stringify({ maxSetup: commands[0] })) ?? {};
		expect(brokenBy(made, followed)).toEqual([]);
	});

	it("keeps the limits of other currencies in its advice", () => {
		const two = limitsIn('{"maxSetup":"10EUR,5USD"}') ?? {};
		expect(brokenBy(total("6.00", "usd"), two).map(({ setting }) => setting)).toEqual(["10.00EUR,6.00USD"]);
	});
});

describe("a count", () => {
	const purchase = { charge: "purchase" } as const;
	const limits = { maxPurchases: 2 };
	const codeOf = (work: Promise<unknown>) =>
		work.then(
			() => "granted",
			({ messageCode }) => messageCode,
		);

	it("waits for pending requests before it refuses", async () => {
		const count = new Spending(new AbortController().signal);
		const [first, second] = [await count.reserve(purchase, limits), await count.reserve(purchase, limits)];
		const third = count.reserve(purchase, limits);
		const fourth = codeOf(count.reserve(purchase, limits));
		first.confirm();
		second.cancel();
		(await third).confirm();
		expect(await fourth).toBe("limit");
	});

	it("refuses no release because of purchases", async () => {
		const count = new Spending(new AbortController().signal);
		for (let bought = 0; bought < 2; bought++) (await count.reserve(purchase, limits)).confirm();
		expect(await codeOf(count.reserve({ charge: "release" }, { ...limits, maxReleases: 1 }))).toBe("granted");
	});

	it("ends a wait when the run ends", async () => {
		const ending = new AbortController();
		const count = new Spending(ending.signal);
		const pending = await count.reserve(purchase, { maxPurchases: 1 });
		const waiting = codeOf(count.reserve(purchase, { maxPurchases: 1 }));
		ending.abort("the run was interrupted");
		pending.cancel();
		expect(await waiting).toBe("interrupted");
	});
});
