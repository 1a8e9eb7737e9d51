/** Creates a KYC profile from a form, with its documents, and submits it, all through the API's operations. */
import { kycDocumentKinds } from "../../provider/api/contract";
import { findKycProfile } from "../areas/kyc/profiles";
import type { Service } from "../service/service";
import type { Ask } from "./ask";
import type { Fields } from "./fields";

/** A page with one word on it: nobody reads it here, but a service wants a file. */
const paper = (kind: string) => ({
	kind,
	filename: `${kind}.pdf`,
	media_type: "application/pdf",
	content: Buffer.from(`%PDF-1.7\n% ${kind}, made in the console\n`).toString("base64"),
});

const ticked = (fields: Fields): string[] => kycDocumentKinds.filter((kind) => fields[`document_${kind}`] === "true");

const papers = async (ask: Ask, kinds: readonly string[]): Promise<string[]> => {
	const ids: string[] = [];
	for (const kind of kinds) {
		const { id } = await ask("POST", "/kyc/documents", paper(kind));
		if (id !== undefined) ids.push(id);
	}
	return ids;
};

export const makeProfile = async (ask: Ask, fields: Fields): Promise<void> => {
	const { holder, name, country = "", street, city, postal_code, id_number, submit } = fields;
	const where = country.trim().toUpperCase();
	const { id } = await ask("POST", "/kyc/profiles", {
		holder,
		name,
		country: where,
		address: { street, city, postal_code, country: where },
		...(id_number ? { id_number } : {}),
		document_ids: await papers(ask, ticked(fields)),
	});
	if (submit === "true") await ask("POST", `/kyc/profiles/${id}/submit`);
};

/** Adds what is new, and submits the profile. */
export const completeProfile = async (service: Service, ask: Ask, id: string, fields: Fields): Promise<void> => {
	const { document_ids } = findKycProfile(service, id);
	const added = await papers(ask, ticked(fields));
	const patch = {
		...(added.length > 0 ? { document_ids: [...document_ids, ...added] } : {}),
		...(fields.id_number ? { id_number: fields.id_number } : {}),
	};
	if (Object.keys(patch).length > 0) await ask("PATCH", `/kyc/profiles/${id}`, patch);
	await ask("POST", `/kyc/profiles/${id}/submit`);
};
