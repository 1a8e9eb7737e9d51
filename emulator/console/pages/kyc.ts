import { html } from "hono/html";
import type { Decision } from "../../areas/kyc/kyc";
import { decidableProfiles, findKycProfile, isOpen } from "../../areas/kyc/profiles";
import { usersOf } from "../../areas/numbers/routes";
import { isLive } from "../../service/limits";
import type { Service } from "../../service/service";
import type { KycProfileRow, KycReason, NumberRow } from "../../store/store";
import { button, code, facts, form, type Html, input, named, panel, state, table, text, time } from "../html";
import { listing, pager, search } from "../listing";
import { decide } from "./decide";
import { documentsOf, documentTable } from "./documents";
import { anyEdit } from "./edit";
import type { Page, Section, Viewing } from "./page";
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

export const profileLink = ({ store }: Service, { kyc }: NumberRow): Html => {
	const profile = store.kycProfiles.get(kyc?.profile_id ?? "");
	// One that was made elsewhere has no page here.
	return profile === undefined
		? code(kyc?.profile_id)
		: html`<a href="/_console/kyc/${profile.id}">${profile.name}</a>`;
};

/** Codes that people know who check documents for a living; any other code works too. */
const usualCodes = [
	"document_unreadable",
	"document_expired",
	"name_mismatch",
	"address_mismatch",
	"address_not_local",
];

const labels: readonly (readonly [Exclude<Decision, "reject">, string])[] = [
	["approve", "Approve"],
	["expire", "Expire"],
];
const reject = { codes: usualCodes, words: "The proof of address can’t be read." };

export const decisions = ({ id, number, status }: NumberRow): Html =>
	decide({
		path: `numbers/${id}/kyc`,
		of: number,
		may: labels,
		reject: status === "pending" || status === "suspended" ? reject : undefined,
	});

/** What can be done with a profile in its state. */
const profileActions = ({ id, name, status }: KycProfileRow): Html => {
	const can = (decision: Decision) => decidableProfiles[decision].includes(status);
	const handIn = isOpen(status) ? completeForm(id, name) : "";
	const may = labels.filter(([decision]) => can(decision));
	return html`<div class="decide">${handIn}${decide({ path: `kyc/profiles/${id}`, of: name, may, reject: can("reject") ? reject : undefined })}</div>`;
};

const profileTable = (service: Service): Html => {
	const users = new Map<string, number>();
	for (const row of service.store.numbers) {
		const profile = isLive(row) ? row.kyc?.profile_id : null;
		if (profile) users.set(profile, (users.get(profile) ?? 0) + 1);
	}
	return table<KycProfileRow>({
		caption: "KYC profiles",
		columns: [
			{ title: "Holder", cell: ({ name, id }) => named(`/_console/kyc/${id}`, name, id) },
			{ title: "Kind", cell: ({ holder, country }) => `${holder} · ${country}` },
			{ title: "State", cell: ({ status, reasons }) => html`${state(status)}${reasonLines(reasons)}` },
			{ title: "Documents", cell: ({ document_ids }) => document_ids.length, right: true },
			{ title: "Numbers", cell: ({ id }) => users.get(id) ?? 0, right: true },
			{ title: "Handed in", cell: ({ submitted_at }) => time(submitted_at), right: true },
			{ title: "Decide", cell: profileActions },
		],
		rows: [...service.store.kycProfiles].slice(-20).reverse(),
		idOf: ({ id }) => id,
		empty: html`No profile has been made. Make one below, or by <code>POST /v1/kyc/profiles</code>.`,
	});
};

const addressOf = ({ street, postal_code, city, region, country }: KycProfileRow["address"]): string =>
	[street, [postal_code, city].join(" "), region, country].filter(Boolean).join(", ");

const profilePage = ({ service, id }: Viewing): Page => {
	const row = findKycProfile(service, id);
	const { store } = service;
	const users = usersOf(service, ({ kyc }) => kyc?.profile_id === id);
	return {
		title: row.name,
		about: html`${state(row.status)} <code>${id}</code>`,
		body: html`<div class="columns"><div>${panel(
			"What the service has",
			facts({
				Holder: row.holder,
				Country: row.country,
				Address: addressOf(row.address),
				// It identifies a person.
				"Number of the document": row.id_number === null ? text(null) : "on file",
				Reasons: row.reasons.length === 0 ? text(null) : reasonLines(row.reasons),
				Numbers:
					users.length === 0
						? text(null)
						: html`${users.slice(0, 20).map((user) => html`<a href="/_console/numbers/${user}">${store.numbers.get(user)?.number ?? user}</a> `)}${users.length > 20 ? `and ${users.length - 20} more` : ""}`,
				Reference: code(row.reference),
				"Handed in": time(row.submitted_at),
				Decided: time(row.decided_at),
				Created: time(row.created_at),
				Changed: time(row.updated_at),
			}),
		)}${panel("Documents", documentsOf(service, row.document_ids))}</div><div>${panel("Decide", profileActions(row), "A decision holds for every number that names the profile.")}${panel(
			"Change it behind Pulumi’s back",
			anyEdit(`kyc/profiles/${id}`, '{"name": "Example GmbH"}'),
			"As somebody could in the service’s dashboard; the next refresh shows the drift.",
		)}${panel(
			"Delete it behind Pulumi’s back",
			form(`kyc/profiles/${id}/delete`, button("Delete", { look: "danger", of: row.name })),
			"At once, whether numbers name it or not.",
		)}</div></div>`,
	};
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
${panel("Profiles", profileTable(service), "A decision holds for every number that names the profile.")}${panel("Documents", documentTable([...service.store.kycDocuments].slice(-20).reverse()), "The latest, of profiles and port orders.")}<div class="columns"><div>${panel("Make a profile", profileForm(), "By the API's own operations; then name its id as kycProfileId.")}</div><div>${panel("For numbers bought from now on", policyForm(service))}</div></div>`,
		};
	},

	item: profilePage,
};
