import { html } from "hono/html";
import { kycDocumentKinds, kycHolders } from "../../../provider/api/contract";
import type { Decision } from "../../areas/kyc/kyc";
import { decidableProfiles, isOpen } from "../../areas/kyc/profiles";
import { usersOf } from "../../areas/numbers/routes";
import { EditKycProfile } from "../../control/edits";
import { isLive } from "../../service/limits";
import type { Service } from "../../service/service";
import type { KycDocumentRow, KycProfileRow, KycReason, NumberRow } from "../../store/store";
import { decide } from "../decide";
import { link } from "../facts";
import {
	button,
	type Column,
	check,
	code,
	form,
	type Html,
	input,
	more,
	named,
	panel,
	same,
	select,
	state,
	table,
	text,
	time,
} from "../html";
import { deletePanel, editPanel, itemOf, type Section, tableSection } from "../section";

/** Country, area and type: `DE · 30 · geographic`. */
export const market = ({ country, area, type }: NumberRow): string =>
	[country, area, type.replaceAll("_", "-")].filter(Boolean).join(" · ");

const isWaiting = ({ status, kyc }: NumberRow): boolean => status === "pending" && kyc !== null;

export const waitingForKyc = ({ store }: Service): NumberRow[] => [...store.numbers].filter(isWaiting);

const reasonLines = (reasons: readonly KycReason[]): Html =>
	html`${reasons.map(({ code, message }) => html`<small>${code}: ${message}</small>`)}`;

const labels: readonly (readonly [Exclude<Decision, "reject">, string])[] = [
	["approve", "Approve"],
	["expire", "Expire"],
];

/** Usual codes; any other code works too. */
const reject = {
	codes: ["document_unreadable", "document_expired", "name_mismatch", "address_mismatch", "address_not_local"],
	message: "The proof of address can’t be read.",
};

export const decisions = ({ id, number, status }: NumberRow): Html =>
	decide({
		path: `numbers/${id}/kyc`,
		of: number,
		decisions: labels,
		reject: status === "pending" || status === "suspended" ? reject : undefined,
	});

const documentInputs = html`<div class="checks wide">${kycDocumentKinds.map((kind) => check(kind.replaceAll("_", " "), `document_${kind}`, false))}</div>`;
const idHint = "Identity card or company register. Never shown again.";

const profileForm = form(
	"kyc/profiles",
	html`${select("Holder", "holder", { value: "business", options: same(kycHolders), hint: "Person or company that uses the numbers." })}
${input("Name", "name", "", { required: true, placeholder: "Example GmbH" })}
${input("Country", "country", "", { required: true, placeholder: "DE", hint: "Two letters. Also the country of the address." })}
${input("Street", "street", "", { required: true, placeholder: "Unter den Linden 1" })}
${input("City", "city", "", { required: true, placeholder: "Berlin" })}
${input("Postal code", "postal_code", "", { required: true, placeholder: "10117" })}
${input("ID number", "id_number", "", { hint: idHint })}
${documentInputs}
${check("Submit it", "submit", true, "Otherwise it stays a draft and may lack documents.")}
<div class="actions">${button("Create the profile", { look: "main" })}</div>`,
	"grid",
);

/** Decisions on a profile that its state allows. */
const profileActions = ({ id, name, status }: KycProfileRow): Html => {
	const can = (decision: Decision) => decidableProfiles[decision].includes(status);
	const path = `kyc/profiles/${id}`;
	const body = html`${documentInputs}${input("ID number", "id_number", "", { wide: true, hint: idHint })}<div class="actions">${button("Submit", { of: name, look: "main" })}</div>`;
	const submit = isOpen(status) ? more("Submit…", form(`${path}/complete`, body, "grid"), name) : "";
	const possible = labels.filter(([decision]) => can(decision));
	return html`${submit}${decide({ path, of: name, decisions: possible, reject: can("reject") ? reject : undefined })}`;
};

const profileTable = ({ store }: Service): Html => {
	const users = new Map<string, number>();
	for (const row of store.numbers) {
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
			{ title: "Submitted", cell: ({ submitted_at }) => time(submitted_at), right: true },
			{ title: "Decide", cell: profileActions },
		],
		rows: [...store.kycProfiles].slice(-20).reverse(),
		idOf: ({ id }) => id,
		empty: html`No KYC profiles yet. Create one below or with <code>POST /v1/kyc/profiles</code>.`,
	});
};

/** Documents by what tells them apart: the emulator doesn't keep their content. */
const documentTable = (rows: readonly KycDocumentRow[]): Html =>
	table<KycDocumentRow>({
		caption: "Documents",
		columns: [
			{ title: "File", cell: ({ filename, id }) => html`<b>${filename}</b><small class="id">${id}</small>` },
			{
				title: "Kind",
				cell: ({ kind, created_at }) => html`${kind.replaceAll("_", " ")}<small>${time(created_at)}</small>`,
			},
			{ title: "Bytes", cell: ({ size }) => size, right: true },
			{
				title: "SHA-256",
				cell: ({ sha256 }) => html`<span title="${sha256}">${code(`${sha256.slice(0, 8)}…`)}</span>`,
			},
		],
		rows,
		idOf: ({ id }) => id,
		empty: "No documents.",
	});

/** The documents of a profile or a port order. */
export const documentsOf = ({ store }: Service, ids: readonly string[]): Html =>
	panel("Documents", documentTable(ids.flatMap((id) => store.kycDocuments.get(id) ?? [])));

export const policyForm = ({ kycPolicy }: Service): Html =>
	form(
		"kyc",
		html`${input("Policy", "policy", kycPolicy, { list: ["manual", "immediate", "reject", "30s", "10m", "2h", "10d"], hint: "manual: you decide. immediate, reject: decided at once. A time such as 10m: approved after it." })}<div class="actions">${button("Set the policy")}</div>`,
		"grid",
	);

export const numberColumns: readonly Column<NumberRow>[] = [
	{ title: "Number", cell: ({ id, number }) => named(`/_console/numbers/${id}`, number, id) },
	{ title: "Market", cell: (row) => html`<span class="kind">${market(row)}</span>` },
];

const columns = (service: Service): readonly Column<NumberRow>[] => [
	...numberColumns,
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

const decisionNote = "A decision applies to all numbers of the profile.";

export const kyc: Section = {
	...tableSection("numbers", {
		title: "KYC",
		path: "kyc",
		about: () => "Numbers in regulated markets that wait for a decision.",
		// The list shows the last row first: here, the number that has waited longest.
		rows: (service) => waitingForKyc(service).reverse(),
		count: (service) => waitingForKyc(service).length,
		columns,
		searched: ["number", "id", "country", "kyc"],
		empty: "No number waits for KYC. With the policy “manual”, new numbers in DE, FR, ES, IT, IN and BR do.",
		bottom: (service) =>
			html`${panel("Profiles", profileTable(service), decisionNote)}${panel("Documents", documentTable([...service.store.kycDocuments].slice(-20).reverse()), "The latest, of profiles and port orders.")}<div class="columns"><div>${panel("Create a profile", profileForm, "Use its id as kycProfileId.")}</div><div>${panel("KYC of new numbers", policyForm(service))}</div></div>`,
	}),
	item: itemOf("kycProfiles", {
		title: ({ name }) => name,
		status: ({ status }) => state(status),
		omit: ["document_ids"],
		facts: ({ id, id_number }, service) => {
			const users = usersOf(service, ({ kyc }) => kyc?.profile_id === id);
			return {
				id_number: id_number === null ? text(null) : "stored",
				numbers: users.length === 0 ? text(null) : numberLinks(service, users),
			};
		},
		leftColumn: ({ document_ids }, service) => documentsOf(service, document_ids),
		rightColumn: (row) =>
			html`${panel("Decide", profileActions(row), decisionNote)}${editPanel(`kyc/profiles/${row.id}`, EditKycProfile.shape, row)}${deletePanel(`kyc/profiles/${row.id}`, row.name, "At once, even if numbers use it.")}`,
	}),
};

/** Links to the first of these numbers. */
export const numberLinks = (service: Service, ids: readonly string[]): Html =>
	html`${ids.slice(0, 20).map((id) => html`${link(service, id)} `)}${ids.length > 20 ? `and ${ids.length - 20} more` : ""}`;
