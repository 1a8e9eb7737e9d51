import { html } from "hono/html";
import { kycDocumentKinds, kycHolders } from "../../../provider/api/contract";
import type { Decision } from "../../areas/kyc/kyc";
import { decidableProfiles, isOpen } from "../../areas/kyc/profiles";
import { usersByObject } from "../../service/users";
import type { KycProfileRow } from "../../store/store";
import { decide } from "../decide";
import { numberLinks } from "../facts";
import { button, check, form, type Html, input, more, panel, same, select, state, text } from "../html";
import { kindSection } from "../section";
import { documentsOf } from "./documents";
import { labels, reasonLines, reject } from "./kyc";

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
<div class="actions">${button("Create the profile", { variant: "main" })}</div>`,
	"grid",
);

/** Decisions on a profile that its state allows. */
const profileActions = ({ id, name, status }: KycProfileRow): Html => {
	const can = (decision: Decision) => decidableProfiles[decision].includes(status);
	const path = `kyc/profiles/${id}`;
	const body = html`${documentInputs}${input("ID number", "id_number", "", { wide: true, hint: idHint })}<div class="actions">${button("Submit", { of: name, variant: "main" })}</div>`;
	const submit = isOpen(status) ? more("Submit…", form(`${path}/complete`, body, "grid"), name) : "";
	const possible = labels.filter(([decision]) => can(decision));
	return html`${submit}${decide({ path, of: name, decisions: possible, reject: can("reject") ? reject : undefined })}`;
};

export const kycProfiles = kindSection(
	"kycProfiles",
	{
		about: () => "Holders of numbers. A decision applies to all numbers of the profile.",
		columns: (service) => {
			const users = usersByObject(service, "kycProfiles");
			return [
				{ title: "Holder", cell: ({ holder, country }) => `${holder} · ${country}` },
				{ title: "State", cell: ({ status, reasons }) => html`${state(status)}${reasonLines(reasons)}` },
				{ title: "Documents", cell: ({ document_ids }) => document_ids.length, right: true },
				{ title: "Numbers", cell: ({ id }) => users.get(id)?.length ?? 0, right: true },
				"submitted_at",
				{ title: "Decide", cell: profileActions },
			];
		},
		empty: html`No KYC profiles yet. Create one below or with <code>POST /v1/kyc/profiles</code>.`,
		bottom: () =>
			html`<div class="columns"><div>${panel("Create a profile", profileForm, "Use its id as kycProfileId.")}</div></div>`,
	},
	{
		omit: ["document_ids"],
		facts: ({ id, id_number }, service) => ({
			id_number: id_number === null ? text(null) : "stored",
			numbers: numberLinks(service, usersByObject(service, "kycProfiles").get(id) ?? []),
		}),
		leftColumn: ({ document_ids }, service) => documentsOf(service, document_ids),
		rightColumn: (row) => panel("Decide", profileActions(row)),
		removal: { label: "Delete", note: "At once, even if numbers use it." },
	},
);
