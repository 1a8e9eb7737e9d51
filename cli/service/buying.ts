/** The requests of the check that cost money. */
import { type BuyNumber, type NumberRecord, numberTypes } from "../../provider/api/contract";
import { boughtIn as identifying } from "../../provider/api/description/hint";
import { at, isObject, type Json } from "../../provider/api/json";
import { isReleasedOrFailed } from "../../provider/api/record";
import { isReplayed } from "../../provider/api/response";
import { lines } from "../../provider/properties/display";
import { isClaimed, isUnused } from "../../provider/resources/number/candidates";
import { criteriaOf, differentCriteria } from "../../provider/resources/number/properties";
import { confirm } from "../report/confirm";
import { UsageError } from "../report/usage";
import { changeNumber } from "./changing";
import type { Checkup } from "./checkup";
import { type Exchange, isBusy, isOk, isUnclear, refusalOf, resultOf } from "./exchange";
import { about, type Finding } from "./finding";
import { idOf, kinds } from "./kinds";
import { aboutProbe } from "./probes";
import { readNumber, referenceFindings } from "./reading";
import { type Print, type Trial, textOf, withRemoval } from "./trial";
import { tryObjects } from "./writing";

/** @param text such as `NL/geographic/20` @throws UsageError */
export function criteriaIn(text: string): BuyNumber {
	const [country = "", type = "", area, ...more] = text.split("/");
	const numberType = numberTypes.find((name) => name === type);
	if (/^[A-Z]{2}$/.test(country) && numberType !== undefined && area !== "" && more.length === 0)
		return criteriaOf({ country, type: numberType, area });
	throw new UsageError(
		"usage",
		`--buy ${text} is invalid: it must be country/type or country/type/area, such as NL/mobile or NL/geographic/20 (types: ${numberTypes.join(", ")}).`,
	);
}

/** Buys a number after the user has agreed, and releases it. @throws UsageError, which names a number that it couldn't release */
export async function offerPurchase(
	checkup: Checkup,
	criteria: BuyNumber,
	isAgreed: boolean,
	print: Print,
): Promise<void> {
	const price = await findPrice(checkup, criteria);
	const { country, type, area } = criteria;
	const kind = [country, type, area].filter((part) => part !== undefined).join("/");
	print(
		`this buys a number (${kind}) and releases it again, and creates a trunk and a webhook and deletes them. The number costs ${price ?? "money; the service doesn't show the price"}. If the service doesn't honor idempotency keys, it buys two.`,
	);
	assertReleasable(checkup);
	if (!isAgreed) await confirm("To buy it", kind, "nothing was bought");
	let buying: Buying | undefined;
	const work = async (trial: Trial) => {
		await tryObjects(trial);
		if (trial.isInterrupted()) return;
		buying = { trial, criteria, before: await namesBefore(checkup) };
		await tryPurchase(buying);
	};
	await withRemoval(checkup, print, work, async (failure) =>
		buying === undefined ? failure : withUnnamed(buying, failure),
	);
}

/** Returns the price in words; undefined if the inventory doesn't show it. */
async function findPrice(checkup: Checkup, criteria: BuyNumber): Promise<string | undefined> {
	if (!checkup.allows("searchNumbers")) return undefined;
	const found = await checkup.ask("searchNumbers", { query: { ...criteria, limit: 1 } });
	if (!isOk(found)) return undefined;
	const [first] = checkup.records(found);
	const money = (name: string) => {
		const amount = at(first, `price.${name}.amount`);
		const currency = at(first, `price.${name}.currency`);
		return typeof amount === "string" && typeof currency === "string" ? `${amount} ${currency}` : undefined;
	};
	const setup = money("setup");
	const monthly = money("monthly");
	return monthly === undefined ? undefined : `${setup === undefined ? "" : `${setup} once and `}${monthly} a month`;
}

/** @throws UsageError if a bought number couldn't be found again, or not be released */
function assertReleasable(checkup: Checkup): void {
	const missing = ["items of a list", "number: id"]
		.map((what) => checkup.findingAbout(what))
		.find((finding) => finding?.verdict === "decide");
	if (missing !== undefined)
		throw new UsageError("usage", `nothing was bought: ${missing.hint}, so that the number can be found again.`);
	if (!checkup.allows("releaseNumber"))
		throw new UsageError("usage", "nothing was bought: the service is declared to have no release.");
}

/** Returns the names of the account's numbers. Without them, any of these could later count as bought. @throws UsageError */
async function namesBefore(checkup: Checkup): Promise<readonly string[]> {
	const all = await checkup.findAll(kinds.number);
	if (all !== undefined) return all.map(nameOf);
	throw new UsageError(
		"list-incomplete",
		"nothing was bought: the list of the numbers can't be read to its end, so a bought number couldn't be told from the others. Run the command again.",
	);
}

async function tryPurchase(buying: Buying): Promise<void> {
	const { checkup, isInterrupted } = buying.trial;
	const key = `telephony-check-${crypto.randomUUID()}`;
	const purchase = await buy(buying, "buy", key);
	checkup.add(...purchaseFindings(checkup, purchase));
	const id = boughtIn(buying.trial)[0];
	if (id === undefined || isInterrupted()) return;
	if (checkup.allows("buyNumber", "idempotencyKey")) {
		const replay = await buy(buying, "replay", key);
		checkup.add(...replayFindings(checkup, purchase, replay));
	}
	const isRead = checkup.exchanges.some((exchange) => exchange.name === "getNumber" && isOk(exchange));
	if (!isInterrupted() && !isRead) await readNumber(checkup, id, purchase.exchange);
	checkup.add(...defaultFindings(checkup, id));
	if (!isInterrupted()) await changeNumber(buying.trial, id);
}

/** The check may have bought a number that no response names. */
class PurchaseUnknown extends UsageError {
	constructor(message: string) {
		super("purchase-unknown", message);
	}
}

interface Buying {
	readonly trial: Trial;
	readonly criteria: BuyNumber;
	/** Names of the account's numbers before the first purchase. */
	readonly before: readonly string[];
}

/** Returns the id, or all that may identify a number whose id has an unknown name. */
const nameOf = (record: Json): string => idOf(record) ?? (identifying(record).join(", ") || JSON.stringify(record));

const boughtIn = ({ made }: Trial): readonly string[] =>
	made.filter(({ kind }) => kind.noun === "number").map(({ id }) => id);

interface Purchase {
	readonly exchange: Exchange;
	/** Id of the number, also if only the list shows it. */
	readonly id?: string | undefined;
}

function purchaseFindings(checkup: Checkup, { exchange }: Purchase): Finding[] {
	if (isBusy(exchange)) return [];
	const finding = aboutProbe("buy", "HTTP 201");
	const hint = "try another kind of number, or set envelopes.number.request";
	return checkup.isAccepted(exchange)
		? [finding.holds(), ...referenceFindings(checkup, [exchange])]
		: [finding.decide(refusalOf(exchange), hint)];
}

/** A service may give a new number values. A lost purchase then looks like another user's number. */
function defaultFindings({ exchanges }: Checkup, id: string): Finding[] {
	const records = exchanges
		.filter(({ name }) => name === "buyNumber" || name === "getNumber")
		.flatMap(({ data }) => (isObject(data) ? [data as unknown as NumberRecord] : []));
	const record = records.find((purchase) => purchase.id === id && !isUnused(purchase));
	if (record === undefined) return [];
	const { label, routing, reference } = record;
	const hint =
		"so that a lost purchase is found again, set records.number.FIELD.empty to a value that each new number has, or records.number.FIELD to false";
	return [about("values of a new number", "none").decide(JSON.stringify({ label, routing, reference }), hint)];
}

function replayFindings(checkup: Checkup, purchase: Purchase, replay: Purchase): Finding[] {
	if (isBusy(replay.exchange)) return [];
	const finding = aboutProbe("replay", "same number");
	if (!isOk(replay.exchange)) {
		const hint = "declare -idempotencyKey, or idempotencyKey if the service responds so to a replay";
		return [finding.decide(resultOf(replay.exchange), hint)];
	}
	if (purchase.id === undefined || replay.id === undefined) return [];
	if (purchase.id !== replay.id) {
		const hint =
			"the service doesn't honor the key; if its header has another name, set headers.idempotencyKey instead";
		return [finding.state("another number", { features: "-idempotencyKey" }, hint)];
	}
	if (checkup.declares("idempotencyKey")) return [finding.holds()];
	const state = { features: "idempotencyKey" };
	// A marked replay shows that the service honors keys. If it is stated, even the first purchase is repeated.
	const { response } = replay.exchange;
	const isMarked = response !== undefined && isReplayed(response, checkup.service.replayedHeader);
	return [isMarked ? { ...finding.holds(), state } : finding.state("same number", state)];
}

/** @throws UsageError if the response doesn't show whether a number was bought */
async function buy(buying: Buying, probe: "buy" | "replay", idempotencyKey: string): Promise<Purchase> {
	const { trial, criteria } = buying;
	const { checkup } = trial;
	const call = { body: criteria, idempotencyKey };
	const exchange = await checkup.ask("buyNumber", call, probe).catch(async (error: unknown) => {
		throw await unknownPurchase(buying, textOf(error as Error).replace(/\.$/, ""));
	});
	// Only a 429 says that nothing was bought.
	if (isUnclear(exchange)) throw await unknownPurchase(buying, resultOf(exchange));
	if (isBusy(exchange) || !checkup.isAccepted(exchange)) return { exchange };
	return { exchange, id: await notePurchase(buying, exchange, probe === "replay") };
}

/** Returns the number's id. @throws UsageError if neither the response nor the list names the bought number */
async function notePurchase(buying: Buying, purchase: Exchange, isReplay: boolean): Promise<string | undefined> {
	const { trial } = buying;
	const { checkup } = trial;
	const [response = {}] = checkup.records(purchase);
	const isMarked = isReplay && purchase.response && isReplayed(purchase.response, checkup.service.replayedHeader);
	const isNamed = idOf(response) !== undefined || isMarked;
	const record = isNamed ? response : await findBought(buying, isReplay);
	const id = idOf(record ?? {}) ?? boughtIn(trial)[0];
	if (id === undefined || boughtIn(trial).includes(id)) return id;
	// It may be the id of an order. The check must not release the number that has the same id.
	if (buying.before.includes(id))
		throw await unknownPurchase(buying, `the response names ${id}, which was on the account before`);
	const name = typeof record?.number === "string" ? `${record.number} (${id})` : id;
	trial.made.push({ kind: kinds.number, id, name });
	trial.print(`bought ${name}`);
	return id;
}

/** Pauses before reads of a list that may show a purchase late, ms. */
const listPauses = [0, 1_000, 2_000, 4_000] as const;

/**
 * Returns the one new number of the list, after a purchase whose response names none; undefined if a repeated purchase
 * bought none. Two lists in a row must show it, and no other that may be it: another user may buy at the same time.
 * @throws UsageError, naming the candidates
 */
async function findBought(buying: Buying, isReplay: boolean): Promise<Json | undefined> {
	const { checkup } = buying.trial;
	let found: readonly Json[] = [];
	for (const ms of listPauses) {
		await checkup.clock.sleep(ms);
		const listed = (await findNew(buying))?.filter((record) => mayBeBought(buying, record));
		if (listed === undefined) continue;
		const [first, ...others] = listed;
		const isStable = found.length === 1 && found[0]?.id === first?.id;
		if (first !== undefined && others.length === 0 && isStable && idOf(first) !== undefined) return first;
		found = listed;
	}
	if (isReplay && found.length === 0 && (await findNew(buying)) !== undefined) return undefined;
	throw new PurchaseUnknown(
		`NOT RELEASED: a number was bought, and the response doesn't name it. Release it in the service's dashboard. If the id has another name, set records.number.id.\n${await newNumbers(buying)}`,
	);
}

/** Returns the numbers that came after the first purchase, without those that it named; undefined if the list is incomplete. */
async function findNew({ trial, before }: Buying): Promise<readonly Json[] | undefined> {
	const all = await trial.checkup.findAll(kinds.number);
	const names = [...before, ...boughtIn(trial)];
	return all?.filter((record) => !names.includes(nameOf(record)));
}

/** False for a number of another kind, and for one with a claim, a label or a routing: the bought one has none yet. */
const mayBeBought = ({ criteria }: Buying, record: Json): boolean =>
	isUnused(record as unknown as NumberRecord) && differentCriteria({ ...criteria }, record).length === 0;

/** Adds new numbers that no response names to the error, such as the number of an order. */
async function withUnnamed(buying: Buying, failure: Error | undefined): Promise<Error | undefined> {
	// It names them already.
	if (failure instanceof PurchaseUnknown) return failure;
	const added = await findNew(buying);
	const unnamed = added?.filter((record) => mayBeUnnamed(record as unknown as NumberRecord));
	if (unnamed?.length === 0) return failure;
	const reason =
		unnamed === undefined
			? "the list of the numbers can't be read to its end"
			: "no response to the purchase names it, but the list shows a new one";
	const rest = failure === undefined ? "" : ` ${textOf(failure)}`;
	const list = unnamed === undefined ? "" : `\nNew in the list:${lines(unnamed.map(nameOf))}`;
	return new PurchaseUnknown(
		`A NUMBER MAY STILL BE ON THE ACCOUNT: ${reason}. Open the service's dashboard, and release the number that this check has bought.${rest}${list}`,
	);
}

/** False for a number that a stack has claimed. A service may give a new number another type, a label or a routing. */
const mayBeUnnamed = (record: NumberRecord): boolean => !isReleasedOrFailed(record) && !isClaimed(record);

async function unknownPurchase(buying: Buying, reason: string): Promise<PurchaseUnknown> {
	return new PurchaseUnknown(
		`A NUMBER MAY HAVE BEEN BOUGHT: ${reason}. Open the service's dashboard, and release the number that this check has bought.\n${await newNumbers(buying)}`,
	);
}

/** Names new numbers. They may also be another user's purchases. */
async function newNumbers(buying: Buying): Promise<string> {
	const added = await findNew(buying);
	if (added === undefined) return "The list can't be read completely.";
	return added.length === 0 ? "The list shows no new number." : `New in the list:${lines(added.map(nameOf))}`;
}
