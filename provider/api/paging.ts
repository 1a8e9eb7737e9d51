/** Finds signs on a page of a list that more pages follow, for services that page in another way than the contract. */
import type { OperationName } from "./contract";
import { stated } from "./description/hint";
import { isTelephonyError, TelephonyError } from "./errors";
import { defined, isObject } from "./json";
import { fold } from "./names";

interface Total {
	readonly count: number;
	readonly of: "items" | "pages";
}

interface Signs {
	/** A field that shows that more follows, such as `has_more is true`. */
	readonly more?: string;
	/** The place of the next page's cursor or address. */
	readonly path?: string;
	/** By the name of the field or header. */
	readonly totals: ReadonlyMap<string, Total>;
	readonly isLast: boolean;
	/** True if the page has as many items as it can have. */
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
const mores =
	/^(is)?(more|hasmore(items|results|pages|data)?|hasnext(page)?|more(results|items|data|pages)?(available)?|truncated|incomplete(results)?)$/;
const nexts = /^(odata)?next(page|cursor|token|ur[li]|link|href|marker|offset|key|start|id|path)*$/;
/** These may also name the page itself. */
const cursors = /^(cursor|after|continue|continuation(token)?|pagetoken|endcursor|marker|scrollid|lastevaluatedkey)$/;
const itemTotals = /^(x?total(count|items|results|records|elements|entries|hits|rows|size|numbers)?|numfound|count)$/;
const pageTotals =
	/^(x?total(number)?ofpages|x?totalpages|pagestotal|(page|num)s?(count|pages)|numberofpages|pages|lastpage)$/;
const sizes = /^(limit|per_?page|pages?size|pagelimit|maxresults|maxitems|itemsperpage)$/;
/** Page sizes of services that choose their own. */
const usualSizes = new Set([10, 20, 25, 50, 100, 200, 250, 500, 1000]);

type Headers = Readonly<Record<string, string | undefined>>;

const integerIn = (value: unknown): number | undefined =>
	typeof value === "number" || (typeof value === "string" && /^\d+$/.test(value)) ? Number(value) : undefined;

const isNothing = (value: unknown): boolean =>
	value === null ||
	value === undefined ||
	value === "" ||
	value === false ||
	value === "false" ||
	(typeof value === "number" && value <= 0) ||
	(typeof value === "object" && Object.values(value).every(isNothing));

type Field = readonly [path: string, name: string, value: unknown];

/** The fields around a list, with the fields of objects and of lists of links. */
function* fieldsAround(value: unknown, path = "", depth = 3): Generator<Field> {
	if (Array.isArray(value)) {
		for (const link of value)
			if (isObject(link) && typeof link.rel === "string")
				yield [`${path}.${link.rel}`, fold(link.rel), link.href ?? link.url];
	} else if (isObject(value) && depth > 0) {
		for (const [name, inner] of Object.entries(value)) {
			const innerPath = path === "" ? name : `${path}.${name}`;
			yield [innerPath, fold(name), inner];
			yield* fieldsAround(inner, innerPath, depth - 1);
		}
	}
}

function* fieldsOfHeaders(headers: Headers): Generator<Field> {
	if (/;\s*rel\s*=\s*("([^"]*\s)?next(\s[^"]*)?"|next\b(?!-))/i.test(headers.link ?? ""))
		yield ["Link", "next", "rel=next"];
	yield ["X-Total-Count", "total", headers["x-total-count"]];
	yield ["Content-Range", "total", /\/(\d+)\s*$/.exec(headers["content-range"] ?? "")?.[1]];
}

/** @param json the whole response @param sent the query @param count the number of items on the page */
export function signsIn(
	json: unknown,
	headers: Headers,
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
	const flags = [...named(mores), ...named(nexts)];
	const isLast = flags.some(([, , value]) => isNothing(value));
	const isOpen = ([, , value]: Field) => !isNothing(value);
	const flag = named(mores).find(isOpen)?.[0];
	const cursor = named(cursors).find(
		([, , value]) => typeof value === "string" && !["", sent.cursor].includes(value),
	)?.[0];
	const path = named(nexts).find(isOpen)?.[0] ?? (isLast ? undefined : cursor);
	const more = flag === undefined ? path && `it has ${path}` : `${flag} is true`;
	const totals = new Map([
		...numbers(itemTotals).map(([name, total]) => [name, { count: total, of: "items" } as Total] as const),
		...numbers(pageTotals).map(([name, total]) => [name, { count: total, of: "pages" } as Total] as const),
	]);
	const pageSizes = [integerIn(sent.limit) ?? [], ...numbers(sizes).map(([, size]) => size)].flat();
	const size = pageSizes.length > 0 ? Math.min(...pageSizes) : undefined;
	const isFull = count === size || (count > (size ?? 0) && usualSizes.has(count));
	return { ...defined({ more, path }), totals, isLast, isFull };
}

/** True for the error of a list that can't be read to its end. */
export const isIncomplete = (error: unknown): error is TelephonyError =>
	isTelephonyError(error) && error.messageCode === "list-incomplete";

/** The error for a list that can't be read to its end. @param sign why, as a clause @param fix another fix */
export function incomplete(items: readonly unknown[], sign: string, fix?: string): TelephonyError {
	const { operation, doing = "a list", requestId, signs } = pagingOf(items) ?? {};
	const cursor = `lists: { next: ${signs?.path ?? "FIELD"}, cursor: PARAMETER }`;
	const text = `The response to ${doing} may not be the whole list: ${sign}. Nothing that depends on the rest was bought, created or deleted.`;
	return new TelephonyError("ContractMismatch", text, {
		messageCode: "list-incomplete",
		...defined({ operation, requestId }),
		nextStep: [stated(cursor, "If the service uses another cursor"), fix].filter(Boolean).join(" "),
	});
}
