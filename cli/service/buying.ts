/** The requests of the check that cost money. */
import { type BuyNumber, numberTypes } from "../../provider/api/contract";
import { boughtIn as identifying } from "../../provider/api/description/hint";
import { at, type Json } from "../../provider/api/json";
import { isReplayed } from "../../provider/api/response";
import { criteriaOf } from "../../provider/resources/number/properties";
import { confirm } from "../report/confirm";
import { UsageError } from "../report/usage";
import { changeNumber } from "./changing";
import type { Checkup } from "./checkup";
import { type Exchange, isBusy, isOk } from "./exchange";
import { findingsOf } from "./findings";
import { kinds } from "./kinds";
import { readNumber } from "./reading";
import { findAll } from "./removal";
import { inside, wrappers } from "./requests";
import { listOf } from "./shape";
import { type Print, type Trial, textOf, withRemoval } from "./trial";
import { tryObjects } from "./writing";

/** @param text such as `NL/geographic/20` @throws UsageError */
export function criteriaIn(text: string): BuyNumber {
	const [country = "", type = "", area, ...more] = text.split("/");
	const numberType = numberTypes.find((each) => each === type);
	if (/^[A-Z]{2}$/.test(country) && numberType !== undefined && area !== "" && more.length === 0)
		return criteriaOf({ country, type: numberType, area });
	throw new UsageError(
		"usage",
		`--buy ${text} is invalid: it must be country/type or country/type/area, such as NL/mobile or NL/geographic/20 (types: ${numberTypes.join(", ")}).`,
	);
}

/** Buys a number after the user has agreed. @throws UsageError */
export async function offerPurchase(
	checkup: Checkup,
	criteria: BuyNumber,
	isAgreed: boolean,
	print: Print,
): Promise<void> {
	const price = await findPrice(checkup, criteria);
	const kind = [criteria.country, criteria.type, ...(criteria.area === undefined ? [] : [criteria.area])].join("/");
	print(
		`this buys a number (${kind}) and releases it again, and creates a trunk and a webhook and deletes them. The number costs ${price ?? "money; the service doesn't show the price"}. If the service doesn't honor idempotency keys, it buys two.`,
	);
	assertReleasable(checkup);
	if (!isAgreed) await confirm("To buy it", kind, "nothing was bought");
	await buyAndRelease(checkup, criteria, print);
}

/** Returns the price in words; undefined if the inventory doesn't show it. */
async function findPrice(checkup: Checkup, criteria: BuyNumber): Promise<string | undefined> {
	const { allows, dialect } = checkup.known;
	if (!allows("searchNumbers", "inventory")) return undefined;
	const found = await checkup.ask("price", "searchNumbers", { query: { ...criteria, limit: 1 } });
	if (!isOk(found)) return undefined;
	const [first] = listOf(at(dialect.responseIn("searchNumbers", found.json).json, "data"));
	const money = (name: string) => {
		const [amount, currency] = [at(first, `price.${name}.amount`), at(first, `price.${name}.currency`)];
		return typeof amount === "string" && typeof currency === "string" ? `${amount} ${currency}` : undefined;
	};
	const [setup, monthly] = [money("setup"), money("monthly")];
	return monthly === undefined ? undefined : `${setup === undefined ? "" : `${setup} once and `}${monthly} a month`;
}

/** @throws UsageError if a bought number couldn't be found again, or not be released */
function assertReleasable(checkup: Checkup): void {
	const missing = findingsOf(checkup).find(
		({ what, verdict }) => verdict === "decide" && (what === "items of a list" || what === "number: id"),
	);
	if (missing !== undefined)
		throw new UsageError("usage", `nothing was bought: ${missing.hint}, so that the number can be found again.`);
	if (!checkup.known.allows("releaseNumber", "release"))
		throw new UsageError("usage", "nothing was bought: the service is declared to have no release.");
}

/** @throws UsageError, naming the number, if it couldn't be released */
export function buyAndRelease(checkup: Checkup, criteria: BuyNumber, print: Print): Promise<void> {
	assertReleasable(checkup);
	return withRemoval(checkup, print, async (trial) => {
		await tryObjects(trial);
		if (!trial.isInterrupted()) await tryPurchase(trial, criteria);
	});
}

async function tryPurchase(trial: Trial, criteria: BuyNumber): Promise<void> {
	const { checkup, isInterrupted } = trial;
	const before = (await findAll(checkup, kinds.number).catch(() => undefined)) ?? [];
	const buying: Buying = { trial, criteria, before: before.map(nameOf) };
	const key = await firstPurchase(buying);
	const id = boughtIn(trial)[0];
	if (id === undefined || isInterrupted()) return;
	if (checkup.known.allows("buyNumber", "idempotencyKey")) await buy(buying, "replay", key);
	if (!isInterrupted() && !checkup.exchanges.some(({ step }) => step === "single")) await readNumber(checkup, id);
	if (!isInterrupted()) await changeNumber(trial, id);
}

interface Buying {
	readonly trial: Trial;
	readonly criteria: BuyNumber;
	/** Names of the account's numbers before the first purchase. */
	readonly before: readonly string[];
}

/** Returns the id, or all that may identify a number whose id has an unknown name. */
const nameOf = (record: Json): string =>
	isId(record.id) ? String(record.id) : identifying(record).join(", ") || JSON.stringify(record);

const isId = (id: unknown): boolean => (typeof id === "string" && id !== "") || typeof id === "number";

const boughtIn = ({ made }: Trial): readonly string[] =>
	made.flatMap(({ kind, id }) => (kind.noun === "number" ? [id] : []));

const newKey = () => `telephony-check-${crypto.randomUUID()}`;

/** Sends the fields as described. If that is refused as malformed, which buys nothing, it tries an object of each usual name. */
async function firstPurchase(buying: Buying): Promise<string> {
	const { checkup, isInterrupted } = buying.trial;
	let key = newKey();
	let purchase = await buy(buying, "buy", key);
	const isStated = checkup.known.description.envelopes?.number?.request !== undefined;
	for (const wrapper of isStated ? [] : wrappers) {
		if (isInterrupted() || ![400, 422].includes(purchase.answer.status)) break;
		key = newKey();
		purchase = await buy(buying, "buy", key, wrapper);
	}
	return key;
}

/** @throws UsageError if the response doesn't show whether a number was bought */
async function buy(
	buying: Buying,
	step: "buy" | "replay",
	idempotencyKey: string,
	wrapper?: string,
): Promise<Exchange> {
	const { trial, criteria } = buying;
	const { checkup } = trial;
	const words = wrapper === undefined ? undefined : inside(wrapper);
	const request = { body: criteria, idempotencyKey, instead: wrapper, words };
	const unknown = async (reason: string) =>
		new UsageError(
			"purchase-unknown",
			`A NUMBER MAY HAVE BEEN BOUGHT: ${reason} (${await newNumbers(buying)}). Open the service's dashboard, and release the number that this check has bought.`,
		);
	const purchase = await checkup.ask(step, "buyNumber", request).catch(async (error: unknown) => {
		throw await unknown(textOf(error as Error));
	});
	const { status } = purchase.answer;
	// Only a 429 says that nothing was bought.
	if (status === 408 || status >= 500) throw await unknown(`${purchase.doing} returned HTTP ${status}`);
	if (!isBusy(purchase) && checkup.known.isAccepted(purchase)) await notePurchase(buying, purchase);
	return purchase;
}

/** @throws UsageError if neither the response nor the list names the bought number */
async function notePurchase(buying: Buying, purchase: Exchange): Promise<void> {
	const { trial } = buying;
	const { idOf, number, placeOf, dialect } = trial.checkup.known;
	const response = number(purchase);
	let record: Json | undefined;
	let id = idOf(response);
	if (id === undefined) {
		const isMarked = isReplayed(purchase.answer, dialect.replayedHeader);
		record = isMarked ? undefined : await findBought(buying, purchase);
		id = record === undefined ? boughtIn(trial)[0] : String(record.id);
		if (id !== undefined) purchase.bought = id;
	}
	if (id === undefined || boughtIn(trial).includes(id)) return;
	const e164 = record?.number ?? at(response, placeOf("number", "number"));
	const name = typeof e164 === "string" ? `${e164} (${id})` : id;
	trial.made.push({ kind: kinds.number, id, name });
	trial.print(`bought ${name}`);
}

/** Pauses before reads of a list that may show a purchase late, ms. */
const listPauses = [0, 1_000, 2_000, 4_000] as const;

/**
 * Returns the one new number of the list, after a purchase whose response names none; undefined if a repeated purchase
 * bought none. Two lists in a row must show it, and nothing else: another user may buy at the same time.
 * @throws UsageError, naming the candidates
 */
async function findBought(buying: Buying, { step }: Exchange): Promise<Json | undefined> {
	const { checkup } = buying.trial;
	let found: readonly Json[] = [];
	for (const ms of listPauses) {
		await checkup.clock.sleep(ms);
		const listed = await findNew(buying).catch(() => undefined);
		if (listed === undefined) continue;
		const [first, ...others] = listed;
		const isStable = found.length === 1 && found[0]?.id === first?.id;
		if (first !== undefined && others.length === 0 && isStable && isId(first.id)) return first;
		found = listed;
	}
	if (step === "replay" && found.length === 0 && (await findNew(buying)) !== undefined) return undefined;
	throw new UsageError(
		"purchase-unknown",
		`NOT RELEASED: a number was bought, and the response doesn't name it (${await newNumbers(buying)}). Release it in the service's dashboard. If the id has another name, set records.number.id.`,
	);
}

/** Returns the numbers that came after the first purchase, without those that it named; undefined if the list is incomplete. */
async function findNew({ trial, before }: Buying): Promise<readonly Json[] | undefined> {
	const all = await findAll(trial.checkup, kinds.number);
	const names = [...before, ...boughtIn(trial)];
	return all?.filter((record) => !names.includes(nameOf(record)));
}

/** Names new numbers. They may also be another user's purchases. */
async function newNumbers(buying: Buying): Promise<string> {
	const added = await findNew(buying).catch(() => undefined);
	if (added === undefined) return "the list can't be read completely";
	return added.length === 0 ? "the list shows no new number" : `new in the list: ${added.map(nameOf).join("; ")}`;
}
