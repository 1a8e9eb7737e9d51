import { html } from "hono/html";
import type { Service } from "../../service/service";
import type { MessageRow } from "../../store/store";
import { area, button, form, type Html, input, panel, state, table, text, time } from "../html";
import { listing, pager, search } from "../listing";
import type { Section } from "./page";

/** The last few active numbers with this capability. */
export const numbersWith = ({ store }: Service, capability: string): string[] =>
	[...store.numbers]
		.filter(({ status, capabilities }) => status === "active" && capabilities.includes(capability))
		.slice(-20)
		.map(({ number }) => number);

const inbound = (service: Service): Html =>
	form(
		"messages",
		html`${input("To a number of the account", "to", "", { list: numbersWith(service, "sms"), required: true, placeholder: "+31…" })}${input("From", "from", "", { placeholder: "+31612345678", required: true, hint: "E.164, or a word" })}${area("Text", "text")}<div class="actions">${button("Receive it", { look: "main" })}</div>`,
		"grid",
	);

export const messages: Section = {
	title: "Messages",
	count: ({ store }) => store.messages.size,

	list: ({ service, query }) => {
		const found = listing(service.store.messages, query, ({ id, from, to, text: its, status, direction }) =>
			[id, from, to, its, status, direction].join(" "),
		);
		return {
			title: "Messages",
			body: html`<div class="bar">${search("messages", query, "Search numbers, texts, states")}${pager(found, "messages", query)}</div>
${table<MessageRow>({
	caption: "Messages",
	columns: [
		{
			title: "State",
			cell: ({ status, error }) => html`${state(status)}${error ? html`<small>${error.code}</small>` : ""}`,
		},
		{
			title: "From, to",
			cell: ({ from, to, number_id, direction }) =>
				html`${direction === "inbound" ? from : html`<a href="/_console/numbers/${number_id}">${from}</a>`}<small>to ${direction === "inbound" ? html`<a href="/_console/numbers/${number_id}">${to}</a>` : to}</small>`,
		},
		{
			title: "Text",
			cell: ({ text: its, id }) => html`<span class="wrap">${its}</span><small class="id">${id}</small>`,
		},
		{ title: "Parts", cell: ({ segments, encoding }) => html`${segments}<small>${encoding}</small>`, right: true },
		{ title: "Price", cell: ({ price }) => (price ? `${price.amount} ${price.currency}` : text(null)), right: true },
		{ title: "At", cell: ({ created_at }) => time(created_at), right: true },
	],
	rows: found.rows,
	idOf: ({ id }) => id,
	empty: "No message has been sent or received.",
})}<div class="columns"><div>${panel("An SMS from outside", inbound(service), "As a carrier would hand it in.")}</div></div>`,
		};
	},
};
