/** Forms that create a KYC profile, and complete one that is a draft or was rejected. */
import { html } from "hono/html";
import { kycDocumentKinds, kycHolders } from "../../../provider/api/contract";
import { button, check, form, type Html, input, more, same, select } from "../html";

const documents = (): Html =>
	html`<div class="checks wide">${kycDocumentKinds.map((kind) => check(kind.replaceAll("_", " "), `document_${kind}`, false))}</div>`;

const idHint = "Of the identity card, or in the company register; never shown again.";

export const profileForm = (): Html =>
	form(
		"kyc/profiles",
		html`${select("Holder", "holder", { value: "business", options: same(kycHolders), hint: "Who answers for the numbers." })}
${input("Name", "name", "", { required: true, placeholder: "Example GmbH" })}
${input("Country", "country", "", { required: true, placeholder: "DE", hint: "Two letters, of the address too." })}
${input("Street", "street", "", { required: true, placeholder: "Unter den Linden 1" })}
${input("City", "city", "", { required: true, placeholder: "Berlin" })}
${input("Postal code", "postal_code", "", { required: true, placeholder: "10117" })}
${input("Number of the document", "id_number", "", { hint: idHint })}
${documents()}
${check("Hand it in at once", "submit", true, "Otherwise it stays a draft, and may lack documents.")}
<div class="actions">${button("Make the profile", { look: "main" })}</div>`,
		"grid",
	);

export const completeForm = (id: string, name: string): Html =>
	more(
		"Hand in…",
		form(
			`kyc/profiles/${id}/complete`,
			html`${documents()}${input("Number of the document", "id_number", "", { wide: true, hint: idHint })}<div class="actions">${button("Hand in", { of: name, look: "main" })}</div>`,
			"grid",
		),
		name,
	);
