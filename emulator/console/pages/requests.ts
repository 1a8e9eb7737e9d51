import { html } from "hono/html";
import { notFound } from "../../request/errors";
import { bodiesKept, type JournalRow } from "../../store/journal";
import { code, facts, type Html, httpStatus, panel, select, table, time } from "../html";
import { listing, pager, search } from "../listing";
import type { Section } from "./page";

export const requestTable = (rows: readonly JournalRow[]): Html =>
	table<JournalRow>({
		caption: "Requests under /v1",
		columns: [
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
			{
				title: "request_id",
				cell: ({ request_id }) => html`<a href="/_console/requests/${request_id}">${code(request_id)}</a>`,
			},
			{ title: "At", cell: ({ at }) => time(at), right: true },
		],
		rows,
		idOf: ({ request_id }) => request_id,
		empty: "No request has come yet.",
	});

const body = (value: unknown, empty: string): Html =>
	value === undefined ? html`<p class="none">${empty}</p>` : html`<pre>${JSON.stringify(value, null, 2)}</pre>`;

const isRefused = ({ status }: JournalRow): boolean => status === null || status >= 400;

export const requests: Section = {
	title: "Requests",
	count: ({ journal }) => journal.size,

	list: ({ service, query }) => {
		const only = query.get("only") ?? "";
		const found = listing(
			service.journal.latest(),
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
			about: `Every call under /v1, the refused ones too. The request_id leads to what was sent and answered. ${service.journal.dropped} earlier ones are no longer kept.`,
			body: html`<div class="bar">${search("requests", query, "Search paths, errors, request ids", select("Show", "only", { value: only, options: kinds }))}${pager(found, "requests", query)}</div>${requestTable(found.rows)}`,
		};
	},

	item: ({ service: { journal }, id }) => {
		const row = journal.latest().find(({ request_id }) => request_id === id);
		if (row === undefined) throw notFound("request", id);
		const { method, path, status, at, error, message } = row;
		const bodies = journal.bodies(id);
		return {
			title: `${method} ${path.split("?")[0]}`,
			about: html`${httpStatus(status)} <code>${id}</code>`,
			body: html`${panel("What it was", facts({ Request: html`<b>${method}</b> ${code(path)}`, At: time(at), ...(error ? { Error: html`<b>${error}</b> ${message}` } : {}) }))}${
				bodies === undefined
					? html`<p class="empty">Its bodies are gone: those of the last ${bodiesKept} requests are kept.</p>`
					: html`<div class="columns"><div>${panel("Sent", body(bodies.sent, "No JSON."))}</div><div>${panel("Answered", body(bodies.answered, status === null ? "No answer yet." : "No JSON."))}</div></div>`
			}<p class="note">Passwords, secrets, keys, PINs, the numbers of documents and what the contract has no name for are hidden; long texts and lists are cut.</p>`,
		};
	},
};
