/** The requests of the check that change nothing. */
import { type Operation, type OperationName, operations } from "../../provider/api/contract";
import { ServiceDescription } from "../../provider/api/description/service-description";
import { errorOfResponse } from "../../provider/api/errors";
import { at, type Json } from "../../provider/api/json";
import { exitCodes, UsageError } from "../report/usage";
import type { Checkup } from "./checkup";
import {
	absentCodes,
	type Exchange,
	findProblem,
	idOf,
	isBusy,
	isMalformed,
	isOk,
	type Reader,
	resultOf,
} from "./exchange";
import { about, type Finding } from "./finding";
import { kinds } from "./kinds";
import { cursors, spellingsOf } from "./names";
import { aboutProbe, failedFinding, notOffered } from "./probes";

/** @throws UsageError if the numbers can't be listed: then nothing else can be found out */
export async function readAll(checkup: Checkup): Promise<void> {
	const list = await listNumbers(checkup);
	await tryWrongKey(checkup);
	await readPages(checkup, list);
	const [number = {}] = checkup.known.records(list);
	await readNumber(checkup, idOf(number), list);
	await readAccount(checkup);
	await readArea(checkup, kinds.trunk);
	await readArea(checkup, kinds.webhook);
}

// ---- Lists ------------------------------------------------------------------------------------------------------------

/** True for a list in any form. A 204 is an empty one. */
const isRead = (list: Exchange): boolean => isOk(list) && (list.json !== undefined || list.response.status === 204);

async function listNumbers(checkup: Checkup): Promise<Exchange> {
	const first = await checkup.ask("listNumbers", { query: { limit: 100 } });
	if (isRead(first)) return first;
	const second = isMalformed(first) ? await checkup.ask("listNumbers") : first;
	if (!isRead(second)) throw listError(checkup, second);
	const { limit = "limit" } = checkup.known.description.lists ?? {};
	if (second !== first && limit !== false)
		checkup.add(
			about("size of a page", `${limit}=100`).state(`refused (HTTP ${first.response.status})`, {
				lists: { limit: false },
			}),
		);
	return second;
}

/** Returns the client's own error. */
function listError(checkup: Checkup, exchange: Exchange): UsageError {
	const mask = (text: string) => checkup.mask(text);
	const { status } = exchange.response;
	const error =
		findProblem(exchange, new ServiceDescription(checkup.given, "the description"), mask) ??
		errorOfResponse(exchange.doing, { status, errorCode: `http_${status}`, message: "" });
	if (status === 401)
		return new UsageError(
			"rejected-key",
			`the service rejects the API key (HTTP 401): ${error.text}`,
			exitCodes.keyRejected,
		);
	return new UsageError(
		error.messageCode,
		`the numbers can't be listed, so nothing can be found out: ${error.message}`,
	);
}

async function tryWrongKey(checkup: Checkup): Promise<void> {
	const wrong = await checkup.ask("listNumbers", { probe: "wrongKey", key: "telephony-check-wrong-key" });
	if (isBusy(wrong)) return;
	const { status } = wrong.response;
	const finding = aboutProbe("wrongKey", "HTTP 401");
	// No description can change this. Only the hint in the error message fits less well.
	const seen = isOk(wrong) ? `accepted (HTTP ${status})` : `HTTP ${status}`;
	checkup.add(status === 401 ? finding.holds() : finding.unseen(seen));
}

/** Reads the account of the key, which `telephony:account` may name. A number can name it too. */
async function readAccount(checkup: Checkup): Promise<void> {
	const { offers, allows } = checkup.known;
	if (offers("account") === false) checkup.add(notOffered("account"));
	if (!allows("getAccount")) return;
	const elsewhere = spellingsOf("account").map((path) => `GET /${path}`);
	const { first, last } = await checkup.askAny("getAccount", elsewhere, { probe: "account" });
	if (isBusy(last)) return;
	const finding = aboutProbe("account", "GET /account");
	if (isOk(last)) {
		const { instead } = last;
		const moved = instead && finding.state(instead, { operations: { getAccount: instead } });
		return checkup.add(moved || finding.holds());
	}
	// Nothing depends on it: a stack can be pinned by a number.
	const failed = { feature: "account", remedy: "operations.getAccount" } as const;
	const isLacking = checkup.known.lacksOperation(first);
	checkup.add(isLacking ? failedFinding(checkup.known, "account", first, failed) : finding.unseen(resultOf(first)));
}

/** Reads trunks or webhooks. */
async function readArea(checkup: Checkup, kind: typeof kinds.trunk | typeof kinds.webhook): Promise<void> {
	const { list, read, feature } = kind;
	if (checkup.known.offers(feature) === false) checkup.add(notOffered(feature));
	if (!checkup.known.allows(list)) return;
	const elsewhere = spellingsOf(feature).map((path) => `GET /${path}`);
	const { first, last } = await checkup.askAny(list, elsewhere, { probe: feature, query: { limit: 100 } });
	if (isBusy(last)) return;
	const finding = aboutProbe(feature, `/${feature}`);
	const remedy = `operations.${list} and the others of ${feature}`;
	if (!isOk(last)) return checkup.add(failedFinding(checkup.known, feature, first, { feature, remedy }));
	checkup.add(last.instead === undefined ? finding.holds(last.doing) : movedFinding(finding, feature, last.instead));
	const { allows, records } = checkup.known;
	const id = idOf(records(last)[0] ?? {});
	if (id !== undefined && allows(read)) await checkup.ask(read, { segment: id });
}

/** Moves all operations of a collection to another path. */
function movedFinding(finding: ReturnType<typeof about>, collection: string, request: string): Finding {
	const path = request.replace("GET ", "");
	const moved: Record<string, string> = {};
	for (const [name, { method, path: ours }] of Object.entries(operations) as [OperationName, Operation][])
		if (ours === `/${collection}` || ours.startsWith(`/${collection}/`))
			moved[name] = `${method} ${path}${ours.slice(collection.length + 1)}`;
	const hint = "only the list was read: check the paths and methods of the other operations";
	return finding.state(path, { operations: moved }, hint);
}

// ---- Pages ------------------------------------------------------------------------------------------------------------

/** Reads two pages: of one number each, if the list takes a limit. A cursor under a wrong name shows the first page again. */
async function readPages(checkup: Checkup, list: Exchange): Promise<void> {
	const { description, dialect, records } = checkup.known;
	const limit = description.lists?.limit ?? "limit";
	const hasPages = limit !== false && records(list).length > 1;
	const first = hasPages ? await checkup.ask("listNumbers", { query: { limit: 1 } }) : list;
	if (limit !== false) {
		const finding = about("size of a page", `${limit}=100`);
		const { length } = records(first);
		// A page of another size doesn't show that the list is complete.
		const isIgnored = hasPages && !isBusy(first) && length > 1;
		const seen = `ignored: ${length} items for a page of 1`;
		checkup.add(isIgnored ? finding.state(seen, { lists: { limit: false } }) : finding.holds());
	}
	const cursor = at(dialect.responseIn("listNumbers", first.json).json, "next_cursor");
	if (!isOk(first) || typeof cursor !== "string" || cursor === "") return;
	const query = hasPages ? { limit: 1, cursor } : { cursor };
	await readSecondPage(checkup, records(first)[0], query);
}

async function readSecondPage(
	checkup: Checkup,
	firstItem: Json | undefined,
	query: Readonly<Record<string, string | number>>,
): Promise<void> {
	const stated = checkup.known.description.lists?.cursor;
	const assumed = stated ?? "cursor";
	const finding = about("parameter for the next page", assumed);
	let isTested = false;
	// A document's `page` is the number of a page. Here the second page shows if it is a cursor.
	for (const name of stated === undefined ? [assumed, ...cursors, "page"] : [stated]) {
		const words = { lists: { cursor: name } };
		const page = await checkup.ask("listNumbers", { query, instead: name, words });
		const [item] = checkup.known.records(page);
		if (isOk(page) && item !== undefined && JSON.stringify(item) !== JSON.stringify(firstItem))
			return checkup.add(name === assumed ? finding.holds() : finding.state(name, words));
		isTested ||= !isBusy(page);
	}
	if (isTested)
		checkup.add(
			finding.decide("the first page again", "set lists.cursor: an incomplete list stops purchases and creations"),
		);
}

// ---- One number -------------------------------------------------------------------------------------------------------

/** Reads a number, a missing one, and a filtered list. @param earlier an response that shows numbers */
export async function readNumber(checkup: Checkup, id: string | undefined, earlier: Exchange): Promise<void> {
	const isAllowed = checkup.known.allows("getNumber");
	const read = (probe: "single" | "unknown", segment: string) => checkup.ask("getNumber", { probe, segment });
	const single = isAllowed && id !== undefined ? await read("single", id) : undefined;
	const unknown = isAllowed ? await read("unknown", missingId(id)) : undefined;
	const tested = single && !isBusy(single) ? single : undefined;
	const missing = unknown && !isBusy(unknown) ? unknown : undefined;
	const reader = checkup.known;
	checkup.add(...singleFindings(reader, tested, missing), ...missingFindings(reader, tested, missing));
	const shows = tested !== undefined && isOk(tested) ? [earlier, tested] : [earlier];
	checkup.add(...referenceFindings(reader, shows));
	await readFiltered(checkup, shows);
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

function singleFindings(reader: Reader, single: Exchange | undefined, unknown: Exchange | undefined): Finding[] {
	if (reader.offers("getById") === false) return [notOffered("single")];
	const finding = aboutProbe("single", "offered");
	if (single === undefined) {
		if (unknown === undefined || !reader.lacksOperation(unknown)) return [];
		return [finding.state(resultOf(unknown), { features: "-getById" })];
	}
	if (isOk(single)) return [finding.holds()];
	return [failedFinding(reader, "single", single, { feature: "getById", remedy: "operations.getNumber" })];
}

/** The response for a missing number. Only its code takes a number out of a state. */
function missingFindings(reader: Reader, single: Exchange | undefined, unknown: Exchange | undefined): Finding[] {
	if (unknown === undefined || isOk(unknown)) return [];
	// If reads of existing numbers fail, the response for a missing one proves nothing.
	if (single !== undefined && !isOk(single)) return [];
	const finding = aboutProbe("unknown", "not_found");
	const { status } = unknown.response;
	const code = reader.errorCodeOf(unknown);
	if (code === undefined)
		return [
			finding.decide(`no code (HTTP ${status})`, "declare -getById: nothing else proves that a number was deleted"),
		];
	if (absentCodes.has(code)) return [];
	const { not_found = [], gone = [] } = reader.description.errors?.codes ?? {};
	if (["not_found", "gone", not_found, gone].flat().includes(code)) return [finding.holds(code)];
	const seen = `${code} (HTTP ${status})`;
	if ((status === 404 || status === 410) && single !== undefined)
		return [finding.state(seen, { errors: { codes: { not_found: [code] } } })];
	return [
		finding.decide(seen, `if the service responds so for a deleted number, set errors.codes.not_found: [${code}]`),
	];
}

/** A record that shows the field, even as null, keeps references. */
export function referenceFindings(reader: Reader, responses: readonly Exchange[]): Finding[] {
	const offered = reader.offers("reference");
	if (offered === false) return [about("reference", "not offered").holds()];
	const finding = about("reference", "offered");
	const numbers = responses.flatMap(reader.records);
	if (numbers.length === 0) return [];
	if (numbers.some(({ reference }) => reference !== undefined)) return [finding.holds()];
	if (offered) return [finding.holds("as declared")];
	return [
		finding.decide(
			"no number shows one",
			"set records.number.reference to its place, or declare -reference; --buy finds out if the service keeps one",
		),
	];
}

/** A filter may be refused, or return numbers that it should leave out. */
async function readFiltered(checkup: Checkup, responses: readonly Exchange[]): Promise<void> {
	const { allows, offers } = checkup.known;
	if (offers("statusFilter") === false) checkup.add(notOffered("filter"));
	if (!allows("listNumbers", "statusFilter")) return;
	const query = { status: "pending", limit: 100 };
	const filtered = await checkup.ask("listNumbers", { probe: "filter", query });
	if (isBusy(filtered)) return;
	const reader = checkup.known;
	const finding = aboutProbe("filter", "offered");
	const lacking = { features: "-statusFilter" };
	const isOther = (status: string) => status !== "pending";
	const others = new Set(statusesIn(filtered, reader).filter(isOther));
	if (!isOk(filtered)) return checkup.add(finding.state(resultOf(filtered), lacking));
	if (others.size > 0) return checkup.add(finding.state(`also returns ${[...others].join(", ")}`, lacking));
	const isProved = responses.some((exchange) => statusesIn(exchange, reader).some(isOther));
	checkup.add(
		isProved || offers("statusFilter") ? finding.holds() : finding.unseen("no number that it would leave out"),
	);
}

/** Returns the statuses in a response, as our values. */
const statusesIn = (exchange: Exchange, { records }: Reader): string[] =>
	records(exchange)
		.map((record) => record.status ?? record.state)
		.filter((status) => typeof status === "string")
		.map((status) => status.toLowerCase());
