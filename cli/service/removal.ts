/** Removes what the check has made, and proves that it is removed. */
import { isNotFound, isTelephonyError } from "../../provider/api/errors";
import { isObject, type Json } from "../../provider/api/json";
import { isOwnWord, isReleasedOrFailed, showsStatus } from "../../provider/api/record";
import type { Checkup } from "./checkup";
import { type Exchange, findProblem, isBusy, isOk, type Reader, readAsClient, resultOf } from "./exchange";
import type { Kind } from "./kinds";
import { aboutProbe, probes, usedFinding } from "./probes";
import { listOf } from "./shape";

/** An object that the check has made and not removed yet. */
export interface Made {
	readonly kind: Kind;
	readonly id: string;
	/** For people. */
	readonly name: string;
}

/** Returns the objects that the service doesn't show as removed. The last made is removed first. */
export async function removeAll(
	checkup: Checkup,
	print: (text: string) => void,
	made: readonly Made[],
): Promise<readonly Made[]> {
	const kept: Made[] = [];
	for (const object of made.toReversed()) {
		const { kind, id, name } = object;
		if (await isRemoved(checkup, kind, id)) print(`${kind.noun === "number" ? "released" : "deleted"} ${name}`);
		else kept.push(object);
	}
	return kept;
}

const attempts = 6;
const retriedStatuses: readonly number[] = [408, 409, 423, 425, 429];

/** Removes the object; true once the service shows that. */
async function isRemoved(checkup: Checkup, kind: Kind, id: string): Promise<boolean> {
	let isConfirmed = false;
	for (let attempt = 1; attempt <= attempts; attempt++) {
		if (attempt > 1) await checkup.clock.sleep(500 * 2 ** attempt);
		try {
			const sent: Outcome = isConfirmed ? "confirmed" : await sendRemoval(checkup, kind, id);
			isConfirmed = sent === "confirmed";
			// An earlier attempt may have worked although its response was lost.
			const state = await findState(checkup, kind, id);
			if (state === "removed" || (state === "unknown" && isConfirmed)) return true;
			if (sent === "refused") return false;
		} catch {
			// Without a response, the next attempt decides.
		}
	}
	return false;
}

/** The result of a removal by its response. */
type Outcome = "confirmed" | "refused" | "unclear";

/** Sends the removal, and decides as the client does what its response proves. */
async function sendRemoval(checkup: Checkup, kind: Kind, id: string): Promise<Outcome> {
	const { last } = await checkup.askAny(kind.remove, kind.removals, { probe: kind.removal, segment: id });
	noteRemoval(checkup, kind, last);
	try {
		return readAsClient(last, checkup.known.dialect).isConfirmed ? "confirmed" : "unclear";
	} catch (error) {
		if (!isTelephonyError(error)) throw error;
		const status = error.status ?? last.response.status;
		return status < 500 && !retriedStatuses.includes(status) ? "refused" : "unclear";
	}
}

/** Adds what a removal has shown. The second one uses the findings of the first, and shows nothing more. */
function noteRemoval(checkup: Checkup, { noun, removal }: Kind, exchange: Exchange): void {
	const finding = aboutProbe(removal, "DELETE");
	const verdict = checkup.findingAbout(probes[removal].what)?.verdict;
	if (isBusy(exchange) || (verdict !== undefined && verdict !== "decide")) return;
	if (noun !== "number") checkup.add(finding.holds(exchange.doing));
	else if (checkup.known.isAccepted(exchange)) checkup.add(usedFinding(removal, exchange, "DELETE"));
	else checkup.add(finding.decide(resultOf(exchange), "set operations.releaseNumber, or declare -release"));
}

/** Reads the object. A complete list without it decides if a single read can't. */
async function findState(checkup: Checkup, kind: Kind, id: string): Promise<"removed" | "live" | "unknown"> {
	if (checkup.known.allows(kind.read)) {
		const read = await checkup.ask(kind.read, { segment: id });
		const state = stateIn(checkup.known, read);
		if (state !== "unknown") return state;
	}
	const all = await findAll(checkup, kind);
	if (all === undefined) return "unknown";
	return all.some((record) => String(record.id) === id) ? "live" : "removed";
}

/** A status value of the service's own may mean anything. */
function stateIn({ dialect }: Reader, read: Exchange): "removed" | "live" | "unknown" {
	try {
		const { data } = readAsClient(read, dialect);
		if (!isObject(data)) return "unknown";
		if (read.name !== "getNumber") return "live";
		if (isReleasedOrFailed(data)) return "removed";
		return showsStatus(data) && !isOwnWord(data) ? "live" : "unknown";
	} catch (error) {
		return isNotFound(error) ? "removed" : "unknown";
	}
}

/** A list of more pages than this is not read to its end. */
const mostPages = 200;

/** Returns the objects of a list in our names, each with its id; undefined if the list can't be read to its end. */
export async function findAll(checkup: Checkup, { list }: Kind): Promise<readonly Json[] | undefined> {
	const all: Json[] = [];
	let cursor: string | undefined;
	for (let page = 1; page <= mostPages; page++) {
		const found = await checkup.ask(list, { query: { limit: 100, cursor } });
		const { dialect } = checkup.known;
		if (!isOk(found) || findProblem(found, dialect) !== undefined) return undefined;
		const { data, next_cursor: next } = dialect.responseIn(list, found.json).json as Json;
		all.push(...listOf(data).filter(isObject));
		if (next === undefined || next === null || next === "") return all;
		if (String(next) === cursor) return undefined;
		cursor = String(next);
	}
	return undefined;
}
