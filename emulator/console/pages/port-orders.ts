import { html } from "hono/html";
import { findPortOrder } from "../../areas/port-orders/port-orders";
import type { PortOrderRow } from "../../store/store";
import { code, facts, named, panel, state, table, text, time } from "../html";
import { listing, pager, search } from "../listing";
import type { Section } from "./page";

const tone = (status: string) =>
	status === "completed" ? "good" : status === "exception" ? "bad" : status.startsWith("cancel") ? "off" : "wait";

const shown = ({ status }: PortOrderRow) => state(status, tone(status));

export const portOrders: Section = {
	title: "Port orders",
	count: ({ store }) => store.portOrders.size,

	list: ({ service: { store }, query }) => {
		const found = listing(store.portOrders, query, ({ id, status, numbers, carrier, reference }) =>
			[id, status, ...numbers, carrier.name, reference].join(" "),
		);
		return {
			title: "Port orders",
			about: "Numbers on their way from another carrier. The clock moves them on.",
			body: html`<div class="bar">${search("port_orders", query, "Search numbers, carriers, states, ids")}${pager(found, "port_orders", query)}</div>${table<PortOrderRow>(
				{
					caption: "Port orders",
					columns: [
						{
							title: "Order",
							cell: ({ id, numbers }) =>
								named(
									`/_console/port_orders/${id}`,
									numbers.length === 1 ? String(numbers[0]) : `${numbers.length} numbers`,
									id,
								),
						},
						{ title: "State", cell: shown },
						{ title: "From", cell: ({ carrier }) => carrier.name },
						{
							title: "Changes over",
							cell: ({ scheduled_at }) => (scheduled_at ? time(scheduled_at) : text(null)),
							right: true,
						},
						{ title: "At", cell: ({ created_at }) => time(created_at), right: true },
					],
					rows: found.rows,
					idOf: ({ id }) => id,
					empty: html`Nothing is being ported. Draft an order: <code>POST /v1/port_orders</code>.`,
				},
			)}`,
		};
	},

	item: ({ service, id }) => {
		const { store } = service;
		const row = findPortOrder(service, id);
		const ported = new Map(row.number_ids.flatMap((each) => [[store.numbers.get(each)?.number, each]]));
		const when = (at: string | null) => (at ? time(at) : text(null));
		return {
			title: row.numbers.length === 1 ? String(row.numbers[0]) : `${row.numbers.length} numbers`,
			about: html`${shown(row)} <code>${id}</code>`,
			body: html`${panel(
				"What it says",
				facts({
					Numbers: html`${row.numbers.map((number) => {
						const its = ported.get(number);
						return html`<div>${its ? html`<a href="/_console/numbers/${its}">${number}</a>` : number}</div>`;
					})}`,
					// The PIN and the account number open the account at the other carrier.
					Carrier: row.carrier.name,
					Subscriber: row.subscriber.name,
					Documents: html`${row.document_ids.length === 0 ? text(null) : row.document_ids.map((each) => html`${code(each)} `)}`,
					Reference: code(row.reference),
					Submitted: when(row.submitted_at),
					"Changes over": when(row.scheduled_at),
					Completed: when(row.completed_at),
				}),
			)}${row.exceptions.length === 0 ? "" : panel("What must be fixed", html`<ul>${row.exceptions.map(({ code: its, message }) => html`<li><b>${its}</b> ${message}</li>`)}</ul>`)}`,
		};
	},
};
