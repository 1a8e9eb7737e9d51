import { html } from "hono/html";
import { findDelivery } from "../../areas/webhooks/deliveries";
import type { Service } from "../../service/service";
import type { DeliveryRow } from "../../store/store";
import { button, code, facts, form, type Html, named, panel, select, state, table, text, time } from "../html";
import { listing, pager, search } from "../listing";
import type { Section } from "./page";

/** The result of the last attempt, and how many attempts there were. */
const lastOf = ({ attempts }: DeliveryRow): Html => {
	const last = attempts.at(-1);
	if (last === undefined) return text(null);
	const tries = attempts.length === 1 ? "first try" : `try ${attempts.length}`;
	return html`${last.status ?? last.error}<small>${tries}</small>`;
};

const resend = ({ id, event }: DeliveryRow): Html =>
	form(`deliveries/${id}/resend`, button("Resend", { of: `${event} ${id}` }));

export const deliveryTable = (rows: readonly DeliveryRow[]): Html =>
	table<DeliveryRow>({
		caption: "Deliveries",
		columns: [
			{ title: "Event", cell: (row) => named(`/_console/deliveries/${row.id}`, row.event, row.id) },
			{ title: "State", cell: ({ status }) => state(status) },
			{ title: "Last answer", cell: lastOf },
			{ title: "To", cell: ({ url }) => html`<span class="wrap">${url}</span>` },
			{
				title: "At",
				cell: ({ attempts, created_at, next_at }) =>
					html`${time(attempts.at(-1)?.at ?? created_at)}${next_at ? html`<small>next ${time(next_at)}</small>` : ""}`,
				right: true,
			},
			{ title: "Do", cell: resend },
		],
		rows,
		idOf: ({ id }) => id,
		empty: "Nothing has been delivered yet.",
	});

export const deliveriesOf = (service: Service, webhookId: string): DeliveryRow[] =>
	[...service.store.deliveries]
		.filter(({ webhook_id }) => webhook_id === webhookId)
		.slice(-10)
		.reverse();

const pretty = (payload: string): string => JSON.stringify(JSON.parse(payload), null, 2);

export const deliveries: Section = {
	title: "Deliveries",
	count: ({ store }) => store.deliveries.size,

	list: ({ service, query }) => {
		const status = query.get("status") ?? "";
		const found = listing(
			service.store.deliveries,
			query,
			({ id, event, event_id, url, status: its }) => [id, event, event_id, url, its].join(" "),
			(row) => status === "" || row.status === status,
		);
		const kinds = [
			["", "all"],
			...["pending", "delivered", "failed", "refused"].map((word) => [word, word] as const),
		] as const;
		return {
			title: "Deliveries",
			about: "Events on their way to webhooks, with what was answered.",
			body: html`<div class="bar">${search("deliveries", query, "Search events, URLs, ids", select("State", "status", { value: status, options: kinds }))}${pager(found, "deliveries", query)}</div>${deliveryTable(found.rows)}`,
		};
	},

	item: ({ service, id }) => {
		const row = findDelivery(service, id);
		const webhook = row.webhook_id === null ? undefined : service.store.webhooks.get(row.webhook_id);
		return {
			title: row.event,
			about: html`${state(row.status)} ${row.url} <code>${row.id}</code>`,
			body: html`<div class="columns"><div>${panel(
				"Attempts",
				table({
					caption: "Attempts to deliver",
					columns: [
						{ title: "Answer", cell: ({ status }) => (status === null ? "none" : status) },
						{ title: "Error", cell: ({ error }) => text(error) },
						{ title: "At", cell: ({ at }) => time(at), right: true },
					],
					rows: row.attempts,
					idOf: ({ at }) => at,
					empty: "None yet.",
				}),
				row.next_at ? html`next ${time(row.next_at)}` : "",
			)}${panel(
				"What it is",
				facts({
					Webhook: webhook ? html`<a href="/_console/webhooks/${webhook.id}">${webhook.url}</a>` : text(row.webhook_id),
					"webhook-id": code(row.event_id),
					"Resend of": row.resend_of
						? html`<a href="/_console/deliveries/${row.resend_of}">${row.resend_of}</a>`
						: text(null),
					Created: time(row.created_at),
				}),
			)}${panel("Once more", resend(row), "As a delivery of its own, with the same webhook-id.")}</div><div>${panel("Body", html`<pre>${pretty(row.payload)}</pre>`)}</div></div>`,
		};
	},
};
