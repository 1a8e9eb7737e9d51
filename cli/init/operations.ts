/** Pairs the operations of a document with ours, by method, path and name. */
import { type Operation, type OperationName, operations } from "../../provider/api/contract";
import { fold, nouns } from "../service-names";
import type { Offered } from "./document";
import { type Finding, listed } from "./finding";

export type Pairs = ReadonlyMap<OperationName, Offered>;

const table = Object.entries(operations) as readonly (readonly [OperationName, Operation])[];

/** From their nouns to ours; a verb with the same name has another place in the path. */
const meant = new Map([...nouns].flatMap(([ours, theirs]) => theirs.map((each) => [each, ours] as const)));

const plural = (word: string): string => meant.get(word) ?? meant.get(`${word}s`) ?? word;

/** `/sip-trunks/{trunkId}` as `/trunks/{id}`. */
function canonical(path: string): string {
	const parts = path.split("/").filter(Boolean);
	return parts.map((part) => `/${part.startsWith("{") ? "{id}" : plural(fold(part))}`).join("");
}

/** The part before `/numbers` in each path, such as `/v1`. */
export function prefixOf(theirs: readonly Offered[]): string {
	const [shortest = ""] = theirs
		.filter(({ method, path }) => method === "GET" && /(^|\/)numbers$/.test(path) && !path.includes("{"))
		.map(({ path }) => path.slice(0, -"/numbers".length))
		.toSorted((one, other) => one.length - other.length);
	return shortest;
}

interface Found {
	readonly offered: Offered;
	readonly guess?: string;
}

/** Methods that may mean ours, the likeliest first. */
const methods: Readonly<Record<string, readonly string[]>> = {
	GET: ["GET"],
	POST: ["POST", "PUT", "PATCH"],
	PATCH: ["PATCH", "PUT", "POST"],
	DELETE: ["DELETE"],
};

/** As {@link canonical} writes them. */
const endings = ["release", "delete", "remove"];

/** Whether a path means ours; trunks may stand in a folder, such as /voice/trunks, but numbers stand where they are said to be. */
function isAt(path: string, wanted: string): boolean {
	const there = canonical(path);
	if (there === wanted) return true;
	const folder = there.slice(0, -wanted.length);
	return there.endsWith(wanted) && !folder.includes("{") && !wanted.startsWith("/numbers");
}

function findOne({ method, path }: Operation, theirs: readonly Offered[]): Found | undefined {
	const wanted = canonical(path);
	const here = theirs
		.filter((each) => isAt(each.path, wanted))
		.toSorted((one, other) => Number(other.path === path) - Number(one.path === path));
	for (const each of methods[method] ?? []) {
		const [offered, ...others] = here.filter((one) => one.method === each);
		if (offered === undefined) continue;
		if (others.length > 0 && offered.path !== path)
			return { offered, guess: `${listed(others.map((one) => one.path))} looks like it, too` };
		// A POST for a change may be something else. A PUT is the change, as we have no other.
		return each === method || each === "PUT"
			? { offered }
			: { offered, guess: `${each} ${offered.path} is the nearest to it` };
	}
	if (method !== "DELETE") return undefined;
	const ending = theirs.find(
		(each) => each.method === "POST" && endings.some((word) => isAt(each.path, `${wanted}/${word}`)),
	);
	return ending && { offered: ending, ...(/(release|delete)$/.test(ending.path) ? {} : { guess: "by its name" }) };
}

const one = (name: OperationName): Operation => operations[name];

/** The document's request for each operation of ours, relative to the base URL. */
export function pairsIn(theirs: readonly Offered[]): { pairs: Pairs; findings: Finding[] } {
	const found = new Map(
		table.flatMap(([name, operation]) => {
			const here = findOne(operation, theirs);
			return here === undefined ? [] : [[name, here] as const];
		}),
	);
	const pairs = new Map([...found].map(([name, { offered }]) => [name, offered]));
	const stated = [...found].flatMap(([name, { offered, guess }]) => requestOf(name, offered, guess));
	return { pairs, findings: [...stated, ...missing(pairs), ...fixedOnes(pairs), ...nested(pairs)] };
}

const seeds: readonly OperationName[] = ["listNumbers", "buyNumber"];

/** These two are fixed by the service's public description. */
const fixedOnes = (pairs: Pairs): Finding[] =>
	seeds.flatMap((name) => {
		const { method, path } = one(name);
		const there = pairs.get(name);
		if (there?.path === path && there.method === method) return [];
		const seen = there === undefined ? "has nothing like it" : `has ${there.method} ${there.path}`;
		return [
			{
				decide: `The service's public description has ${method} ${path}; the document ${seen}. Is it the right document?`,
			},
		];
	});

/** An object inside another object has two ids in its path. */
const nested = (pairs: Pairs): Finding[] =>
	[...pairs].flatMap(([name, { path }]) =>
		path.split("{").length > 2
			? [{ decide: `${name} is at ${path}, with two ids: no description can express that.` }]
			: [],
	);

function requestOf(name: OperationName, offered: Offered, why: string | undefined): Finding[] {
	const ours = one(name);
	const query = offered.parameters.filter((each) => each.in === "query" && each.isRequired);
	const fixed = query.filter(({ shape }) => shape.words.length === 1);
	const open = query.filter((each) => !fixed.includes(each) && ours.query?.shape[each.name] === undefined);
	const asked = new URLSearchParams(
		Object.fromEntries(fixed.map((each) => [each.name, each.shape.words[0] ?? ""])),
	).toString();
	const path = offered.path.replace(/\{[^}]*\}/g, "{id}");
	const request = `${offered.method} ${path}${asked === "" ? "" : `?${asked}`}`;
	const decide = open.map(({ name: key }) => ({
		decide: `${request} must be asked with ${key}: add ?${key}=… to operations.${name}.`,
	}));
	if (request === `${ours.method} ${ours.path}` || (seeds.includes(name) && path !== ours.path)) return decide;
	const at = ["operations", name];
	if (ours.method !== "PATCH" || offered.method !== "PUT") return [{ at, value: request, guess: why }, ...decide];
	const needs = neededIn(offered);
	return needs.length > 0
		? [
				{
					at,
					value: { request, whole: true },
					guess: `its body must have ${listed(needs)}, so the whole record is sent`,
				},
				...decide,
			]
		: [{ at, value: request, guess: "nothing in its body is required, so only what changes is sent" }, ...decide];
}

/** The required fields of a body, also inside an envelope. */
function neededIn({ body }: Offered): readonly string[] {
	const [only, ...others] = [...(body?.fields ?? [])];
	const isEnvelope = only !== undefined && others.length === 0 && only[1].kind === "object";
	return (isEnvelope ? only[1].required : body?.required) ?? [];
}

/** A feature without any operation is one finding; otherwise each missing operation is one. */
function missing(pairs: Pairs): Finding[] {
	const features = [...new Set(table.flatMap(([, { feature }]) => feature ?? []))];
	const off = features.filter((feature) => table.every(([name, each]) => each.feature !== feature || !pairs.has(name)));
	const single = table.filter(
		([name, { feature }]) => feature !== undefined && !off.includes(feature) && !pairs.has(name),
	);
	return [
		...off.map((feature) => ({
			at: ["features"],
			value: `-${feature}`,
			guess: "the document has nothing for it",
		})),
		...single.map(([name]) => ({ at: ["operations", name], value: false, guess: "the document has nothing like it" })),
	];
}
