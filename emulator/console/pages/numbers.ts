import { html } from "hono/html";
import { numberStatuses, routeTypes } from "../../../provider/api/contract";
import { notFound } from "../../errors";
import type { Service } from "../../service";
import type { NumberRow } from "../../store";
import {
	button,
	check,
	code,
	facts,
	form,
	type Html,
	input,
	named,
	pairs,
	panel,
	same,
	select,
	state,
	table,
	text,
	time,
} from "../html";
import { listing, pager, search } from "../listing";
import { anyEdit } from "./edit";
import { decisions, kind, kycState } from "./kyc";
import { ledgerOf } from "./ledger";
import type { Section, Viewing } from "./page";
import { routing, targetOf } from "./route";

const wordsOf = (row: NumberRow): string =>
	[row.number, row.id, row.label, row.country, row.area, row.type, row.status, row.reference].join(" ");

const isLive = ({ status }: NumberRow): boolean => status !== "released";

const statuses = ({ service: { store } }: Viewing): [string, string][] => {
	const counts = new Map<string, number>();
	for (const { status } of store.numbers) counts.set(status, (counts.get(status) ?? 0) + 1);
	const known = [...numberStatuses, ...counts.keys()].filter((status) => counts.has(status));
	return [
		["", "live"],
		...[...new Set(known)].map((status): [string, string] => [
			status,
			`${status.replaceAll("_", " ")} (${counts.get(status)})`,
		]),
	];
};

const editForm = (service: Service, row: NumberRow): Html =>
	form(
		`numbers/${row.id}`,
		html`${select("Routing", "route_type", row.routing?.type ?? "", [["", "none"], ...same(row.routing === null || routeTypes.some((type) => type === row.routing?.type) ? routeTypes : [row.routing.type, ...routeTypes])])}
${input("leads to", "route_target", row.routing ? targetOf(row.routing) : "", { list: [...service.store.trunks].slice(-20).map(({ id }) => id), wide: true })}
${input("Label", "label", row.label ?? "")}
${input("SMS webhook", "sms_webhook_url", row.sms_webhook_url ?? "", { wide: true })}
${input("State", "status", row.status, { list: numberStatuses })}
${check("Release protection", "release_protection", row.release_protection)}
<div class="actions">${button("Save the change", { look: "main" })}</div>`,
		"grid",
	);

export const numbers: Section = {
	title: "Numbers",
	count: ({ store }) => [...store.numbers].filter(isLive).length,

	list: (viewing) => {
		const { service, query } = viewing;
		const status = query.get("status") ?? "";
		const found = listing(service.store.numbers, query, wordsOf, (row) =>
			status === "" ? isLive(row) : row.status === status,
		);
		return {
			title: "Numbers",
			body: html`<div class="bar">${search("numbers", query, "Search numbers, labels, ids", select("State", "status", status, statuses(viewing)))}${pager(found, "numbers", query)}</div>
${table<NumberRow>(
	"Numbers",
	[
		{ title: "Number", cell: (row) => named(`/_console/numbers/${row.id}`, row.number, row.id) },
		{ title: "Kind", cell: (row) => html`<span class="kind">${kind(row)}</span>` },
		{
			title: "State",
			cell: (row) =>
				html`${state(row.status)}${row.status === "pending" ? html`<small>KYC: ${row.kyc?.status.replaceAll("_", " ")}</small>` : ""}`,
		},
		{ title: "Routing", cell: (row) => routing(service, row.routing) },
		{
			title: "Label",
			cell: (row) => html`${text(row.label)}${row.release_protection ? html`<small>protected</small>` : ""}`,
		},
		{ title: "Changed", cell: (row) => time(row.updated_at), right: true },
	],
	found.rows,
	({ id }) => id,
	found.total === 0 && query.get("q")
		? "No number has these words."
		: html`No numbers yet. Buy one: <code>POST /v1/numbers</code>, or <code>pulumi up</code>.`,
)}`,
		};
	},

	item: ({ service, id }) => {
		// A released one is gone for the API only.
		const row = service.store.numbers.get(id);
		if (row === undefined) throw notFound("number", id);
		const live = isLive(row);
		return {
			title: row.number,
			about: html`${state(row.status)} ${kind(row)} <code>${row.id}</code>`,
			body: html`<div class="columns"><div>${panel(
				"What the service has",
				facts({
					Routing: routing(service, row.routing),
					"SMS webhook": code(row.sms_webhook_url),
					Label: text(row.label),
					Reference: code(row.reference),
					Metadata: pairs(row.metadata),
					Capabilities: row.capabilities.join(", "),
					Protection: row.release_protection ? "release protection" : text(null),
					KYC: row.kyc === null ? "not needed" : kycState(row),
					Source: row.source,
					Bought: time(row.created_at),
					Active: time(row.activated_at),
					Released: time(row.released_at),
				}),
			)}${panel("Ledger", ledgerOf(service, id))}</div><div>${row.kyc !== null && live ? panel("KYC", decisions(row)) : ""}${
				live
					? html`${panel("Change it behind Pulumi’s back", html`${editForm(service, row)}${anyEdit(`numbers/${id}`)}`, "As somebody could in the service’s dashboard; the next refresh shows the drift.")}${panel(
							"Release it behind Pulumi’s back",
							form(`numbers/${id}/release`, button("Release", { look: "danger", of: row.number })),
							"At once, protected or not.",
						)}`
					: ""
			}</div></div>`,
		};
	},
};
