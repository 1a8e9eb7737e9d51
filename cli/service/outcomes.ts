/** Findings about the changes that the check has tried, and about everything that it hasn't. */
import type { Feature, OperationName } from "../../provider/api/contract";
import type { TelephonyError } from "../../provider/api/errors";
import { at, isObject, type Json } from "../../provider/api/json";
import { type Attempt, isShown } from "./attempt";
import { absentStatuses, type Exchange, isOk, type Observations } from "./exchange";
import { about, type Finding, type Subject } from "./finding";
import type { kinds } from "./kinds";
import { longLabel, longReference, route } from "./samples";
import type { Change, Step } from "./steps";

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
function refusalText({ description: { errors } }: Observations, { answer: { status }, json }: Exchange): string {
	const message = at(json, errors?.message ?? "message");
	return `HTTP ${status}${typeof message === "string" ? `: ${message}` : ""}`;
}

const failureText = ({ text }: TelephonyError): string => text.split(" (request_id ")[0] ?? text;

// ---- Texts ------------------------------------------------------------------------------------------------------------

/** A claim that the service cuts or refuses protects nothing, so that it must not be sent. */
function referenceFinding(record: Noun, failure: string | undefined, found: Json | undefined): Finding {
	const finding = about(`${record}: reference of 64 characters`, "kept", { record });
	const lacking = { records: { [record]: { reference: false as const } } };
	const hint = "or set its place, if the service keeps 64 characters elsewhere";
	if (failure !== undefined) return finding.state(failure, lacking, hint);
	const text = found?.reference;
	if (text === longReference) return finding.holds("kept");
	if (typeof text === "string" && text !== "" && longReference.startsWith(text))
		return finding.state(`cut after ${text.length} characters`, lacking, hint);
	if (found === undefined) return finding.decide("no response shows it", `set records.${record}.reference`);
	return finding.state("not shown", lacking, hint);
}

function referenceLengthFindings({ attempt, offers, dialect }: Observations): Finding[] {
	const sent = attempt("longReference");
	if (sent === undefined || offers("reference") === false || dialect.lacks("number", "reference")) return [];
	const { failed, record } = sent;
	// Any other refusal is about something else than the text.
	if (failed !== undefined && failed.kind !== "Invalid")
		return [
			about("number: reference of 64 characters", "kept").decide(
				failureText(failed),
				"check the change of a number: operations.patchNumber",
			),
		];
	return [referenceFinding("number", failed && failureText(failed), record)];
}

function labelLengthFindings({ attempt, dialect }: Observations): Finding[] {
	const sent = attempt("longLabel");
	if (sent === undefined || dialect.lacks("number", "label")) return [];
	const { body, record, failed } = sent;
	const finding = about("number: label of 64 characters", "kept", { record: "number", field: "label" });
	if (failed !== undefined)
		return [finding.decide(failureText(failed), "set records.number.label to its place, or to false")];
	const [text, kept] = [String(body.label), record?.label];
	if (typeof kept !== "string" || !text.startsWith(kept) || kept === "")
		return [finding.unseen("the service doesn't show it")];
	const { length } = [...kept];
	if (kept === longLabel) return [finding.holds("kept")];
	if (dialect.mostOf("number", "label") === length) return [finding.holds(`at most ${length}`)];
	const isCut = length < text.length;
	return [
		finding.state(
			isCut ? `cut after ${length} characters` : `refused, but ${length} are kept`,
			{ records: { number: { label: { most: length } } } },
			isCut ? undefined : "a length between these may be possible",
		),
	];
}

// ---- Routing ----------------------------------------------------------------------------------------------------------

function routingFindings({ attempt, last, dialect }: Observations): Finding[] {
	const [sent, cleared, probe] = [attempt("routing"), attempt("unrouted"), last("probe")];
	if (sent === undefined || dialect.lacks("number", "routing")) return [];
	const subject = { record: "number", field: "routing" };
	const finding = about("number: routing to a SIP URI", "sip_uri", subject);
	const place = probe !== undefined && isOk(probe) && isObject(probe.json) ? probe : undefined;
	const hint =
		place === undefined
			? "set the places of records.number.routing.…, or its own operation (routing: { write, read })"
			: `${place.doing} shows ${Object.keys(place.json as Json).join(", ")}: if that is the routing, set records.number.routing: { write, read }`;
	if (sent.failed !== undefined) return [finding.decide(failureText(sent.failed), hint)];
	if (!isShown(sent.record?.routing, route)) return [finding.decide("accepted, but not shown", hint)];
	if (cleared === undefined) return [finding.holds()];
	const clear = about("number: routing cleared", "null", subject);
	if (cleared.failed !== undefined) return [finding.holds(), clear.decide(failureText(cleared.failed), hint)];
	const rest = cleared.record?.routing;
	const isCleared = rest === null || rest === undefined || (isObject(rest) && (rest.type ?? null) === null);
	return [finding.holds(), isCleared ? clear.holds() : clear.decide("accepted, but still shown", hint)];
}

// ---- Trunks and webhooks ----------------------------------------------------------------------------------------------

const steps = {
	trunk: { create: "createTrunk", change: "changeTrunk", remove: "deleteTrunk", patch: "patchTrunk" },
	webhook: { create: "createWebhook", change: "changeWebhook", remove: "deleteWebhook", patch: "patchWebhook" },
} as const;

function objectFindings(observations: Observations, noun: "trunk" | "webhook"): Finding[] {
	const { first, last, attempt, isAccepted, dialect } = observations;
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
	if (noun === "webhook" && !dialect.lacks(noun, "secret")) findings.push(...secretFindings(observations, created));
	if (!dialect.lacks(noun, "reference")) findings.push(madeReferenceFinding(observations, noun, created));
	const changed = attempt(change);
	if (changed !== undefined) findings.push(changeFinding(changed, noun));
	const removed = last(remove);
	if (removed !== undefined) findings.push(about(`${noun}: delete`, "DELETE", { record: noun }).holds(removed.doing));
	return findings;
}

function secretFindings({ dialect, offers }: Observations, { name, json }: Exchange): Finding[] {
	const finding = about("webhook: secret", "shown once", { record: "webhook" });
	const record = dialect.responseIn(name, json).json;
	if (offers("webhooks") === false || !isObject(record)) return [];
	if (record.secret !== undefined && record.secret !== null) return [finding.holds()];
	const hint = "or set records.webhook.secret to its place; without it, deliveries aren't signed";
	return [finding.state("not shown", { records: { webhook: { secret: false } } }, hint)];
}

function madeReferenceFinding(observations: Observations, noun: "trunk" | "webhook", created: Exchange): Finding {
	const { first, attempt, dialect } = observations;
	const { create, change } = steps[noun];
	const { json } = dialect.responseIn(create, created.json);
	const record = isObject(json) && "reference" in json ? json : attempt(change)?.record;
	const hasReference = at(created.body, "reference") !== undefined;
	return referenceFinding(noun, hasReference ? undefined : refusalText(observations, first(create) ?? created), record);
}

function changeFinding({ failed, record, body, instead }: Attempt, noun: "trunk" | "webhook"): Finding {
	const { patch } = steps[noun];
	const finding = about(`${noun}: change`, "PATCH", { record: noun });
	const hint = `set operations.${patch} and the places of records.${noun}`;
	if (failed !== undefined)
		return absentStatuses.has(failed.status ?? 0)
			? finding.state(
					failureText(failed),
					{ operations: { [patch]: false } },
					`or set operations.${patch} to its request`,
				)
			: finding.decide(failureText(failed), hint);
	if (record === undefined) return finding.decide("no response shows it", hint);
	if (isShown(record, body))
		return instead === undefined
			? finding.holds()
			: finding.state(instead.request, { operations: { [patch]: instead } }, "the whole object was sent");
	return finding.decide("accepted, but not shown", hint);
}

// ---- Not tested -------------------------------------------------------------------------------------------------------

const commands = {
	read: "telephony service check",
	write: "telephony service check --write",
	buy: "telephony service check --buy NL/mobile",
} as const;

interface Tried {
	readonly what: string;
	readonly step: Step | Change;
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

function untestedFindings({ exchanges, attempt, refusalOf, dialect, offers }: Observations): Finding[] {
	const isOffered = ({ name, features }: Tried) =>
		dialect.target(name) !== undefined && features.every((feature) => offers(feature) !== false);
	const isLacking = ({ subject }: Tried) =>
		subject?.field !== undefined && dialect.lacks(subject.record, subject.field);
	const isTested = ({ step }: Tried) =>
		attempt(step as Change) !== undefined || exchanges.some((each) => each.step === step);
	return tried
		.filter((each) => isOffered(each) && !isLacking(each) && !isTested(each))
		.map(({ what, step, by, subject }) => {
			const status = refusalOf(step);
			const reason = status === undefined ? "not tried" : `the service refused for its rate (HTTP ${status})`;
			return about(what, "offered", subject).untested(reason, commands[by]);
		});
}
