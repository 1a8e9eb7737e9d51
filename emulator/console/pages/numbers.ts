import { html } from "hono/html";
import { numberStatuses, numberTypes } from "../../../provider/api/contract";
import { offeredCountries } from "../../service/inventory";
import type { Service } from "../../service/service";
import type { NumberRow, Route } from "../../store/store";
import { link } from "../facts";
import { button, code, form, type Html, input, more, nothing, panel, same, select, state, text } from "../html";
import { kindSection, stateColumn } from "../section";
import { decisions, market, marketColumn } from "./kyc";
import { ledgerOf } from "./requests";

const isLive = ({ status }: NumberRow): boolean => status !== "released";

const statusOptions = ({ store }: Service): [string, string][] => {
	const counts = new Map<string, number>();
	for (const { status } of store.numbers) counts.set(status, (counts.get(status) ?? 0) + 1);
	const present = [...new Set([...numberStatuses, ...counts.keys()])].filter((status) => counts.has(status));
	return [
		["", "live"],
		...same(present).map(([status, label]): [string, string] => [status, `${label} (${counts.get(status)})`]),
	];
};

const targets = ["trunk_id", "uri", "to", "url", "agent_id"] as const;

const leg = (service: Service, route: Route): Html => {
	const values = route as Readonly<Record<string, unknown>>;
	const target = String(targets.map((name) => values[name]).find((value) => value !== undefined) ?? "");
	return html`${route.type.replaceAll("_", " ")} ${route.type === "trunk" ? link(service, target) : target ? code(target) : ""}`;
};

/** The route of calls to a number, with its failover. */
export const routing = (service: Service, route: Route | null): Html => {
	if (route === null) return text(null);
	const { failover } = route;
	return html`${leg(service, route)}${failover ? html`<small>failover: ${leg(service, failover as Route)}</small>` : ""}`;
};

const buyForm = form(
	"buy",
	html`${input("Country", "country", "", { required: true, list: offeredCountries, placeholder: "NL", hint: `Two letters: ${offeredCountries.join(", ")}.` })}
${select("Type", "type", { value: "geographic", options: same(numberTypes), hint: "Mobile and toll-free numbers have SMS." })}
${input("Area", "area", "", { placeholder: "20", hint: "Area code. Empty: any." })}
<div class="actions">${button("Buy", { variant: "main" })}</div>`,
	"grid",
);

export const numbers = kindSection(
	"numbers",
	{
		count: ({ store }) => [...store.numbers].filter(isLive).length,
		columns: (service) => [
			marketColumn,
			stateColumn(({ status, kyc }) => (status === "pending" ? `KYC: ${kyc?.status}` : null)),
			{ title: "Routing", cell: ({ routing: route }) => routing(service, route) },
			{
				title: "Label",
				cell: ({ label, release_protection }) =>
					html`${text(label)}${release_protection ? html`<small>protected</small>` : ""}`,
			},
			"updated_at",
		],
		searched: ["number", "id", "label", "country", "area", "type", "status", "reference"],
		filter: {
			label: "State",
			name: "status",
			options: statusOptions,
			accepts: (row, value) => (value === "" ? isLive(row) : row.status === value),
		},
		empty: html`No numbers yet. Buy one above, with <code>POST /v1/numbers</code> or with <code>pulumi up</code>.`,
		top: () => more("Buy a number…", html`${buyForm}<p class="note">Sends POST /v1/numbers.</p>`),
	},
	{
		status: (row) => html`${state(row.status)} ${market(row)}`,
		facts: (row, service) => ({ routing: routing(service, row.routing) }),
		leftColumn: ({ id }, service) => panel("Ledger", ledgerOf(service, id)),
		rightColumn: (row) => (isLive(row) && row.kyc !== null ? panel("KYC", decisions(row)) : nothing),
		// Released numbers have a page too, unlike in the API.
		isEditable: isLive,
		removal: { label: "Release", note: "At once, even if it is protected." },
	},
);
