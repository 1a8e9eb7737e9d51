/** The requests of the check that change nothing. */
import type { Feature, OperationName } from "../../provider/api/contract";
import type { Description } from "../../provider/api/description/description";
import { ServiceDescription } from "../../provider/api/description/service-description";
import { errorOfResponse } from "../../provider/api/errors";
import { at, isObject } from "../../provider/api/json";
import { exitCodes, UsageError } from "../report/usage";
import { absentStatuses, type Checkup, dialectOf, type Exchange, findProblem, isOk } from "./checkup";
import { descriptionOf } from "./finding";
import { findingsOf } from "./findings";
import { manners, pathIn, tries } from "./names";
import { findId, itemsOf } from "./observed";

/** Returns the description, as far as it is known. */
export const knownDescription = (checkup: Checkup): Description => descriptionOf(findingsOf(checkup), checkup.given);

/** True unless the configuration or the description rules it out. */
export function isOffered(
	{ declared }: Checkup,
	description: Description,
	name: OperationName,
	feature: Feature,
): boolean {
	const dialect = dialectOf(description);
	return dialect.target(name) !== undefined && (declared.get(feature) ?? dialect.features.get(feature)) !== false;
}

/** @throws UsageError if the numbers can't be listed: then nothing else can be found out */
export async function readAll(checkup: Checkup): Promise<void> {
	const list = await listNumbers(checkup);
	await checkup.ask("wrongKey", "listNumbers", knownDescription(checkup), { key: "telephony-check-wrong-key" });
	await readPages(checkup, list);
	const description = knownDescription(checkup);
	await readNumber(checkup, findId(itemsOf(list, description)[0], "number", description));
	await readArea(checkup, "trunks", "trunk", ["listTrunks", "getTrunk"]);
	await readArea(checkup, "webhooks", "webhook", ["listWebhooks", "getWebhook"]);
}

/** Reads a number, a missing one, and a filtered list. */
export async function readNumber(checkup: Checkup, id: string | undefined): Promise<void> {
	const description = knownDescription(checkup);
	if (isOffered(checkup, description, "getNumber", "getById")) {
		if (id !== undefined) await checkup.ask("single", "getNumber", description, { segment: id });
		await checkup.ask("unknown", "getNumber", description, { segment: missingId(id) });
	}
	if (!isOffered(checkup, description, "listNumbers", "statusFilter")) return;
	await checkup.ask("statusFilter", "listNumbers", knownDescription(checkup), {
		query: { status: "pending", limit: 100 },
	});
}

/** Returns an id of the same form that no object has. */
function missingId(id: string | undefined): string {
	if (id === undefined) return "telephony-check-none";
	const [, prefix = "", rest = ""] = /^([A-Za-z]+[_-])?(.*)$/s.exec(id) ?? [];
	const changed = prefix + rest.replace(/\d/g, "9").replace(/[a-z]/g, "f").replace(/[A-Z]/g, "F");
	return changed === id ? prefix + rest.replace(/[9fF]/g, "0") : changed;
}

async function listNumbers(checkup: Checkup): Promise<Exchange> {
	const first = await checkup.ask("list", "listNumbers", checkup.given, { query: { limit: 100 } });
	if (isOk(first) && isObject(first.json)) return first;
	const isRefused = first.answer.status === 400 || first.answer.status === 422;
	const second = isRefused ? await checkup.ask("listWithoutLimit", "listNumbers", checkup.given) : first;
	if (isOk(second) && second.json !== undefined) return second;
	throw listError(checkup, second);
}

/** Returns the client's own error. */
function listError(checkup: Checkup, exchange: Exchange): UsageError {
	const mask = (text: string) => checkup.mask(text);
	const { status } = exchange.answer;
	const place = pathIn(exchange.json, manners("message"), (value) => typeof value === "string");
	const message = place === undefined ? "" : mask(String(at(exchange.json, place)));
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

/** Reads the first two pages, of one number each. A cursor under a wrong name shows the first page again. */
async function readPages(checkup: Checkup, list: Exchange): Promise<void> {
	const description = knownDescription(checkup);
	if (description.lists?.limit === false || itemsOf(list, description).length < 2) return;
	const first = await checkup.ask("firstPage", "listNumbers", description, { query: { limit: 1 } });
	const cursor = at(first.json, description.lists?.next ?? "next_cursor");
	if (!isOk(first) || typeof cursor !== "string" || cursor === "") return;
	const firstItem = JSON.stringify(itemsOf(first, description)[0]);
	const stated = description.lists?.cursor;
	for (const name of stated === undefined ? ["cursor", ...tries.cursor] : [stated]) {
		const second = await checkup.ask("secondPage", "listNumbers", description, {
			query: { limit: 1, cursor },
			instead: name,
			words: { lists: { cursor: name } },
		});
		const [item] = itemsOf(second, description);
		if (isOk(second) && item !== undefined && JSON.stringify(item) !== firstItem) return;
	}
}

async function readArea(
	checkup: Checkup,
	step: "trunks" | "webhooks",
	kind: "trunk" | "webhook",
	[list, single]: readonly [OperationName, OperationName],
): Promise<void> {
	const description = knownDescription(checkup);
	if (!isOffered(checkup, description, list, step)) return;
	const query = { limit: 100 };
	let found = await checkup.ask(step, list, description, { query });
	const isElsewhere = description.operations?.[list] === undefined && absentStatuses.has(found.answer.status);
	for (const path of isElsewhere ? tries[step] : []) {
		const words: Description = { operations: { [list]: `GET ${path}` } };
		found = await checkup.ask(step, list, description, { query, instead: path, words });
		if (isOk(found)) break;
	}
	const updated = knownDescription(checkup);
	const id = isOk(found) ? findId(itemsOf(found, updated)[0], kind, updated) : undefined;
	if (id !== undefined && isOffered(checkup, updated, single, step))
		await checkup.ask(kind, single, updated, { segment: id });
}
