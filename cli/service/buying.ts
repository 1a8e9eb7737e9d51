/** The requests of the check that cost money. */
import { type BuyNumber, type NumberRecord, numberTypes } from "../../provider/api/contract";
import { boughtIn as identifying } from "../../provider/api/description/hint";
import { at, type Json } from "../../provider/api/json";
import { isReleasedOrFailed } from "../../provider/api/record";
import { isReplayed } from "../../provider/api/response";
import { lines } from "../../provider/properties/display";
import { isUnused } from "../../provider/resources/number/candidates";
import { criteriaOf, differentCriteria } from "../../provider/resources/number/properties";
import { confirm } from "../report/confirm";
import { UsageError } from "../report/usage";
import { changeNumber } from "./changing";
import type { Checkup } from "./checkup";
import { type Exchange, findProblem, idOf, isBusy, isOk, isUnclear, type Reader, readAsClient } from "./exchange";
import { about, type Finding } from "./finding";
import { kinds } from "./kinds";
import { aboutProbe, notOffered } from "./probes";
import { readNumber, referenceFindings } from "./reading";
import { findAll } from "./removal";
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
	await withRemoval(checkup, print, work, async () => (buying === undefined ? [] : unnamedIn(buying)));
}

/** Returns the price in words; undefined if the inventory doesn't show it. */
async function findPrice(checkup: Checkup, criteria: BuyNumber): Promise<string | undefined> {
	const { allows, records } = checkup.known;
	if (!allows("searchNumbers")) return undefined;
	const found = await checkup.ask("searchNumbers", { query: { ...criteria, limit: 1 } });
	if (!isOk(found)) return undefined;
	const [first] = records(found);
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
	if (!checkup.known.allows("releaseNumber"))
		throw new UsageError("usage", "nothing was bought: the service is declared to have no release.");
}

/** Returns the names of the account's numbers. Without them, any of these could later count as bought. @throws UsageError */
async function namesBefore(checkup: Checkup): Promise<readonly string[]> {
	const all = await findAll(checkup, kinds.number).catch(() => undefined);
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
	checkup.add(...purchaseFindings(checkup.known, purchase));
	const id = boughtIn(buying.trial)[0];
	if (id === undefined || isInterrupted()) return;
	checkup.add(...referenceFindings(checkup.known, [purchase.exchange]));
	if (checkup.known.offers("idempotencyKey") === false) checkup.add(notOffered("replay"));
	if (checkup.known.allows("buyNumber", "idempotencyKey")) {
		const replay = await buy(buying, "replay", key);
		checkup.add(...replayFindings(checkup.known, purchase, replay));
	}
	const isRead = checkup.exchanges.some((exchange) => exchange.name === "getNumber" && isOk(exchange));
	if (!isInterrupted() && !isRead) await readNumber(checkup, id, purchase.exchange);
	checkup.add(...defaultFindings(checkup, id));
	if (!isInterrupted()) await changeNumber(buying.trial, id);
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

function purchaseFindings({ isAccepted, refusalText, records }: Reader, { exchange, id }: Purchase): Finding[] {
	if (isBusy(exchange)) return [];
	if (!isAccepted(exchange)) {
		const hint = "try another kind of number, or set envelopes.number.request";
		return [aboutProbe("buy", "HTTP 201").decide(refusalText(exchange), hint)];
	}
	if (id === undefined || records(exchange).some((record) => idOf(record) !== undefined)) return [];
	return [about("id in the response to a purchase", "id").unseen("none, so that purchases run one at a time")];
}

/** A service may give a new number values. A lost purchase then looks like another user's number. */
function defaultFindings({ exchanges, known: { dialect } }: Checkup, id: string): Finding[] {
	const records = exchanges
		.filter(({ name }) => name === "buyNumber" || name === "getNumber")
		.filter((exchange) => isOk(exchange) && findProblem(exchange, dialect) === undefined)
		.map((exchange) => readAsClient(exchange, dialect).data as NumberRecord);
	const record = records.find((purchase) => purchase.id === id && !isUnused(purchase));
	if (record === undefined) return [];
	const { label, routing, reference } = record;
	const hint =
		"so that a lost purchase is found again, set records.number.FIELD.empty to a value that each new number has, or records.number.FIELD to false";
	return [about("values of a new number", "none").decide(JSON.stringify({ label, routing, reference }), hint)];
}

function replayFindings({ offers, dialect }: Reader, purchase: Purchase, replay: Purchase): Finding[] {
	if (isBusy(replay.exchange)) return [];
	const finding = aboutProbe("replay", "same number");
	const { status } = replay.exchange.response;
	if (!isOk(replay.exchange)) {
		const hint = "declare -idempotencyKey, or idempotencyKey if the service responds so to a replay";
		return [finding.decide(`HTTP ${status}`, hint)];
	}
	if (purchase.id === undefined || replay.id === undefined) return [finding.unseen("no id")];
	if (purchase.id !== replay.id) {
		const hint =
			"the service doesn't honor the key; if its header has another name, set headers.idempotencyKey instead";
		return [finding.state("another number", { features: "-idempotencyKey" }, hint)];
	}
	const mark = replayHeaderFinding(purchase.exchange, replay.exchange, dialect.replayedHeader);
	if (offers("idempotencyKey")) return [finding.holds(), mark];
	const state = { features: "idempotencyKey" };
	// A service that marks replays shows that it honors keys. If it is stated, even the first purchase is repeated.
	const isMarked = mark.verdict !== "unseen";
	return [isMarked ? { ...finding.holds(), state } : finding.state("same number", state), mark];
}

/** A replay has a header that the first response doesn't have. */
function replayHeaderFinding({ response: first }: Exchange, { response: second }: Exchange, header: string): Finding {
	const finding = about("header of a replay", header);
	if ((second.headers[header] ?? "false") !== "false") return finding.holds();
	const found = Object.keys(second.headers).find(
		(name) =>
			/replay|idempoten|duplicate|cached/.test(name) &&
			second.headers[name] !== first.headers[name] &&
			second.headers[name] !== "false",
	);
	return found === undefined ? finding.unseen("none") : finding.state(found, { headers: { replayed: found } });
}

/** @throws UsageError if the response doesn't show whether a number was bought */
async function buy(buying: Buying, probe: "buy" | "replay", idempotencyKey: string): Promise<Purchase> {
	const { trial, criteria } = buying;
	const { checkup } = trial;
	const request = { probe, body: criteria, idempotencyKey };
	const unknown = async (reason: string) =>
		new UsageError(
			"purchase-unknown",
			`A NUMBER MAY HAVE BEEN BOUGHT: ${reason}. Open the service's dashboard, and release the number that this check has bought.\n${await newNumbers(buying)}`,
		);
	const exchange = await checkup.ask("buyNumber", request).catch(async (error: unknown) => {
		throw await unknown(textOf(error as Error));
	});
	const { status } = exchange.response;
	// Only a 429 says that nothing was bought.
	if (status === 408 || isUnclear(status)) throw await unknown(`${exchange.doing} returned HTTP ${status}`);
	if (isBusy(exchange) || !checkup.known.isAccepted(exchange)) return { exchange };
	return { exchange, id: await notePurchase(buying, exchange, probe === "replay") };
}

/** Returns the number's id. @throws UsageError if neither the response nor the list names the bought number */
async function notePurchase(buying: Buying, purchase: Exchange, isReplay: boolean): Promise<string | undefined> {
	const { trial } = buying;
	const { records, dialect } = trial.checkup.known;
	const [response = {}] = records(purchase);
	const isNamed = idOf(response) !== undefined || isReplayed(purchase.response, dialect.replayedHeader);
	const record = isNamed ? response : await findBought(buying, isReplay);
	const id = idOf(record ?? {}) ?? boughtIn(trial)[0];
	if (id === undefined || boughtIn(trial).includes(id)) return id;
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
		const listed = (await findNew(buying).catch(() => undefined))?.filter((record) => mayBeBought(buying, record));
		if (listed === undefined) continue;
		const [first, ...others] = listed;
		const isStable = found.length === 1 && found[0]?.id === first?.id;
		if (first !== undefined && others.length === 0 && isStable && idOf(first) !== undefined) return first;
		found = listed;
	}
	if (isReplay && found.length === 0 && (await findNew(buying)) !== undefined) return undefined;
	throw new UsageError(
		"purchase-unknown",
		`NOT RELEASED: a number was bought, and the response doesn't name it. Release it in the service's dashboard. If the id has another name, set records.number.id.\n${await newNumbers(buying)}`,
	);
}

/** Returns the numbers that came after the first purchase, without those that it named; undefined if the list is incomplete. */
async function findNew({ trial, before }: Buying): Promise<readonly Json[] | undefined> {
	const all = await findAll(trial.checkup, kinds.number);
	const names = [...before, ...boughtIn(trial)];
	return all?.filter((record) => !names.includes(nameOf(record)));
}

/** False for a number of another kind, and for one with a claim, a label or a routing: the bought one has none yet. */
const mayBeBought = ({ criteria }: Buying, record: Json): boolean =>
	isUnused(record as unknown as NumberRecord) && differentCriteria({ ...criteria }, record).length === 0;

/** Returns the names of new numbers that the check may have bought, although no response names them, such as by an order. */
async function unnamedIn(buying: Buying): Promise<readonly string[]> {
	const added = (await findNew(buying).catch(() => undefined)) ?? [];
	const isLive = (record: Json) => !isReleasedOrFailed(record as unknown as NumberRecord);
	return added.filter((record) => isLive(record) && mayBeBought(buying, record)).map(nameOf);
}

/** Names new numbers. They may also be another user's purchases. */
async function newNumbers(buying: Buying): Promise<string> {
	const added = await findNew(buying).catch(() => undefined);
	if (added === undefined) return "The list can't be read completely.";
	return added.length === 0 ? "The list shows no new number." : `New in the list:${lines(added.map(nameOf))}`;
}
