/** Findings about the features that a service offers, as far as responses show them. */
import { at, isObject, type Json } from "../../provider/api/json";
import { absentCodes, type Exchange, findProblem, isOk, type Observations, resultOf } from "./exchange";
import { about, type Finding, notOffered } from "./finding";
import { failedOperation } from "./requests";
import { changedValues } from "./samples";

export const featureFindings = (observations: Observations): Finding[] => [
	...keyFindings(observations),
	...notFoundFindings(observations),
	...singleReadFindings(observations),
	...filterFindings(observations),
	...referenceFindings(observations),
	...replayFindings(observations),
	...changedValueFindings(observations),
	...contractFindings(observations),
];

// ---- Errors -------------------------------------------------------------------------------------------------------------

function keyFindings({ last }: Observations): Finding[] {
	const wrong = last("wrongKey");
	if (wrong === undefined) return [];
	const { status } = wrong.answer;
	const finding = about("a wrong key", "HTTP 401");
	// No description can change this. Only the hint in the error message fits less well.
	return [
		status === 401 ? finding.holds() : finding.unseen(isOk(wrong) ? `accepted (HTTP ${status})` : `HTTP ${status}`),
	];
}

/** The response for a missing number. Only its code takes a number out of a state. */
function notFoundFindings(observations: Observations): Finding[] {
	const { last, description, offers, errorCodeOf } = observations;
	const [unknown, single] = [last("unknown"), last("single")];
	if (unknown === undefined || isOk(unknown) || offers("getById") === false) return [];
	// If reads of existing numbers fail, the response for a missing one proves nothing.
	if (single !== undefined && !isOk(single)) return [];
	const finding = about("a missing number", "not_found");
	const { status } = unknown.answer;
	const code = errorCodeOf(unknown);
	if (code !== undefined && absentCodes.has(code)) return [];
	const { not_found = [], gone = [] } = description.errors?.codes ?? {};
	if (code !== undefined && ["not_found", "gone", not_found, gone].flat().includes(code)) return [finding.holds(code)];
	const seen = `${code ?? "no code"} (HTTP ${status})`;
	if (code === undefined)
		return [finding.decide(seen, "declare -getById: nothing else proves that a number was deleted")];
	if ((status === 404 || status === 410) && single !== undefined)
		return [finding.state(seen, { errors: { codes: { not_found: [code] } } })];
	return [
		finding.decide(seen, `if the service responds so for a deleted number, set errors.codes.not_found: [${code}]`),
	];
}

// ---- Reads --------------------------------------------------------------------------------------------------------------

function singleReadFindings(observations: Observations): Finding[] {
	const { last, offers, lacksOperation } = observations;
	const what = "one number by its id (getById)";
	const finding = about(what, "offered");
	const [single, unknown] = [last("single"), last("unknown")];
	const lacking = { features: "-getById" };
	if (offers("getById") === false) return [notOffered(what)];
	if (single === undefined) {
		if (unknown === undefined) return [];
		return lacksOperation(unknown) ? [finding.state(resultOf(unknown), lacking)] : [];
	}
	if (isOk(single)) return [finding.holds()];
	return [failedOperation(observations, what, single, "getById", "operations.getNumber")];
}

const findList = ({ last }: Observations): Exchange | undefined =>
	[last("listAfter"), last("listWithoutLimit"), last("list")].find((each) => each !== undefined && isOk(each));

/** A filter may be refused, or return numbers that it should leave out. */
function filterFindings(observations: Observations): Finding[] {
	const { last, offers, dialect } = observations;
	const what = "filter by status (statusFilter)";
	const finding = about(what, "offered");
	const lacking = { features: "-statusFilter" };
	if (offers("statusFilter") === false) return [notOffered(what)];
	const filtered = last("statusFilter");
	if (filtered === undefined) return [];
	if (!isOk(filtered)) return [finding.state(resultOf(filtered), lacking)];
	const isOther = (status: string) => status !== "pending";
	const others = [...new Set(statusesIn(filtered, dialect).filter(isOther))];
	if (others.length > 0) return [finding.state(`also returns ${others.join(", ")}`, lacking)];
	const all = [findList(observations), last("single")].flatMap((each) =>
		each !== undefined && isOk(each) ? statusesIn(each, dialect) : [],
	);
	const isProved = all.some(isOther) || offers("statusFilter");
	return [isProved ? finding.holds() : finding.unseen("no number that it would leave out")];
}

/** Returns the statuses in a list or a number, as our values. */
function statusesIn({ name, json }: Exchange, dialect: Observations["dialect"]): readonly string[] {
	const answer = dialect.responseIn(name, json).json;
	const records = name === "listNumbers" ? at(answer, "data") : [answer];
	return (Array.isArray(records) ? records : []).filter(isObject).flatMap((record) => {
		const status = record.status ?? record.state;
		return typeof status === "string" ? [status.toLowerCase()] : [];
	});
}

const numberSteps = ["single", "buy", "replay", "change", "release"];

/** A record that shows the field, even as null, keeps references. */
function referenceFindings(observations: Observations): Finding[] {
	const { offers, exchanges, items, number } = observations;
	if (offers("reference") === false) return [notOffered("reference")];
	// After a change, its response decides: a list may leave out empty fields.
	if (observations.attempt("change") !== undefined) return [];
	const singles = exchanges.filter((each) => numberSteps.includes(each.step) && isOk(each));
	const numbers: readonly Json[] = [...items(findList(observations)), ...singles.map(number).filter(isObject)];
	if (numbers.length === 0) return [];
	const finding = about("reference", "offered");
	const place = observations.placeOf("number", "reference");
	if (numbers.some((each) => at(each, place) !== undefined)) return [finding.holds(place)];
	if (offers("reference")) return [finding.holds("as declared")];
	return [
		finding.decide(
			"no number shows one",
			"set records.number.reference to its place, or declare -reference; --buy finds out if the service keeps one",
		),
	];
}

/** Responses that the client can't read, for a reason that has no other finding. */
function contractFindings({ exchanges, dialect }: Observations): Finding[] {
	const finding = about("other responses", "fit the contract");
	const problems = exchanges
		.filter((each) => isOk(each) && each.step !== "wrongKey" && each.step !== "probe")
		.flatMap((each) => findProblem(each, dialect)?.text.replace(/ \(request_id .*$/s, "") ?? []);
	if (problems.length === 0) return [finding.holds()];
	return [...new Set(problems)].map((text) => finding.decide(text, "set the place of this field"));
}

// ---- Purchases ----------------------------------------------------------------------------------------------------------

function replayFindings(observations: Observations): Finding[] {
	const { last, offers, dialect, idOf, number } = observations;
	const what = "the purchase again (idempotencyKey)";
	const [buy, replay] = [last("buy"), last("replay")];
	if (offers("idempotencyKey") === false) return buy === undefined ? [] : [notOffered(what)];
	if (buy === undefined || replay === undefined) return [];
	const finding = about(what, "same number");
	if (!isOk(replay))
		return [
			finding.decide(
				`HTTP ${replay.answer.status}`,
				"declare -idempotencyKey, or idempotencyKey if the service responds so to a replay",
			),
		];
	const [first, second] = [idOf(number(buy)) ?? buy.bought, idOf(number(replay)) ?? replay.bought];
	if (first === undefined || second === undefined) return [finding.unseen("no id")];
	if (first !== second)
		return [
			finding.state(
				"another number",
				{ features: "-idempotencyKey" },
				"the service doesn't honor the key; if its header has another name, set headers.idempotencyKey instead",
			),
		];
	const mark = replayHeaderFinding(buy, replay, dialect.replayedHeader);
	const state = { features: "idempotencyKey" };
	// A service that marks replays shows that it honors keys. If it is stated, even the first purchase is repeated.
	const isMarked = mark.verdict !== "unseen";
	const same = isMarked ? { ...finding.holds(), state } : finding.state("same number", state);
	return [offers("idempotencyKey") ? finding.holds() : same, mark];
}

/** A replay has a header that the first response doesn't have. */
function replayHeaderFinding({ answer: first }: Exchange, { answer: second }: Exchange, header: string): Finding {
	const finding = about("header of a replay", header);
	if ((second.headers[header] ?? "false") !== "false") return finding.holds();
	const found = Object.keys(second.headers).find(
		(name) =>
			/replay|idempoten|duplicate|cached/.test(name) &&
			second.headers[name] !== first.headers[name] &&
			second.headers[name] !== "false",
	);
	return found === undefined ? finding.unseen("none") : finding.state(found, { headers: { replayed: found } });
}

function changedValueFindings({ attempt, offers, dialect }: Observations): Finding[] {
	const change = attempt("change");
	if (change === undefined || change.failed !== undefined) return [];
	const { body, record } = change;
	if (record === undefined) return [about("label and reference", "as sent").unseen("no response shows them")];
	const isAsSent = (field: keyof typeof changedValues) => record[field] === changedValues[field];
	const label = about("label", "as sent", { record: "number", field: "label" });
	const reference = about("reference", "as sent");
	const findings: Finding[] = [];
	if (!dialect.lacks("number", "label"))
		findings.push(
			isAsSent("label")
				? label.holds(changedValues.label)
				: label.decide("not shown", "set records.number.label to its place, or to false"),
		);
	// A service that refuses the reference got the label alone.
	if (offers("reference") !== false && "reference" in body)
		findings.push(
			isAsSent("reference")
				? reference.holds(changedValues.reference)
				: reference.state(
						"not shown",
						{ features: "-reference" },
						"or set records.number.reference, if it is elsewhere",
					),
		);
	return findings;
}
