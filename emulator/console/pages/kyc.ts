import { html } from "hono/html";
import type { Decision } from "../../areas/kyc/kyc";
import { decidableProfiles } from "../../areas/kyc/profiles";
import type { Service } from "../../service/service";
import type { KycProfileRow, KycReason, NumberRow } from "../../store/store";
import { button, form, type Html, input, more, named, panel, state, table, text, time } from "../html";
import { listing, pager, search } from "../listing";
import type { Section } from "./page";
import { completeForm, profileForm } from "./profile";

/** Country, area and type: `DE · 30 · geographic`. */
export const kind = ({ country, area, type }: NumberRow): string =>
	[country, area, type.replaceAll("_", "-")].filter(Boolean).join(" · ");

const isWaiting = ({ status, kyc }: NumberRow): boolean => status === "pending" && kyc !== null;

export const waitingForKyc = (service: Service): NumberRow[] => [...service.store.numbers].filter(isWaiting);

const reasonLines = (reasons: readonly KycReason[]): Html =>
	html`${reasons.map(({ code, message }) => html`<small>${code}: ${message}</small>`)}`;

export const kycState = ({ kyc }: NumberRow): Html =>
	kyc === null ? text(null) : html`${state(kyc.status)}${reasonLines(kyc.reasons)}`;

/** Codes that people know who check documents for a living; any other code works too. */
const usualCodes = [
	"document_unreadable",
	"document_expired",
	"name_mismatch",
	"address_mismatch",
	"address_not_local",
];

const decidable: readonly Decision[] = ["approve", "expire", "reject"];

interface Decidable {
	/** Below `/_console`. */
	readonly path: string;
	/** Tells screen readers which one it is. */
	readonly of: string;
	readonly may: readonly Decision[];
}

const decide = ({ path, of, may }: Decidable): Html =>
	html`${form(
		path,
		html`${may.includes("approve") ? button("Approve", { of, name: "decision", value: "approve", look: "main" }) : ""}${may.includes("expire") ? button("Expire", { of, name: "decision", value: "expire" }) : ""}`,
	)}${
		may.includes("reject")
			? more(
					"Reject…",
					form(
						path,
						html`<input type="hidden" name="decision" value="reject">${input("Reason", "code", "", { list: usualCodes, placeholder: "document_unreadable" })}${input("in words", "message", "", { wide: true, placeholder: "The proof of address can’t be read." })}<div class="actions">${button("Reject", { of, look: "danger" })}</div>`,
						"grid",
					),
					of,
				)
			: ""
	}`;

export const decisions = ({ id, number, status }: NumberRow): Html =>
	decide({
		path: `numbers/${id}/kyc`,
		of: number,
		may: status === "pending" ? ["approve", "expire", "reject"] : ["approve", "expire"],
	});

const profileTable = (service: Service): Html => {
	const users = new Map<string, number>();
	for (const { kyc } of service.store.numbers) {
		if (kyc?.profile_id) users.set(kyc.profile_id, (users.get(kyc.profile_id) ?? 0) + 1);
	}
	return table<KycProfileRow>({
		caption: "KYC profiles",
		columns: [
			{ title: "Holder", cell: ({ name, id }) => html`<b>${name}</b><small class="id">${id}</small>` },
			{ title: "Kind", cell: ({ holder, country }) => `${holder} · ${country}` },
			{ title: "State", cell: ({ status, reasons }) => html`${state(status)}${reasonLines(reasons)}` },
			{ title: "Documents", cell: ({ document_ids }) => document_ids.length, right: true },
			{ title: "Numbers", cell: ({ id }) => users.get(id) ?? 0, right: true },
			{ title: "Handed in", cell: ({ submitted_at }) => time(submitted_at), right: true },
			{
				title: "Decide",
				cell: ({ id, name, status }) =>
					html`<div class="decide">${status === "draft" || status === "rejected" ? completeForm(id, name) : ""}${decide({ path: `kyc/profiles/${id}`, of: name, may: decidable.filter((decision) => decidableProfiles[decision].includes(status)) })}</div>`,
			},
		],
		rows: [...service.store.kycProfiles].slice(-20).reverse(),
		idOf: ({ id }) => id,
		empty: html`No profile has been made. Make one below, or by <code>POST /v1/kyc/profiles</code>.`,
	});
};

export const kycTable = (rows: readonly NumberRow[]): Html =>
	table<NumberRow>({
		caption: "Numbers that wait for KYC",
		columns: [
			{ title: "Number", cell: (row) => named(`/_console/numbers/${row.id}`, row.number, row.id) },
			{ title: "Market", cell: (row) => html`<span class="kind">${kind(row)}</span>` },
			{ title: "KYC", cell: kycState },
			{ title: "Until", cell: ({ kyc }) => time(kyc?.deadline), right: true },
			{ title: "Decide", cell: (row) => html`<div class="decide">${decisions(row)}</div>` },
		],
		rows,
		idOf: ({ id }) => id,
		empty:
			"Nothing waits for KYC. Numbers bought in a regulated market (DE, FR, ES, IT, IN, BR) do, under the policy “manual”.",
	});

export const policyForm = ({ kycPolicy }: Service): Html =>
	form(
		"kyc",
		html`${input("Policy", "policy", kycPolicy, { list: ["manual", "immediate", "reject", "30s", "10m", "2h", "10d"], hint: "What decides: manual is you, immediate and reject decide at once, a time such as 10m approves after it." })}<div class="actions">${button("Set the policy")}</div>`,
		"grid",
	);

export const kyc: Section = {
	title: "KYC",
	count: (service) => waitingForKyc(service).length,

	list: ({ service, query }) => {
		// A queue: the one that has waited longest comes first.
		const found = listing(waitingForKyc(service).reverse(), query, ({ number, id, country, kyc: its }) =>
			[number, id, country, its?.status].join(" "),
		);
		return {
			title: "KYC",
			about: "Numbers in regulated markets that wait until somebody has looked at the papers.",
			body: html`<div class="bar">${search("kyc", query, "Search numbers, countries, states")}${pager(found, "kyc", query)}</div>${kycTable(found.rows)}
${panel("Profiles", profileTable(service), "A decision holds for every number that names the profile.")}<div class="columns"><div>${panel("Make a profile", profileForm(), "By the API's own operations; then name its id as kycProfileId.")}</div><div>${panel("For numbers bought from now on", policyForm(service))}</div></div>`,
		};
	},
};
