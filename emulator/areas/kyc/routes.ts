import { createHash } from "node:crypto";
import type { CreateKycProfile, PatchKycProfile } from "../../../provider/api/contract";
import { kycDocumentRecord, kycProfileRecord } from "../../http/normalise";
import { readsOf } from "../../http/pages";
import { invalid, ServiceError } from "../../request/errors";
import { handlersOf } from "../../request/handlers";
import { type Changes, isBookkeeping, merge } from "../../request/merge";
import { edit, findRow, newRow, put, type Service } from "../../service/service";
import { assertUnused } from "../../service/users";
import type { KycProfileRow } from "../../store/store";
import { isRegulatedMarket } from "../numbers/routes";
import { submitKycProfile } from "./profiles";

/** The requirements of regulated markets. Assumed. */
const requirements = [
	{
		code: "identity",
		kind: "document",
		holders: ["individual"],
		description: "Passport or identity card of the person.",
	},
	{
		code: "company_register",
		kind: "document",
		holders: ["business"],
		description: "Extract from the company register, not older than three months.",
	},
	{
		code: "proof_of_address",
		kind: "document",
		holders: ["individual", "business"],
		description: "Bill or bank statement with name and address, not older than three months.",
	},
	{
		code: "id_number",
		kind: "text",
		holders: ["individual", "business"],
		description: "Number of the passport or identity card, or in the company register.",
	},
] as const;

/** Checks the documents of a profile or a port order. @throws ServiceError */
export const checkDocuments = (service: Service, ids: readonly string[] = []): void => {
	const unknown = ids.flatMap((id, index) => (service.store.kycDocuments.get(id) === undefined ? [index] : []));
	if (unknown.length === 0) return;
	throw invalid(
		unknown.map((index) => ({ field: `document_ids.${index}`, message: "there is no such document" })),
		"invalid_reference",
	);
};

const missing = (service: Service, { holder, document_ids, id_number }: KycProfileRow) => {
	const kinds = document_ids.map((id) => service.store.kycDocuments.get(id)?.kind);
	return requirements
		.filter(({ holders }) => holders.some((candidate) => candidate === holder))
		.filter(({ code }) => (code === "id_number" ? id_number === null : !kinds.includes(code)))
		.map(({ code, kind, description }) => ({
			field: kind === "document" ? "document_ids" : code,
			message: `${code} is missing: ${description}`,
		}));
};

/** @throws ServiceError if the profile is in review or approved */
const checkOpen = ({ id, status }: KycProfileRow): void => {
	if (["draft", "rejected", "expired"].includes(status)) return;
	throw new ServiceError("kyc_profile_locked", `KYC profile ${id} is ${status}: it can't be changed or submitted.`);
};

const createProfile = (service: Service, body: CreateKycProfile): KycProfileRow => {
	checkDocuments(service, body.document_ids);
	return put(service, "kycProfiles", {
		...newRow(service, "kycProfiles"),
		status: "draft",
		holder: body.holder,
		name: body.name,
		country: body.country,
		address: body.address,
		id_number: body.id_number ?? null,
		document_ids: [...new Set(body.document_ids)],
		reasons: [],
		reference: body.reference ?? null,
		next_at: null,
	});
};

/** Applies a checked patch; the control API's may also set the state. */
export const applyProfilePatch = (draft: KycProfileRow, patch: Changes<KycProfileRow>): void => {
	Object.assign(draft, merge(draft, patch));
	draft.document_ids = [...new Set(draft.document_ids)];
};

const patchProfile = (service: Service, row: KycProfileRow, patch: PatchKycProfile): KycProfileRow => {
	if (!isBookkeeping(patch)) checkOpen(row);
	if (patch.country !== undefined && patch.country !== row.country) assertUnused(service, "kycProfiles", row.id);
	checkDocuments(service, patch.document_ids);
	return edit(service, "kycProfiles", row, (draft) => applyProfilePatch(draft, patch));
};

export const kycHandlers = (service: Service) => {
	const profiles = readsOf(service, "kycProfiles", kycProfileRecord);
	const documents = readsOf(service, "kycDocuments", kycDocumentRecord);

	return handlersOf({
		getKycRequirements: ({ query: { country, type } }) => {
			const kyc_required = isRegulatedMarket(country);
			const asked = kyc_required ? requirements : [];
			return {
				country,
				type,
				kyc_required,
				requirements: asked.map(({ holders, ...rest }) => ({ ...rest, holders: [...holders] })),
			};
		},

		listKycProfiles: profiles.list,

		createKycProfile: ({ body }) => kycProfileRecord(service, createProfile(service, body)),

		getKycProfile: profiles.get,

		patchKycProfile: ({ id, body }) =>
			kycProfileRecord(service, patchProfile(service, findRow(service, "kycProfiles", id), body)),

		deleteKycProfile: ({ id }) => {
			findRow(service, "kycProfiles", id);
			assertUnused(service, "kycProfiles", id);
			service.store.kycProfiles.delete(id);
			return undefined;
		},

		submitKycProfile: ({ id }) => {
			const row = findRow(service, "kycProfiles", id);
			checkOpen(row);
			const problems = missing(service, row);
			if (problems.length > 0) throw invalid(problems, "requirements_missing");
			return kycProfileRecord(service, submitKycProfile(service, row));
		},

		listKycDocuments: documents.list,

		createKycDocument: ({ body: { content, ...rest } }) => {
			const bytes = Buffer.from(content, "base64");
			// Only the hash is kept, which shows that the content arrived unchanged.
			const sha256 = createHash("sha256").update(bytes).digest("hex");
			return kycDocumentRecord(
				service,
				put(service, "kycDocuments", { ...newRow(service, "kycDocuments"), ...rest, size: bytes.length, sha256 }),
			);
		},

		getKycDocument: documents.get,
	});
};
