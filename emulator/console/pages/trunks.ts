import { html } from "hono/html";
import { trunkUsers } from "../../areas/numbers/routes";
import { findTrunk } from "../../areas/trunks/routes";
import type { TrunkAuth, TrunkRow } from "../../store/store";
import {
	area,
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
	state,
	table,
	text,
	time,
} from "../html";
import { listing, pager, search } from "../listing";
import { anyEdit } from "./edit";
import type { Section } from "./page";

/** How equipment authenticates, without its secret. */
const authOf = (auth: TrunkAuth): Html =>
	auth.mode === "ip_acl"
		? html`by address<small>${auth.allowed_cidrs.join(", ")}</small>`
		: html`digest, ${code(auth.username)}<small>password set ${time(auth.password_updated_at)}</small>`;

const editForm = (row: TrunkRow): Html =>
	form(
		`trunks/${row.id}`,
		html`${input("Name", "name", row.name)}
${input("Capacity", "capacity", row.capacity, { type: "number" })}
${input("Calls per second", "cps", row.cps ?? "", { type: "number" })}
${input("Label", "label", row.label ?? "")}
${input("State", "status", row.status, { list: ["provisioning", "active", "disabled", "failed"] })}
${
	row.auth.mode === "ip_acl"
		? area("Allowed CIDRs", "allowed_cidrs", row.auth.allowed_cidrs.join("\n"), "One to a line.")
		: html`${input("Username", "username", row.auth.username)}${input("New password", "password", "", { type: "password", hint: "Empty: the old one stays." })}`
}
${check("Enabled", "enabled", row.enabled)}
<div class="actions">${button("Save the change", { look: "main" })}</div>`,
		"grid",
	);

export const trunks: Section = {
	title: "Trunks",
	count: ({ store }) => store.trunks.size,

	list: ({ service, query }) => {
		const users = trunkUsers(service);
		const found = listing(service.store.trunks, query, (row) =>
			[row.name, row.id, row.label, row.status, row.sip_domain].join(" "),
		);
		return {
			title: "Trunks",
			body: html`<div class="bar">${search("trunks", query, "Search names, domains, ids")}${pager(found, "trunks", query)}</div>
${table<TrunkRow>({
	caption: "SIP trunks",
	columns: [
		{ title: "Trunk", cell: (row) => named(`/_console/trunks/${row.id}`, row.name, row.id) },
		{ title: "State", cell: ({ status }) => state(status) },
		{ title: "Authentication", cell: ({ auth }) => authOf(auth) },
		{
			title: "Capacity",
			cell: ({ capacity, cps }) => html`${capacity}${cps === null ? "" : html`<small>${cps} per second</small>`}`,
			right: true,
		},
		{ title: "Numbers", cell: ({ id }) => users.get(id)?.length ?? 0, right: true },
		{ title: "Label", cell: ({ label }) => text(label) },
		{ title: "Changed", cell: ({ updated_at }) => time(updated_at), right: true },
	],
	rows: found.rows,
	idOf: ({ id }) => id,
	empty: found.total === 0 && query.get("q") ? "No trunk has these words." : "No trunks yet.",
})}`,
		};
	},

	item: ({ service, id }) => {
		const row = findTrunk(service, id);
		const users = trunkUsers(service).get(id) ?? [];
		return {
			title: row.name,
			about: html`${state(row.status)} ${row.sip_domain} <code>${row.id}</code>`,
			body: html`<div class="columns"><div>${panel(
				"What the service has",
				facts({
					Authentication: authOf(row.auth),
					Capacity: `${row.capacity} channels`,
					"Calls per second": row.cps ?? text(null),
					Targets: text(
						row.targets
							?.map(({ host, port, transport }) => [host, port, transport].filter(Boolean).join(" "))
							.join(", "),
					),
					Media: text(row.media_encryption),
					Codecs: text(row.codecs?.join(", ")),
					Label: text(row.label),
					Reference: code(row.reference),
					Metadata: pairs(row.metadata),
					Numbers:
						users.length === 0
							? text(null)
							: html`${users.slice(0, 20).map((user) => html`<a href="/_console/numbers/${user}">${service.store.numbers.get(user)?.number ?? user}</a> `)}${users.length > 20 ? `and ${users.length - 20} more` : ""}`,
					Created: time(row.created_at),
					Changed: time(row.updated_at),
				}),
			)}</div><div>${panel("Change it behind Pulumi’s back", html`${editForm(row)}${anyEdit(`trunks/${id}`)}`, "As somebody could in the service’s dashboard; the next refresh shows the drift.")}${panel(
				"Delete it behind Pulumi’s back",
				form(`trunks/${id}/delete`, button("Delete", { look: "danger", of: row.name })),
				"At once, in use or not.",
			)}</div></div>`,
		};
	},
};
