/** Changes of objects that the check has made. */
import { isObject, type Json } from "../../provider/api/json";
import type { Checkup } from "./checkup";
import { absentStatuses, type Exchange, isBusy, refusalOf, statusOf } from "./exchange";
import { about, type Finding } from "./finding";
import { type Kind, kinds } from "./kinds";
import { aboutProbe, type ProbeName } from "./probes";
import type { Trial } from "./trial";

/** Our references have up to 64 characters. */
export const longReference = `${"c".repeat(22)}.${"c".repeat(8)}.check.check~telephony/${"check-".repeat(3)}`.slice(
	0,
	64,
);
const longLabel = "telephony-check_".repeat(4);
const route = { type: "sip_uri", uri: "sip:check@example.com" } as const;

/** A change, and the object after it. */
export interface Change {
	readonly sent: Exchange;
	/** In our names; undefined if no response shows it. */
	readonly record: Json | undefined;
}

/** A service may show a change late. */
const pauses = [0, 0, 1_000, 1_000] as const;

/** Changes the object, and reads it until it shows the change. @returns undefined if the service refused it for its rate */
export async function change(
	checkup: Checkup,
	kind: Kind,
	id: string,
	body: Json,
	probe?: ProbeName,
): Promise<Change | undefined> {
	const sent = await checkup.ask(kind.change, { segment: id, body }, probe);
	if (isBusy(sent)) return undefined;
	let record = isObject(sent.data) ? sent.data : undefined;
	if (sent.failed !== undefined || !checkup.allows(kind.read)) return { sent, record };
	for (const pause of pauses) {
		if (isShown(record, body)) break;
		await checkup.clock.sleep(pause);
		const read = await checkup.ask(kind.read, { segment: id });
		record = isObject(read.data) ? read.data : undefined;
	}
	return { sent, record };
}

/** Returns true if a value is shown as sent. An object may show more fields, and an absent one may be left out. */
function isShown(found: unknown, sent: unknown): boolean {
	if (sent === null) return found === null || found === undefined;
	if (!isObject(sent)) return JSON.stringify(found) === JSON.stringify(sent);
	return isObject(found) && Object.entries(sent).every(([key, value]) => isShown(found[key], value));
}

/** Returns the finding about a change that the service should show as sent. */
export function changeFinding(
	checkup: Checkup,
	{ noun, change: name }: Kind,
	probe: ProbeName,
	{ sent, record }: Change,
	body: Json,
): Finding {
	const finding = aboutProbe(probe, "as sent");
	const places = `the places of records.${noun}`;
	if (sent.failed !== undefined) {
		const isAbsent = absentStatuses.has(statusOf(sent)) && checkup.description.operations?.[name] === undefined;
		const request = `operations.${name} to its request, or to false if the service doesn't change ${noun}s`;
		return finding.decide(refusalOf(sent), isAbsent ? `set ${request}` : `set operations.${name}, or ${places}`);
	}
	if (record === undefined) return finding.decide("no response shows it", `set operations.${name}, or ${places}`);
	return isShown(record, body) ? finding.holds() : finding.decide("accepted, but not shown", `set ${places}`);
}

// ---- Numbers ----------------------------------------------------------------------------------------------------------

export async function changeNumber({ checkup, isInterrupted }: Trial, id: string): Promise<void> {
	const tests = [
		["label", changeLabel],
		["reference", changeReference],
		["routing", changeRouting],
	] as const;
	for (const [property, test] of tests) if (!isInterrupted() && checkup.sets(property)) await test(checkup, id);
}

async function changeLabel(checkup: Checkup, id: string): Promise<void> {
	const label = longLabel.slice(0, checkup.service.mostOf("number", "label"));
	const made = await change(checkup, kinds.number, id, { label }, "label");
	if (made === undefined) return;
	const kept = made.record?.label;
	const isCut = typeof kept === "string" && kept !== "" && kept !== label && label.startsWith(kept);
	const cut = () =>
		aboutProbe("label", "as sent").state(`cut after ${String(kept).length} characters`, {
			records: { number: { label: { most: String(kept).length } } },
		});
	checkup.add(isCut ? cut() : changeFinding(checkup, kinds.number, "label", made, { label }));
}

async function changeReference(checkup: Checkup, id: string): Promise<void> {
	const body = { reference: longReference };
	const made = await change(checkup, kinds.number, id, body, "reference");
	if (made === undefined) return;
	const isRefused = made.sent.failed?.kind === "Invalid";
	// Any other refusal is about something else than the text.
	if (made.sent.failed !== undefined && !isRefused)
		return checkup.add(changeFinding(checkup, kinds.number, "reference", made, body));
	const finding = aboutProbe("reference", "kept");
	checkup.add(keptFinding(finding, "number", isRefused ? refusalOf(made.sent) : undefined, made.record));
}

/** A claim that the service cuts or refuses protects nothing, so that it must not be sent. */
export function keptFinding(
	finding: ReturnType<typeof about>,
	noun: Kind["noun"],
	refusal: string | undefined,
	record: Json | undefined,
): Finding {
	const lacking = { records: { [noun]: { reference: false as const } } };
	const hint = "or set its place, if the service keeps 64 characters elsewhere";
	if (refusal !== undefined) return finding.state(refusal, lacking, hint);
	if (record === undefined) return finding.decide("no response shows it", `set records.${noun}.reference`);
	const text = record.reference;
	if (text === longReference) return finding.holds();
	const isCut = typeof text === "string" && text !== "" && longReference.startsWith(text);
	return finding.state(isCut ? `cut after ${text.length} characters` : "not shown", lacking, hint);
}

const routingHint = "set the places of records.number.routing.…, or its own operation (routing: { write, read })";

async function changeRouting(checkup: Checkup, id: string): Promise<void> {
	if (checkup.service.lacks("number", "routing.uri")) return;
	const made = await change(checkup, kinds.number, id, { routing: route }, "routing");
	if (made === undefined) return;
	const finding = aboutProbe("routing", "sip_uri");
	if (made.sent.failed !== undefined) return checkup.add(finding.decide(refusalOf(made.sent), routingHint));
	const cleared = await change(checkup, kinds.number, id, { routing: null });
	const isKept = isShown(made.record?.routing, route);
	if (!isKept) return checkup.add(finding.decide("accepted, but not shown", routingHint));
	checkup.add(finding.holds());
	if (cleared !== undefined) checkup.add(clearedFinding(cleared));
}

function clearedFinding({ sent, record }: Change): Finding {
	const finding = about("number: routing cleared", "null");
	if (sent.failed !== undefined) return finding.decide(refusalOf(sent), routingHint);
	const rest = record?.routing;
	const isCleared = rest === null || rest === undefined || (isObject(rest) && (rest.type ?? null) === null);
	return isCleared ? finding.holds() : finding.decide("accepted, but still shown", routingHint);
}
