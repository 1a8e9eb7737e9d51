/** Calls and messages. */
import { html } from "hono/html";
import { secondsTalked } from "../../http/traffic";
import type { Service } from "../../service/service";
import type { CallRow, MessageRow } from "../../store/store";
import { area, button, type Column, form, type Html, input, panel, state, text } from "../html";
import { kindSection, stateColumn } from "../section";
import { routing } from "./numbers";

/** The last active numbers with a capability, as suggestions. */
const numbersWith = ({ store }: Service, capability: string): string[] =>
	[...store.numbers]
		.filter(({ status, capabilities }) => status === "active" && capabilities.includes(capability))
		.slice(-20)
		.map(({ number }) => number);

type Traffic = CallRow | MessageRow;

const parties: Column<Traffic> = {
	title: "From, to",
	cell: ({ from, to, number_id, direction }) => {
		const numberLink = (e164: string) => html`<a href="/_console/numbers/${number_id}">${e164}</a>`;
		return direction === "inbound"
			? html`${from}<small>to ${numberLink(to)}</small>`
			: html`${numberLink(from)}<small>to ${to}</small>`;
	},
};
/** A form for traffic from outside to a number of the account. */
const inbound = (kind: "calls" | "messages", numbers: readonly string[], label: string): Html =>
	form(
		kind,
		html`${input("To", "to", "", { list: numbers, required: true, placeholder: "+31…", hint: "A number of the account." })}${input("From", "from", "", { placeholder: "+31612345678", required: true })}${kind === "messages" ? area("Text", "text") : ""}<div class="actions">${button(label, { variant: "main" })}</div>`,
		"grid",
	);

const half = (content: Html): Html => html`<div class="columns"><div>${content}</div></div>`;

export const calls = kindSection("calls", {
	columns: (service) => {
		const recordings = new Map([...service.store.recordings].map(({ call_id, status }) => [call_id, status]));
		return [
			stateColumn(({ hangup_cause }) => hangup_cause),
			parties,
			{ title: "Route", cell: ({ route }) => routing(service, route) },
			{ title: "SIP", cell: ({ sip_code }) => sip_code ?? text(null), right: true },
			{ title: "Seconds", cell: (row) => (row.ended_at === null ? text(null) : secondsTalked(row)), right: true },
			{ title: "Recording", cell: ({ id }) => (recordings.has(id) ? state(String(recordings.get(id))) : text(null)) },
			"price",
			"created_at",
		];
	},
	searched: ["from", "to", "id", "status", "direction", "hangup_cause"],
	empty: html`No calls yet. Start one with <code>POST /v1/calls</code>.`,
	bottom: (service) =>
		half(
			panel(
				"Inbound call",
				inbound("calls", numbersWith(service, "voice"), "Call"),
				"It follows the number’s routing.",
			),
		),
});

export const messages = kindSection("messages", {
	columns: () => [
		stateColumn(({ error }) => error?.code ?? null),
		parties,
		{ title: "Text", cell: ({ text: words }) => html`<span class="wrap">${words}</span>` },
		{ title: "Parts", cell: ({ segments, encoding }) => html`${segments}<small>${encoding}</small>`, right: true },
		"price",
		"created_at",
	],
	searched: ["from", "to", "text", "id", "status", "direction"],
	bottom: (service) => half(panel("Inbound SMS", inbound("messages", numbersWith(service, "sms"), "Receive"))),
});
