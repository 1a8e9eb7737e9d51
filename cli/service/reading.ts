/** The requests of the check that change nothing. */
import type { OperationName } from "../../provider/api/contract";
import { ServiceDescription } from "../../provider/api/description/service-description";
import { errorOfResponse } from "../../provider/api/errors";
import { at, isObject } from "../../provider/api/json";
import { fold } from "../../provider/api/names";
import { exitCodes, UsageError } from "../report/usage";
import type { Checkup } from "./checkup";
import { type Exchange, findProblem, isOk } from "./exchange";
import { manners, tries } from "./names";
import { shapeOfValue, shapesIn } from "./shape";

/** @throws UsageError if the numbers can't be listed: then nothing else can be found out */
export async function readAll(checkup: Checkup): Promise<void> {
	const list = await listNumbers(checkup);
	await checkup.ask("wrongKey", "listNumbers", { key: "telephony-check-wrong-key" });
	await readPages(checkup, list);
	const { idOf, items } = checkup.known;
	await readNumber(checkup, idOf(items(list)[0]));
	if (checkup.known.allows("getAccount", "account")) await checkup.askAny("account", "getAccount", tries.account, {});
	await readArea(checkup, "trunks", "trunk", ["listTrunks", "getTrunk"]);
	await readArea(checkup, "webhooks", "webhook", ["listWebhooks", "getWebhook"]);
}

/** Reads a number, a missing one, and a filtered list. */
export async function readNumber(checkup: Checkup, id: string | undefined): Promise<void> {
	const { description, allows } = checkup.known;
	if (allows("getNumber", "getById")) {
		if (id !== undefined) await checkup.ask("single", "getNumber", { segment: id }, description);
		await checkup.ask("unknown", "getNumber", { segment: missingId(id) }, description);
	}
	if (!allows("listNumbers", "statusFilter")) return;
	await checkup.ask("statusFilter", "listNumbers", { query: { status: "pending", limit: 100 } });
}

/** Far above the ids that a service counts, and below the largest number of 32 bits. */
const farAbove = 2_000_000_011;

/** Returns an id of the same form that no object has. An integer must not be a neighbor's, which may be another user's. */
export function missingId(id: string | undefined): string {
	if (id === undefined) return "telephony-check-none";
	if (/^\d+$/.test(id)) return Number(id) < farAbove / 2 ? String(farAbove) : `9${id.replace(/\d/g, "9")}`;
	const [, prefix = "", rest = ""] = /^([A-Za-z]+[_-])?(.*)$/s.exec(id) ?? [];
	if (/^\d+$/.test(rest)) return prefix + "9".repeat(Math.max(rest.length, 6));
	const changed = prefix + rest.replace(/\d/g, "9").replace(/[a-z]/g, "f").replace(/[A-Z]/g, "F");
	return changed === id ? prefix + rest.replace(/[9fF]/g, "0") : changed;
}

async function listNumbers(checkup: Checkup): Promise<Exchange> {
	const first = await checkup.ask("list", "listNumbers", { query: { limit: 100 } });
	if (isOk(first) && (isObject(first.json) || first.answer.status === 204)) return first;
	const isRefused = first.answer.status === 400 || first.answer.status === 422;
	const second = isRefused ? await checkup.ask("listWithoutLimit", "listNumbers") : first;
	if (isOk(second) && second.json !== undefined) return second;
	throw listError(checkup, second);
}

/** Returns the client's own error. */
function listError(checkup: Checkup, exchange: Exchange): UsageError {
	const mask = (text: string) => checkup.mask(text);
	const { status } = exchange.answer;
	const message = mask(findMessage(exchange.json));
	if (status === 401 || (status === 403 && /\bkey\b.*\b(missing|invalid)\b/i.test(message)))
		return new UsageError(
			"rejected-key",
			`the service rejects the API key (HTTP ${status}): ${message}`,
			exitCodes.keyRejected,
		);
	const error =
		findProblem(exchange, new ServiceDescription(checkup.given, "the description"), mask) ??
		errorOfResponse(exchange.doing, { status, errorCode: `http_${status}`, message });
	return new UsageError(
		error.messageCode,
		`the numbers can't be listed, so nothing can be found out: ${error.message}`,
	);
}

/** Returns the text with the likeliest name of a message; empty if there is none. */
function findMessage(json: unknown): string {
	const texts = [...shapesIn(shapeOfValue(json), 3)].filter(([, { kind }]) => kind === "text");
	const named = (name: string) => texts.filter(([path]) => fold(path.split(".").at(-1) ?? "") === name);
	return manners("message").flatMap(named)[0]?.[1].about ?? "";
}

/** Reads two pages: of one number each, if the list takes a limit. A cursor under a wrong name shows the first page again. */
async function readPages(checkup: Checkup, list: Exchange): Promise<void> {
	const { description, items, next } = checkup.known;
	const hasLimit = description.lists?.limit !== false && items(list).length > 1;
	const first = hasLimit ? await checkup.ask("firstPage", "listNumbers", { query: { limit: 1 } }) : list;
	const cursor = at(first.json, next);
	if (!isOk(first) || typeof cursor !== "string" || cursor === "") return;
	const firstItem = JSON.stringify(items(first)[0]);
	const stated = description.lists?.cursor;
	for (const name of stated === undefined ? ["cursor", ...tries.cursor] : [stated]) {
		const query = { ...(hasLimit && { limit: 1 }), cursor };
		const words = { lists: { cursor: name } };
		const second = await checkup.ask("secondPage", "listNumbers", { query, instead: name, words });
		const [item] = items(second);
		if (isOk(second) && item !== undefined && JSON.stringify(item) !== firstItem) return;
	}
}

async function readArea(
	checkup: Checkup,
	step: "trunks" | "webhooks",
	kind: "trunk" | "webhook",
	[list, single]: readonly [OperationName, OperationName],
): Promise<void> {
	if (!checkup.known.allows(list, step)) return;
	const found = await checkup.askAny(step, list, tries[step], { query: { limit: 100 } });
	const { allows, idOf, items } = checkup.known;
	const id = isOk(found) ? idOf(items(found)[0], kind) : undefined;
	if (id !== undefined && allows(single, step)) await checkup.ask(kind, single, { segment: id });
}
