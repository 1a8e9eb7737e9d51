import { z } from "zod";
import { numberTypes } from "./numbers";
import { act, create, get, list, ofFeature, patch, remove } from "./operation";
import * as s from "./schema";

export const kycHolders = ["individual", "business"] as const;
export const kycProfileStatuses = ["draft", "in_review", "approved", "rejected", "expired"] as const;
export const kycDocumentKinds = [
	"identity",
	"proof_of_address",
	"company_register",
	"letter_of_authorization",
	"other",
] as const;

/** The requirements of a market before a number becomes active there. */
export const KycRequirementsRecord = s.response(() => ({
	country: z.string(),
	type: s.openEnum(numberTypes),
	kyc_required: z.boolean(),
	requirements: z.array(
		s.response(() => ({
			/** The kind of a document, or the name of a property of the profile. */
			code: z.string(),
			kind: s.openEnum(["document", "text"]),
			/** Whose profile needs it. */
			holders: z.array(z.string()),
			description: z.string(),
		})),
	),
}));
export type KycRequirementsRecord = z.infer<typeof KycRequirementsRecord>;

const Address = s.request(() => ({
	street: z.string().min(1).max(200),
	city: z.string().min(1).max(100),
	postal_code: z.string().min(1).max(20),
	region: z.string().min(1).max(100).nullable().optional(),
	country: s.country,
}));

export const CreateKycProfile = s.request(() => ({
	holder: z.enum(kycHolders),
	/** Of the person or the company. */
	name: z.string().min(1).max(200),
	country: s.country,
	address: Address,
	/** From the identity card or the company register. Never returned. */
	id_number: s.secret(z.string().min(1).max(64).nullable().optional()),
	/** A set. */
	document_ids: z.array(s.id).max(20).optional(),
	reference: s.reference.optional(),
}));
export type CreateKycProfile = z.infer<typeof CreateKycProfile>;

export const PatchKycProfile = s.request(() => CreateKycProfile.omit({ holder: true }).partial().shape);
export type PatchKycProfile = z.infer<typeof PatchKycProfile>;

/** The holder of numbers in regulated markets. Numbers name the profile by `kyc_profile_id`. */
const PlainKycProfileRecord = s.response(() => ({
	id: s.id,
	status: s.openEnum(kycProfileStatuses).optional(),
	holder: s.openEnum(kycHolders).optional(),
	name: z.string().optional(),
	country: z.string().optional(),
	address: s
		.response(() => ({
			street: z.string().optional(),
			city: z.string().optional(),
			postal_code: z.string().optional(),
			region: z.string().nullable().optional(),
			country: z.string().optional(),
		}))
		.optional(),
	id_number_set: z.boolean().optional(),
	document_ids: z.array(z.string()).optional(),
	reasons: s.reasons.optional(),
	reference: s.words.optional(),
	submitted_at: s.time.nullable().optional(),
	decided_at: s.time.nullable().optional(),
	...s.times,
}));
export type KycProfileRecord = z.infer<typeof PlainKycProfileRecord>;
export const KycProfileRecord: s.Schema<KycProfileRecord> = PlainKycProfileRecord;

/** Bytes of a document; its base64 in JSON is a third longer. */
export const largestDocument = 10 * 1024 * 1024;

export const CreateKycDocument = s.request(() => ({
	kind: z.enum(kycDocumentKinds),
	filename: z.string().min(1).max(255),
	media_type: z.enum(["application/pdf", "image/jpeg", "image/png"]),
	/** JSON like every body, hence base64. */
	content: s.secret(
		z
			.base64({ error: "must be base64" })
			.min(4, "must not be empty")
			.refine((text) => text.length <= Math.ceil(largestDocument / 3) * 4, `must be at most ${largestDocument} bytes`),
	),
}));
export type CreateKycDocument = z.infer<typeof CreateKycDocument>;

export const KycDocumentRecord = s.response(() => ({
	id: s.id,
	kind: s.openEnum(kycDocumentKinds).optional(),
	filename: z.string().optional(),
	media_type: z.string().optional(),
	/** Bytes. */
	size: z.number().optional(),
	/** Of the content, in hex: shows whether what arrived is what was sent. */
	sha256: z.string().optional(),
	...s.times,
}));
export type KycDocumentRecord = z.infer<typeof KycDocumentRecord>;

export const kycOperations = ofFeature("kyc", {
	getKycRequirements: {
		...get("/kyc/requirements", KycRequirementsRecord),
		query: s.request(() => ({ country: s.country, type: z.enum(numberTypes) })),
	},
	listKycProfiles: list("/kyc/profiles", KycProfileRecord, () => ({
		status: z.enum(kycProfileStatuses).optional(),
		reference: s.referenceFilter,
	})),
	createKycProfile: create("/kyc/profiles", CreateKycProfile, KycProfileRecord),
	getKycProfile: get("/kyc/profiles/{id}", KycProfileRecord),
	/** Allowed for a draft, and for a rejected or expired profile. `reference` may change at any time. */
	patchKycProfile: patch("/kyc/profiles/{id}", PatchKycProfile, KycProfileRecord),
	/** Only if no live number names it. */
	deleteKycProfile: remove("/kyc/profiles/{id}"),
	submitKycProfile: act("/kyc/profiles/{id}/submit", KycProfileRecord),
	listKycDocuments: list("/kyc/documents", KycDocumentRecord, () => ({ kind: z.enum(kycDocumentKinds).optional() })),
	createKycDocument: {
		...create("/kyc/documents", CreateKycDocument, KycDocumentRecord),
		maxBody: Math.ceil(largestDocument / 3) * 4 + 64 * 1024,
	},
	getKycDocument: get("/kyc/documents/{id}", KycDocumentRecord),
});
