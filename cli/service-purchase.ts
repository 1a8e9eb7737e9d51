/** What a purchase, its replay, a change and the release have shown. */
import type { Description } from "../provider/api/dialect/description";
import { at, type Json } from "../provider/api/dialect/json";
import { isOk, type Seen } from "./service-checkup";
import {
	holds,
	idIn,
	type Look,
	type Looking,
	placeOf,
	type Row,
	recordAt,
	toDecide,
	toState,
	unseen,
} from "./service-rows";

/** What the change sends. */
export const changed = { label: "telephony check", reference: "telephony-check" } as const;

/** Where services want a number's fields that don't want them at the top of a body. */
export const wrappers = ["number", "phone_number", "data"] as const;

export const inside = (wrapper: string): Description => ({ envelopes: { number: { request: wrapper } } });

export const lookAtBuying: Look = (looking) => [
	...purchaseRows(looking),
	...replayRows(looking),
	...changeRows(looking),
	...releaseRows(looking),
];

function purchaseRows({ all, last, description }: Looking): readonly Row[] {
	const buy = last("buy");
	if (buy === undefined) return [];
	const what = "a purchase";
	if (!isOk(buy)) {
		// The first one went out as assumed.
		const { json = buy.json } = all.find(({ step }) => step === "buy") ?? {};
		const said = at(json, description.errors?.message ?? "message");
		const seen = `refused (HTTP ${buy.answer.status})${typeof said === "string" ? `: ${said}` : ""}`;
		return [toDecide(what, "HTTP 201", seen, "try another kind of number, or state envelopes.number.request")];
	}
	const wrapped =
		buy.instead === undefined
			? []
			: [toState("body of a purchase", "the fields themselves", `inside ${buy.instead}`, inside(buy.instead))];
	const id = idIn(buy, "number", description);
	const named =
		id === undefined
			? toDecide(what, "shows its id", "no id", "state records.number.id")
			: holds(what, "shows its id", id);
	return [...wrapped, named];
}

function replayRows({ last, description, dialect, says }: Looking): readonly Row[] {
	const what = "the purchase again (idempotencyKey)";
	const [buy, replay] = [last("buy"), last("replay")];
	if (says("idempotencyKey") === false) return buy === undefined ? [] : [holds(what, "not offered")];
	if (buy === undefined || replay === undefined) return [];
	if (!isOk(replay))
		return [
			toDecide(
				what,
				"the same number",
				`HTTP ${replay.answer.status}`,
				"state -idempotencyKey, or idempotencyKey if that is how the service answers a replay",
			),
		];
	const [one, other] = [idIn(buy, "number", description), idIn(replay, "number", description)];
	if (one === undefined || other === undefined) return [unseen(what, "the same number", "no id")];
	if (one !== other)
		return [
			toState(
				what,
				"the same number",
				"another number",
				{ features: "-idempotencyKey" },
				"the service doesn't honour the key; or state its name for the header as headers.idempotencyKey, in place of -idempotencyKey",
			),
		];
	const marks = markRows(buy, replay, dialect.replayedHeader);
	const state = { features: "idempotencyKey" };
	// A service that marks replays shows by itself that it honours keys; stated, even the first purchase is repeated.
	const isMarked = marks.some(({ verdict }) => verdict !== "unseen");
	const row = says("idempotencyKey")
		? holds(what, "the same number")
		: isMarked
			? { ...holds(what, "the same number"), state }
			: toState(what, "the same number", "the same number", state);
	return [row, ...marks];
}

/** The header that the first answer doesn't have. */
function markRows({ answer: first }: Seen, { answer: second }: Seen, header: string): readonly Row[] {
	const what = "header of a replay";
	if ((second.headers[header] ?? "false") !== "false") return [holds(what, header)];
	const found = Object.keys(second.headers).find(
		(name) =>
			/replay|idempoten|duplicate|cached/.test(name) &&
			second.headers[name] !== first.headers[name] &&
			second.headers[name] !== "false",
	);
	return [
		found === undefined ? unseen(what, header, "none") : toState(what, header, found, { headers: { replayed: found } }),
	];
}

function changeRows(looking: Looking): readonly Row[] {
	const { last, says, description } = looking;
	const what = "a change (patchNumber)";
	const change = last("change");
	if (change === undefined)
		return says("patchNumber") === false && last("buy") !== undefined ? [holds(what, "not offered")] : [];
	if (!isOk(change)) {
		const seen = `${change.doing}: HTTP ${change.answer.status}`;
		return [404, 405, 501].includes(change.answer.status)
			? [
					toState(
						what,
						"PATCH",
						seen,
						{ features: "-patchNumber" },
						"or state operations.patchNumber, if it is elsewhere",
					),
				]
			: [toDecide(what, "PATCH", seen, "state operations.patchNumber, envelopes.number.request, or -patchNumber")];
	}
	const row =
		change.instead === undefined
			? holds(what, change.doing.split(" ")[0] ?? "")
			: toState(what, "PATCH", change.instead, { operations: { patchNumber: change.instead } });
	const record = recordAt(change, "number", description);
	return record === undefined
		? [row, unseen("label and reference", "as sent", "the answer shows no record")]
		: [row, ...keptRows(record, looking)];
}

function keptRows(record: Json, { says, description }: Looking): readonly Row[] {
	const shows = (field: keyof typeof changed) => at(record, placeOf(description, "number", field)) === changed[field];
	const rows: Row[] = [];
	if (description.records?.number?.label !== false)
		rows.push(
			shows("label")
				? holds("label", "as sent", changed.label)
				: toDecide("label", "as sent", "not shown", "state records.number.label: where it is kept, or false"),
		);
	if (says("reference") !== false)
		rows.push(
			shows("reference")
				? holds("reference", "as sent", changed.reference)
				: toState(
						"reference",
						"as sent",
						"not kept",
						{ features: "-reference" },
						"or state records.number.reference, if it is kept elsewhere",
					),
		);
	return rows;
}

function releaseRows({ all, last }: Looking): readonly Row[] {
	const what = "a release";
	// The second of two goes by what the first has shown.
	const release = all.find((each) => each.step === "release" && isOk(each)) ?? last("release");
	if (release === undefined) return [];
	if (isOk(release))
		return [
			release.instead === undefined
				? holds(what, release.doing.split(" ")[0] ?? "")
				: toState(what, "DELETE", release.instead, { operations: { releaseNumber: release.instead } }),
		];
	return [
		toDecide(
			what,
			"DELETE",
			`${release.doing}: HTTP ${release.answer.status}`,
			"state operations.releaseNumber, or -release",
		),
	];
}
