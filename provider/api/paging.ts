/** Finds signs on a page of a list that more pages follow, for services that page in another way than the contract. */
import type { OperationName } from "./contract";
import { isTelephonyError, TelephonyError } from "./errors";
import { at, defined, findJson, isObject, type Json } from "./json";
import { fold } from "./names";

interface ListTotal {
	readonly count: number;
	readonly of: "items" | "pages";
}

interface Signs {
	/** A field that shows that more follows, such as `has_more is true`. */
	readonly more?: string;
	/** The place of the next page's cursor or address. */
	readonly path?: string;
	/** By the name of the field or header. */
	readonly totals: ReadonlyMap<string, ListTotal>;
	readonly isLast: boolean;
	/** True if the page has as many items as it can have, or is partial content. */
	readonly isFull: boolean;
}

export interface PageSigns {
	readonly operation: OperationName;
	/** The request, such as `GET /numbers`. */
	readonly doing: string;
	readonly requestId: string | undefined;
	/** False if the service description declares that lists come whole. */
	readonly isPaged: boolean;
	/** The cursor field of the page: missing, at its assumed place, or at the place in the service description. */
	readonly cursor: "absent" | "assumed" | "described";
	readonly signs: Signs;
}

const signsOfPages = new WeakMap<object, PageSigns>();

/** Keeps the signs of a page beside its items. */
export const notePaging = (items: object, signs: PageSigns): void => void signsOfPages.set(items, signs);

export const pagingOf = (items: object): PageSigns | undefined => signsOfPages.get(items);

// Names of fields, folded.
const things = "(items?|results?|records?|elements?|entries|rows?|objects?|resources?|numbers?|pages?|data|query)";
const mores = new RegExp(
	`^(is)?((has)?more(${things}|available|exists?)*|hasnext(page)?|${things}?truncated|(incomplete|partial)${things}?|remaining${things}(count)?)$`,
);
/** False before the last page. Only true and false count. */
const ends = /^(is|at)?((last|final)(page)?|(all)?(done|completed?|loaded)|eof|end(oflist|reached)?|exhausted)$/;
const nexts = new RegExp(
	`^(odata)?(next|(load)?more)(${things}|cursor|token|ur[li]|link|href|marker|offset|key|start(ing)?|after|id|path|bookmark)*$`,
);
/** These may also name the page itself. */
const cursors =
	/^(cursor|(starting)?after|continue|continuation(token)?|pagetoken|endcursor|marker|bookmark|scrollid|lastevaluatedkey)$/;
const pageTotals =
	/^(total(number)?ofpages|totalpages?|pagestotal|(page|num)s?(count|pages)|numberofpages|pages|lastpage)$/;
/** Totals of money and time don't count items. */
const itemTotals =
	/^(total(?!.*(page|cost|price|amount|fee|charge|tax|setup|month|balance|due|paid|use|request|byte|time|second|minute|(?<!ite)ms$)).*|.*stotal|num(ber)?found|matched|(items?|results?|records?|numbers?)?count)$/;
const sizes = /^(limit|perpage|pages?size|pagelimit|maxresults|maxitems|itemsperpage)$/;
/** Page sizes of services that choose their own. */
const usualSizes = new Set([10, 20, 25, 50, 100, 200, 250, 500, 1000]);

type Headers = Readonly<Record<string, string | undefined>>;

const integerIn = (value: unknown): number | undefined =>
	typeof value === "number" || (typeof value === "string" && /^\d+$/.test(value)) ? Number(value) : undefined;

const isNothing = (value: unknown): boolean =>
	value === null ||
	value === undefined ||
	value === false ||
	(typeof value === "string" && /^(|0|no|false|null)$/i.test(value)) ||
	(typeof value === "number" && value <= 0) ||
	(typeof value === "object" && Object.values(value).every(isNothing));

const isFlag = (value: unknown): boolean => /^(true|false)$/i.test(String(value));

type PageField = readonly [path: string, name: string, value: unknown];

const linkToNext = /;\s*rel\s*=\s*("([^"]*\s)?next(\s[^"]*)?"|next\b(?!-))/i;

/** Objects that count something else than the list. */
const unrelated = /^(quotas?|usage|balance|ratelimits?|limits|account)$/;

/** The fields around a list, with the fields of objects and of lists of links. */
function* fieldsAround(value: unknown, path = "", depth = 3): Generator<PageField> {
	if (typeof value === "string" && linkToNext.test(value)) yield [path, "next", "rel=next"];
	if (Array.isArray(value)) yield* value.filter(isObject).flatMap((link) => fieldsOfLink(link, path));
	if (!isObject(value) || depth === 0 || unrelated.test(fold(lastOf(path)))) return;
	for (const [name, inner] of Object.entries(value)) {
		const key = name.includes(".") ? JSON.stringify(name) : name;
		const innerPath = path === "" ? key : `${path}.${key}`;
		// Such as `total: { value: 9 }`.
		yield [innerPath, fold(name === "value" ? lastOf(path) : name), inner];
		yield* fieldsAround(inner, innerPath, depth - 1);
	}
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

const fieldsOfLink = ({ rel, href, url, uri }: Json, path: string): PageField[] =>
	[rel]
		.flat()
		.filter((name) => typeof name === "string")
		.map((name) => [`${path}[${name}]`, fold(name), href ?? url ?? uri]);

/** Headers such as X-Total-Count, X-Next-Page, Link, and X-Pagination with JSON. */
function* fieldsOfHeaders(headers: Headers): Generator<PageField> {
	for (const [header, text = ""] of Object.entries(headers)) {
		const path = `the header ${header}`;
		const value = findJson(text) ?? text;
		yield [path, fold(header.replace(/^x-/, "").replace(/^pagination-/, "")), value];
		yield* fieldsAround(value, path);
	}
	yield ["the header content-range", "total", /\/(\d+)\s*$/.exec(headers["content-range"] ?? "")?.[1]];
}

export interface RawPage {
	/** The whole response. */
	readonly json: unknown;
	readonly status: number;
	readonly headers: Headers;
}

/** @param sent the query @param count the number of items on the page */
export function signsIn(
	{ json, status, headers }: RawPage,
	sent: { readonly cursor?: unknown; readonly limit?: unknown },
	count: number,
): Signs {
	const fields = [...fieldsOfHeaders(headers), ...fieldsAround(json)];
	const named = (names: RegExp) => fields.filter(([, name]) => names.test(name));
	const numbers = (names: RegExp) =>
		named(names).flatMap(([path, , value]) => {
			const number = integerIn(value);
			return number === undefined ? [] : [[path, number] as const];
		});
	const isOpen = ([, , value]: PageField) => !isNothing(value);
	const flags = named(mores);
	const ended = named(ends).filter(([, , value]) => isFlag(value));
	const isLast = ended.some(isOpen) || ![...flags, ...named(nexts)].every(isOpen);
	const flag = flags.find(isOpen) ?? ended.find((field) => !isOpen(field));
	const cursor = named(cursors).find((field) => isOpen(field) && String(field[2]) !== String(sent.cursor));
	const next = named(nexts).find(isOpen) ?? (isLast ? undefined : cursor);
	const more = flag === undefined ? next && `it has ${next[0]}` : `${flag[0]} is ${isFlag(flag[2]) ? flag[2] : "set"}`;
	const totals = new Map([
		...numbers(itemTotals).map(([name, total]) => [name, { count: total, of: "items" } as ListTotal] as const),
		...numbers(pageTotals).map(([name, total]) => [name, { count: total, of: "pages" } as ListTotal] as const),
	]);
	const pageSizes = [integerIn(sent.limit) ?? [], ...numbers(sizes).map(([, size]) => size)].flat();
	const size = pageSizes.length > 0 ? Math.min(...pageSizes) : undefined;
	const isFull = status === 206 || count === size || (count > (size ?? 0) && usualSizes.has(count));
	return { ...defined({ more, path: next && addressOf(next) }), totals, isLast, isFull };
}

/** The signs of a first page that shows no items: there are more if a total counts some. */
export function withHiddenItems(signs: Signs): Signs {
	const hidden = [...signs.totals].find(([, { count, of }]) => of === "items" && count > 0);
	return hidden === undefined ? signs : { more: `it shows no items, but ${hidden[0]} is ${hidden[1].count}`, ...signs };
}

// Names of fields, folded, that a response without items may have.
const containers = /^(meta|metadata|paging|pagination|page|pageinfo|links?|cursors?)$/;
const pageNames = /^(page|pagenumber|currentpage|offset|start|from|to|self|first|prev(ious)?(page|cursor)?)$/;
const envelopeNames = /^(requestid|timestamp|time|took(ms)?|duration(ms)?|(api)?version)$/;
const envelope = [containers, pageNames, envelopeNames, mores, ends, nexts, cursors, pageTotals, itemTotals, sizes];
const outcomes = /^((is)?(success(ful)?|succeeded|ok)|(status|result|state|code)(code)?)$/;
const goodOutcomes = /^(true|ok|success\w*|succeeded|0|2\d\d|done|completed?)$/i;
const failures = /^(has)?(errors?|faults?|exceptions?|problems?|failed|failures?)(codes?|messages?)?$/;
const notes = /^(message|msg|details?|reason|title|description)$/;

/**
 * True for a response with null, `{}` or nothing in place of the items, if it is an empty list. It isn't one if it may be
 * an error, or have its items in another place.
 *
 * @param json undefined for a response without a body @param place that of the items
 */
export function isEmptyList(json: unknown, place = "data"): boolean {
	if (json === undefined) return true;
	const items = at(json, place);
	const isNone = items === undefined || items === null || (isObject(items) && Object.keys(items).length === 0);
	if (!isObject(json) || !isNone) return false;
	const fields = [...fieldsAround(json)].filter(([path]) => path !== place && !place.startsWith(`${path}.`));
	const results = fields.filter(([, name]) => outcomes.test(name));
	const isGood = ([, , value]: PageField) => goodOutcomes.test(String(value));
	if (!results.every(isGood)) return false;
	const others = fields.filter((field) => !results.includes(field));
	const problems = results.length > 0 ? [failures] : [failures, notes];
	if (others.some(([, name, value]) => problems.some((names) => names.test(name)) && !isNothing(value))) return false;
	if (others.some(([, name, value]) => Array.isArray(value) && value.length > 0 && !containers.test(name)))
		return false;
	return (
		items !== undefined ||
		others.every(([, name, value]) => {
			const isKind = /^(object|kind)$/.test(name) && /list|collection/i.test(String(value));
			return isKind || [...envelope, failures, notes].some((names) => names.test(name));
		})
	);
}

/** The path of a text as a service description names it; undefined for a header, a link of a list, or a name with a dot. */
function addressOf([path, , value]: PageField): string | undefined {
	if (!/^[\w.@-]+$/.test(path)) return undefined;
	if (!isObject(value)) return path;
	const inner = Object.keys(value).find((name) => typeof value[name] === "string");
	return inner && `${path}.${inner}`;
}

/** True for the error of a list that can't be read to its end. */
export const isIncomplete = (error: unknown): error is TelephonyError =>
	isTelephonyError(error) && error.messageCode === "list-incomplete";

/** The error for a list that can't be read to its end. @param sign why, as a clause @param whole declares a whole list */
export function incomplete(items: readonly unknown[], sign: string, whole?: string): TelephonyError {
	const { operation, doing = "a list", requestId, signs } = pagingOf(items) ?? {};
	const cursor = `lists: { next: ${signs?.path ?? "FIELD"}, cursor: PARAMETER }`;
	const text = `The response to ${doing} may not be the whole list: ${sign}. Nothing that depends on it was changed.`;
	const fix = whole === undefined ? "" : `, or \`${whole}\` for a whole list`;
	return new TelephonyError("ContractMismatch", text, {
		messageCode: "list-incomplete",
		...defined({ operation, requestId }),
		nextStep: `Add \`${cursor}\` to \`telephony:service\`${fix}.`,
	});
}
