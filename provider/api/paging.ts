/** Signs on a page of a list that more pages follow, for services that page in another way than the contract. */
import type { OperationName } from "./contract";
import { stated } from "./dialect/hint";
import { defined, isObject } from "./dialect/json";
import { fold } from "./dialect/names";
import { isTelephonyError, TelephonyError } from "./errors";

interface Total {
	/** The field, or the header. */
	readonly name: string;
	readonly count: number;
	readonly of: "items" | "pages";
	/** False for a field that may count the page's items. */
	readonly isWhole: boolean;
}

interface Signs {
	/** A sign that more follows, such as `has_more is true`. */
	readonly more?: string;
	/** Where the next page's cursor or address seems to be. */
	readonly path?: string;
	readonly totals: readonly Total[];
	/** True if the page says that it is the last one. */
	readonly isLast: boolean;
	/** True if the page has as many items as it can have. */
	readonly isFull: boolean;
}

interface PageResponse {
	readonly operation: OperationName;
	/** The request, such as `GET /numbers`. */
	readonly doing: string;
	readonly requestId: string | undefined;
	/** False if the service description says that lists come whole. */
	readonly isPaged: boolean;
	/** The cursor field of the page: missing, at its assumed place, or at the place that the service description names. */
	readonly cursor: "absent" | "assumed" | "stated";
	readonly signs: Signs;
}

const responses = new WeakMap<object, PageResponse>();

/** Keeps what a response says about paging beside its items. */
export const notePaging = (items: object, response: PageResponse): void => void responses.set(items, response);

const mores =
	/^(is)?(more|hasmore(items|results|pages|data)?|hasnext(page)?|more(results|items|data|pages)?(available)?|truncated|incomplete(results)?)$/;
const lasts = /^(is)?(last(page)?|final|complete)$/;
const nexts = /^(odata)?next(page|cursor|token|ur[li]|link|href|marker|offset|key|start|id|path)*$/;
/** Names that may also stand for the page itself. */
const cursors = /^(cursor|after|continue|continuation(token)?|pagetoken|endcursor|marker|scrollid|lastevaluatedkey)$/;
const itemTotals = /^(x?total(count|items|results|records|elements|entries|hits|rows|size|numbers)?|numfound|count)$/;
const pageTotals =
	/^(x?total(number)?ofpages|x?totalpages|pagestotal|(page|num)s?(count|pages)|numberofpages|pages|lastpage)$/;
const sizes = /^(limit|per_?page|pages?size|pagelimit|maxresults|maxitems|itemsperpage)$/;
/** Page sizes of services that choose their own. */
const usualSizes = new Set([10, 20, 25, 50, 100, 200, 250, 500, 1000]);

type Headers = Readonly<Record<string, string | undefined>>;

const isFlag = (value: unknown): boolean => typeof value === "boolean" || value === "true" || value === "false";

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

/** The fields around a list, with the ones in objects and in lists of links. */
function* fieldsAround(
	value: unknown,
	path = "",
	depth = 3,
): Generator<readonly [path: string, name: string, value: unknown]> {
	if (Array.isArray(value)) {
		for (const link of value)
			if (isObject(link) && typeof link.rel === "string")
				yield [`${path}.${link.rel}`, fold(link.rel), link.href ?? link.url];
		return;
	}
	if (!isObject(value) || depth === 0) return;
	for (const [name, inner] of Object.entries(value)) {
		const own = path === "" ? name : `${path}.${name}`;
		yield [own, fold(name), inner];
		yield* fieldsAround(inner, own, depth - 1);
	}
}

/** The fields that headers have about a list. */
function* fieldsOf(headers: Headers): ReturnType<typeof fieldsAround> {
	if (/;\s*rel\s*=\s*("([^"]*\s)?next(\s[^"]*)?"|next\b(?!-))/i.test(headers.link ?? ""))
		yield ["Link", "next", "rel=next"];
	const range = /\/(\d+)\s*$/.exec(headers["content-range"] ?? "")?.[1];
	for (const [name, value] of [
		["X-Total-Count", headers["x-total-count"]],
		["Content-Range", range],
	] as const)
		if (value !== undefined) yield [name, "total", value];
}

interface Sent {
	readonly cursor?: unknown;
	readonly limit?: unknown;
}

/** The signs of a page. @param json all of the response @param count the page's items */
export function signsIn(json: unknown, headers: Headers, sent: Sent, count: number): Signs {
	const found: Found = { isLast: false, totals: [], sizes: [integerIn(sent.limit) ?? []].flat() };
	for (const field of [...fieldsOf(headers), ...fieldsAround(json)]) noteField(found, field, sent.cursor);
	const { maybe, sizes, ...signs } = found;
	const size = sizes.length > 0 ? Math.min(...sizes) : undefined;
	const isFull = count === size || (count > (size ?? 0) && usualSizes.has(count));
	if (maybe === undefined || signs.isLast) return { ...signs, isFull };
	return { more: `it has ${maybe}`, path: maybe, ...signs, isFull };
}

interface Found {
	more?: string;
	path?: string;
	/** A field that may be the cursor of the next page. */
	maybe?: string;
	isLast: boolean;
	readonly totals: Total[];
	readonly sizes: number[];
}

function noteField(found: Found, [path, name, value]: Field, sent: unknown): void {
	const number = integerIn(value);
	if (isFlag(value) && lasts.test(name)) noteMore(found, isNothing(value) && `${path} is false`);
	else if (mores.test(name)) noteMore(found, !isNothing(value) && `${path} is true`);
	else if (nexts.test(name)) {
		noteMore(found, !isNothing(value) && `it has ${path}`);
		if (!isNothing(value)) found.path ??= path;
	} else if (cursors.test(name) && typeof value === "string" && value !== "" && value !== sent) found.maybe = path;
	else if (number === undefined) return;
	else if (itemTotals.test(name))
		found.totals.push({ name: path, count: number, of: "items", isWhole: name !== "count" });
	else if (pageTotals.test(name)) found.totals.push({ name: path, count: number, of: "pages", isWhole: true });
	else if (sizes.test(name)) found.sizes.push(number);
}

function noteMore(found: Found, more: string | false): void {
	if (more === false) found.isLast = true;
	else found.more ??= more;
}

/** The pages read of one list, and whether they are all. */
export class ListRead {
	#items = 0;
	#pages = 0;
	/** The least that each total has been: objects that are made during the scan may be on pages that were read before. */
	readonly #totals = new Map<string, Total>();

	/** @param count of the page's items, with the ones that can't be read */
	add(items: readonly unknown[], count: number): void {
		this.#items += count;
		this.#pages += 1;
		for (const total of responses.get(items)?.signs.totals ?? []) {
			const known = this.#totals.get(total.name);
			if (known === undefined || total.count < known.count) this.#totals.set(total.name, total);
		}
	}

	/** The error for a list that goes on after this page, which has no cursor; undefined if it doesn't. */
	findMoreAfter(items: readonly unknown[]): TelephonyError | undefined {
		const response = responses.get(items);
		const sign = response && this.#signIn(response);
		if (response === undefined || sign === undefined) return undefined;
		const whole = response.cursor === "assumed" ? "next: next_cursor" : "paged: false";
		return incomplete(items, sign, stated(`lists: { ${whole} }`, "If this is the whole list"));
	}

	#signIn({ signs, isPaged, cursor }: PageResponse): string | undefined {
		if (signs.more !== undefined) return signs.more;
		if (!isPaged || cursor === "stated") return undefined;
		const read = { items: this.#items, pages: this.#pages };
		const totals = [...this.#totals.values()];
		const over = totals.find(({ of, count }) => count > read[of]);
		if (over !== undefined) return `${over.name} is ${over.count}, but the provider read ${read[over.of]} ${over.of}`;
		const mayGoOn = signs.isFull && this.#pages === 1 && cursor === "absent";
		const isOver = signs.isLast || totals.some(({ isWhole }) => isWhole);
		return mayGoOn && !isOver ? `it has ${read.items} items, a full page, and no cursor` : undefined;
	}
}

/** True for the error of a list that can't be read to its end. */
export const isIncomplete = (error: unknown): error is TelephonyError =>
	isTelephonyError(error) && error.messageCode === "list-incomplete";

/** The error for a list that can't be read to its end. @param sign why, as a clause @param fix another way out */
export function incomplete(items: readonly unknown[], sign: string, fix?: string): TelephonyError {
	const { operation, doing = "a list", requestId, signs } = responses.get(items) ?? {};
	const cursor = `lists: { next: ${signs?.path ?? "FIELD"}, cursor: PARAMETER }`;
	const text = `The response to ${doing} may not be the whole list: ${sign}. Nothing that depends on the rest was bought, created or deleted.`;
	return new TelephonyError("ContractMismatch", text, {
		messageCode: "list-incomplete",
		...defined({ operation, requestId }),
		nextStep: [stated(cursor, "If the service uses another cursor"), fix].filter(Boolean).join(" "),
	});
}
