import { html } from "hono/html";
import { usersByObject } from "../../service/users";
import type { TrunkAuth, TrunkRow } from "../../store/store";
import { numberLinks } from "../facts";
import { code, type Html, state, time } from "../html";
import { kindSection } from "../section";

/** The authentication without its password. */
const authOf = (auth: TrunkAuth): Html =>
	auth.mode === "ip_acl"
		? html`IP address<small>${auth.allowed_cidrs.join(", ")}</small>`
		: html`digest, ${code(auth.username)}<small>password set ${time(auth.password_updated_at)}</small>`;

const capacityOf = ({ capacity, cps }: TrunkRow): Html =>
	html`${capacity}${cps === null ? "" : html`<small>${cps} per second</small>`}`;

export const trunks = kindSection(
	"trunks",
	{
		columns: (service) => {
			const users = usersByObject(service, "trunks");
			return [
				"status",
				{ title: "Authentication", cell: ({ auth }) => authOf(auth) },
				{ title: "Capacity", cell: capacityOf, right: true },
				{ title: "Numbers", cell: ({ id }) => users.get(id)?.length ?? 0, right: true },
				"label",
				"updated_at",
			];
		},
		searched: ["name", "id", "label", "status", "sip_domain"],
	},
	{
		status: ({ status, sip_domain }) => html`${state(status)} ${sip_domain}`,
		facts: ({ id, auth }, service) => ({
			auth: authOf(auth),
			numbers: numberLinks(service, usersByObject(service, "trunks").get(id) ?? []),
		}),
		removal: { label: "Delete", note: "At once, even if numbers use it." },
	},
);
