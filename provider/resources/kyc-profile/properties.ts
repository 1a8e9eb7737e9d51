/** A KYC profile's properties: what is declared, and what is shown. */
import { z } from "zod";
import { CreateKycProfile } from "../../api/contract";
import { documentIds, documentsProperty } from "../../documents/properties";
import { adoptProperty } from "../../lifecycle/adopt";
import { onDeleteProperty } from "../../lifecycle/removal";
import { words } from "../../properties/form";
import { aCountry, choice, seconds, unwrapped } from "../../properties/limits";
import { objectOf } from "../../properties/object";
import { aString, aTime, reasons } from "../../properties/outputs";
import { neverDrift, type Outputs, type Properties } from "../../properties/table";
import { lagSays } from "../../session/staleness";

const { holder, name, address, id_number, document_ids } = CreateKycProfile.shape;
const country = {
	type: aCountry,
	description: "ISO 3166-1 alpha-2 in upper case, such as `DE`.",
	required: true,
} as const;
const line = (part: keyof typeof address.shape, description: string) =>
	({ type: unwrapped(address.shape[part]), description, form: words }) as const;

export const kycProfileProperties: Properties = {
	entityType: {
		type: choice(holder),
		description: "Who answers for the numbers: a person or a company.",
		example: "business",
		required: true,
		wire: "holder",
		fixed: true,
		change: { does: "refused", words: "refused: declare another profile" },
	},
	name: {
		example: "Example GmbH",
		type: name,
		description: "Of the person or the company, as in the papers.",
		required: true,
		wire: "name",
		form: words,
		severity: "high",
	},
	country: { ...country, description: `Of the holder and the numbers. ${country.description}`, wire: "country" },
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
		description: "Where the holder lives, or where the company has its seat.",
		example: { street: "Unter den Linden 1", city: "Berlin", postalCode: "10117", country: "DE" },
		required: true,
		wire: "address",
		severity: "high",
	},
	idNumber: {
		type: unwrapped(id_number),
		description: "From the identity card, or the company register.",
		example: "HRB 12345",
		wire: "id_number",
		secret: true,
		writeOnly: true,
		leftOut: true,
		severity: "high",
	},
	documents: { ...documentsProperty(document_ids, "The papers that the market asks for."), severity: "high" },
	waitForApproval: {
		type: z.boolean(),
		description: "Whether `pulumi up` waits until the service has decided.",
		default: false,
	},
	approvalTimeoutSeconds: {
		type: seconds,
		description:
			"How long `waitForApproval` waits, in seconds. Then the profile is saved, and the next `up` continues to wait.",
		default: 600,
	},
	onDelete: onDeleteProperty("KYC profile"),
	adopt: adoptProperty(
		"KYC profile",
		`Id of a KYC profile that is already on the account and not claimed by another stack: it is taken over, and none is created. \`destroy\` leaves it on the account.

It must have the declared entity type. Read only when the resource is created.`,
	),
};

export const kycProfileOutputs: Outputs = {
	status: {
		...aString,
		required: true,
		moves: true,
		description: "`draft`, `in_review`, `approved`, `rejected`, `expired`, or one that this version doesn't know.",
		wire: "status",
		drift:
			"`rejected` and `expired` are a warning with the service's reasons; `in_review` is no drift: where the program waits for approval, the next `pulumi up` goes on waiting",
	},
	reasons: {
		...reasons,
		required: true,
		moves: true,
		description: "Why it was rejected.",
		drift: neverDrift,
	},
	documentIds,
	submittedAt: {
		...aString,
		moves: true,
		wire: "submitted_at",
		description: "RFC 3339; of the last time.",
		drift: neverDrift,
	},
	decidedAt: {
		...aString,
		moves: true,
		wire: "decided_at",
		description: "RFC 3339; undefined while the service reviews it.",
		drift: neverDrift,
	},
	createdAt: { ...aTime, required: true, wire: "created_at", drift: neverDrift },
	updatedAt: { ...aTime, required: true, moves: true, wire: "updated_at", drift: lagSays },
};
