import { html } from "hono/html";
import { eventNames } from "../../../provider/api/contract";
import { findWebhook } from "../../areas/webhooks/routes";
import type { WebhookRow } from "../../store/store";
import { button, check, code, facts, form, type Html, input, named, panel, state, table, text, time } from "../html";
import { listing, pager, search } from "../listing";
import { deliveriesOf, deliveryTable } from "./deliveries";
import { anyEdit } from "./edit";
import type { Section } from "./page";

/** Enough to tell two secrets apart, as the API shows it. */
const hint = ({ secret }: WebhookRow): string => `…${secret.slice(-4)}`;

const editForm = (row: WebhookRow): Html =>
	form(
		`webhooks/${row.id}`,
		html`${input("URL", "url", row.url, { wide: true })}
${input("Events", "events", row.events.join(", "), { wide: true, hint: `With commas between: ${eventNames.join(", ")}, or *.` })}
${input("Description", "description", row.description ?? "", { wide: true })}
${check("Enabled", "enabled", row.enabled)}
<div class="actions">${button("Save the change", { look: "main" })}</div>`,
		"grid",
	);

export const webhooks: Section = {
	title: "Webhooks",
	count: ({ store }) => store.webhooks.size,

	list: ({ service, query }) => {
		const found = listing(service.store.webhooks, query, (row) =>
			[row.url, row.id, row.description, row.status, ...row.events].join(" "),
		);
		return {
			title: "Webhooks",
			body: html`<div class="bar">${search("webhooks", query, "Search URLs, events, ids")}${pager(found, "webhooks", query)}</div>
${table<WebhookRow>({
	caption: "Webhooks",
	columns: [
		{ title: "Webhook", cell: (row) => named(`/_console/webhooks/${row.id}`, row.url, row.id) },
		{
			title: "State",
			cell: ({ status, disabled_reason }) =>
				html`${state(status)}${disabled_reason ? html`<small>by ${disabled_reason}</small>` : ""}`,
		},
		{ title: "Events", cell: ({ events }) => html`<span class="wrap">${events.join(", ")}</span>` },
		{ title: "Secret", cell: (row) => html`${code(hint(row))}<small>version ${row.secret_version}</small>` },
		{ title: "Changed", cell: ({ updated_at }) => time(updated_at), right: true },
	],
	rows: found.rows,
	idOf: ({ id }) => id,
	empty: found.total === 0 && query.get("q") ? "No webhook has these words." : "No webhooks yet.",
})}`,
		};
	},

	item: ({ service, id }) => {
		const row = findWebhook(service, id);
		return {
			title: row.url,
			about: html`${state(row.status)} <code>${row.id}</code>`,
			body: html`<div class="columns"><div>${panel(
				"What the service has",
				facts({
					Events: row.events.join(", "),
					Description: text(row.description),
					Disabled: row.disabled_reason ? `by ${row.disabled_reason}` : text(null),
					Secret: html`${code(hint(row))} version ${row.secret_version}`,
					"Old secret until": time(row.previous_secret_expires_at),
					Reference: code(row.reference),
					Created: time(row.created_at),
					Changed: time(row.updated_at),
				}),
			)}</div><div>${panel("Change it behind Pulumi’s back", html`${editForm(row)}${anyEdit(`webhooks/${id}`)}`, "As somebody could in the service’s dashboard; the next refresh shows the drift.")}${panel(
				"Rotate or delete behind Pulumi’s back",
				html`<div class="row">${form(`webhooks/${id}/rotate`, button("Rotate the secret"))}${form(`webhooks/${id}/delete`, button("Delete", { look: "danger", of: row.url }))}</div>`,
				"The old secret goes on signing beside the new one for a day.",
			)}</div></div>${panel("Latest deliveries", deliveryTable(deliveriesOf(service, id)), html`<a href="/_console/deliveries">All deliveries</a>`)}`,
		};
	},
};
