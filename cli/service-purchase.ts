/** Findings from a purchase, its replay, a change and the release. */
import type { Description } from "../provider/api/description/description";
import { at, type Json } from "../provider/api/json";
import { isOk, type Seen } from "./service-checkup";
import { about, idIn, type Look, type Looking, placeOf, type Row, recordAt } from "./service-rows";

/** The values that the change sends. */
export const changed = { label: "telephony check", reference: "telephony-check" } as const;

/** Objects in which some services expect a number's fields in a request. */
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
	const row = about(what, "shows its id");
	if (!isOk(buy)) {
		// The first one was sent as assumed.
		const { json = buy.json } = all.find(({ step }) => step === "buy") ?? {};
		const said = at(json, description.errors?.message ?? "message");
		const seen = `refused (HTTP ${buy.answer.status})${typeof said === "string" ? `: ${said}` : ""}`;
		return [about(what, "HTTP 201").decide(seen, "try another kind of number, or state envelopes.number.request")];
	}
	const wrapped =
		buy.instead === undefined
			? []
			: [about("body of a purchase", "the fields themselves").state(`inside ${buy.instead}`, inside(buy.instead))];
	const id = idIn(buy, "number", description);
	const named = id === undefined ? row.decide("no id", "state records.number.id") : row.holds(id);
	return [...wrapped, named];
}

function replayRows({ last, description, dialect, says }: Looking): readonly Row[] {
	const what = "the purchase again (idempotencyKey)";
	const row = about(what, "the same number");
	const [buy, replay] = [last("buy"), last("replay")];
	if (says("idempotencyKey") === false) return buy === undefined ? [] : [about(what, "not offered").holds()];
	if (buy === undefined || replay === undefined) return [];
	if (!isOk(replay))
		return [
			row.decide(
				`HTTP ${replay.answer.status}`,
				"state -idempotencyKey, or idempotencyKey if that is how the service answers a replay",
			),
		];
	const [one, other] = [idIn(buy, "number", description), idIn(replay, "number", description)];
	if (one === undefined || other === undefined) return [row.unseen("no id")];
	if (one !== other)
		return [
			row.state(
				"another number",
				{ features: "-idempotencyKey" },
				"the service doesn't honour the key; or state its name for the header as headers.idempotencyKey, in place of -idempotencyKey",
			),
		];
	const marks = markRows(buy, replay, dialect.replayedHeader);
	const state = { features: "idempotencyKey" };
	// A service that marks replays shows that it honours keys. If it is stated, even the first purchase is repeated.
	const isMarked = marks.some(({ verdict }) => verdict !== "unseen");
	const same = says("idempotencyKey")
		? row.holds()
		: isMarked
			? { ...row.holds(), state }
			: row.state("the same number", state);
	return [same, ...marks];
}

/** A replay has a header that the first answer doesn't have. */
function markRows({ answer: first }: Seen, { answer: second }: Seen, header: string): readonly Row[] {
	const row = about("header of a replay", header);
	if ((second.headers[header] ?? "false") !== "false") return [row.holds()];
	const found = Object.keys(second.headers).find(
		(name) =>
			/replay|idempoten|duplicate|cached/.test(name) &&
			second.headers[name] !== first.headers[name] &&
			second.headers[name] !== "false",
	);
	return [found === undefined ? row.unseen("none") : row.state(found, { headers: { replayed: found } })];
}

function changeRows(looking: Looking): readonly Row[] {
	const { last, says, description } = looking;
	const what = "a change (patchNumber)";
	const row = about(what, "PATCH");
	const change = last("change");
	if (change === undefined)
		return says("patchNumber") === false && last("buy") !== undefined ? [about(what, "not offered").holds()] : [];
	if (!isOk(change)) {
		const seen = `${change.doing}: HTTP ${change.answer.status}`;
		return [404, 405, 501].includes(change.answer.status)
			? [row.state(seen, { features: "-patchNumber" }, "or state operations.patchNumber, if it is elsewhere")]
			: [row.decide(seen, "state operations.patchNumber, envelopes.number.request, or -patchNumber")];
	}
	const done =
		change.instead === undefined
			? about(what, change.doing.split(" ")[0] ?? "").holds()
			: row.state(change.instead, { operations: { patchNumber: change.instead } });
	const record = recordAt(change, "number", description);
	return record === undefined
		? [done, about("label and reference", "as sent").unseen("the answer shows no record")]
		: [done, ...sentRows(record, looking)];
}

function sentRows(record: Json, { says, description }: Looking): readonly Row[] {
	const shows = (field: keyof typeof changed) => at(record, placeOf(description, "number", field)) === changed[field];
	const [label, reference] = [about("label", "as sent"), about("reference", "as sent")];
	const rows: Row[] = [];
	if (description.records?.number?.label !== false) {
		const hint = "state records.number.label: where the service has it, or false";
		rows.push(shows("label") ? label.holds(changed.label) : label.decide("not shown", hint));
	}
	if (says("reference") !== false) {
		const hint = "or state records.number.reference, if the service has it elsewhere";
		const lost = () => reference.state("not shown", { features: "-reference" }, hint);
		rows.push(shows("reference") ? reference.holds(changed.reference) : lost());
	}
	return rows;
}

function releaseRows({ all, last }: Looking): readonly Row[] {
	const what = "a release";
	const row = about(what, "DELETE");
	// If there are two, the second uses the findings of the first.
	const release = all.find((each) => each.step === "release" && isOk(each)) ?? last("release");
	if (release === undefined) return [];
	if (isOk(release))
		return [
			release.instead === undefined
				? about(what, release.doing.split(" ")[0] ?? "").holds()
				: row.state(release.instead, { operations: { releaseNumber: release.instead } }),
		];
	return [row.decide(`${release.doing}: HTTP ${release.answer.status}`, "state operations.releaseNumber, or -release")];
}
