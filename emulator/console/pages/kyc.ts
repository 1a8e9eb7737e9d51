import { html } from "hono/html";
import type { Service } from "../../service";
import type { NumberRow } from "../../store";
import { button, form, type Html, input, more, named, panel, state, table, text, time } from "../html";
import { listing, pager, search } from "../listing";
import type { Section } from "./page";

const isWaiting = ({ status, kyc }: NumberRow): boolean => status === "pending" && kyc !== null;

export const waitingForKyc = (service: Service): NumberRow[] => [...service.store.numbers].filter(isWaiting);

export const kycState = ({ kyc }: NumberRow): Html =>
	kyc === null
		? text(null)
		: html`${state(kyc.status)}${kyc.reasons.map(({ code, message }) => html`<small>${code}: ${message}</small>`)}`;

/** Known to those who check documents for a living; any other code will do. */
const usualCodes = [
	"document_unreadable",
	"document_expired",
	"name_mismatch",
	"address_mismatch",
	"address_not_local",
];

export const decisions = (row: NumberRow): Html =>
	html`${form(
		`numbers/${row.id}/kyc`,
		html`${button("Approve", { of: row.number, name: "decision", value: "approve", look: "main" })}${button("Expire", { of: row.number, name: "decision", value: "expire" })}`,
	)}${
		row.status === "pending"
			? more(
					"Reject…",
					form(
						`numbers/${row.id}/kyc`,
						html`<input type="hidden" name="decision" value="reject">${input("Reason", "code", "", { list: usualCodes, placeholder: "document_unreadable" })}${input("in words", "message", "", { wide: true, placeholder: "The proof of address can’t be read." })}<div class="actions">${button("Reject", { of: row.number, look: "danger" })}</div>`,
						"grid",
					),
					row.number,
				)
			: ""
	}`;

export const kycTable = (rows: readonly NumberRow[]): Html =>
	table<NumberRow>(
		"Numbers that wait for KYC",
		[
			{ title: "Number", cell: (row) => named(`/_console/numbers/${row.id}`, row.number, row.id) },
			{ title: "Market", cell: (row) => [row.country, row.area, row.type].filter(Boolean).join(" · ") },
			{ title: "KYC", cell: kycState },
			{ title: "Until", cell: ({ kyc }) => time(kyc?.deadline), right: true },
			{ title: "Decide", cell: (row) => html`<div class="decide">${decisions(row)}</div>` },
		],
		rows,
		({ id }) => id,
		"Nothing waits for KYC. Numbers bought in a regulated market (DE, FR, ES, IT, IN, BR) do, under the policy “manual”.",
	);

export const policyForm = ({ kycPolicy }: Service): Html =>
	form(
		"kyc",
		html`${input("Policy", "policy", kycPolicy, { list: ["manual", "immediate", "reject", "30s", "10m", "2h", "10d"], hint: "manual, immediate, reject, or after a time such as 10m" })}<div class="actions">${button("Set the policy")}</div>`,
		"grid",
	);

export const kyc: Section = {
	title: "KYC",
	count: (service) => waitingForKyc(service).length,

	list: ({ service, query }) => {
		// A queue: who has waited longest comes first.
		const found = listing(waitingForKyc(service).reverse(), query, ({ number, id, country, kyc: its }) =>
			[number, id, country, its?.status].join(" "),
		);
		return {
			title: "KYC",
			about: "Numbers in regulated markets that wait until somebody has looked at the papers.",
			body: html`<div class="bar">${search("kyc", query, "Search numbers, countries, states")}${pager(found, "kyc", query)}</div>${kycTable(found.rows)}
<div class="columns"><div>${panel("For numbers bought from now on", policyForm(service))}</div></div>`,
		};
	},
};
