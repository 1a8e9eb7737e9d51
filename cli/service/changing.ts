/** Changes of a number that the check has bought. */
import { isObject, type Json } from "../../provider/api/json";
import { type Attempt, failureText, isShown } from "./attempt";
import type { Checkup } from "./checkup";
import { isBusy, isMalformed, isMalformedStatus, isOk } from "./exchange";
import { about, type Finding } from "./finding";
import { type Kind, kinds } from "./kinds";
import { routingPaths } from "./names";
import { aboutProbe, failedFinding, notOffered, probes, usedFinding } from "./probes";
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
	for (const change of [findChange, changeBoth, lengthenReference, lengthenLabel, changeRouting])
		if (!isInterrupted() && canChange(checkup)) await change(checkup, id);
	if (checkup.known.offers("patchNumber") === false && checkup.findingAbout(probes.change.what) === undefined)
		checkup.add(notOffered("change"));
}

/** A property may have an operation of its own. */
const canChange = ({ known: { allows, dialect } }: Checkup): boolean =>
	allows("patchNumber", "patchNumber") || (dialect.ownOperations("number")?.writes.length ?? 0) > 0;

/** Finds the request of a change, unless the description states it. */
async function findChange(checkup: Checkup, id: string): Promise<void> {
	const { dialect, description } = checkup.known;
	if (description.operations?.patchNumber !== undefined || dialect.ownOperations("number") !== undefined) return;
	const request = { probe: "change", segment: id, body: changedValues } as const;
	const { last } = await checkup.askAny("patchNumber", ["PUT /numbers/{id}"], request);
	const body = { label: changedValues.label };
	const found = isMalformed(last) ? await checkup.ask("patchNumber", { ...request, body }) : last;
	if (isBusy(found)) return;
	const remedy = { feature: "patchNumber", remedy: "operations.patchNumber" } as const;
	const isAccepted = checkup.known.isAccepted(found);
	checkup.add(
		isAccepted ? usedFinding("change", found, "PATCH") : failedFinding(checkup.known, "change", found, remedy),
	);
}

async function changeBoth(checkup: Checkup, id: string): Promise<void> {
	const both = await checkup.change(kinds.number, id, changedValues, "change");
	const { label } = changedValues;
	const made = isInvalid(both) ? await checkup.change(kinds.number, id, { label }, "change") : both;
	if (made === undefined) return;
	const { record, body, failed } = made;
	if (failed !== undefined) {
		// A request that the description states wasn't tried before.
		const isNew = checkup.findingAbout(probes.change.what) === undefined;
		if (isNew) checkup.add(aboutProbe("change", "accepted").decide(failureText(failed), "set operations.patchNumber"));
		return;
	}
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

/** Lengths to try after a label is refused, characters. */
const labelLengths = [longLabel.length, 40, 32, 20] as const;

async function lengthenLabel(checkup: Checkup, id: string): Promise<void> {
	if (checkup.known.dialect.lacks("number", "label")) return;
	let made: Attempt | undefined;
	for (const length of labelLengths) {
		const label = longLabel.slice(0, length);
		made = (await checkup.change(kinds.number, id, { label }, "longLabel")) ?? made;
		if (!isInvalid(made)) break;
	}
	if (made !== undefined) checkup.add(labelFinding(checkup, made));
}

function labelFinding({ known: { dialect } }: Checkup, { body, record, failed }: Attempt): Finding {
	const finding = aboutProbe("longLabel", "kept");
	if (failed !== undefined)
		return finding.decide(failureText(failed), "set records.number.label to its place, or to false");
	const text = String(body.label);
	const kept = record?.label;
	if (typeof kept !== "string" || !text.startsWith(kept) || kept === "")
		return finding.unseen("the service doesn't show it");
	const { length } = [...kept];
	if (kept === longLabel) return finding.holds("kept");
	if (dialect.mostOf("number", "label") === length) return finding.holds(`at most ${length}`);
	const state = { records: { number: { label: { most: length } } } };
	if (length < text.length) return finding.state(`cut after ${length} characters`, state);
	return finding.state(`refused, but ${length} are kept`, state, "a length between these may be possible");
}

// ---- Routing ----------------------------------------------------------------------------------------------------------

async function changeRouting(checkup: Checkup, id: string): Promise<void> {
	const { dialect } = checkup.known;
	if (dialect.lacks("number", "routing") || dialect.lacks("number", "routing.uri")) return;
	const routed = await checkup.change(kinds.number, id, { routing: route }, "routing");
	// A record shows the names of its routing only if it has one.
	if (checkup.known.allows("getNumber", "getById")) await checkup.ask("getNumber", { probe: "single", segment: id });
	if (routed === undefined) return;
	const isAccepted = routed.failed === undefined;
	const cleared = isAccepted ? await checkup.change(kinds.number, id, { routing: null }) : undefined;
	const isKept = isAccepted && isShown(routed.record?.routing, route);
	const hint = isKept ? routingHint : await probeRouting(checkup, id);
	const finding = aboutProbe("routing", "sip_uri");
	if (isKept) checkup.add(finding.holds());
	else checkup.add(finding.decide(routed.failed ? failureText(routed.failed) : "accepted, but not shown", hint));
	if (isKept && cleared !== undefined) checkup.add(clearedFinding(cleared, hint));
}

function clearedFinding({ failed, record }: Attempt, hint: string): Finding {
	const finding = about("number: routing cleared", "null", { record: "number", field: "routing" });
	if (failed !== undefined) return finding.decide(failureText(failed), hint);
	const rest = record?.routing;
	const isCleared = rest === null || rest === undefined || (isObject(rest) && (rest.type ?? null) === null);
	return isCleared ? finding.holds() : finding.decide("accepted, but still shown", hint);
}

const routingHint = "set the places of records.number.routing.…, or its own operation (routing: { write, read })";

/** Reads where a service may have the routing, if no response shows it. Returns the hint. */
async function probeRouting(checkup: Checkup, id: string): Promise<string> {
	if (checkup.known.dialect.ownOperations("number") !== undefined) return routingHint;
	for (const name of routingPaths) {
		const words = { operations: { getNumber: `GET /numbers/{id}/${name}` } };
		const found = await checkup.ask("getNumber", { segment: id, words, isGuess: true });
		if (!isOk(found)) continue;
		if (!isObject(found.json)) break;
		const fields = Object.keys(found.json).join(", ");
		return `${found.doing} shows ${fields}: if that is the routing, set records.number.routing: { write, read }`;
	}
	return routingHint;
}
