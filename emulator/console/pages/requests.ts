import { html } from "hono/html";
import type { JournalRow } from "../../journal";
import { code, type Html, httpStatus, select, table, time } from "../html";
import { listing, pager, search } from "../listing";
import type { Section } from "./page";

export const requestTable = (rows: readonly JournalRow[]): Html =>
	table<JournalRow>(
		"Requests under /v1",
		[
			{ title: "Answer", cell: ({ status }) => httpStatus(status) },
			{
				title: "Request",
				cell: ({ method, path }) => html`<span class="call"><b>${method}</b> <code>${path}</code></span>`,
			},
			{
				title: "Error",
				cell: ({ error, message }) =>
					error ? html`<b>${error}</b><small class="wrap">${message}</small>` : html`<span class="none">–</span>`,
			},
			{ title: "request_id", cell: ({ request_id }) => code(request_id) },
			{ title: "At", cell: ({ at }) => time(at), right: true },
		],
		rows,
		({ request_id }) => request_id,
		"No request has come yet.",
	);

const isRefused = ({ status }: JournalRow): boolean => status === null || status >= 400;

export const requests: Section = {
	title: "Requests",
	count: ({ journal }) => journal.size,

	list: ({ service, query }) => {
		const only = query.get("only") ?? "";
		const found = listing(
			service.journal,
			query,
			(row) => Object.values(row).join(" "),
			(row) => only === "" || (only === "writes" ? row.method !== "GET" : isRefused(row)),
		);
		const kinds = [
			["", "all"],
			["refused", "without success"],
			["writes", "writes"],
		] as const;
		return {
			title: "Requests",
			about: "Every call under /v1, the refused ones too, with the request_id that its answer carried.",
			body: html`<div class="bar">${search("requests", query, "Search paths, errors, request ids", select("Show", "only", only, kinds))}${pager(found, "requests", query)}</div>${requestTable(found.rows)}`,
		};
	},
};
