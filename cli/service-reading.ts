/** The requests of the check that change nothing. */

import type { Feature, OperationName } from "../provider/api/contract";
import type { Description } from "../provider/api/description/description";
import { ServiceDescription } from "../provider/api/description/service-description";
import { errorOfResponse } from "../provider/api/errors";
import { at, isObject } from "../provider/api/json";
import { type Checkup, dialectOf, isOk, problemWith, type Seen, type Step } from "./service-checkup";
import { findings } from "./service-findings";
import { manners, pathIn, tries } from "./service-names";
import { absent, firstIdIn, itemsOf, proposal } from "./service-rows";
import { exitCodes, UsageError } from "./usage";

/** The description, as far as it is known. */
export const wordsOf = ({ seen, given, stated }: Checkup): Description =>
	proposal(findings(seen, given, stated), given);

/** Whether neither the stack nor the description rules it out. */
export function isOffered({ stated }: Checkup, words: Description, name: OperationName, feature: Feature): boolean {
	const dialect = dialectOf(words);
	return dialect.target(name) !== undefined && (stated.get(feature) ?? dialect.features.get(feature)) !== false;
}

/** @throws UsageError if the numbers can't be listed: then nothing else can be found out */
export async function readings(checkup: Checkup): Promise<void> {
	const list = await listed(checkup);
	await checkup.ask("wrongKey", "listNumbers", wordsOf(checkup), { key: "telephony-check-wrong-key" });
	await pages(checkup, list);
	await singleReads(checkup, firstIdIn(list, "number", wordsOf(checkup)));
	await area(checkup, "trunks", "trunk", ["listTrunks", "getTrunk"]);
	await area(checkup, "webhooks", "webhook", ["listWebhooks", "getWebhook"]);
}

/** Reads that show more if the account has a number. */
export async function singleReads(checkup: Checkup, id: string | undefined): Promise<void> {
	const words = wordsOf(checkup);
	if (isOffered(checkup, words, "getNumber", "getById")) {
		if (id !== undefined) await checkup.ask("single", "getNumber", words, { segment: id });
		await checkup.ask("unknown", "getNumber", words, { segment: unlikely(id) });
	}
	if (!isOffered(checkup, words, "listNumbers", "statusFilter")) return;
	await checkup.ask("statusFilter", "listNumbers", wordsOf(checkup), { query: { status: "pending", limit: 100 } });
}

/** An id of the same form that no object has. */
function unlikely(id: string | undefined): string {
	if (id === undefined) return "telephony-check-none";
	const [, prefix = "", rest = ""] = /^([A-Za-z]+[_-])?(.*)$/s.exec(id) ?? [];
	const made = prefix + rest.replace(/\d/g, "9").replace(/[a-z]/g, "f").replace(/[A-Z]/g, "F");
	return made === id ? prefix + rest.replace(/[9fF]/g, "0") : made;
}

async function listed(checkup: Checkup): Promise<Seen> {
	const first = await checkup.ask("list", "listNumbers", checkup.given, { query: { limit: 100 } });
	if (isOk(first) && isObject(first.json)) return first;
	const isRefused = first.answer.status === 400 || first.answer.status === 422;
	const second = isRefused ? await checkup.ask("listWithoutLimit", "listNumbers", checkup.given) : first;
	if (isOk(second) && second.json !== undefined) return second;
	throw unlistable(checkup, second);
}

/** Without the list nothing is known; the error is the client's own. */
function unlistable(checkup: Checkup, seen: Seen): UsageError {
	const mask = (text: string) => checkup.mask(text);
	const { status } = seen.answer;
	const said = mask(
		pathIn(seen.json, manners("message"), (value) => typeof value === "string") === undefined ? "" : messageOf(seen),
	);
	if (status === 401 || (status === 403 && /\bkey\b.*\b(missing|invalid)\b/i.test(said)))
		return new UsageError(
			"rejected-key",
			`the service rejects the API key (HTTP ${status}): ${said}`,
			exitCodes.keyRejected,
		);
	const error =
		problemWith(seen, new ServiceDescription(checkup.given, "the description"), mask) ??
		errorOfResponse(seen.doing, { status, errorCode: `http_${status}`, message: said });
	return new UsageError(
		error.messageCode,
		`the numbers can't be listed, so nothing can be found out: ${error.message}`,
	);
}

const messageOf = ({ json }: Seen): string =>
	String(at(json, pathIn(json, manners("message"), (value) => typeof value === "string") ?? ""));

/** The first two pages, of one number each. A cursor under a wrong name shows the first page again. */
async function pages(checkup: Checkup, list: Seen): Promise<void> {
	const words = wordsOf(checkup);
	if (words.lists?.limit === false || itemsOf(list, words).length < 2) return;
	const first = await checkup.ask("firstPage", "listNumbers", words, { query: { limit: 1 } });
	const cursor = at(first.json, wordsOf(checkup).lists?.next ?? "next_cursor");
	if (!isOk(first) || typeof cursor !== "string" || cursor === "") return;
	const shown = JSON.stringify(itemsOf(first, words)[0]);
	const own = words.lists?.cursor ?? "cursor";
	const names = words.lists?.cursor === undefined ? [own, ...tries.cursor] : [own];
	for (const name of names) {
		const second = await checkup.ask("secondPage", "listNumbers", words, {
			query: { limit: 1, cursor },
			instead: name,
			words: { lists: { cursor: name } },
		});
		const [item] = itemsOf(second, words);
		if (isOk(second) && item !== undefined && JSON.stringify(item) !== shown) return;
	}
}

async function area(
	checkup: Checkup,
	step: "trunks" | "webhooks",
	kind: "trunk" | "webhook",
	[list, single]: readonly [OperationName, OperationName],
): Promise<void> {
	const words = wordsOf(checkup);
	if (!isOffered(checkup, words, list, step)) return;
	let all = await checkup.ask(step, list, words, { query: { limit: 100 } });
	const elsewhere = words.operations?.[list] === undefined && absent.has(all.answer.status) ? tries[step] : [];
	for (const path of elsewhere) {
		const own: Description = { operations: { [list]: `GET ${path}` } };
		all = await checkup.ask(step, list, words, { query: { limit: 100 }, instead: path, words: own });
		if (isOk(all)) break;
	}
	const id = isOk(all) ? firstIdIn(all, kind, wordsOf(checkup)) : undefined;
	if (id !== undefined && isOffered(checkup, words, single, step))
		await checkup.ask(kind satisfies Step, single, words, { segment: id });
}
