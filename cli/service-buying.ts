/** The requests of the check that cost money: what is bought is released, whatever happens in between. */
import { setTimeout as pause } from "node:timers/promises";
import type { BuyNumber } from "../provider/api/contract";
import { numberTypes } from "../provider/api/contract";
import type { Description } from "../provider/api/dialect/description";
import { Dialect } from "../provider/api/dialect/dialect";
import { type Checkup, isOk, type Seen } from "./service-checkup";
import { at } from "./service-names";
import { changed, idIn } from "./service-purchase";
import { isOffered, wordsOf } from "./service-reading";
import { itemsOf, placeOf, recordAt } from "./service-rows";
import { UsageError } from "./usage";

/** @throws UsageError @param text such as `NL/geographic/20` */
export function criteriaIn(text: string): BuyNumber {
	const [country = "", type = "", area, ...more] = text.split("/");
	const known = numberTypes.find((each) => each === type);
	if (/^[A-Z]{2}$/.test(country) && known !== undefined && area !== "" && more.length === 0)
		return { country, type: known, ...(area === undefined ? {} : { area }) };
	throw new UsageError(
		"usage",
		`--buy ${text} can't be meant: give country and type, and an area if you like, such as NL/mobile or NL/geographic/20 (types: ${numberTypes.join(", ")}).`,
	);
}

/** What it costs, in words; undefined where the inventory doesn't say. */
export async function priceOf(checkup: Checkup, criteria: BuyNumber): Promise<string | undefined> {
	const words = wordsOf(checkup);
	if (!isOffered(checkup, words, "searchNumbers", "inventory")) return undefined;
	const seen = await checkup.ask("price", "searchNumbers", words, { query: { ...criteria, limit: 1 } });
	if (!isOk(seen)) return undefined;
	const { json } = new Dialect(words, "what the answers show").answerIn("searchNumbers", seen.json);
	const [free] = itemsOf({ ...seen, json }, {});
	const money = (name: string) => {
		const [amount, currency] = [at(free, `price.${name}.amount`), at(free, `price.${name}.currency`)];
		return typeof amount === "string" && typeof currency === "string" ? `${amount} ${currency}` : undefined;
	};
	const [setup, monthly] = [money("setup"), money("monthly")];
	return monthly === undefined ? undefined : `${setup === undefined ? "" : `${setup} once and `}${monthly} a month`;
}

/** What was bought and isn't released yet. */
type Bought = Map<string, string>;

/** @param say tells the person @throws UsageError, naming the number, if it couldn't be released */
export async function buying(checkup: Checkup, criteria: BuyNumber, say: (text: string) => void): Promise<void> {
	const bought: Bought = new Map();
	let signal: string | undefined;
	const onSignal = (name: string) => {
		signal = name;
		say(`${name}: what was bought is released first, please wait`);
	};
	const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
	for (const name of names) process.on(name, onSignal);
	try {
		await steps(checkup, criteria, bought, () => signal !== undefined, say);
	} finally {
		try {
			await releaseAll(checkup, bought, say);
		} finally {
			for (const name of names) process.off(name, onSignal);
		}
	}
	if (signal !== undefined)
		throw new UsageError("interrupted", `${signal}: the check was cut short; nothing that it bought is left.`);
}

async function steps(
	checkup: Checkup,
	criteria: BuyNumber,
	bought: Bought,
	isOver: () => boolean,
	say: (text: string) => void,
): Promise<void> {
	const idempotencyKey = `telephony-check-${crypto.randomUUID()}`;
	const buy = async (step: "buy" | "replay") => {
		const seen = await checkup
			.ask(step, "buyNumber", wordsOf(checkup), { body: criteria, idempotencyKey })
			.catch((error: unknown) => unknown(checkup, bought, error));
		if (isOk(seen)) note(checkup, seen, bought, say);
		return seen;
	};
	const first = await buy("buy");
	const id = isOk(first) ? idIn(first, wordsOf(checkup)) : undefined;
	if (isOk(first) && id === undefined) throw await unnamed(checkup);
	if (id === undefined || isOver()) return;
	if (isOffered(checkup, wordsOf(checkup), "buyNumber", "idempotencyKey")) await buy("replay");
	if (isOver()) return;
	if (isOffered(checkup, wordsOf(checkup), "patchNumber", "patchNumber")) await change(checkup, id, first);
}

function note(checkup: Checkup, seen: Seen, bought: Bought, say: (text: string) => void): void {
	const words = wordsOf(checkup);
	const id = idIn(seen, words);
	if (id === undefined || bought.has(id)) return;
	const number = at(recordAt(seen, "number", words), placeOf(words, "number", "number"));
	const name = typeof number === "string" ? `${number} (${id})` : id;
	bought.set(id, name);
	say(`bought ${name}`);
}

/** Requests that stand for one of ours at other services; each is tried only if the one before is not there. */
async function firstThere(
	checkup: Checkup,
	requests: readonly (string | undefined)[],
	ask: (words: Description, instead: string | undefined) => Promise<Seen>,
	name: "patchNumber" | "releaseNumber",
): Promise<Seen> {
	const [own, ...others] = requests;
	const isStated = wordsOf(checkup).operations?.[name] !== undefined;
	let seen = await ask({}, own);
	for (const other of isStated ? [] : others) {
		if (![404, 405, 501].includes(seen.answer.status) || other === undefined) break;
		const next = await ask({ operations: { [name]: other } }, other);
		if (isOk(next)) return next;
		seen = next;
	}
	return seen;
}

async function change(checkup: Checkup, id: string, buy: Seen): Promise<void> {
	const words = wordsOf(checkup);
	const reads = [checkup.seen.findLast(({ step }) => step === "single"), buy];
	const last = recordAt(reads[1] ?? buy, "number", words);
	await firstThere(
		checkup,
		[undefined, "PUT /numbers/{id}", "POST /numbers/{id}"],
		(own, instead) =>
			checkup.ask("change", "patchNumber", words, {
				segment: id,
				body: changed,
				last,
				words: own,
				...(instead === undefined ? {} : { instead }),
			}),
		"patchNumber",
	);
}

const tries = 4;

async function releaseAll(checkup: Checkup, bought: Bought, say: (text: string) => void): Promise<void> {
	const left: string[] = [];
	for (const [id, name] of bought) {
		if (await release(checkup, id)) say(`released ${name}`);
		else left.push(name);
	}
	if (left.length === 0) return;
	throw new UsageError(
		"kept",
		`NOT RELEASED: ${left.join(", ")} ${left.length === 1 ? "was" : "were"} bought by this check, and could not be released. ${left.length === 1 ? "It is" : "They are"} still on the account and cost${left.length === 1 ? "s" : ""} money: release ${left.length === 1 ? "it" : "them"} in the service's dashboard.`,
	);
}

/** Whether it is gone. */
async function release(checkup: Checkup, id: string): Promise<boolean> {
	for (let attempt = 1; attempt <= tries; attempt++) {
		if (attempt > 1) await pause(500 * 2 ** attempt);
		try {
			const words = wordsOf(checkup);
			const seen = await firstThere(
				checkup,
				[undefined, "POST /numbers/{id}/release"],
				(own, instead) =>
					checkup.ask("release", "releaseNumber", words, {
						segment: id,
						words: own,
						...(instead === undefined ? {} : { instead }),
					}),
				"releaseNumber",
			);
			if (isOk(seen)) return true;
			// An answer got lost: an earlier try may have done it.
			if (attempt > 1 && (await isGone(checkup, id))) return true;
			if (seen.answer.status < 500 && ![408, 409, 423, 425, 429].includes(seen.answer.status)) return false;
		} catch {
			// No answer at all, or a description that has no release: the next try, or the person, goes on.
		}
	}
	return isGone(checkup, id).catch(() => false);
}

/** Not in a list that was read to its end, or there as released. */
async function isGone(checkup: Checkup, id: string): Promise<boolean> {
	const words = wordsOf(checkup);
	const list = await checkup.ask(
		"listAfter",
		"listNumbers",
		words,
		words.lists?.limit === false ? {} : { query: { limit: 100 } },
	);
	const place = placeOf(words, "number", "id");
	const isWhole = !at(list.json, words.lists?.next ?? "next_cursor");
	return isOk(list) && isWhole && itemsOf(list, words).every((item) => String(at(item, place)) !== id);
}

/** Those that the first list didn't show. Somebody else may have bought them, so that they are only named. */
async function newcomers(checkup: Checkup): Promise<readonly string[]> {
	const before = checkup.seen.findLast(({ step }) => step === "list" || step === "listWithoutLimit");
	const words = wordsOf(checkup);
	const after = await checkup.ask(
		"listAfter",
		"listNumbers",
		words,
		words.lists?.limit === false ? {} : { query: { limit: 100 } },
	);
	const place = placeOf(words, "number", "id");
	const idsIn = (seen: Seen | undefined) => itemsOf(seen, words).map((item) => String(at(item, place)));
	const known = new Set(idsIn(before));
	return idsIn(after).filter((id) => !known.has(id));
}

async function unknown(checkup: Checkup, bought: Bought, error: unknown): Promise<never> {
	const found = (await newcomers(checkup).catch(() => [])).filter((id) => !bought.has(id));
	const which =
		found.length === 0 ? "the list shows no new number" : `the list shows ${found.join(", ")}, which it didn't before`;
	throw new UsageError(
		"purchase-unknown",
		`A NUMBER MAY HAVE BEEN BOUGHT: ${(error as Error).message.replace(/ \[telephony:[a-z-]+\]$/, "")} Now ${which}. Look in the service's dashboard, and release there what this check has bought.`,
	);
}

async function unnamed(checkup: Checkup): Promise<UsageError> {
	const found = await newcomers(checkup).catch(() => []);
	const which = found.length === 0 ? "the list shows no new number" : `new in the list: ${found.join(", ")}`;
	return new UsageError(
		"purchase-unknown",
		`NOT RELEASED: a number was bought, and the answer doesn't name it (${which}). Release it in the service's dashboard, and state records.number.id, if the answer has it under another name.`,
	);
}
