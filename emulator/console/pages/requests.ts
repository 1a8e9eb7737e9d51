/** Requests under `/v1`, and the ledger. */
import { html } from "hono/html";
import { notFound } from "../../request/errors";
import type { Service } from "../../service/service";
import { bodiesKept, type JournalRow } from "../../store/journal";
import type { LedgerRow } from "../../store/ledger";
import { link } from "../facts";
import { type Column, code, facts, type Html, httpStatus, panel, state, table, text, time } from "../html";
import { type Section, sectionOf, type Viewing } from "../section";

const columns: readonly Column<JournalRow>[] = [
	{ title: "Response", cell: ({ status }) => httpStatus(status) },
	{
		title: "Request",
		cell: ({ method, path }) => html`<span class="call"><b>${method}</b> <code>${path}</code></span>`,
	},
	{
		title: "Error",
		cell: ({ error, message }) => (error ? html`<b>${error}</b><small class="wrap">${message}</small>` : text(null)),
	},
	{
		title: "request_id",
		cell: ({ request_id }) => html`<a href="/_console/requests/${request_id}">${code(request_id)}</a>`,
	},
	{ title: "At", cell: ({ at }) => time(at), right: true },
];

export const requestTable = (rows: readonly JournalRow[]): Html =>
	table<JournalRow>({
		caption: "Requests",
		columns,
		rows,
		idOf: ({ request_id }) => request_id,
		empty: "No requests yet.",
	});

const body = (value: unknown, empty: string): Html =>
	value === undefined ? html`<p class="none">${empty}</p>` : html`<pre>${JSON.stringify(value, null, 2)}</pre>`;

const requestPage = ({ service: { journal }, id }: Viewing) => {
	const row = journal.latest().find(({ request_id }) => request_id === id);
	if (row === undefined) throw notFound("request", id);
	const { method, path, status, at, error, message } = row;
	const bodies = journal.bodies(id);
	const requestFacts = { Request: html`<b>${method}</b> ${code(path)}`, At: time(at) };
	return {
		title: `${method} ${path.split("?")[0]}`,
		about: html`${httpStatus(status)} <code>${id}</code>`,
		body: html`${panel("Request", facts({ ...requestFacts, ...(error ? { Error: html`<b>${error}</b> ${message}` } : {}) }))}${
			bodies === undefined
				? html`<p class="empty">The emulator keeps the bodies of the last ${bodiesKept} requests only.</p>`
				: html`<div class="columns"><div>${panel("Request body", body(bodies.sent, "No JSON."))}</div><div>${panel("Response body", body(bodies.answered, status === null ? "No response yet." : "No JSON."))}</div></div>`
		}<p class="note">Passwords, secrets, keys, PINs, ID numbers and fields that the contract doesn’t name are hidden. Long texts and lists are cut.</p>`,
	};
};

const isFailed = ({ status }: JournalRow): boolean => status === null || status >= 400;

export const requests: Section = {
	...sectionOf<JournalRow>({
		title: "Requests",
		path: "requests",
		about: ({ journal: { dropped } }) =>
			`All requests under /v1, including refused ones.${dropped > 0 ? ` ${dropped} earlier ones are no longer kept.` : ""}`,
		rows: ({ journal }) => journal.latest(),
		count: ({ journal }) => journal.size,
		columns: () => columns,
		searched: ["path", "error", "request_id", "method", "status", "message"],
		idOf: ({ request_id }) => request_id,
		filter: {
			label: "Show",
			name: "only",
			options: () => [
				["", "all"],
				["refused", "failed"],
				["writes", "writes"],
			],
			accepts: (row, value) => value === "" || (value === "writes" ? row.method !== "GET" : isFailed(row)),
		},
		empty: "No requests yet.",
	}),
	item: requestPage,
};

const tones = { purchase: "good", restore: "good", port: "good", release: "off", refusal: "wait" } as const;

const entry: Column<LedgerRow> = { title: "Entry", cell: ({ kind }) => state(kind, tones[kind]) };
const ledgerTime: Column<LedgerRow> = { title: "At", cell: ({ at }) => time(at), right: true };
const ledgerRequest: Column<LedgerRow> = {
	title: "Request",
	cell: ({ request_id, key }) =>
		html`${code(request_id)}${key === null ? "" : html`<small class="wrap">key ${code(key)}</small>`}`,
};

const idOf = ({ kind, request_id, number_id }: LedgerRow) => `${kind}-${request_id}-${number_id}`;

export const ledgerOf = (service: Service, numberId: string): Html =>
	table({
		caption: "Ledger of this number",
		columns: [entry, ledgerRequest, ledgerTime],
		rows: [...service.ledger].filter(({ number_id }) => number_id === numberId),
		idOf,
		empty: "No entries.",
	});

export const ledger = sectionOf<LedgerRow>({
	title: "Ledger",
	path: "ledger",
	about: () => "Purchases, releases, refused releases, restored and ported numbers.",
	rows: ({ ledger: entries }) => entries,
	columns: (service) => [
		entry,
		{ title: "Number", cell: ({ number_id }) => link(service, number_id) },
		ledgerRequest,
		ledgerTime,
	],
	searched: ["number_id", "key", "kind", "request_id"],
	idOf,
	empty: "No purchases yet.",
});
