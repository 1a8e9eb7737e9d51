import { html } from "hono/html";
import { type Decision, isDecidable } from "../../areas/kyc/kyc";
import type { Service } from "../../service/service";
import type { KycReason, NumberRow } from "../../store/store";
import { decide } from "../decide";
import { link } from "../facts";
import { button, type Column, form, type Html, input, panel, state, table, text, time } from "../html";
import { nameColumn, type Section, sectionOf } from "../section";

/** Country, area and type: `DE · 30 · geographic`. */
export const market = ({ country, area, type }: NumberRow): string =>
	[country, area, type.replaceAll("_", "-")].filter(Boolean).join(" · ");

const isWaiting = ({ status, kyc }: NumberRow): boolean => status === "pending" && kyc !== null;

export const waitingForKyc = ({ store }: Service): NumberRow[] => [...store.numbers].filter(isWaiting);

export const reasonLines = (reasons: readonly KycReason[]): Html =>
	html`${reasons.map(({ code, message }) => html`<small>${code}: ${message}</small>`)}`;

export const labels: readonly (readonly [Exclude<Decision, "reject">, string])[] = [
	["approve", "Approve"],
	["expire", "Expire"],
];

/** Usual codes; any other code works too. */
export const reject = {
	codes: ["document_unreadable", "document_expired", "name_mismatch", "address_mismatch", "address_not_local"],
	message: "The proof of address can’t be read.",
};

export const decisions = (row: NumberRow): Html =>
	decide<Decision>({
		path: `numbers/${row.id}/kyc`,
		of: row.number,
		labels,
		reject,
		can: (decision) => isDecidable(row, decision),
	});

export const policyForm = ({ kycPolicy }: Service): Html =>
	form(
		"kyc",
		html`${input("Policy", "policy", kycPolicy, { list: ["manual", "immediate", "reject", "30s", "10m", "2h", "10d"], hint: "manual: you decide. immediate, reject: decided at once. A time such as 10m: approved after it." })}<div class="actions">${button("Set the policy")}</div>`,
		"grid",
	);

export const marketColumn: Column<NumberRow> = {
	title: "Market",
	cell: (row) => html`<span class="kind">${market(row)}</span>`,
};

const columns = (service: Service): readonly Column<NumberRow>[] => [
	nameColumn("numbers"),
	marketColumn,
	{
		title: "KYC",
		cell: ({ kyc }) =>
			kyc === null
				? text(null)
				: html`${state(kyc.status)}${reasonLines(kyc.reasons)}${kyc.profile_id ? html`<small>profile ${link(service, kyc.profile_id)}</small>` : ""}`,
	},
	{ title: "Deadline", cell: ({ kyc }) => time(kyc?.deadline), right: true },
	{ title: "Decide", cell: decisions },
];

export const kycTable = (service: Service, rows: readonly NumberRow[]): Html =>
	table<NumberRow>({
		caption: "Numbers waiting for KYC",
		columns: columns(service),
		rows,
		idOf: ({ id }) => id,
		empty: "None.",
	});

export const kyc: Section = sectionOf<NumberRow>({
	title: "KYC",
	path: "kyc",
	about: () => "Numbers in regulated markets that wait for a decision.",
	// The list shows the last row first: here, the number that has waited longest.
	rows: (service) => waitingForKyc(service).reverse(),
	count: (service) => waitingForKyc(service).length,
	columns,
	searched: ["number", "id", "country", "kyc"],
	idOf: ({ id }) => id,
	empty: "No number waits for KYC. With the policy “manual”, new numbers in DE, FR, ES, IT, IN and BR do.",
	bottom: (service) => html`<div class="columns"><div>${panel("KYC of new numbers", policyForm(service))}</div></div>`,
});
