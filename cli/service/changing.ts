/** Changes of a number that the check has bought. */
import { isObject, type Json } from "../../provider/api/json";
import { type Attempt, failureText, isShown, operationLine } from "./attempt";
import type { Checkup } from "./checkup";
import { absentStatuses, isMalformedStatus } from "./exchange";
import { about, type Finding } from "./finding";
import { type Kind, kinds } from "./kinds";
import { aboutProbe, notOffered, type ProbeName, probes } from "./probes";
import type { Trial } from "./trial";

/** Our references have up to 64 characters. */
export const longReference = `${"c".repeat(22)}.${"c".repeat(8)}.check.check~telephony/${"check-".repeat(3)}`.slice(
	0,
	64,
);
const changedValues = { label: "telephony check", reference: "telephony-check" } as const;
const longLabel = "telephony-check_".repeat(4);
const route = { type: "sip_uri", uri: "sip:check@example.com" } as const;

const isInvalid = (made: Attempt | undefined): boolean => isMalformedStatus(made?.failed?.status);

export async function changeNumber({ checkup, isInterrupted }: Trial, id: string): Promise<void> {
	for (const change of [changeBoth, lengthenReference, lengthenLabel, changeRouting])
		if (!isInterrupted() && canChange(checkup)) await change(checkup, id);
	if (checkup.known.offers("patchNumber") === false && checkup.findingAbout(probes.change.what) === undefined)
		checkup.add(notOffered("change"));
}

/** A property may have an operation of its own. */
const canChange = ({ known: { allows, dialect } }: Checkup): boolean =>
	allows("patchNumber") || (dialect.ownOperations("number")?.writes.length ?? 0) > 0;

async function changeBoth(checkup: Checkup, id: string): Promise<void> {
	const both = await checkup.change(kinds.number, id, changedValues, "change");
	const { label } = changedValues;
	const made = isInvalid(both) ? await checkup.change(kinds.number, id, { label }, "change") : both;
	if (made === undefined) return;
	checkup.add(changeFinding(checkup, kinds.number, "change", made));
	const { record, body, failed } = made;
	if (failed !== undefined) return;
	if (record === undefined)
		return checkup.add(about("label and reference", "as sent").unseen("no response shows them"));
	const { dialect, offers } = checkup.known;
	const isAsSent = (field: keyof typeof changedValues) => record[field] === changedValues[field];
	if (!dialect.lacks("number", "label")) {
		const finding = about("label", "as sent", { record: "number", field: "label" });
		const hidden = finding.decide("not shown", "set records.number.label to its place, or to false");
		checkup.add(isAsSent("label") ? finding.holds(label) : hidden);
	}
	// A service that refuses the reference got the label alone.
	if (offers("reference") === false || !("reference" in body)) return;
	const finding = about("reference", "as sent");
	const hint = "or set records.number.reference, if it is elsewhere";
	const hidden = finding.state("not shown", { features: "-reference" }, hint);
	checkup.add(isAsSent("reference") ? finding.holds(changedValues.reference) : hidden);
}

/** Returns the finding about the request of a change. */
export function changeFinding(
	{ given }: Checkup,
	{ noun, change }: Kind,
	probe: ProbeName,
	{ failed, instead }: Attempt,
): Finding {
	const finding = aboutProbe(probe, "PATCH");
	if (failed !== undefined) {
		const seen = failureText(failed);
		const isAbsent = absentStatuses.has(failed.status ?? 0) && given.operations?.[change] === undefined;
		if (!isAbsent) return finding.decide(seen, `set operations.${change} and the places of records.${noun}`);
		return finding.state(seen, { operations: { [change]: false } }, `or set operations.${change} to its request`);
	}
	if (instead === undefined) return finding.holds();
	const sent = instead.isWhole ? "the whole object was sent" : "the changed fields were sent";
	return finding.state(instead.request, operationLine(change, instead), sent);
}

// ---- Texts ------------------------------------------------------------------------------------------------------------

async function lengthenReference(checkup: Checkup, id: string): Promise<void> {
	const { dialect, offers } = checkup.known;
	if (dialect.lacks("number", "reference") || offers("reference") === false) return;
	const made = await checkup.change(kinds.number, id, { reference: longReference }, "longReference");
	if (made === undefined) return;
	const { failed, record } = made;
	// Any other refusal is about something else than the text.
	if (failed !== undefined && failed.kind !== "Invalid") {
		const hint = "check the change of a number: operations.patchNumber";
		checkup.add(aboutProbe("longReference", "kept").decide(failureText(failed), hint));
	} else checkup.add(longReferenceFinding("number", failed && failureText(failed), record));
}

/** A claim that the service cuts or refuses protects nothing, so that it must not be sent. */
export function longReferenceFinding(
	noun: Kind["noun"],
	failure: string | undefined,
	record: Json | undefined,
): Finding {
	const finding = about(`${noun}: reference of 64 characters`, "kept", { record: noun });
	const lacking = { records: { [noun]: { reference: false as const } } };
	const hint = "or set its place, if the service keeps 64 characters elsewhere";
	if (failure !== undefined) return finding.state(failure, lacking, hint);
	if (record === undefined) return finding.decide("no response shows it", `set records.${noun}.reference`);
	const text = record.reference;
	if (text === longReference) return finding.holds("kept");
	const isCut = typeof text === "string" && text !== "" && longReference.startsWith(text);
	return finding.state(isCut ? `cut after ${text.length} characters` : "not shown", lacking, hint);
}

async function lengthenLabel(checkup: Checkup, id: string): Promise<void> {
	const { dialect } = checkup.known;
	if (dialect.lacks("number", "label")) return;
	const label = longLabel.slice(0, dialect.mostOf("number", "label"));
	const made = await checkup.change(kinds.number, id, { label }, "longLabel");
	if (made !== undefined) checkup.add(labelFinding(label, made));
}

function labelFinding(label: string, { record, failed }: Attempt): Finding {
	const finding = aboutProbe("longLabel", "kept");
	if (failed !== undefined)
		return finding.decide(failureText(failed), "set records.number.label: { most: … }, or its place, or false");
	const kept = record?.label;
	if (typeof kept !== "string" || !label.startsWith(kept) || kept === "")
		return finding.unseen("the service doesn't show it");
	if (kept === label) return finding.holds(label === longLabel ? "kept" : `at most ${label.length}`);
	const state = { records: { number: { label: { most: kept.length } } } };
	return finding.state(`cut after ${kept.length} characters`, state);
}

// ---- Routing ----------------------------------------------------------------------------------------------------------

async function changeRouting(checkup: Checkup, id: string): Promise<void> {
	const { dialect } = checkup.known;
	if (dialect.lacks("number", "routing") || dialect.lacks("number", "routing.uri")) return;
	const routed = await checkup.change(kinds.number, id, { routing: route }, "routing");
	// A record shows the names of its routing only if it has one.
	if (checkup.known.allows("getNumber")) await checkup.ask("getNumber", { probe: "single", segment: id });
	if (routed === undefined) return;
	const isAccepted = routed.failed === undefined;
	const cleared = isAccepted ? await checkup.change(kinds.number, id, { routing: null }) : undefined;
	const isKept = isAccepted && isShown(routed.record?.routing, route);
	const finding = aboutProbe("routing", "sip_uri");
	if (isKept) checkup.add(finding.holds());
	else checkup.add(finding.decide(routed.failed ? failureText(routed.failed) : "accepted, but not shown", routingHint));
	if (isKept && cleared !== undefined) checkup.add(clearedFinding(cleared));
}

function clearedFinding({ failed, record }: Attempt): Finding {
	const finding = about("number: routing cleared", "null", { record: "number", field: "routing" });
	if (failed !== undefined) return finding.decide(failureText(failed), routingHint);
	const rest = record?.routing;
	const isCleared = rest === null || rest === undefined || (isObject(rest) && (rest.type ?? null) === null);
	return isCleared ? finding.holds() : finding.decide("accepted, but still shown", routingHint);
}

const routingHint = "set the places of records.number.routing.…, or its own operation (routing: { write, read })";
