/** Sections of the console: a list from the schema of its rows, and a page for each item. */
import { html } from "hono/html";
import type { z } from "zod";
import { type KindName, kinds } from "../../provider/api/contract";
import { rulesOf } from "../control/kinds";
import { findRow, type Service } from "../service/service";
import { fieldsOf } from "../store/rows";
import type { Collection, Rows } from "../store/store";
import { nameOf, sectionPath, storedFacts, valueHtml } from "./facts";
import { inputsOf, labelOf, type Shape } from "./forms";
import { button, type Column, form, type Html, named, nothing, panel, select, state, table } from "./html";

/** The input of a page. */
export interface Viewing {
	readonly service: Service;
	/** Id of the object that the page is about; empty on lists. */
	readonly id: string;
	readonly query: URLSearchParams;
}

export interface Page {
	readonly title: string;
	/** Shown under the title. */
	readonly about?: Html | string;
	readonly body: Html;
}

/** One entry of the navigation: a list, and a page for each of its items. */
export interface Section {
	readonly title: string;
	/** Shown beside the title. */
	readonly count?: (service: Service) => number;
	readonly list: (viewing: Viewing) => Page;
	readonly item?: (viewing: Viewing) => Page;
}

interface Filter<Row> {
	readonly label: string;
	readonly name: string;
	readonly options: (service: Service) => readonly (readonly [string, string])[];
	/** True if a row passes; the value is empty without a choice. */
	readonly accepts: (row: Row, value: string) => boolean;
}

/** A list: its rows, and how each is searched and shown. */
export interface List<Row> {
	readonly title: string;
	/** Below `/_console`. */
	readonly path: string;
	readonly about?: (service: Service) => string;
	readonly rows: (service: Service) => Iterable<Row> & { readonly size?: number };
	readonly count?: (service: Service) => number;
	readonly columns: (service: Service) => readonly Column<Row>[];
	/** The properties that a search covers. */
	readonly searched: readonly (keyof Row)[];
	readonly idOf: (row: Row) => string;
	readonly empty: Html | string;
	readonly filter?: Filter<Row>;
	readonly top?: (service: Service) => Html;
	readonly bottom?: (service: Service) => Html;
}

/** The page of one object. */
export interface Item<Row> {
	readonly title: (row: Row) => string;
	/** The word of the row's state. */
	readonly status: (row: Row) => Html;
	/** Properties that other panels show. */
	readonly omit: readonly (keyof Row & string)[];
	/** Values that are not in the row, or that replace one of its values. */
	readonly facts: (row: Row, service: Service) => Readonly<Record<string, Html | string>>;
	readonly leftColumn: (row: Row, service: Service) => Html;
	/** Above the forms that edit and remove the object. */
	readonly rightColumn: (row: Row, service: Service) => Html;
	/** False for an object that only history knows. */
	readonly isEditable: (row: Row) => boolean;
	/** The removal in people's words. */
	readonly removal: { readonly label: string; readonly note: string };
	readonly below: (row: Row, service: Service) => Html;
}

const pageSize = 50;

/** The rows that contain every word of the search, newest first. */
const search = <Row>({ rows, searched, filter }: List<Row>, { service, query }: Viewing): Row[] => {
	const words = (query.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
	const value = query.get(filter?.name ?? "") ?? "";
	const isFound = (row: Row): boolean => {
		if (filter !== undefined && !filter.accepts(row, value)) return false;
		if (words.length === 0) return true;
		const text = searched
			.map((name) => JSON.stringify(row[name]))
			.join(" ")
			.toLowerCase();
		return words.every((word) => text.includes(word));
	};
	return [...rows(service)].filter(isFound).reverse();
};

/** The search is a plain browser form, so each search is a page with an address. */
const searchForm = <Row>({ path, searched, filter }: List<Row>, { service, query }: Viewing): Html => {
	const label = `Search ${searched.map((name) => String(name).replaceAll("_", " ")).join(", ")}`;
	const { name = "", options } = filter ?? {};
	const choice =
		options && select(filter?.label ?? "", name, { value: query.get(name) ?? "", options: options(service) });
	return html`<form method="get" action="/_console/${path}" role="search" class="search"><label class="field wide"><span class="unseen">${label}</span><input type="search" name="q" value="${query.get("q") ?? ""}" placeholder="${label}" autocomplete="off" spellcheck="false" aria-keyshortcuts="/"></label>${choice ?? nothing}<button type="submit" class="plain">Search</button></form>`;
};

const pager = (path: string, query: URLSearchParams, page: number, total: number): Html => {
	const pages = Math.max(1, Math.ceil(total / pageSize));
	const step = (label: string, target: number) => {
		if (target < 1 || target > pages) return html`<span class="step" aria-disabled="true">${label}</span>`;
		const next = new URLSearchParams([...query].filter(([name]) => name !== "page"));
		next.set("page", String(target));
		return html`<a class="step" href="/_console/${path}?${next}">${label}</a>`;
	};
	const first = (page - 1) * pageSize + 1;
	const rangeText = total === 0 ? "None" : `${first}–${Math.min(first + pageSize - 1, total)} of ${total}`;
	return html`<nav class="pager" aria-label="Pages"><p>${rangeText}</p>${pages > 1 ? html`${step("Previous", page - 1)}${step("Next", page + 1)}` : ""}</nav>`;
};

const listPage = <Row>(list: List<Row>, viewing: Viewing): Page => {
	const { service, query } = viewing;
	const { title, path, about, columns, idOf, top, bottom } = list;
	const found = search(list, viewing);
	const last = Math.max(1, Math.ceil(found.length / pageSize));
	const page = Math.min(Math.max(1, Math.trunc(Number(query.get("page"))) || 1), last);
	const rows = found.slice((page - 1) * pageSize, page * pageSize);
	const empty = query.get("q") ? "Nothing matches this search." : list.empty;
	return {
		title,
		about: about?.(service) ?? "",
		body: html`<div class="bar">${searchForm(list, viewing)}${pager(path, query, page, found.length)}</div>
${top?.(service) ?? ""}${table<Row>({ caption: title, columns: columns(service), rows, idOf, empty })}${bottom?.(service) ?? ""}`,
	};
};

/** The page of a row, with the forms that its kind allows. */
const itemPage = <Name extends KindName>(name: Name, item: Partial<Item<Rows[Name]>>): NonNullable<Section["item"]> => {
	const { patch, remove } = rulesOf(name);
	const { title = nameOf, status = shownStatus, omit = [], removal = { label: "Delete", note: "At once." } } = item;
	const forms = (row: Rows[Name]): Html => {
		const path = `${kinds[name].path.slice(1)}/${row.id}`;
		const removeForm = remove && deletePanel(path, title(row), removal);
		return html`${patch ? editPanel(path, patch.shape, row) : ""}${removeForm ?? ""}`;
	};
	return ({ service, id }) => {
		const row = findRow(service, name, id);
		const stored = storedFacts(service, inRecordOrder(name, row), { omit, special: item.facts?.(row, service) ?? {} });
		return {
			title: title(row),
			about: html`${status(row)} <code>${id}</code>`,
			body: html`<div class="columns"><div>${panel("Stored values", stored)}${item.leftColumn?.(row, service) ?? ""}</div><div>${item.rightColumn?.(row, service) ?? ""}${(item.isEditable?.(row) ?? true) ? forms(row) : ""}</div></div>${item.below?.(row, service) ?? ""}`,
		};
	};
};

const inRecordOrder = (name: KindName, row: object): object => {
	const fields = fieldsOf(name).map(([field]) => field);
	const stored = fields.filter((field) => field in row);
	return { ...Object.fromEntries(stored.map((field) => [field, row[field as keyof typeof row]])), ...row };
};

/** The status of a row, if its kind has one. */
const shownStatus = (row: object): Html => {
	const { status } = row as { readonly status?: string };
	return status === undefined ? nothing : state(status);
};

export const sectionOf = <Row extends object>(list: List<Row>, item?: Section["item"]): Section => ({
	title: list.title,
	count: (service) => list.count?.(service) ?? list.rows(service).size ?? 0,
	list: (viewing) => listPage(list, viewing),
	...(item && { item }),
});

/** A column with a property of a row, as its record describes it. */
const fieldColumn = <Row extends object>(service: Service, field: keyof Row & string): Column<Row> => ({
	title: field === "status" ? "State" : labelOf(field),
	cell: (row) => (field === "status" ? shownStatus(row) : valueHtml(service, row[field])),
	right: /_at$/.test(field),
});

export const nameColumn = <Name extends KindName>(name: Name): Column<Rows[Name]> => ({
	title: labelOf(kinds[name].noun),
	cell: (row) => named(`/_console/${sectionPath(name)}/${row.id}`, nameOf(row), row.id),
});

/** Properties that a list shows and searches, unless it names its own. */
const mostFields = 4;
const mostSearched = 6;

/** The texts and numbers of a record. */
const shortFields = (name: KindName): string[] => {
	const isShort = (type: z.ZodType) => ["text", 1].some((value) => type.safeParse(value).success);
	return fieldsOf(name)
		.filter(([, type]) => isShort(type))
		.map(([field]) => field);
};

const defaultFields = (name: KindName): string[] => {
	const fields = shortFields(name);
	const others = fields.filter((field) => !["status", "name", "number", "filename", "reference"].includes(field));
	return [...fields.filter((field) => field === "status"), ...others.slice(0, mostFields), "created_at"];
};

type KindList<Row> = Partial<Omit<List<Row>, "path" | "idOf" | "columns">> & {
	/** Properties, or columns of their own, after the object's name. @default the first properties of the record */
	readonly columns?: (service: Service) => readonly (Column<Row> | (keyof Row & string))[];
};

/** The section of a kind. All that isn't given follows from its entry and its record. */
export const kindSection = <Name extends KindName>(
	name: Name,
	{ columns, ...list }: KindList<Rows[Name]> = {},
	item: Partial<Item<Rows[Name]>> = {},
): Section => {
	type Row = Rows[Name];
	const given = columns ?? (() => defaultFields(name) as (keyof Row & string)[]);
	return sectionOf<Row>(
		{
			title: labelOf(name),
			path: sectionPath(name),
			rows: ({ store }) => store[name] as Collection<Row>,
			idOf: ({ id }) => id,
			searched: ["id", ...shortFields(name).slice(0, mostSearched)] as (keyof Row)[],
			empty: "None yet.",
			columns: (service) => [
				nameColumn(name),
				...given(service).map((column) => (typeof column === "string" ? fieldColumn<Row>(service, column) : column)),
			],
			...list,
		},
		itemPage(name, item),
	);
};

export const stateColumn = <Row extends { readonly status: string }>(
	note: (row: Row) => string | null = () => null,
): Column<Row> => ({
	title: "State",
	cell: (row) => html`${state(row.status)}${note(row) ? html`<small>${note(row)?.replaceAll("_", " ")}</small>` : ""}`,
});

const editPanel = (path: string, shape: Shape, row: object): Html =>
	panel(
		"Edit outside Pulumi",
		form(
			`${path}/edit`,
			html`${inputsOf(shape, row)}<div class="actions">${button("Save changes", { variant: "main" })}</div>`,
			"grid",
		),
		"Like a change in the service’s dashboard. The next refresh shows it as drift.",
	);

const deletePanel = (path: string, of: string, { label, note }: Item<never>["removal"]): Html =>
	panel(`${label} outside Pulumi`, form(`${path}/delete`, button(label, { variant: "danger", of })), note);
