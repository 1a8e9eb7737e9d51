import { html } from "hono/html";
import { trunkUsers } from "../../areas/numbers/routes";
import { EditTrunk } from "../../control/edits";
import type { TrunkAuth } from "../../store/store";
import { code, type Html, named, state, text, time } from "../html";
import { changed, deletePanel, editPanel, stateColumn, tableSection } from "../section";
import { numberLinks } from "./kyc";

/** The authentication without its password. */
const authOf = (auth: TrunkAuth): Html =>
	auth.mode === "ip_acl"
		? html`IP address<small>${auth.allowed_cidrs.join(", ")}</small>`
		: html`digest, ${code(auth.username)}<small>password set ${time(auth.password_updated_at)}</small>`;

export const trunks = tableSection(
	"trunks",
	{
		title: "Trunks",
		columns: (service) => {
			const users = trunkUsers(service);
			return [
				{ title: "Trunk", cell: ({ id, name }) => named(`/_console/trunks/${id}`, name, id) },
				stateColumn(),
				{ title: "Authentication", cell: ({ auth }) => authOf(auth) },
				{
					title: "Capacity",
					cell: ({ capacity, cps }) => html`${capacity}${cps === null ? "" : html`<small>${cps} per second</small>`}`,
					right: true,
				},
				{ title: "Numbers", cell: ({ id }) => users.get(id)?.length ?? 0, right: true },
				{ title: "Label", cell: ({ label }) => text(label) },
				changed,
			];
		},
		searched: ["name", "id", "label", "status", "sip_domain"],
		empty: "No trunks yet.",
	},
	{
		title: ({ name }) => name,
		status: ({ status, sip_domain }) => html`${state(status)} ${sip_domain}`,
		facts: ({ id, auth }, service) => ({
			auth: authOf(auth),
			numbers: numberLinks(service, trunkUsers(service).get(id) ?? []),
		}),
		rightColumn: (row) =>
			html`${editPanel(`trunks/${row.id}`, EditTrunk.shape, row)}${deletePanel(`trunks/${row.id}`, row.name, "At once, even if numbers use it.")}`,
	},
);
