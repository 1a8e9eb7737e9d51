/** The tests that change nothing. */
import { at, type Json } from "../../provider/api/json";
import { exitCodes, UsageError } from "../report/usage";
import type { Checkup } from "./checkup";
import { type Exchange, isBusy, isOk, resultOf, statusOf } from "./exchange";
import { about, type Finding } from "./finding";
import { idOf, kinds } from "./kinds";
import { aboutProbe, type ProbeName } from "./probes";

/** @throws UsageError if the numbers can't be listed: then nothing else can be found out */
export async function readAll(checkup: Checkup): Promise<void> {
	const list = await listNumbers(checkup);
	await readPages(checkup);
	const [number = {}] = checkup.records(list);
	await readNumber(checkup, idOf(number), list);
	await readArea(checkup, "trunks");
	await readArea(checkup, "webhooks");
}

/** A list in any form is enough. A 204 is an empty one. */
async function listNumbers(checkup: Checkup): Promise<Exchange> {
	const list = await checkup.ask("listNumbers");
	if (isOk(list) && (list.json !== undefined || statusOf(list) === 204)) return list;
	const error = list.failed ?? new Error(resultOf(list));
	if (list.failed?.kind === "Unauthorized")
		throw new UsageError("rejected-key", `the service rejects the API key: ${list.failed.text}`, exitCodes.keyRejected);
	throw new UsageError(
		list.failed?.messageCode ?? "unavailable",
		`the numbers can't be listed, so nothing can be found out: ${error.message}`,
	);
}

/** Reads trunks or webhooks. */
async function readArea(checkup: Checkup, area: "trunks" | "webhooks"): Promise<void> {
	const { list, read } = area === "trunks" ? kinds.trunk : kinds.webhook;
	if (!checkup.allows(list)) return;
	const listed = await checkup.ask(list, {}, area);
	if (isBusy(listed)) return;
	const remedy = `operations.${list} and the others of ${area}`;
	if (!isOk(listed)) return checkup.add(failedFinding(checkup, area, listed, { feature: area, remedy }));
	checkup.add(aboutProbe(area, `/${area}`).holds(listed.doing));
	const id = idOf(checkup.records(listed)[0] ?? {});
	if (id !== undefined && checkup.allows(read)) await checkup.ask(read, { segment: id });
}

/** Returns the finding about an operation that failed. @param remedy names the operation's place in the description */
function failedFinding(
	checkup: Checkup,
	probe: ProbeName,
	exchange: Exchange,
	{ feature, remedy }: { readonly feature: string; readonly remedy: string },
): Finding {
	const finding = aboutProbe(probe, "offered");
	return checkup.lacksOperation(exchange)
		? finding.state(resultOf(exchange), { features: `-${feature}` }, `or set ${remedy}, if it is elsewhere`)
		: finding.decide(resultOf(exchange), `declare -${feature}, or set ${remedy}`);
}

/** Reads two pages of one number each. A cursor under a wrong name shows the first page again. */
async function readPages(checkup: Checkup): Promise<void> {
	const first = await checkup.ask("listNumbers", { query: { limit: 1 } });
	const cursor = at(checkup.service.responseIn("listNumbers", first.json).json, "next_cursor");
	if (!isOk(first) || typeof cursor !== "string" || cursor === "") return;
	const second = await checkup.ask("listNumbers", { query: { limit: 1, cursor } });
	if (isBusy(second)) return;
	const [item] = checkup.records(second);
	const isNext = isOk(second) && JSON.stringify(item) !== JSON.stringify(checkup.records(first)[0]);
	const finding = about("parameter for the next page", checkup.description.lists?.cursor ?? "cursor");
	const hint = "set lists.cursor: an incomplete list stops purchases and creations";
	checkup.add(isNext ? finding.holds() : finding.decide("the first page again", hint));
}

// ---- One number -------------------------------------------------------------------------------------------------------

/** Reads a number, a missing one, and a filtered list. @param earlier a response that shows numbers */
export async function readNumber(checkup: Checkup, id: string | undefined, earlier: Exchange): Promise<void> {
	const isAllowed = checkup.allows("getNumber");
	const single = isAllowed && id !== undefined ? await checkup.ask("getNumber", { segment: id }, "single") : undefined;
	const missing = isAllowed ? await checkup.ask("getNumber", { segment: missingId(id) }, "missing") : undefined;
	if (single !== undefined && !isBusy(single)) checkup.add(singleFinding(checkup, single));
	if (missing !== undefined && !isBusy(missing)) checkup.add(...missingFindings(checkup, missing, single));
	const shows = single !== undefined && isOk(single) ? [earlier, single] : [earlier];
	checkup.add(...referenceFindings(checkup, shows));
	await readFiltered(checkup);
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

const singleRemedy = { feature: "getById", remedy: "operations.getNumber" };

const singleFinding = (checkup: Checkup, single: Exchange): Finding =>
	isOk(single) ? aboutProbe("single", "offered").holds() : failedFinding(checkup, "single", single, singleRemedy);

/** The response for a missing number. Only its code takes a number out of a state. */
function missingFindings(checkup: Checkup, missing: Exchange, single: Exchange | undefined): Finding[] {
	if (checkup.lacksOperation(missing)) return [failedFinding(checkup, "single", missing, singleRemedy)];
	// If reads of existing numbers fail, the response for a missing one proves nothing.
	if (isOk(missing) || (single !== undefined && !isOk(single))) return [];
	const finding = aboutProbe("missing", "not_found");
	const status = statusOf(missing);
	const code = checkup.errorCodeOf(missing);
	if (code === undefined)
		return [
			finding.decide(`no code (HTTP ${status})`, "declare -getById: nothing else proves that a number was deleted"),
		];
	const { not_found = [], gone = [] } = checkup.description.errors?.codes ?? {};
	if (["not_found", "gone", not_found, gone].flat().includes(code)) return [finding.holds(code)];
	const seen = `${code} (HTTP ${status})`;
	if ((status === 404 || status === 410) && single !== undefined)
		return [finding.state(seen, { errors: { codes: { not_found: [code] } } })];
	return [
		finding.decide(seen, `if the service responds so for a deleted number, set errors.codes.not_found: [${code}]`),
	];
}

/** A record that shows the field, even as null, keeps references. */
export function referenceFindings(checkup: Checkup, responses: readonly Exchange[]): Finding[] {
	const numbers = responses.flatMap((exchange) => checkup.records(exchange));
	if (checkup.declares("reference") !== undefined || numbers.length === 0) return [];
	const finding = about("reference", "offered");
	if (numbers.some(({ reference }) => reference !== undefined)) return [finding.holds()];
	const hint = "set records.number.reference to its place, or declare -reference";
	return [finding.decide("no number shows one", `${hint}; --buy finds out if the service keeps one`)];
}

/** A filter may be refused, or return numbers that it should leave out. */
async function readFiltered(checkup: Checkup): Promise<void> {
	if (!checkup.allows("listNumbers", "statusFilter")) return;
	const filtered = await checkup.ask("listNumbers", { query: { status: "pending" } }, "filter");
	if (isBusy(filtered)) return;
	const others = checkup
		.records(filtered)
		.map(statusIn)
		.filter((status) => status !== "pending" && status !== undefined);
	const finding = aboutProbe("filter", "offered");
	const lacking = { features: "-statusFilter" };
	if (!isOk(filtered)) checkup.add(finding.state(resultOf(filtered), lacking));
	else if (others.length > 0) checkup.add(finding.state(`also returns ${[...new Set(others)].join(", ")}`, lacking));
}

/** Returns the status of a number, as our value. */
function statusIn({ status, state }: Json): string | undefined {
	const text = status ?? state;
	return typeof text === "string" ? text.toLowerCase() : undefined;
}
