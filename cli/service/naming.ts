/** Names that differ from ours: of envelopes, lists, errors and fields, from the shapes of requests and responses. */
import { type Operation, type OperationName, operations } from "../../provider/api/contract";
import type { Description } from "../../provider/api/description/description";
import { recordNames, recordOf } from "../../provider/api/description/records";
import { isList } from "../../provider/api/description/service-description";
import { isObject } from "../../provider/api/json";
import { fold } from "../../provider/api/names";
import type { Offered, Offers } from "./document";
import { fieldFindings } from "./fields";
import { about, descriptionOf, type Finding } from "./finding";
import { fields as fieldNames, manners, otherNames } from "./names";
import { joinedAll, type Shape, shapeAt, shapesIn } from "./shape";

export interface Comparison {
	/** The contract's operations. */
	readonly ours: Offers;
	/** The service's operations, by our names. */
	readonly theirs: Offers;
	readonly given: Description;
}

export function namingFindings({ ours, theirs, given }: Comparison): Finding[] {
	const lists = [...errorFindings(theirs, given), ...listFindings(theirs, ours, given)];
	const withLists = descriptionOf(lists, given);
	const records = recordNames.flatMap((record) => recordFindings(record, { ours, theirs, given: withLists }));
	return [...lists, ...records];
}

/** Returns the place that the description states for this operation's response. */
function placeOfResponse({ operations: stated }: Description, name: OperationName): string | false | undefined {
	const described = stated?.[name];
	return isObject(described) ? (described.response as string | false | undefined) : undefined;
}

// ---- Records ------------------------------------------------------------------------------------------------------------

const ofRecord = (offers: Offers, record: string): (readonly [OperationName, Offered])[] =>
	[...offers].filter(([name]) => recordOf(name) === record);

/** Joins the requests and responses of a record. @param find finds the record in a response or body */
const recordShape = (
	offers: Offers,
	record: string,
	find: (part: "response" | "request", name: OperationName, shape: Shape) => Shape | undefined,
): Shape | undefined =>
	joinedAll(
		ofRecord(offers, record).flatMap(([name, { response, body }]) => [
			response && find("response", name, response),
			// The public description fixes the body of a purchase.
			name === "buyNumber" || body === undefined ? undefined : find("request", name, body),
		]),
	);

const ourShape = (ours: Offers, record: string): Shape | undefined =>
	recordShape(ours, record, (_, name, shape) =>
		isList(name) && shape.fields.has("data") ? shape.fields.get("data")?.item : shape,
	);

function recordFindings(record: string, { ours, theirs, given }: Comparison): Finding[] {
	const contract = ourShape(ours, record);
	if (contract === undefined || ofRecord(theirs, record).length === 0) return [];
	const envelopes = [
		...placeFindings("response", record, contract, { theirs, given }),
		...placeFindings("request", record, contract, { theirs, given }),
	];
	const places = descriptionOf(envelopes, given);
	const service = recordShape(theirs, record, (part, name, shape) => {
		if (part === "request") return shapeAt(shape, places.envelopes?.[record]?.request ?? "");
		if (isList(name)) return shapeAt(shape, findItems(name, shape, contract, given) ?? "")?.item;
		const place = placeOfResponse(places, name) ?? places.envelopes?.[record]?.response ?? "";
		return place === false ? undefined : shapeAt(shape, place);
	});
	if (service === undefined || service.fields.size === 0) return envelopes;
	return [...envelopes, ...fieldFindings({ record, ours: contract, theirs: service, given })];
}

const placeText = (place: string) => (place === "" ? "at the top" : place);

interface RecordPlace {
	readonly name: OperationName;
	readonly place: string;
	/** False if the response has no record. */
	readonly isRecord: boolean;
}

/** One place for most requests or responses, and a line for each operation that has another. */
function placeFindings(
	part: "request" | "response",
	record: string,
	contract: Shape,
	{ theirs, given }: Pick<Comparison, "theirs" | "given">,
): Finding[] {
	const stated = given.envelopes?.[record]?.[part] ?? "";
	const found = placesIn(part, record, contract, { theirs, given });
	const records = found.filter(({ isRecord }) => isRecord);
	const [first] = records;
	if (first === undefined) return [];
	// The place for all can't be "at the top" beside another, as an operation's own place can't be that.
	const shared = stated !== "" || records.some(({ place }) => place === "") ? stated : first.place;
	const finding = about(`one ${record} in a ${part}`, placeText(stated));
	const different = found.filter(({ name, place, isRecord }) =>
		isRecord ? place !== shared : canLackRecord(name) && (place !== shared || shared !== ""),
	);
	const findings = different.map((place) => ownPlaceFinding(part, record, shared, place));
	if (shared === stated) return findings;
	return [finding.state(shared, { envelopes: { [record]: { [part]: shared } } }), ...findings];
}

/** Returns the places of the record in the requests or responses for which the description states none. */
function placesIn(
	part: "request" | "response",
	record: string,
	contract: Shape,
	{ theirs, given }: Pick<Comparison, "theirs" | "given">,
): RecordPlace[] {
	const places: RecordPlace[] = [];
	for (const [name, { body, response }] of ofRecord(theirs, record)) {
		const shape = part === "request" ? body : response;
		if (shape === undefined) continue;
		const isResponse = part === "response";
		if (isResponse && (isList(name) || placeOfResponse(given, name) !== undefined)) continue;
		const place = envelopeIn(record, shape, contract);
		const found = shapeAt(shape, place);
		// A request names its record by its path, and has no id.
		places.push({ name, place, isRecord: !isResponse || (found !== undefined && hasId(record, found)) });
	}
	return places;
}

/** Returns the finding about a request or response whose record isn't at the shared place. */
function ownPlaceFinding(
	part: "request" | "response",
	record: string,
	shared: string,
	{ name, place, isRecord }: RecordPlace,
): Finding {
	const finding = about(`${name}: the ${record} in its ${part}`, placeText(shared));
	if (!isRecord) return finding.state("not shown", { operations: { [name]: { response: false } } });
	if (place === "") return finding.decide("at the top", `remove envelopes.${record}.${part}`);
	const line = part === "request" ? { in: place } : { response: place };
	return finding.state(place, { operations: { [name]: line } });
}

/** True if the provider reads the record when the response doesn't show it. */
const canLackRecord = (name: OperationName): boolean =>
	name === "buyNumber" || (operations[name] as Operation).isBodyOptional === true;

/** Counts the fields that a record of ours may have. */
function scoreOf(shape: Shape, record: Shape): number {
	const ourNames = new Set([...record.fields.keys()].flatMap((name) => [fold(name), ...fieldNames(name)]));
	return [...shape.fields.keys()].filter((name) => ourNames.has(fold(name)) || /(^|_)id$/i.test(name)).length;
}

/** Returns the path of the object with the most fields of the record, among those with an id; the outermost one of equals. */
function envelopeIn(record: string, shape: Shape, contract: Shape): string {
	const places = [["", shape] as const, ...shapesIn(shape, 2)].filter(([, { kind }]) => kind === "object");
	const identified = places.filter(([, object]) => hasId(record, object));
	let best = { path: "", score: 0 };
	for (const [path, object] of identified.length > 0 ? identified : places) {
		const score = scoreOf(object, contract);
		if (score > best.score) best = { path, score };
	}
	return best.path;
}

const hasId = (record: string, { fields }: Shape): boolean =>
	[...fields.keys()].some((name) => ["id", ...otherNames(record, "id")].includes(fold(name)));

// ---- Lists --------------------------------------------------------------------------------------------------------------

/** Returns the path of the items in a page: by the fields of the items, or by the name of the list. */
function findItems(name: OperationName, shape: Shape, record: Shape, description: Description): string | undefined {
	const { lists } = description;
	const stated = placeOfResponse(description, name);
	if (stated) return stated;
	if (lists?.items !== undefined && shapeAt(shape, lists.items)?.kind === "list") return lists.items;
	const places = [...shapesIn(shape, 2)].filter(([, { kind }]) => kind === "list");
	const scored = places.map(([path, { item }]) => ({
		path,
		score: item?.kind === "object" ? scoreOf(item, record) : -1,
	}));
	const best = scored.toSorted((a, b) => b.score - a.score)[0];
	if (best !== undefined && best.score >= 0) return best.path;
	const names = ["data", ...manners("items")];
	return names.flatMap((name) => places.filter(([path]) => fold(path) === name).map(([path]) => path))[0];
}

function listFindings(theirs: Offers, ours: Offers, given: Description): Finding[] {
	const list = theirs.get("listNumbers");
	const page = list?.response;
	if (list === undefined || page === undefined) return [];
	const items = about("items of a list", given.lists?.items ?? "data");
	if (page.kind === "list")
		return [items.decide("the response is a bare list", "a list must be in an object: no description can change this")];
	return [...itemsFindings(theirs, ours, given), ...nextFindings(page, given), ...parameterFindings(list, given)];
}

function itemsFindings(theirs: Offers, ours: Offers, given: Description): Finding[] {
	const assumed = given.lists?.items ?? "data";
	const main = about("items of a list", assumed);
	const places: { readonly name: OperationName; readonly place: string | undefined }[] = [];
	for (const [name, { response }] of theirs) {
		const record = ourShape(ours, recordOf(name) ?? "");
		if (isList(name) && response && record) places.push({ name, place: findItems(name, response, record, given) });
	}
	const place = places.find(({ name }) => name === "listNumbers")?.place;
	if (place === undefined) return [main.decide("no list", "set lists.items to the place of the list in a response")];
	const different = places.filter((list) => list.place !== place && !placeOfResponse(given, list.name));
	const findings = different.map(({ name, place: items }) => {
		const finding = about(`${name}: its items`, place);
		if (items !== undefined) return finding.state(items, { operations: { [name]: { response: items } } });
		return finding.decide("no list", `set operations.${name}: { response: … } to the place of its items`);
	});
	return place === assumed ? findings : [main.state(place, { lists: { items: place } }), ...findings];
}

/** The last page of a response may have no cursor. */
function nextFindings(page: Shape, { lists }: Description): Finding[] {
	const assumed = lists?.next ?? "next_cursor";
	const finding = about("cursor of the next page", assumed);
	if (lists?.paged === false) return [];
	if (shapeAt(page, assumed) !== undefined) return [];
	const place = findNamed(page, "next", ["text", "any"]);
	if (place !== undefined) return [finding.state(place, { lists: { next: place } }, "by its name")];
	const hint = "set lists.next, or `paged: false` if the list comes whole; an incomplete list stops purchases";
	const more = findNamed(page, "more", ["boolean"]);
	if (page.isObserved && more === undefined) return [];
	return [finding.decide(more === undefined ? "none" : `${more}, but no cursor`, hint)];
}

/** Observed requests have no parameters: the check tries them. */
function parameterFindings({ parameters, response }: Offered, given: Description): Finding[] {
	if (response?.isObserved) return [];
	const names = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
	return (["cursor", "limit"] as const).flatMap((key): Finding[] => {
		if (given.lists?.[key] !== undefined) return [];
		const finding = about(`parameter for the ${key} of a list`, key);
		const found = [key, ...manners(key)].flatMap((folded) => names.filter((name) => fold(name) === folded))[0];
		if (found === key) return [];
		if (found !== undefined) return [finding.state(found, { lists: { [key]: found } }, "by its name")];
		return [
			key === "limit"
				? finding.state("none", { lists: { limit: false } }, "GET /numbers takes no such parameter")
				: finding.decide("none", "set lists.cursor, or `paged: false` if the list comes whole"),
		];
	});
}

/** Returns the path of a field by its likeliest name, in the order of the table. */
function findNamed(shape: Shape, key: string, kinds: readonly Shape["kind"][]): string | undefined {
	const isUrl = ({ about: text }: Shape) => key === "next" && /^https?:/.test(text);
	const places = [...shapesIn(shape, 3)].filter(([, field]) => kinds.includes(field.kind) && !isUrl(field));
	// A field of an object called error belongs to the error.
	const folded = places.map(([path]) => ({ path, names: [fold(path), fold(path.replace(/^errors?\./, ""))] }));
	return manners(key).flatMap((name) => folded.filter(({ names }) => names.includes(name)))[0]?.path;
}

// ---- Errors -------------------------------------------------------------------------------------------------------------

const errorParts = { code: "error", message: "message", requestId: "request_id" } as const;
const errorLabels = { code: "code", message: "message", requestId: "request id" } as const;

function errorFindings(theirs: Offers, { errors }: Description): Finding[] {
	const refusal = [...theirs.values()].find((operation) => operation.refusal !== undefined)?.refusal;
	if (refusal === undefined) return [];
	return (Object.keys(errorParts) as (keyof typeof errorParts)[]).flatMap((part): Finding[] => {
		const assumed = errors?.[part] ?? errorParts[part];
		const finding = about(`${errorLabels[part]} of an error`, assumed);
		const kind = shapeAt(refusal, assumed)?.kind;
		if (kind === "text" || kind === "number" || kind === "any") return [];
		const place = findNamed(refusal, part, part === "message" ? ["text", "any"] : ["text", "any", "number"]);
		if (place !== undefined) return [finding.state(place, { errors: { [part]: place } }, "by its name")];
		if (part === "requestId") return [];
		return [finding.decide("none", `set errors.${part} to its place in an error`)];
	});
}
