/** A KYC profile's properties: what is declared, and what is shown. */
import { z } from "zod";
import { CreateKycProfile } from "../../api/contract";
import { documentIds, documentsProperty } from "../../documents/properties";
import { adoptFree } from "../../lifecycle/adopt";
import { onDeleteProperty } from "../../lifecycle/on-delete";
import { words } from "../../properties/form";
import { aCountry, choice, countryForm, unwrapped } from "../../properties/limits";
import { objectOf } from "../../properties/object";
import { reasons, stepTime, times } from "../../properties/outputs";
import { neverDrift, type Outputs, type Properties } from "../../properties/table";
import { byState, statusRow, waitLimit } from "../rows";

const address = () => CreateKycProfile.shape.address.shape;
const country = {
	type: aCountry,
	form: countryForm,
	description: "ISO 3166-1 alpha-2 in upper case, such as `DE`.",
	required: true,
} as const;
const line = (part: keyof ReturnType<typeof address>, description: string) =>
	({ type: () => unwrapped(address()[part]), description, form: words }) as const;

export const kycProfileProperties: Properties = {
	entityType: {
		type: () => choice(CreateKycProfile.shape.holder),
		description: "Kind of the legal entity responsible for the numbers: a person or a company.",
		example: "business",
		required: true,
		wire: "holder",
		fixed: true,
		change: { does: "refused", words: "refused: declare another profile" },
	},
	name: {
		example: "Example GmbH",
		type: () => CreateKycProfile.shape.name,
		description: "Name of the person or company, as in the documents.",
		required: true,
		wire: "name",
		form: words,
		severity: "high",
	},
	country: {
		...country,
		description: `Country of the entity and the numbers. ${country.description}`,
		wire: "country",
	},
	address: {
		...objectOf(
			{
				street: { ...line("street", "Street and house number."), required: true },
				city: { ...line("city", "Town."), required: true },
				postalCode: { ...line("postal_code", "Postal code."), required: true },
				region: line("region", "State or province."),
				country,
			},
			{ name: "KycAddress", description: "A postal address." },
		),
		description: "Address of the person, or registered office of the company.",
		example: { street: "Unter den Linden 1", city: "Berlin", postalCode: "10117", country: "DE" },
		required: true,
		wire: "address",
		severity: "high",
	},
	idNumber: {
		type: () => unwrapped(CreateKycProfile.shape.id_number),
		description: "Number of the identity card or of the company register.",
		example: "HRB 12345",
		wire: "id_number",
		secret: true,
		writeOnly: true,
		leftOut: true,
		severity: "high",
	},
	documents: {
		...documentsProperty(() => CreateKycProfile.shape.document_ids, "Documents that the market requires."),
		severity: "high",
	},
	waitForApproval: {
		type: () => z.boolean(),
		description: "True if `pulumi up` waits for the service's decision.",
		default: false,
	},
	approvalTimeoutSeconds: waitLimit,
	onDelete: onDeleteProperty("KYC profile"),
	adopt: adoptFree("KYC profile", "It must have the declared entity type. Read only when the resource is created."),
};

export const kycProfileOutputs: Outputs = {
	status: statusRow(
		"`draft`, `in_review`, `approved`, `rejected`, `expired`, or a value unknown to this version.",
		byState,
	),
	reasons: {
		...reasons,
		required: true,
		moves: true,
		description: "Reasons for the rejection.",
		drift: neverDrift,
	},
	documentIds,
	submittedAt: stepTime("submitted_at", "time of the last submission."),
	decidedAt: stepTime("decided_at", "undefined until the service has decided."),
	...times,
};
