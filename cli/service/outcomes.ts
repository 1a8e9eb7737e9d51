/** Findings about the changes that the check has tried, and about everything that it hasn't. */
import type { Feature, OperationName } from "../../provider/api/contract";
import { at, isObject, type Json } from "../../provider/api/json";
import { isShown, longLabel, longReference, route } from "./changing";
import { absentStatuses, type Change, type Exchange, type Observations, resultOf, type Step } from "./exchange";
import { about, type Finding, type Subject } from "./finding";
import type { kinds } from "./removal";

type Noun = keyof typeof kinds;

export const outcomeFindings = (observations: Observations): Finding[] => [
	...referenceLengthFindings(observations),
	...labelLengthFindings(observations),
	...routingFindings(observations),
	...objectFindings(observations, "trunk"),
	...objectFindings(observations, "webhook"),
	...untestedFindings(observations),
];

/** `HTTP 422: the name is taken`. */
export function refusalText({ description: { errors } }: Observations, { answer: { status }, json }: Exchange): string {
	const message = at(json, errors?.message ?? "message");
	return `HTTP ${status}${typeof message === "string" ? `: ${message}` : ""}`;
}

// ---- Texts ------------------------------------------------------------------------------------------------------------

/** A claim that the service cuts or refuses protects nothing, so that it must not be sent. */
function referenceFinding(observations: Observations, record: Noun, sent: Exchange, shown: Json | undefined): Finding {
	const finding = about(`${record}: reference of 64 characters`, "kept", { record });
	const lacking = { records: { [record]: { reference: false as const } } };
	const hint = "or set its place, if the service keeps 64 characters elsewhere";
	if (!observations.isAccepted(sent)) return finding.state(refusalText(observations, sent), lacking, hint);
	const text = shown?.reference;
	if (text === longReference) return finding.holds("kept");
	if (typeof text === "string" && text !== "" && longReference.startsWith(text))
		return finding.state(`cut after ${text.length} characters`, lacking, hint);
	if (shown === undefined) return finding.decide("no response shows it", `set records.${record}.reference`);
	return finding.state("not shown", lacking, hint);
}

function referenceLengthFindings(observations: Observations): Finding[] {
	const { last, offers, dialect, shown } = observations;
	const sent = last("longReference");
	if (sent === undefined || offers("reference") === false || dialect.lacks("number", "reference")) return [];
	return [referenceFinding(observations, "number", sent, shown("longReference"))];
}

function labelLengthFindings({ last, dialect, isAccepted, shown }: Observations): Finding[] {
	const sent = last("longLabel");
	if (sent === undefined || dialect.lacks("number", "label")) return [];
	const finding = about("number: label of 64 characters", "kept", { record: "number", field: "label" });
	if (!isAccepted(sent)) return [finding.decide(resultOf(sent), "set records.number.label to its place, or to false")];
	const text = at(sent.body, "label");
	const kept = shown("longLabel")?.label;
	if (typeof kept !== "string" || typeof text !== "string" || !text.startsWith(kept))
		return [finding.unseen("the service doesn't show it")];
	if (kept === longLabel) return [finding.holds("kept")];
	const seen = kept.length < text.length ? `cut after ${kept.length} characters` : `refused, ${kept.length} are kept`;
	return [finding.decide(seen, `don't declare a longer label than ${kept.length} characters`)];
}

// ---- Routing ----------------------------------------------------------------------------------------------------------

function routingFindings(observations: Observations): Finding[] {
	const { last, isAccepted, shown, dialect } = observations;
	const sent = last("routing");
	if (sent === undefined || dialect.lacks("number", "routing")) return [];
	const subject = { record: "number", field: "routing" };
	const finding = about("number: routing to a SIP URI", "sip_uri", subject);
	const hint = "set the places of records.number.routing.…, or its own operation (routing: { write, read })";
	if (!isAccepted(sent)) return [finding.decide(refusalText(observations, sent), hint)];
	const found = shown("routing");
	if (!isShown(found?.routing, route)) return [finding.decide("accepted, but not shown", hint)];
	const cleared = last("unrouted");
	const clear = about("number: routing cleared", "null", subject);
	if (cleared === undefined) return [finding.holds()];
	if (!isAccepted(cleared)) return [finding.holds(), clear.decide(refusalText(observations, cleared), hint)];
	const rest = shown("unrouted")?.routing;
	const isCleared = rest === null || rest === undefined || (isObject(rest) && (rest.type ?? null) === null);
	return [finding.holds(), isCleared ? clear.holds() : clear.decide("accepted, but still shown", hint)];
}

// ---- Trunks and webhooks ----------------------------------------------------------------------------------------------

const steps = {
	trunk: { create: "createTrunk", change: "changeTrunk", remove: "deleteTrunk", patch: "patchTrunk" },
	webhook: { create: "createWebhook", change: "changeWebhook", remove: "deleteWebhook", patch: "patchWebhook" },
} as const;

function objectFindings(observations: Observations, noun: "trunk" | "webhook"): Finding[] {
	const { first, last, isAccepted, dialect } = observations;
	const { create, change, remove } = steps[noun];
	const created = last(create);
	if (created === undefined) return [];
	const finding = about(`${noun}: create`, "as sent", { record: noun });
	// The first request had everything.
	if (!isAccepted(created)) {
		const seen = refusalText(observations, first(create) ?? created);
		return [finding.decide(seen, `describe ${noun}s: operations.${create}, records.${noun}`)];
	}
	const findings = [finding.holds(created.doing)];
	if (!dialect.lacks(noun, "reference")) findings.push(madeReferenceFinding(observations, noun, created));
	if (last(change) !== undefined) findings.push(changeFinding(observations, noun));
	const removed = last(remove);
	if (removed !== undefined) findings.push(about(`${noun}: delete`, "DELETE", { record: noun }).holds(removed.doing));
	return findings;
}

function madeReferenceFinding(observations: Observations, noun: "trunk" | "webhook", created: Exchange): Finding {
	const { exchanges, dialect, shown } = observations;
	const { create, change } = steps[noun];
	const withReference = exchanges.findLast(({ step, body }) => step === create && at(body, "reference") !== undefined);
	const { json } = dialect.responseIn(create, created.json);
	const record = isObject(json) && "reference" in json ? json : shown(change);
	return referenceFinding(observations, noun, withReference ?? created, record);
}

function changeFinding(observations: Observations, noun: "trunk" | "webhook"): Finding {
	const { last, isAccepted, shown } = observations;
	const { change, patch } = steps[noun];
	const finding = about(`${noun}: change`, "PATCH", { record: noun });
	const sent = last(change) as Exchange;
	if (!isAccepted(sent))
		return absentStatuses.has(sent.answer.status)
			? finding.state(resultOf(sent), { operations: { [patch]: false } }, `or set operations.${patch} to its request`)
			: finding.decide(refusalText(observations, sent), `set operations.${patch} and the places of records.${noun}`);
	const record = shown(change);
	if (record === undefined) return finding.decide("no response shows it", `set operations.get${patch.slice(5)}`);
	return isShown(record, sent.body)
		? finding.holds(sent.doing)
		: finding.decide("accepted, but not shown", `set operations.${patch} and the places of records.${noun}`);
}

// ---- Not tested -------------------------------------------------------------------------------------------------------

const commands = {
	read: "telephony service check",
	write: "telephony service check --write",
	buy: "telephony service check --buy NL/mobile",
} as const;

interface Tried {
	readonly what: string;
	readonly step: Step;
	readonly by: keyof typeof commands;
	/** The operation and the features that it needs. */
	readonly name: OperationName;
	readonly features: readonly Feature[];
	readonly subject?: Subject;
}

const ofNumber = (what: string, step: Change, ...features: readonly Feature[]): Tried => ({
	...{ what: `number: ${what}`, step, by: "buy", name: "patchNumber", features: ["patchNumber", ...features] },
});

const ofObject = (noun: "trunk" | "webhook"): readonly Tried[] => {
	const { create, change, remove, patch } = steps[noun];
	const shared = { by: "write", features: [`${noun}s`], subject: { record: noun } } as const;
	return [
		{ ...shared, what: `${noun}: create`, step: create, name: create },
		{ ...shared, what: `${noun}: change`, step: change, name: patch },
		{ ...shared, what: `${noun}: delete`, step: remove, name: remove },
	];
};

const tried: readonly Tried[] = [
	{ what: "a wrong key", step: "wrongKey", by: "read", name: "listNumbers", features: [] },
	{
		...{ what: "one number by its id (getById)", step: "single", by: "buy", name: "getNumber", features: ["getById"] },
	},
	{ what: "a missing number", step: "unknown", by: "read", name: "getNumber", features: ["getById"] },
	{
		...{ what: "filter by status (statusFilter)", step: "statusFilter", by: "read", name: "listNumbers" },
		features: ["statusFilter"],
	},
	{
		what: "trunks",
		step: "trunks",
		by: "read",
		name: "listTrunks",
		features: ["trunks"],
		subject: { record: "trunk" },
	},
	{
		...{ what: "webhooks", step: "webhooks", by: "read", name: "listWebhooks", features: ["webhooks"] },
		subject: { record: "webhook" },
	},
	{ what: "a purchase", step: "buy", by: "buy", name: "buyNumber", features: [] },
	{
		...{ what: "the purchase again (idempotencyKey)", step: "replay", by: "buy", name: "buyNumber" },
		features: ["idempotencyKey"],
	},
	{ what: "a change (patchNumber)", step: "change", by: "buy", name: "patchNumber", features: ["patchNumber"] },
	ofNumber("reference of 64 characters", "longReference", "reference"),
	{ ...ofNumber("label of 64 characters", "longLabel"), subject: { record: "number", field: "label" } },
	{ ...ofNumber("routing to a SIP URI", "routing"), subject: { record: "number", field: "routing" } },
	{ what: "a release", step: "release", by: "buy", name: "releaseNumber", features: ["release"] },
	...ofObject("trunk"),
	...ofObject("webhook"),
];

function untestedFindings({ exchanges, refused, dialect, offers }: Observations): Finding[] {
	const isOffered = ({ name, features }: Tried) =>
		dialect.target(name) !== undefined && features.every((feature) => offers(feature) !== false);
	const isLacking = ({ subject }: Tried) =>
		subject?.field !== undefined && dialect.lacks(subject.record, subject.field);
	return tried
		.filter((each) => isOffered(each) && !isLacking(each) && !exchanges.some(({ step }) => step === each.step))
		.map(({ what, step, by, subject }) => {
			const busy = refused.find((each) => each.step === step);
			const reason = busy === undefined ? "not tried" : `the service refused for its rate (HTTP ${busy.answer.status})`;
			return about(what, "offered", subject).untested(reason, commands[by]);
		});
}
