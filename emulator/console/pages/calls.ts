import { html } from "hono/html";
import { secondsTalked } from "../../http/traffic";
import type { Service } from "../../service/service";
import type { CallRow } from "../../store/store";
import { button, form, type Html, input, panel, state, table, text, time } from "../html";
import { listing, pager, search } from "../listing";
import { numbersWith } from "./messages";
import type { Section } from "./page";
import { routing } from "./route";

const inbound = (service: Service): Html =>
	form(
		"calls",
		html`${input("To a number of the account", "to", "", { list: numbersWith(service, "voice"), required: true, placeholder: "+31…" })}${input("From", "from", "", { placeholder: "+31612345678", required: true })}<div class="actions">${button("Let it ring", { look: "main" })}</div>`,
		"grid",
	);

export const calls: Section = {
	title: "Calls",
	count: ({ store }) => store.calls.size,

	list: ({ service, query }) => {
		const { store } = service;
		const recordings = new Map([...store.recordings].map(({ call_id, status }) => [call_id, status]));
		const found = listing(store.calls, query, ({ id, from, to, status, direction, hangup_cause }) =>
			[id, from, to, status, direction, hangup_cause].join(" "),
		);
		return {
			title: "Calls",
			body: html`<div class="bar">${search("calls", query, "Search numbers, states, ids")}${pager(found, "calls", query)}</div>
${table<CallRow>({
	caption: "Calls",
	columns: [
		{
			title: "State",
			cell: ({ status, hangup_cause }) =>
				html`${state(status)}${hangup_cause ? html`<small>${hangup_cause.replaceAll("_", " ")}</small>` : ""}`,
		},
		{
			title: "From, to",
			cell: ({ from, to, number_id, direction }) =>
				html`${direction === "inbound" ? from : html`<a href="/_console/numbers/${number_id}">${from}</a>`}<small>to ${direction === "inbound" ? html`<a href="/_console/numbers/${number_id}">${to}</a>` : to}</small>`,
		},
		{ title: "Way", cell: ({ route, id }) => html`${routing(service, route)}<small class="id">${id}</small>` },
		{ title: "SIP", cell: ({ sip_code }) => sip_code ?? text(null), right: true },
		{ title: "Seconds", cell: (row) => (row.ended_at === null ? text(null) : secondsTalked(row)), right: true },
		{ title: "Recording", cell: ({ id }) => (recordings.has(id) ? state(String(recordings.get(id))) : text(null)) },
		{ title: "Price", cell: ({ price }) => (price ? `${price.amount} ${price.currency}` : text(null)), right: true },
		{ title: "At", cell: ({ created_at }) => time(created_at), right: true },
	],
	rows: found.rows,
	idOf: ({ id }) => id,
	empty: html`No call has been placed. Place one: <code>POST /v1/calls</code>.`,
})}<div class="columns"><div>${panel("A call from outside", inbound(service), "It goes where its number is routed.")}</div></div>`,
		};
	},
};
