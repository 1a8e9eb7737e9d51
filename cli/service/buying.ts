/** The requests of the check that cost money. Every number that it buys is released, whatever happens in between. */
import { setTimeout as sleep } from "node:timers/promises";
import { type BuyNumber, numberTypes } from "../../provider/api/contract";
import { isGone, isTelephonyError } from "../../provider/api/errors";
import { at, isObject } from "../../provider/api/json";
import { isOwnWord, isReleasedOrFailed, showsStatus } from "../../provider/api/record";
import { isReplayed } from "../../provider/api/response";
import { criteriaOf } from "../../provider/resources/number/properties";
import { confirm } from "../report/confirm";
import { UsageError } from "../report/usage";
import type { Checkup } from "./checkup";
import { type Exchange, findProblem, isOk, type Observations, readAsClient } from "./exchange";
import { findingsOf } from "./findings";
import { readNumber } from "./reading";
import { changedValues, inside, wrappers } from "./requests";
import { listOf } from "./shape";

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

type Print = (text: string) => void;

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
		`this buys a number (${kind}) and releases it again. It costs ${price ?? "money; the service doesn't show the price"}. If the service doesn't honor idempotency keys, it buys two.`,
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

/** Bought numbers that are not released yet: names for people, by id. */
type Bought = Map<string, string>;

interface Trial {
	readonly checkup: Checkup;
	readonly criteria: BuyNumber;
	readonly bought: Bought;
	/** True after a signal. */
	readonly isInterrupted: () => boolean;
	readonly print: Print;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** @throws UsageError, naming the number, if it couldn't be released */
export async function buyAndRelease(
	checkup: Checkup,
	criteria: BuyNumber,
	print: Print,
	pause: (ms: number) => Promise<unknown> = sleep,
): Promise<void> {
	assertReleasable(checkup);
	const bought: Bought = new Map();
	let signal: string | undefined;
	const onSignal = (name: string) => {
		signal = name;
		print(`${name}: the bought number is released first, please wait`);
	};
	for (const name of signals) process.on(name, onSignal);
	try {
		const trial = { checkup, criteria, bought, isInterrupted: () => signal !== undefined, print };
		const failure = await tryPurchase(trial).then(() => undefined, toError);
		const kept = await releaseAll({ checkup, pause, print }, bought);
		if (kept.length > 0) throw notReleased(kept, failure);
		if (failure !== undefined) throw failure;
	} finally {
		for (const name of signals) process.off(name, onSignal);
	}
	if (signal !== undefined)
		throw new UsageError("interrupted", `${signal} ended the check. All numbers that it bought are released.`);
}

async function tryPurchase(trial: Trial): Promise<void> {
	const { checkup, isInterrupted } = trial;
	const { key, purchase } = await firstPurchase(trial);
	const { idOf, number, allows, isAccepted } = checkup.known;
	const id = idOf(number(purchase));
	if (id === undefined || !isAccepted(purchase) || isInterrupted()) return;
	if (allows("buyNumber", "idempotencyKey")) await buy(trial, "replay", key);
	if (!isInterrupted() && !checkup.exchanges.some(({ step }) => step === "single")) await readNumber(checkup, id);
	if (isInterrupted() || !checkup.known.allows("patchNumber", "patchNumber")) return;
	const request = { segment: id, body: changedValues, last: checkup.known.number(purchase) };
	await checkup.askAny("change", "patchNumber", ["PUT /numbers/{id}"], request);
}

const newKey = () => `telephony-check-${crypto.randomUUID()}`;

/** Sends the fields as described. If that is refused as malformed, which buys nothing, it tries an object of each usual name. */
async function firstPurchase(trial: Trial): Promise<{ key: string; purchase: Exchange }> {
	const { checkup, isInterrupted } = trial;
	let key = newKey();
	let purchase = await buy(trial, "buy", key);
	const isStated = checkup.known.description.envelopes?.number?.request !== undefined;
	for (const wrapper of isStated ? [] : wrappers) {
		if (isInterrupted() || ![400, 422].includes(purchase.answer.status)) break;
		key = newKey();
		purchase = await buy(trial, "buy", key, wrapper);
	}
	return { key, purchase };
}

/** @throws UsageError if there is no response: a number may have been bought */
async function buy(trial: Trial, step: "buy" | "replay", idempotencyKey: string, wrapper?: string): Promise<Exchange> {
	const { checkup, criteria, bought } = trial;
	const words = wrapper === undefined ? undefined : inside(wrapper);
	const request = { body: criteria, idempotencyKey, instead: wrapper, words };
	const purchase = await checkup.ask(step, "buyNumber", request).catch(async (error: unknown) => {
		throw new UsageError(
			"purchase-unknown",
			`A NUMBER MAY HAVE BEEN BOUGHT: ${textOf(error as Error)} (${await newNumbers(checkup, bought)}). Open the service's dashboard, and release the number that this check has bought.`,
		);
	});
	if (checkup.known.isAccepted(purchase)) await notePurchase(trial, purchase);
	return purchase;
}

/** @throws UsageError if the response names no number, unless it repeats an earlier response */
async function notePurchase({ checkup, bought, print }: Trial, purchase: Exchange): Promise<void> {
	const { idOf, number, placeOf, dialect } = checkup.known;
	const record = number(purchase);
	const id = idOf(record);
	if (id === undefined && isReplayed(purchase.answer, dialect.replayedHeader)) return;
	if (id === undefined)
		throw new UsageError(
			"purchase-unknown",
			`NOT RELEASED: a number was bought, and the response doesn't name it (${await newNumbers(checkup, bought)}). Release it in the service's dashboard. If the id has another name, set records.number.id.`,
		);
	if (bought.has(id)) return;
	const e164 = at(record, placeOf("number", "number"));
	const name = typeof e164 === "string" ? `${e164} (${id})` : id;
	bought.set(id, name);
	print(`bought ${name}`);
}

// ---- Releases -----------------------------------------------------------------------------------------------------------

interface Releasing {
	readonly checkup: Checkup;
	readonly pause: (ms: number) => Promise<unknown>;
	readonly print: Print;
}

/** Returns the names of the numbers that the service doesn't show as released. */
async function releaseAll(releasing: Releasing, bought: Bought): Promise<readonly string[]> {
	const kept: string[] = [];
	for (const [id, name] of bought) {
		if (await release(releasing, id)) releasing.print(`released ${name}`);
		else kept.push(name);
	}
	return kept;
}

/** @param failure an error of the purchase, which may name other numbers */
function notReleased(kept: readonly string[], failure: Error | undefined): UsageError {
	const text = `NOT RELEASED: ${kept.join(", ")}. This check bought it, and the service doesn't show that it is released. You are billed for it while it is on the account: release it in the service's dashboard.`;
	return new UsageError("kept", failure === undefined ? text : `${text} ${textOf(failure)}`);
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Returns the message without its code. */
const textOf = ({ message }: Error): string => message.replace(/ \[telephony:[a-z-]+\]$/, "");

const attempts = 4;
const retriedStatuses: readonly number[] = [408, 409, 423, 425, 429];

/** Returns true once the number is released. */
async function release({ checkup, pause }: Releasing, id: string): Promise<boolean> {
	let isConfirmed = false;
	for (let attempt = 1; attempt <= attempts; attempt++) {
		if (attempt > 1) await pause(500 * 2 ** attempt);
		try {
			const sent: Outcome = isConfirmed ? "confirmed" : await sendRelease(checkup, id);
			isConfirmed = sent === "confirmed";
			// An earlier attempt may have worked although its response was lost.
			const state = await findState(checkup, id);
			if (state === "released" || (state === "unknown" && isConfirmed)) return true;
			if (sent === "refused") return false;
		} catch {
			// Without a response, the next attempt decides.
		}
	}
	return false;
}

/** The result of a release by its response. */
type Outcome = "confirmed" | "refused" | "unclear";

/** Sends the release, and decides as the client does what its response proves. */
async function sendRelease(checkup: Checkup, id: string): Promise<Outcome> {
	const response = await checkup.askAny("release", "releaseNumber", ["POST /numbers/{id}/release"], { segment: id });
	try {
		return readAsClient(response, checkup.known.dialect).isConfirmed ? "confirmed" : "unclear";
	} catch (error) {
		if (!isTelephonyError(error)) throw error;
		const status = error.status ?? response.answer.status;
		return status < 500 && !retriedStatuses.includes(status) ? "refused" : "unclear";
	}
}

/** Reads the number. A complete list without it decides if a single read can't. */
async function findState(checkup: Checkup, id: string): Promise<"released" | "live" | "unknown"> {
	if (checkup.known.allows("getNumber", "getById")) {
		const read = await checkup.ask("after", "getNumber", { segment: id });
		const state = stateIn(checkup.known, read);
		if (state !== "unknown") return state;
	}
	const ids = await findAllIds(checkup);
	if (ids === undefined) return "unknown";
	return ids.includes(id) ? "live" : "released";
}

/** A status value of the service's own may mean anything. */
function stateIn({ dialect }: Observations, read: Exchange): "released" | "live" | "unknown" {
	try {
		const { data } = readAsClient(read, dialect);
		if (!isObject(data)) return "unknown";
		if (isReleasedOrFailed(data)) return "released";
		return showsStatus(data) && !isOwnWord(data) ? "live" : "unknown";
	} catch (error) {
		return isGone(error) ? "released" : "unknown";
	}
}

/** Returns undefined if the list has more than one page, or can't be read. */
async function findAllIds(checkup: Checkup): Promise<readonly string[] | undefined> {
	const list = await checkup.ask("listAfter", "listNumbers", { query: { limit: 100 } });
	const { next, dialect } = checkup.known;
	return at(list.json, next) || findProblem(list, dialect) !== undefined ? undefined : idsIn(checkup, list);
}

function idsIn({ known: { idOf, items } }: Checkup, list: Exchange | undefined): readonly string[] {
	return items(list).map((item) => String(idOf(item)));
}

/** Names numbers that the first list didn't show. They may also be another user's purchases. */
async function newNumbers(checkup: Checkup, bought: Bought = new Map()): Promise<string> {
	const first = checkup.exchanges.findLast(
		(each) => (each.step === "list" || each.step === "listWithoutLimit") && isOk(each),
	);
	const ids = await findAllIds(checkup).catch(() => undefined);
	if (ids === undefined) return "the list can't be read completely";
	const before = idsIn(checkup, first);
	const added = ids.filter((id) => !before.includes(id) && !bought.has(id));
	return added.length === 0 ? "the list shows no new number" : `new in the list: ${added.join(", ")}`;
}
