/** Findings about requests: paths, purchases, changes, releases and pages. */
import { type Operation, type OperationName, operations } from "../../provider/api/contract";
import type { Description } from "../../provider/api/description/description";
import { at, type Json } from "../../provider/api/json";
import { type Exchange, isOk, type Observations, resultOf } from "./exchange";
import { about, type Finding, notOffered } from "./finding";

/** Objects in which some services expect the fields of a request. */
export const wrappers = ["number", "phone_number", "data"] as const;

export const inside = (wrapper: string): Description => ({ envelopes: { number: { request: wrapper } } });

/** Returns the finding about an operation that failed. @param operations its name in the description, and others like it */
export function failedOperation(
	{ lacksOperation }: Observations,
	what: string,
	exchange: Exchange,
	feature: string,
	operations: string,
): Finding {
	const finding = about(what, "offered");
	return lacksOperation(exchange)
		? finding.state(resultOf(exchange), { features: `-${feature}` }, `or set ${operations}, if it is elsewhere`)
		: finding.decide(resultOf(exchange), `declare -${feature}, or set ${operations}`);
}

/** Findings that the names of records don't depend on. */
export const requestFindings = (observations: Observations): Finding[] => [
	...areaFindings(observations, "trunks", "listTrunks"),
	...areaFindings(observations, "webhooks", "listWebhooks"),
	...accountFindings(observations),
	...purchaseFindings(observations),
	...changeFindings(observations),
	...releaseFindings(observations),
];

/** Moves all operations of a collection to another path. */
const movedTo = (collection: string, path: string): Record<string, string> =>
	Object.fromEntries(
		(Object.entries(operations) as [string, Operation][]).flatMap(([name, { method, path: ours }]) =>
			ours === `/${collection}` || ours.startsWith(`/${collection}/`)
				? [[name, `${method} ${path}${ours.slice(collection.length + 1)}`]]
				: [],
		),
	);

function areaFindings(
	{ first, last, offers, lacksOperation }: Observations,
	feature: "trunks" | "webhooks",
	name: OperationName,
): Finding[] {
	if (offers(feature) === false) return [notOffered(feature)];
	const [assumed, found] = [first(feature), last(feature)];
	if (assumed === undefined || found === undefined) return [];
	const subject = { record: feature.slice(0, -1) };
	const finding = about(feature, `/${feature}`, subject);
	if (!isOk(found)) {
		const elsewhere = `set operations.${name} and the others of ${feature}, if they are elsewhere`;
		return [
			lacksOperation(assumed)
				? finding.state(resultOf(assumed), { features: `-${feature}` }, `or ${elsewhere}`)
				: finding.decide(resultOf(assumed), `declare -${feature}, or ${elsewhere}`),
		];
	}
	if (found.instead === undefined) return [finding.holds(found.doing)];
	const path = found.instead.replace("GET ", "");
	const hint = "only the list was read: check the paths and methods of the other operations";
	return [finding.state(path, { operations: movedTo(feature, path) }, hint)];
}

/** The account that `telephony:account` names by its id. A number can name it too. */
function accountFindings({ first, last, offers, lacksOperation }: Observations): Finding[] {
	const what = "the key's account (account)";
	if (offers("account") === false) return [notOffered(what)];
	const [assumed, found] = [first("account"), last("account")];
	if (assumed === undefined || found === undefined) return [];
	const finding = about(what, "GET /account", { record: "account" });
	if (isOk(found))
		return [
			found.instead === undefined
				? finding.holds(found.doing)
				: finding.state(found.instead, { operations: { getAccount: found.instead } }),
		];
	// Nothing depends on it: a stack can be pinned by a number.
	if (!lacksOperation(assumed)) return [finding.unseen(resultOf(assumed))];
	return [
		finding.state(resultOf(assumed), { features: "-account" }, "or set operations.getAccount, if it is elsewhere"),
	];
}

function purchaseFindings({ first, last, description, isAccepted }: Observations): Finding[] {
	const buy = last("buy");
	if (buy === undefined) return [];
	if (isAccepted(buy)) {
		const findings: Finding[] = [];
		if (buy.instead !== undefined)
			findings.push(
				about("body of a purchase", "the fields themselves").state(`inside ${buy.instead}`, inside(buy.instead)),
			);
		if (buy.bought !== undefined)
			findings.push(
				about("id in the response to a purchase", "id").unseen("none, so that purchases run one at a time"),
			);
		return findings;
	}
	// The first request was sent as assumed.
	const { json } = first("buy") ?? buy;
	const message = at(json, description.errors?.message ?? "message");
	const seen = `refused (HTTP ${buy.answer.status})${typeof message === "string" ? `: ${message}` : ""}`;
	return [about("a purchase", "HTTP 201").decide(seen, "try another kind of number, or set envelopes.number.request")];
}

function changeFindings(observations: Observations): Finding[] {
	const { last, offers, isAccepted } = observations;
	const what = "a change (patchNumber)";
	const change = last("change");
	if (change === undefined)
		return offers("patchNumber") === false && last("buy") !== undefined ? [notOffered(what)] : [];
	if (!isAccepted(change))
		return [failedOperation(observations, what, change, "patchNumber", "operations.patchNumber")];
	return [usedRequest(what, change)];
}

/** Returns the finding about an operation that succeeded. */
function usedRequest(what: string, { name, doing, instead }: Exchange): Finding {
	return instead === undefined
		? about(what, doing.split(" ")[0] ?? "").holds()
		: about(what, operations[name].method).state(instead, { operations: { [name]: instead } });
}

function releaseFindings({ exchanges, last, isAccepted }: Observations): Finding[] {
	// A second release uses the findings of the first.
	const release = exchanges.find((each) => each.step === "release" && isAccepted(each)) ?? last("release");
	if (release === undefined) return [];
	if (isAccepted(release)) return [usedRequest("a release", release)];
	const hint = "set operations.releaseNumber, or declare -release";
	return [about("a release", "DELETE").decide(resultOf(release), hint)];
}

// ---- Pages --------------------------------------------------------------------------------------------------------------

export const pagingFindings = (observations: Observations): Finding[] => [
	...limitFindings(observations),
	...cursorFindings(observations),
];

function limitFindings({ description: { lists }, last, items }: Observations): Finding[] {
	const [list, without, first] = [last("list"), last("listWithoutLimit"), last("firstPage")];
	if (list === undefined || lists?.limit === false) return [];
	const finding = about("size of a page", `${lists?.limit ?? "limit"}=100`);
	const count = items(first).length;
	// A page of another size doesn't show that the list is complete.
	if (count > 1) return [finding.state(`ignored: ${count} items for a page of 1`, { lists: { limit: false } })];
	if (isOk(list)) return [finding.holds()];
	if (without === undefined || !isOk(without)) return [];
	return [finding.state(`refused (HTTP ${list.answer.status})`, { lists: { limit: false } })];
}

/** If the second page is the first one again, the cursor has another name. */
function cursorFindings({ exchanges, description, last, items }: Observations): Finding[] {
	const assumed = description.lists?.cursor ?? "cursor";
	const finding = about("parameter for the next page", assumed);
	const seconds = exchanges.filter(({ step }) => step === "secondPage");
	if (seconds.length === 0) return [];
	const [item] = items(last("firstPage") ?? last("listWithoutLimit") ?? last("list"));
	const right = seconds.find((each) => isOk(each) && isDifferent(items(each)[0], item));
	if (right === undefined)
		return [
			finding.decide("the first page again", "set lists.cursor: an incomplete list stops purchases and creations"),
		];
	return right.instead === undefined || right.instead === assumed
		? [finding.holds()]
		: [finding.state(right.instead, { lists: { cursor: right.instead } })];
}

const isDifferent = (item: Json | undefined, first: Json | undefined) =>
	item !== undefined && JSON.stringify(item) !== JSON.stringify(first);
