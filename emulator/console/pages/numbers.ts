import { html } from "hono/html";
import { numberStatuses, numberTypes, routeTypes } from "../../../provider/api/contract";
import { found } from "../../request/errors";
import { offeredCountries } from "../../service/inventory";
import type { Service } from "../../service/service";
import type { NumberRow } from "../../store/store";
import {
	button,
	check,
	code,
	facts,
	form,
	type Html,
	input,
	more,
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
import { decisions, kind, kycState, profileLink } from "./kyc";
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

/** Enough for a list that somebody reads; the trunk in use is always included. */
const mostTrunks = 500;

/** Trunks by name; a deleted one by its id. */
const trunkChoice = ({ store }: Service, chosen: string): [string, string][] => {
	const trunks = [...store.trunks].slice(-mostTrunks).map(({ id, name }): [string, string] => [id, name]);
	trunks.sort(([, one], [, other]) => one.localeCompare(other));
	if (chosen === "" || trunks.some(([id]) => id === chosen)) return trunks;
	return [[chosen, store.trunks.get(chosen)?.name ?? `${chosen} (gone)`], ...trunks];
};

const routeTypesOf = ({ routing: route }: NumberRow): [string, string][] => {
	const known = route === null || routeTypes.some((type) => type === route.type);
	return [["", "none"], ...same(known ? routeTypes : [route.type, ...routeTypes])];
};

const editForm = (service: Service, row: NumberRow): Html => {
	const target = row.routing ? targetOf(row.routing) : "";
	const toTrunk = row.routing?.type === "trunk";
	return form(
		`numbers/${row.id}`,
		html`${select("Routing", "route_type", { value: row.routing?.type ?? "", options: routeTypesOf(row), hint: "Where calls to the number go." })}
${select("Trunk", "route_trunk", { value: toTrunk ? target : "", options: trunkChoice(service, toTrunk ? target : ""), when: "for-trunk", hint: "Counts where the routing is a trunk." })}
${input("leads to", "route_target", toTrunk ? "" : target, { wide: true, when: "for-target", hint: "The SIP URI, number, URL or agent." })}
${input("Label", "label", row.label ?? "", { hint: "For people; at most 64 characters." })}
${input("SMS webhook", "sms_webhook_url", row.sms_webhook_url ?? "", { wide: true, hint: "Where each SMS to the number is posted; empty is nowhere." })}
${input("State", "status", row.status, { list: numberStatuses, hint: "Any word, also one that programs don't know yet." })}
${check("Release protection", "release_protection", row.release_protection, "The API refuses to release the number.")}
<div class="actions">${button("Save the change", { look: "main" })}</div>`,
		"grid",
	);
};

const buyForm = (): Html =>
	form(
		"buy",
		html`${input("Country", "country", "", { required: true, list: offeredCountries, placeholder: "NL", hint: `Two letters: ${offeredCountries.join(", ")}.` })}
${select("Type", "type", { value: "geographic", options: same(numberTypes), hint: "Geographic and national numbers have voice, the others SMS too." })}
${input("Area", "area", "", { placeholder: "20", hint: "The area code; empty leaves it to the service." })}
<div class="actions">${button("Buy", { look: "main" })}</div>`,
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
			body: html`<div class="bar">${search("numbers", query, "Search numbers, labels, ids", select("State", "status", { value: status, options: statuses(viewing) }))}${pager(found, "numbers", query)}</div>
${more("Buy a number…", html`${buyForm()}<p class="note">As POST /v1/numbers does: ledger, events and KYC follow.</p>`)}
${table<NumberRow>({
	caption: "Numbers",
	columns: [
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
	rows: found.rows,
	idOf: ({ id }) => id,
	empty:
		found.total === 0 && query.get("q")
			? "No number has these words."
			: html`No numbers yet. Buy one above, by <code>POST /v1/numbers</code>, or by <code>pulumi up</code>.`,
})}`,
		};
	},

	item: ({ service, id }) => {
		// A released number is gone only from the API.
		const row = found(service.store.numbers.get(id), "number", id);
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
					"KYC profile": profileLink(service, row),
					Source: row.source,
					[row.source === "port" ? "Ported" : "Bought"]: time(row.created_at),
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
