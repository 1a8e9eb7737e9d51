/** Creates a KYC profile from a form, with its documents, and submits it, by operations of the API. */
import { kycDocumentKinds } from "../../provider/api/contract";
import { findRow, type Service } from "../service/service";
import type { Ask } from "./ask";
import type { Fields } from "./forms";

/** Uploads a small file for each chosen kind of document: the emulator doesn't read it, but the API requires one. */
const upload = async (ask: Ask, fields: Fields): Promise<string[]> => {
	const ids: string[] = [];
	for (const kind of kycDocumentKinds.filter((kind) => fields[`document_${kind}`] === "true")) {
		const content = Buffer.from(`%PDF-1.7\n% ${kind}, created in the console\n`).toString("base64");
		const file = { kind, filename: `${kind}.pdf`, media_type: "application/pdf", content };
		const { id } = await ask("POST", "/kyc/documents", file);
		if (id !== undefined) ids.push(id);
	}
	return ids;
};

export const createProfile = async (ask: Ask, fields: Fields): Promise<void> => {
	const { holder, name, country = "", street, city, postal_code, id_number, submit } = fields;
	const market = country.trim().toUpperCase();
	const { id } = await ask("POST", "/kyc/profiles", {
		holder,
		name,
		country: market,
		address: { street, city, postal_code, country: market },
		...(id_number ? { id_number } : {}),
		document_ids: await upload(ask, fields),
	});
	if (submit === "true") await ask("POST", `/kyc/profiles/${id}/submit`);
};

/** Adds documents and the id number, and submits the profile. */
export const completeProfile = async (service: Service, ask: Ask, id: string, fields: Fields): Promise<void> => {
	const { document_ids } = findRow(service, "kycProfiles", id);
	const added = await upload(ask, fields);
	const patch = {
		...(added.length > 0 ? { document_ids: [...document_ids, ...added] } : {}),
		...(fields.id_number ? { id_number: fields.id_number } : {}),
	};
	if (Object.keys(patch).length > 0) await ask("PATCH", `/kyc/profiles/${id}`, patch);
	await ask("POST", `/kyc/profiles/${id}/submit`);
};
