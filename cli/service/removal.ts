/** Removes what the check has made, and proves that it is removed. */
import { isObject, type Json } from "../../provider/api/json";
import { isDeleted, isOwnWord, isReleasedOrFailed, showsStatus } from "../../provider/api/record";
import type { Checkup } from "./checkup";
import { absentStatuses, type Exchange, isBusy, refusalOf, statusOf } from "./exchange";
import { type Kind, kinds, type Made } from "./kinds";
import { aboutProbe, type ProbeName, probes } from "./probes";

/** Returns the objects that the service doesn't show as removed. The last made is removed first. */
export async function removeAll(
	checkup: Checkup,
	print: (text: string) => void,
	made: readonly Made[],
): Promise<readonly Made[]> {
	const kept: Made[] = [];
	for (const object of made.toReversed()) {
		if (await isRemoved(checkup, object))
			print(`${object.kind === kinds.number ? "released" : "deleted"} ${object.name}`);
		else kept.push(object);
	}
	return kept;
}

/** Pauses before the attempts, ms. */
const pauses = [0, 2_000, 4_000, 8_000, 16_000, 32_000] as const;
const retriedStatuses: readonly number[] = [408, 409, 423, 425, 429];

/** Removes the object; true once the service shows that. */
async function isRemoved(checkup: Checkup, object: Made): Promise<boolean> {
	let isConfirmed = false;
	for (const pause of pauses) {
		await checkup.clock.sleep(pause);
		try {
			const sent: Exchange | undefined = isConfirmed ? undefined : await sendRemoval(checkup, object);
			isConfirmed ||= sent?.isConfirmed === true;
			// An earlier attempt may have worked although its response was lost.
			const state = await findState(checkup, object);
			if (state === "removed" || (state === "unknown" && isConfirmed)) return true;
			if (sent?.failed !== undefined && isFinal(sent)) return false;
		} catch {
			// After any failure the next attempt decides, so that no object is forgotten.
		}
	}
	return false;
}

/** True for a refusal that the next attempt would get, too. */
const isFinal = (sent: Exchange): boolean => {
	// Behind a 2xx, only the error shows the status.
	const status = sent.failed?.status ?? statusOf(sent);
	return status < 500 && !retriedStatuses.includes(status);
};

/** Common releases of other services. */
const releases = ["release", "cancel", "terminate", "cease"].map((verb) => `POST /numbers/{id}/${verb}`);

/** A number costs money until it is released, so other requests are tried if the description names none. */
async function sendRemoval(checkup: Checkup, object: Made): Promise<Exchange> {
	const { kind, id } = object;
	const probe: ProbeName = removals[kind.noun];
	let sent = await checkup.ask(kind.remove, { segment: id }, probe);
	const isStated = checkup.description.operations?.[kind.remove] !== undefined;
	const others = kind === kinds.number && !isStated ? releases : [];
	for (const request of others) {
		if (!absentStatuses.has(statusOf(sent)) || (await findState(checkup, object)) !== "live") break;
		checkup.add(aboutProbe(probe, "DELETE").state(request, { operations: { [kind.remove]: request } }));
		sent = await checkup.ask(kind.remove, { segment: id }, probe);
	}
	noteRemoval(checkup, sent, probe);
	return sent;
}

const removals = { number: "release", trunk: "deleteTrunk", webhook: "deleteWebhook" } as const;

/** Adds what a removal has shown. A second one shows nothing more. */
function noteRemoval(checkup: Checkup, sent: Exchange, probe: ProbeName): void {
	const finding = aboutProbe(probe, "DELETE");
	const verdict = checkup.findingAbout(probes[probe].what)?.verdict;
	if (isBusy(sent) || verdict === "holds") return;
	if (!checkup.isAccepted(sent)) checkup.add(finding.decide(refusalOf(sent), `set operations.${sent.name}`));
	else if (verdict !== "state") checkup.add(finding.holds(sent.doing));
}

type State = "removed" | "live" | "unknown";

/**
 * Reads the object, and then the list if the read doesn't decide: a service without the read may respond to any path as to
 * a missing object.
 */
async function findState(checkup: Checkup, { kind, id }: Made): Promise<State> {
	if (checkup.allows(kind.read)) {
		const { data } = await checkup.ask(kind.read, { segment: id });
		const state = isObject(data) ? stateOf(kind, data) : "unknown";
		if (state !== "unknown") return state;
	}
	const all = await checkup.findAll(kind);
	if (all === undefined) return "unknown";
	const record = all.find((listed) => String(listed.id) === id);
	return record === undefined || stateOf(kind, record) === "removed" ? "removed" : "live";
}

/** A status value of the service's own may mean anything. */
function stateOf(kind: Kind, record: Json): State {
	if (kind !== kinds.number) return isDeleted(record) ? "removed" : "live";
	if (isReleasedOrFailed(record)) return "removed";
	return showsStatus(record) && !isOwnWord(record) ? "live" : "unknown";
}
