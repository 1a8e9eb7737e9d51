import { html } from "hono/html";
import { type Html, nothing } from "./html";

const pageSize = 50;

interface Listing<Row> {
	readonly rows: Row[];
	readonly total: number;
	readonly page: number;
	readonly pages: number;
}

/** One page of the rows that contain every word of the search, newest first. */
export const listing = <Row>(
	all: Iterable<Row>,
	query: URLSearchParams,
	textOf: (row: Row) => string,
	keep: (row: Row) => boolean = () => true,
): Listing<Row> => {
	const words = (query.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
	const has = (row: Row) => {
		if (words.length === 0) return true;
		const text = textOf(row).toLowerCase();
		return words.every((word) => text.includes(word));
	};
	const found = [...all].filter((row) => keep(row) && has(row)).reverse();
	const pages = Math.max(1, Math.ceil(found.length / pageSize));
	const page = Math.min(Math.max(1, Math.trunc(Number(query.get("page"))) || 1), pages);
	return { rows: found.slice((page - 1) * pageSize, page * pageSize), total: found.length, page, pages };
};

/** Searches with a plain browser form, so that each search is a page with an address. */
export const search = (path: string, query: URLSearchParams, label: string, filters: Html = nothing): Html =>
	html`<form method="get" action="/_console/${path}" role="search" class="search"><label class="field wide"><span class="unseen">${label}</span><input type="search" name="q" value="${query.get("q") ?? ""}" placeholder="${label}" autocomplete="off" spellcheck="false" aria-keyshortcuts="/"></label>${filters}<button type="submit" class="plain">Search</button></form>`;

export const pager = ({ total, page, pages, rows }: Listing<unknown>, path: string, query: URLSearchParams): Html => {
	const to = (target: number) => {
		const next = new URLSearchParams(query);
		next.set("page", String(target));
		return `/_console/${path}?${next}`;
	};
	const first = (page - 1) * pageSize + 1;
	const step = (label: string, target: number) =>
		target < 1 || target > pages
			? html`<span class="step" aria-disabled="true">${label}</span>`
			: html`<a class="step" href="${to(target)}">${label}</a>`;
	return html`<nav class="pager" aria-label="Pages"><p>${rows.length === 0 ? "None" : html`${first}–${first + rows.length - 1} of ${total}`}</p>${pages > 1 ? html`${step("Previous", page - 1)}${step("Next", page + 1)}` : ""}</nav>`;
};
