import { html } from "hono/html";
import { findInvoice } from "../../areas/billing/routes";
import type { InvoiceRow } from "../../store/store";
import { facts, named, panel, state, table, text, time } from "../html";
import { listing, pager, search } from "../listing";
import type { Section } from "./page";

const sum = ({ amount, currency }: InvoiceRow["total"]): string => `${amount} ${currency}`;

export const invoices: Section = {
	title: "Invoices",
	count: ({ store }) => store.invoices.size,

	list: ({ service: { store }, query }) => {
		const found = listing(store.invoices, query, ({ id, number, status }) => [id, number, status].join(" "));
		return {
			title: "Invoices",
			about: "Each is made when its month (UTC) is over, and paid after 14 days.",
			body: html`<div class="bar">${search("invoices", query, "Search numbers, states, ids")}${pager(found, "invoices", query)}</div>${table<InvoiceRow>(
				{
					caption: "Invoices",
					columns: [
						{ title: "Invoice", cell: ({ id, number }) => named(`/_console/invoices/${id}`, number, id) },
						{ title: "State", cell: ({ status }) => state(status, status === "paid" ? "good" : "wait") },
						{ title: "Total", cell: ({ total }) => sum(total), right: true },
						{ title: "From", cell: ({ period_start }) => time(period_start), right: true },
						{ title: "Due", cell: ({ due_at }) => time(due_at), right: true },
					],
					rows: found.rows,
					idOf: ({ id }) => id,
					empty: "No month has ended yet. Advance the clock to the next one.",
				},
			)}`,
		};
	},

	item: ({ service, id }) => {
		const { number, status, period_start, period_end, due_at, paid_at, total, lines } = findInvoice(service, id);
		return {
			title: number,
			about: html`${state(status, status === "paid" ? "good" : "wait")} <code>${id}</code>`,
			body: html`${panel("What it is for", facts({ From: time(period_start), To: time(period_end), Due: time(due_at), Paid: paid_at ? time(paid_at) : text(null), Total: html`<b>${sum(total)}</b>` }))}${table<
				InvoiceRow["lines"][number]
			>({
				caption: "Lines of this invoice",
				columns: [
					{ title: "What", cell: ({ category, description }) => html`<b>${category}</b><small>${description}</small>` },
					{ title: "Quantity", cell: ({ quantity, unit }) => `${quantity} ${unit}`, right: true },
					{ title: "Cost", cell: ({ cost }) => sum(cost), right: true },
				],
				rows: lines,
				idOf: ({ category, description }) => `${category}-${description}`.replace(/\W+/g, "-"),
				empty: "Nothing was used.",
			})}`,
		};
	},
};
