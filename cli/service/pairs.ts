/** Pairs the operations of an OpenAPI document with ours, by method, path and name. */
import { type Operation, type OperationName, operations } from "../../provider/api/contract";
import { recordOf } from "../../provider/api/description/records";
import { fold } from "../../provider/api/names";
import type { Offered, Offers } from "./document";
import { about, type Finding } from "./finding";
import { fields as fieldNames, nouns } from "./names";
import type { Shape } from "./shape";

const table = Object.entries(operations) as readonly (readonly [OperationName, Operation])[];
const operationOf = (name: OperationName): Operation => operations[name];
const requestText = (name: OperationName): string => `${operationOf(name).method} ${operationOf(name).path}`;

/** Our noun of a path by theirs; a verb with the same name has another place in the path. */
const ourNouns = new Map([...nouns].flatMap(([ours, theirs]) => theirs.map((noun) => [fold(noun), ours] as const)));

const plural = (word: string): string => ourNouns.get(word) ?? ourNouns.get(`${word}s`) ?? word;

/** `/sip-trunks/{trunkId}` is `/trunks/{id}`. */
function canonical(path: string): string {
	const parts = path.split("/").filter(Boolean);
	return parts.map((part) => `/${part.startsWith("{") ? "{id}" : plural(fold(part))}`).join("");
}

/** Returns the part before `/numbers` in each path, such as `/v1`. */
export function prefixOf(theirs: readonly Offered[]): string {
	const [shortest = ""] = theirs
		.filter(({ method, path }) => method === "GET" && /(^|\/)numbers$/.test(path) && !path.includes("{"))
		.map(({ path }) => path.slice(0, -"/numbers".length))
		.toSorted((a, b) => a.length - b.length);
	return shortest;
}

interface Pair {
	readonly offered: Offered;
	readonly guess?: string | undefined;
}

/** Their methods for ours, the likeliest first. */
const methods: Readonly<Record<string, readonly string[]>> = {
	GET: ["GET"],
	POST: ["POST", "PUT", "PATCH"],
	PATCH: ["PATCH", "PUT", "POST"],
	DELETE: ["DELETE"],
};

/** Last parts of a path that deletes with POST, in canonical form. */
const removals = ["release", "delete", "remove"];

/** True if a path is ours. Trunks may be in a folder, such as /voice/trunks; the public description fixes numbers. */
function isAt(path: string, ours: string): boolean {
	const theirs = canonical(path);
	if (theirs === ours) return true;
	const folder = theirs.slice(0, -ours.length);
	return theirs.endsWith(ours) && !folder.includes("{") && !ours.startsWith("/numbers");
}

function findPair({ method, path }: Operation, theirs: readonly Offered[]): Pair | undefined {
	const ours = canonical(path);
	const candidates = theirs
		.filter((operation) => isAt(operation.path, ours))
		.toSorted((a, b) => Number(b.path === path) - Number(a.path === path));
	for (const theirMethod of methods[method] ?? []) {
		const [offered, rival] = candidates.filter((candidate) => candidate.method === theirMethod);
		if (offered === undefined) continue;
		if (rival !== undefined && offered.path !== path) return { offered, guess: `it may also be ${rival.path}` };
		// A POST may be something else than a change. A PUT is the change, as we have no other.
		const isCertain = theirMethod === method || theirMethod === "PUT";
		return isCertain ? { offered } : { offered, guess: "it is the nearest one" };
	}
	if (method !== "DELETE") return undefined;
	const removal = theirs.find(
		(operation) => operation.method === "POST" && removals.some((word) => isAt(operation.path, `${ours}/${word}`)),
	);
	return removal && { offered: removal, guess: /(release|delete)$/.test(removal.path) ? undefined : "by its name" };
}

/** @param theirs the document's operations, relative to the address */
export function pairOperations(theirs: readonly Offered[]): { readonly offers: Offers; readonly findings: Finding[] } {
	const pairs = new Map<OperationName, Pair>();
	for (const [name, operation] of table) {
		const pair = findPair(operation, theirs);
		if (pair !== undefined) pairs.set(name, pair);
	}
	const offers = new Map([...pairs].map(([name, { offered }]) => [name, offered]));
	const requests = [...pairs].flatMap(([name, { offered, guess }]) => requestFindings(name, offered, guess, offers));
	return {
		offers,
		findings: [
			...requests,
			...missingFindings(offers),
			...fixedFindings(offers),
			...headerFindings(offers),
			...ownFindings(theirs, offers),
		],
	};
}

/** The service's public description fixes these operations. */
const fixed: readonly OperationName[] = ["listNumbers", "buyNumber"];

function fixedFindings(offers: Offers): Finding[] {
	const findings: Finding[] = [];
	for (const name of fixed) {
		const offered = offers.get(name);
		const seen = offered === undefined ? "nothing like it" : `${offered.method} ${offered.path}`;
		const hint = "the public description has it: is this the right document?";
		if (seen !== requestText(name)) findings.push(about(name, requestText(name)).decide(seen, hint));
	}
	return findings;
}

function requestFindings(name: OperationName, offered: Offered, guess: string | undefined, offers: Offers): Finding[] {
	const ours = operationOf(name);
	const finding = about(name, requestText(name));
	if (offered.path.split("{").length > 2)
		return [finding.decide(offered.path, "it has two ids: no description can express that")];
	const query = offered.parameters.filter((parameter) => parameter.in === "query" && parameter.isRequired);
	const constant = query.filter(({ shape }) => shape.values.length === 1);
	const parameters = constant.map(({ name: key, shape }) => [key, shape.values[0] ?? ""] as [string, string]);
	const suffix = new URLSearchParams(parameters).toString();
	const path = offered.path.replace(/\{[^}]*\}/g, "{id}");
	const request = `${offered.method} ${path}${suffix === "" ? "" : `?${suffix}`}`;
	const open = query
		.filter((parameter) => !constant.includes(parameter) && ours.query?.shape[parameter.name] === undefined)
		.map(({ name: key }) => finding.decide(request, `it requires ${key}: add ?${key}=… to operations.${name}`));
	if (request === `${ours.method} ${ours.path}` || (fixed.includes(name) && path !== ours.path)) return open;
	const needs = ours.method === "PATCH" && offered.method === "PUT" ? requiredIn(offered) : [];
	if (needs.length === 0) return [finding.state(request, { operations: { [name]: request } }, guess), ...open];
	const omit = omitted(name, offered, offers);
	const value = omit.length > 0 ? { request, whole: true, omit } : { request, whole: true };
	const hint = `its body requires ${needs.join(", ")}, so the whole record is sent`;
	return [finding.state(request, { operations: { [name]: value } }, hint), ...open];
}

/** Returns the fields that the record has and the request for all of it doesn't. */
function omitted(name: OperationName, { body }: Offered, offers: Offers): string[] {
	const read = table.find(
		([candidate, { method }]) => method === "GET" && !isListName(candidate) && recordOf(candidate) === recordOf(name),
	);
	const sent = objectIn(body);
	const record = objectIn(read && offers.get(read[0])?.response);
	if (sent === undefined || record === undefined || sent.fields.size === 0) return [];
	return [...record.fields.keys()].filter((field) => !sent.fields.has(field));
}

const isListName = (name: OperationName): boolean => !operationOf(name).path.includes("{id}");

/** Returns the object itself, or the one in its envelope. */
function objectIn(shape: Shape | undefined): Shape | undefined {
	const [first, ...others] = [...(shape?.fields ?? [])];
	return first !== undefined && others.length === 0 && first[1].kind === "object" ? first[1] : shape;
}

/** Returns the required fields of a body, also inside an envelope. */
const requiredIn = ({ body }: Offered): readonly string[] => objectIn(body)?.required ?? [];

/** A feature without any operation is one finding; otherwise each missing operation is one. */
function missingFindings(offers: Offers): Finding[] {
	const features = [...new Set(table.flatMap(([, { feature }]) => feature ?? []))];
	const absent = features.filter((feature) =>
		table.every(([name, operation]) => operation.feature !== feature || !offers.has(name)),
	);
	const single = table.filter(
		([name, { feature }]) => feature !== undefined && !absent.includes(feature) && !offers.has(name),
	);
	return [
		...absent.map((feature) => about(feature, "offered").state("nothing like it", { features: `-${feature}` })),
		...single.map(([name]) =>
			about(name, requestText(name)).state("nothing like it", { operations: { [name]: false } }),
		),
	];
}

/** Leaves to a person the operations that may write one property of a number, such as `PUT /numbers/{id}/voice`. */
function ownFindings(theirs: readonly Offered[], offers: Offers): Finding[] {
	const paired = new Set(offers.values());
	const writes = theirs.filter(
		(operation) =>
			["PUT", "PATCH", "POST"].includes(operation.method) &&
			/^\/numbers\/\{[^}]*\}\/[^/{]+$/.test(operation.path) &&
			operation.body !== undefined &&
			!paired.has(operation),
	);
	const hint = "if it writes one of our properties, set records.number.<property>: { write, read }";
	return writes.map(({ method, path }) =>
		about(`${method} ${path.replace(/\{[^}]*\}/, "{id}")}`, "none of ours").decide("not used", hint),
	);
}

function headerFindings(offers: Offers): Finding[] {
	const buy = offers.get("buyNumber");
	if (buy === undefined) return [];
	const key = buy.parameters.find(
		({ name, in: place }) => place === "header" && fold(name).includes("idempotency"),
	)?.name;
	const replayed = buy.headers.find((header) => fold(header).includes("replay"));
	const filters = offers.get("listNumbers")?.parameters.map(({ name }) => fold(name)) ?? [];
	const hasFilter = ["status", ...fieldNames("status")].some((name) => filters.includes(name));
	const keyFinding = about("header of a purchase", "Idempotency-Key");
	const findings: Finding[] = [];
	if (key === undefined)
		findings.push(keyFinding.state("none", { features: "-idempotencyKey" }, "no purchase is repeated"));
	else if (key.toLowerCase() !== "idempotency-key")
		findings.push(keyFinding.state(key, { headers: { idempotencyKey: key } }));
	if (replayed !== undefined && replayed.toLowerCase() !== "idempotent-replayed")
		findings.push(about("header of a replay", "Idempotent-Replayed").state(replayed, { headers: { replayed } }));
	if (!hasFilter) findings.push(about("filter by status", "status").state("none", { features: "-statusFilter" }));
	return findings;
}
