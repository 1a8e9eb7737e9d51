/** Offered features, as far as reads show them. */
import { type Feature, type Operation, type OperationName, operations } from "../provider/api/contract";
import { at, isObject } from "../provider/api/json";
import { isOk, problemWith, type Seen } from "./service-checkup";
import { codeOf, noOperation } from "./service-errors";
import { about, absent, itemsOf, type Look, type Looking, listOf, placeOf, type Row, samplesOf } from "./service-rows";

const lacking = (feature: Feature) => ({ features: `-${feature}` });

/** Lists and single reads that a service may lack. */
export const lookAtReadings: Look = (looking) => [
	...singleRows(looking),
	...listRows(looking, "trunks", "listTrunks"),
	...listRows(looking, "webhooks", "listWebhooks"),
];

function singleRows({ last, says, description }: Looking): readonly Row[] {
	const what = "one number by its id (getById)";
	const row = about(what, "offered");
	const [single, unknown] = [last("single"), last("unknown")];
	if (says("getById") === false) return [about(what, "not offered").holds()];
	if (single === undefined) {
		if (unknown === undefined) return [];
		const code = codeOf(unknown, description) ?? "";
		const isAbsent = noOperation.has(code) || unknown.answer.status === 405 || unknown.answer.status === 501;
		return [isAbsent ? row.state(saidBy(unknown), lacking("getById")) : row.unseen("no number to read")];
	}
	if (isOk(single)) return [row.holds()];
	return absent.has(single.answer.status)
		? [row.state(saidBy(single), lacking("getById"), "or state operations.getNumber, if it is elsewhere")]
		: [row.decide(saidBy(single), "state -getById, or operations.getNumber")];
}

/** All operations of a collection, at another path. */
const movedTo = (collection: string, path: string): Record<string, string> =>
	Object.fromEntries(
		(Object.entries(operations) as [string, Operation][]).flatMap(([name, { method, path: ours }]) =>
			ours === `/${collection}` || ours.startsWith(`/${collection}/`)
				? [[name, `${method} ${path}${ours.slice(collection.length + 1)}`]]
				: [],
		),
	);

function listRows({ all, last, says }: Looking, feature: "trunks" | "webhooks", name: OperationName): readonly Row[] {
	const row = about(feature, "offered");
	if (says(feature) === false) return [about(feature, "not offered").holds()];
	const [seen, found] = [all.find(({ step }) => step === feature), last(feature)];
	if (seen === undefined || found === undefined) return [];
	if (isOk(found)) {
		if (found.instead === undefined) return [row.holds(found.doing)];
		const hint =
			"only the list was seen there; the other operations are assumed to be there too: check their paths and methods";
		return [about(feature, `/${feature}`).state(found.instead, { operations: movedTo(feature, found.instead) }, hint)];
	}
	return absent.has(seen.answer.status)
		? [
				row.state(
					saidBy(seen),
					lacking(feature),
					`or state operations.${name}, and the others of ${feature}, if they are elsewhere`,
				),
			]
		: [row.decide(saidBy(seen), `state -${feature}, or operations.${name}`)];
}

const saidBy = ({ doing, answer: { status } }: Seen): string => `${doing}: HTTP ${status}`;

export const lookAtOffer: Look = (looking) => [...filterRows(looking), ...referenceRows(looking)];

/** A filter may be refused, or show numbers that it should leave out. */
function filterRows(looking: Looking): readonly Row[] {
	const { last, says, dialect } = looking;
	const what = "filter by status (statusFilter)";
	const row = about(what, "offered");
	if (says("statusFilter") === false) return [about(what, "not offered").holds()];
	const seen = last("statusFilter");
	if (seen === undefined) return [];
	if (!isOk(seen)) return [row.state(saidBy(seen), lacking("statusFilter"))];
	const others = statusesIn(seen, dialect).filter((status) => status !== "pending");
	if (others.length > 0) return [row.state(`shows ${[...new Set(others)].join(", ")} too`, lacking("statusFilter"))];
	const shown = [listOf(looking), last("single")].flatMap((each) =>
		each !== undefined && isOk(each) ? statusesIn(each, dialect) : [],
	);
	const canTell = shown.some((status) => status !== "pending");
	return [canTell || says("statusFilter") ? row.holds() : row.unseen("no number that it would leave out")];
}

/** The statuses in a list or a number, in our words. */
function statusesIn(seen: Seen, dialect: Looking["dialect"]): readonly string[] {
	const { json } = dialect.responseIn(seen.name, seen.json);
	const records = seen.name === "listNumbers" ? itemsOf({ ...seen, json }, {}) : [json].filter(isObject);
	return records.flatMap((record) => {
		const status = record.status ?? record.state;
		return typeof status === "string" ? [status.toLowerCase()] : [];
	});
}

/** A record that shows the field, even as null, keeps references. */
function referenceRows(looking: Looking): readonly Row[] {
	const { says, description, last } = looking;
	const what = "reference";
	const row = about(what, "offered");
	if (says("reference") === false) return [about(what, "not offered").holds()];
	const samples = samplesOf(looking, "number");
	const change = last("change");
	// A change shows more than a list, which may leave out empty fields.
	if (samples.length === 0 || change !== undefined) return [];
	const place = placeOf(description, "number", "reference");
	if (samples.some((sample) => at(sample, place) !== undefined)) return [row.holds(place)];
	if (says("reference")) return [row.holds("as stated")];
	return [
		row.decide(
			"no number shows one",
			"state records.number.reference: where the service has it, or -reference; --buy finds out whether it stores one",
		),
	];
}

/** Answers that the client can't read, for a reason that no other look has found. */
export const lookAtFit: Look = ({ all, dialect }) => {
	const row = about("what the client reads", "fits the contract");
	const odd = all
		.filter((each) => isOk(each) && each.step !== "wrongKey")
		.flatMap((each) => {
			const problem = problemWith(each, dialect);
			return problem === undefined ? [] : [problem.text.replace(/ \(request_id .*$/s, "")];
		});
	if (odd.length === 0) return [row.holds()];
	return [...new Set(odd)].map((text) => row.decide(text, "state where the service has this field"));
};
