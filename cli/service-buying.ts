/** The requests of the check that cost money: every number that it buys is released, whatever happens in between. */
import { setTimeout as pause } from "node:timers/promises";
import { type BuyNumber, numberTypes, type OperationName } from "../provider/api/contract";
import type { Description } from "../provider/api/description/description";
import { at } from "../provider/api/json";
import { type Asked, type Checkup, dialectOf, isOk, problemWith, type Seen, type Step } from "./service-checkup";
import { findings } from "./service-findings";
import { changed, inside, wrappers } from "./service-purchase";
import { isOffered, singleReads, wordsOf } from "./service-reading";
import { idIn, itemsOf, placeOf, recordAt } from "./service-rows";
import { UsageError } from "./usage";

/** @throws UsageError @param text such as `NL/geographic/20` */
export function criteriaIn(text: string): BuyNumber {
	const [country = "", type = "", area, ...more] = text.split("/");
	const known = numberTypes.find((each) => each === type);
	if (/^[A-Z]{2}$/.test(country) && known !== undefined && area !== "" && more.length === 0)
		return { country, type: known, ...(area === undefined ? {} : { area }) };
	throw new UsageError(
		"usage",
		`--buy ${text} can't be used: name country and type, and an area if you like, such as NL/mobile or NL/geographic/20 (types: ${numberTypes.join(", ")}).`,
	);
}

/** The price in words; undefined if the inventory doesn't show it. */
export async function priceOf(checkup: Checkup, criteria: BuyNumber): Promise<string | undefined> {
	const words = wordsOf(checkup);
	if (!isOffered(checkup, words, "searchNumbers", "inventory")) return undefined;
	const seen = await checkup.ask("price", "searchNumbers", words, { query: { ...criteria, limit: 1 } });
	if (!isOk(seen)) return undefined;
	const { json } = dialectOf(words).responseIn("searchNumbers", seen.json);
	const [free] = itemsOf({ ...seen, json }, {});
	const money = (name: string) => {
		const [amount, currency] = [at(free, `price.${name}.amount`), at(free, `price.${name}.currency`)];
		return typeof amount === "string" && typeof currency === "string" ? `${amount} ${currency}` : undefined;
	};
	const [setup, monthly] = [money("setup"), money("monthly")];
	return monthly === undefined ? undefined : `${setup === undefined ? "" : `${setup} once and `}${monthly} a month`;
}

/** @throws UsageError if a bought number could not be found again, or not be released */
export function assertReleasable(checkup: Checkup): void {
	const rows = findings(checkup.seen, checkup.given, checkup.stated);
	const missing = rows.find(
		({ what, verdict }) => verdict === "decide" && (what === "items of a list" || what === "number: id"),
	);
	if (missing !== undefined)
		throw new UsageError("usage", `nothing was bought: ${missing.hint}, so that the number can be found again.`);
	if (!isOffered(checkup, wordsOf(checkup), "releaseNumber", "release"))
		throw new UsageError(
			"usage",
			"nothing was bought: the service is stated to have no release, so the number would stay.",
		);
}

/** The bought numbers that are not released yet: names for people, by id. */
type Bought = Map<string, string>;

/** One run of the steps that cost money. */
interface Trial {
	readonly checkup: Checkup;
	readonly criteria: BuyNumber;
	readonly bought: Bought;
	/** Whether a signal has asked to end it. */
	readonly isOver: () => boolean;
	/** Tells the person. */
	readonly say: (text: string) => void;
}

/** @param say tells the person @throws UsageError, naming the number, if it couldn't be released */
export async function buying(checkup: Checkup, criteria: BuyNumber, say: (text: string) => void): Promise<void> {
	assertReleasable(checkup);
	const bought: Bought = new Map();
	let signal: string | undefined;
	const onSignal = (name: string) => {
		signal = name;
		say(`${name}: the bought number is released first, please wait`);
	};
	const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
	for (const name of names) process.on(name, onSignal);
	try {
		await steps({ checkup, criteria, bought, isOver: () => signal !== undefined, say });
	} finally {
		try {
			await releaseAll(checkup, bought, say);
		} finally {
			for (const name of names) process.off(name, onSignal);
		}
	}
	if (signal !== undefined)
		throw new UsageError("interrupted", `${signal}: the check was cut short; all that it bought is released.`);
}

const newKey = () => `telephony-check-${crypto.randomUUID()}`;

async function steps(trial: Trial): Promise<void> {
	const { checkup, isOver } = trial;
	const { key, first } = await firstPurchase(trial);
	if (!isOk(first)) return;
	const id = idIn(first, "number", wordsOf(checkup));
	if (id === undefined) throw await unnamedPurchaseError(checkup);
	if (isOver()) return;
	if (isOffered(checkup, wordsOf(checkup), "buyNumber", "idempotencyKey")) await buy(trial, "replay", key);
	if (!isOver() && !checkup.seen.some(({ step }) => step === "single")) await singleReads(checkup, id);
	if (isOver()) return;
	if (isOffered(checkup, wordsOf(checkup), "patchNumber", "patchNumber")) await change(checkup, id, first);
}

/** As the description says; if that is refused as malformed, which buys nothing, inside an object of each usual name. */
async function firstPurchase(trial: Trial): Promise<{ key: string; first: Seen }> {
	const { checkup, isOver } = trial;
	let key = newKey();
	let first = await buy(trial, "buy", key);
	for (const wrapper of wordsOf(checkup).envelopes?.number?.request === undefined ? wrappers : []) {
		if (isOver() || ![400, 422].includes(first.answer.status)) break;
		key = newKey();
		first = await buy(trial, "buy", key, wrapper);
	}
	return { key, first };
}

/** @throws UsageError if there is no answer: a number may have been bought */
async function buy(trial: Trial, step: "buy" | "replay", idempotencyKey: string, wrapper?: string): Promise<Seen> {
	const { checkup, criteria, bought } = trial;
	const words = wrapper === undefined ? undefined : inside(wrapper);
	const seen = await checkup
		.ask(step, "buyNumber", wordsOf(checkup), { body: criteria, idempotencyKey, instead: wrapper, words })
		.catch((error: unknown) => throwUnknownPurchase(checkup, bought, error));
	if (isOk(seen)) note(trial, seen);
	return seen;
}

function note({ checkup, bought, say }: Trial, seen: Seen): void {
	const words = wordsOf(checkup);
	const id = idIn(seen, "number", words);
	if (id === undefined || bought.has(id)) return;
	const number = at(recordAt(seen, "number", words), placeOf(words, "number", "number"));
	const name = typeof number === "string" ? `${number} (${id})` : id;
	bought.set(id, name);
	say(`bought ${name}`);
}

/** If the service has no such request, and the description doesn't name another, `other` is sent instead. */
async function askEither(
	checkup: Checkup,
	step: Step,
	name: OperationName,
	other: string,
	asked: Asked,
): Promise<Seen> {
	const words = wordsOf(checkup);
	const seen = await checkup.ask(step, name, words, asked);
	if (words.operations?.[name] !== undefined || ![404, 405, 501].includes(seen.answer.status)) return seen;
	return checkup.ask(step, name, words, { ...asked, instead: other, words: { operations: { [name]: other } } });
}

async function change(checkup: Checkup, id: string, purchase: Seen): Promise<void> {
	const last = recordAt(purchase, "number", wordsOf(checkup));
	await askEither(checkup, "change", "patchNumber", "PUT /numbers/{id}", { segment: id, body: changed, last });
}

const tries = 4;

async function releaseAll(checkup: Checkup, bought: Bought, say: (text: string) => void): Promise<void> {
	const left: string[] = [];
	for (const [id, name] of bought) {
		if (await release(checkup, id)) say(`released ${name}`);
		else left.push(name);
	}
	if (left.length === 0) return;
	const [were, areStill, them] =
		left.length === 1
			? ["was", "It is still on the account and costs", "it"]
			: ["were", "They are still on the account and cost", "them"];
	throw new UsageError(
		"kept",
		`NOT RELEASED: ${left.join(", ")} ${were} bought by this check, and could not be released. ${areStill} money: release ${them} in the service's dashboard.`,
	);
}

/** Whether it is gone. */
async function release(checkup: Checkup, id: string): Promise<boolean> {
	for (let attempt = 1; attempt <= tries; attempt++) {
		if (attempt > 1) await pause(500 * 2 ** attempt);
		try {
			const seen = await askEither(checkup, "release", "releaseNumber", "POST /numbers/{id}/release", { segment: id });
			if (isOk(seen)) return true;
			// An earlier try may have worked although its answer got lost.
			if (attempt > 1 && (await isGone(checkup, id))) return true;
			if (seen.answer.status < 500 && ![408, 409, 423, 425, 429].includes(seen.answer.status)) return false;
		} catch {
			// No answer, or a description without a release: the next try, or the person, goes on.
		}
	}
	return isGone(checkup, id).catch(() => false);
}

/** By a single read that says so, or a complete list without it. */
async function isGone(checkup: Checkup, id: string): Promise<boolean> {
	const words = wordsOf(checkup);
	if (isOffered(checkup, words, "getNumber", "getById")) {
		const read = await checkup.ask("after", "getNumber", words, { segment: id });
		if (problemWith(read, dialectOf(words))?.kind === "NotFound") return true;
	}
	const listed = await idsNow(checkup);
	return listed !== undefined && !listed.includes(id);
}

/** Undefined if the list has more than one page, or can't be read. */
async function idsNow(checkup: Checkup): Promise<readonly string[] | undefined> {
	const words = wordsOf(checkup);
	const list = await checkup.ask("listAfter", "listNumbers", words, { query: { limit: 100 } });
	if (!isOk(list) || at(list.json, words.lists?.next ?? "next_cursor")) return undefined;
	return idsIn(list, words);
}

const idsIn = (list: Seen | undefined, words: Description): readonly string[] =>
	itemsOf(list, words).map((item) => String(at(item, placeOf(words, "number", "id"))));

/** Numbers that the first list didn't show, in words. Somebody else may have bought them, so they are only named. */
async function newNumbers(checkup: Checkup, but: Bought = new Map()): Promise<string> {
	const before = checkup.seen.findLast(
		(each) => (each.step === "list" || each.step === "listWithoutLimit") && isOk(each),
	);
	const now = await idsNow(checkup).catch(() => undefined);
	if (now === undefined) return "the list can't be read as a whole";
	const known = idsIn(before, wordsOf(checkup));
	const found = now.filter((id) => !known.includes(id) && !but.has(id));
	return found.length === 0 ? "the list shows no new number" : `new in the list: ${found.join(", ")}`;
}

async function throwUnknownPurchase(checkup: Checkup, bought: Bought, error: unknown): Promise<never> {
	const said = (error as Error).message.replace(/ \[telephony:[a-z-]+\]$/, "");
	throw new UsageError(
		"purchase-unknown",
		`A NUMBER MAY HAVE BEEN BOUGHT: ${said} (${await newNumbers(checkup, bought)}). Look in the service's dashboard, and release there the number that this check has bought.`,
	);
}

async function unnamedPurchaseError(checkup: Checkup): Promise<UsageError> {
	return new UsageError(
		"purchase-unknown",
		`NOT RELEASED: a number was bought, and the answer doesn't name it (${await newNumbers(checkup)}). Release it in the service's dashboard, and state records.number.id, if the answer has it under another name.`,
	);
}
