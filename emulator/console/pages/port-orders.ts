import { html } from "hono/html";
import { decidablePorts, findPortOrder, type PortDecision } from "../../areas/port-orders/port-orders";
import type { Service } from "../../service/service";
import type { PortOrderRow } from "../../store/store";
import { code, facts, type Html, named, panel, state, table, time } from "../html";
import { listing, pager, search } from "../listing";
import { decide } from "./decide";
import { documentsOf } from "./documents";
import { anyEdit } from "./edit";
import type { Page, Section, Viewing } from "./page";

const tone = (status: string) =>
	status === "completed" ? "good" : status === "exception" ? "bad" : status.startsWith("cancel") ? "off" : "wait";

const shown = ({ status }: PortOrderRow) => state(status, tone(status));

const labels: readonly (readonly [Exclude<PortDecision, "reject">, string])[] = [
	["advance", "Next step"],
	["complete", "Complete"],
	["cancel", "Cancel"],
];

/** What the carriers would do, done here. */
const decisions = ({ id, status }: PortOrderRow, name: string): Html => {
	const can = (decision: PortDecision) => decidablePorts[decision].includes(status);
	const may = labels.filter(([decision]) => can(decision));
	const codes = ["subscriber_mismatch", "account_number_mismatch", "pin_invalid", "number_not_active"];
	const words = "The present carrier knows another subscriber.";
	if (may.length === 0) return html`<p class="empty">It is over.</p>`;
	return html`<div class="decide">${decide({ path: `port_orders/${id}`, of: name, may, reject: can("reject") ? { codes, words } : undefined })}</div>`;
};

const numbersOf = ({ store }: Service, { numbers, number_ids }: PortOrderRow): Html => {
	const ported = new Map(number_ids.flatMap((each) => [[store.numbers.get(each)?.number, each]]));
	return html`${numbers.map((number) => {
		const its = ported.get(number);
		return html`<div>${its ? html`<a href="/_console/numbers/${its}">${number}</a>` : number}</div>`;
	})}`;
};

const orderPage = ({ service, id }: Viewing): Page => {
	const row = findPortOrder(service, id);
	const title = row.numbers.length === 1 ? String(row.numbers[0]) : `${row.numbers.length} numbers`;
	return {
		title,
		about: html`${shown(row)} <code>${id}</code>`,
		body: html`<div class="columns"><div>${panel(
			"What it says",
			facts({
				Numbers: numbersOf(service, row),
				// The PIN and the account number open the account at the other carrier.
				Carrier: row.carrier.name,
				Subscriber: row.subscriber.name,
				Reference: code(row.reference),
				Submitted: time(row.submitted_at),
				"Next step": time(row.next_at),
				"Not before": time(row.requested_date),
				"Changes over": time(row.scheduled_at),
				Completed: time(row.completed_at),
			}),
		)}${row.exceptions.length === 0 ? "" : panel("What must be fixed", html`<ul>${row.exceptions.map(({ code: its, message }) => html`<li><b>${its}</b> ${message}</li>`)}</ul>`)}${panel("Documents", documentsOf(service, row.document_ids))}</div><div>${panel("Decide", decisions(row, title), "In place of the carriers, without waiting for the clock.")}${panel(
			"Change it behind Pulumi’s back",
			anyEdit(`port_orders/${id}`, '{"subscriber": {"name": "Example B.V.", "address": "Damrak 1, Amsterdam"}}'),
			"As somebody could in the service’s dashboard; the next refresh shows the drift.",
		)}</div></div>`,
	};
};

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
							cell: ({ scheduled_at }) => time(scheduled_at),
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

	item: orderPage,
};
