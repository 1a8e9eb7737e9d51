import * as pulumi from "@pulumi/pulumi";
import type { Country } from "./country";
import { type Definition, TelephonyResource } from "./dynamic";

// #region made by npm run generate: types
/** A postal address. */
export interface KycAddress {
	/** Street and house number. 1 to 200 characters. */
	street: pulumi.Input<string>;
	/** Town. 1 to 100 characters. */
	city: pulumi.Input<string>;
	/** Postal code. 1 to 20 characters. */
	postalCode: pulumi.Input<string>;
	/** State or province. 1 to 100 characters. */
	region?: pulumi.Input<string | undefined>;
	/** ISO 3166-1 alpha-2 in upper case, such as `DE`. */
	country: pulumi.Input<Country>;
}

/** A document uploaded from a file. */
export interface KycDocument {
	/** Kind of the document. */
	kind: pulumi.Input<
		"identity" | "proof_of_address" | "company_register" | "letter_of_authorization" | "other" | (string & {})
	>;
	/**
	 * Path of the file, relative to the program's folder, or a `FileAsset`. The file is a PDF, JPEG or PNG of at most
	 * 10 MiB, within the project.
	 */
	file: pulumi.Input<string | pulumi.asset.FileAsset>;
}

/** Properties that a program declares. */
export interface KycProfileArgs {
	/**
	 * Kind of the legal entity responsible for the numbers: a person or a company. Example: `"business"`. A change is
	 * refused: declare another profile.
	 */
	entityType: pulumi.Input<"individual" | "business" | (string & {})>;
	/**
	 * Name of the person or company, as in the documents. 1 to 200 characters. Example: `"Example GmbH"`. Changes in
	 * place.
	 */
	name: pulumi.Input<string>;
	/** Country of the entity and the numbers. ISO 3166-1 alpha-2 in upper case, such as `DE`. Changes in place. */
	country: pulumi.Input<Country>;
	/**
	 * Address of the person, or registered office of the company. Example: `{"street":"Unter den Linden
	 * 1","city":"Berlin","postalCode":"10117","country":"DE"}`. Changes in place.
	 */
	address: pulumi.Input<KycAddress>;
	/**
	 * Number of the identity card or of the company register. 1 to 64 characters. A secret. Example: `"HRB 12345"`.
	 * Changes in place.
	 */
	idNumber?: pulumi.Input<string | undefined>;
	/**
	 * Documents that the market requires. At most 20. A set. Example:
	 * `[{"kind":"company_register","file":"documents/register.pdf"}]`. After a change, uploads new content and submits
	 * the object again.
	 *
	 * Each file is uploaded once by its content. The state holds its path and its SHA-256, and never the content. On a
	 * machine without the files, name them by path and set `ignoreChanges: ["documents"]`, which keeps the uploaded
	 * ones. The engine itself opens a `FileAsset`, so its file must exist.
	 */
	documents?: pulumi.Input<pulumi.Input<KycDocument>[] | undefined>;
	/** True if `pulumi up` waits for the service's decision. Default: `false`. */
	waitForApproval?: pulumi.Input<boolean | undefined>;
	/**
	 * Limit of the wait in seconds. When the limit is reached, `up` fails, and the next `up` continues to wait. At
	 * least 1. Default: `600`.
	 */
	approvalTimeoutSeconds?: pulumi.Input<number | undefined>;
	/**
	 * Effect of deleting the resource: `delete` deletes the KYC profile, and `retain` leaves it on the account.
	 * Default: `delete`; with `adopt`, `retain`.
	 */
	onDelete?: pulumi.Input<"delete" | "retain" | undefined>;
	/**
	 * Id of a KYC profile that is on the account and that no other stack claims. The resource adopts the KYC profile
	 * instead of creating another, and `destroy` retains it. A change replaces the KYC profile, unless `adopt` names
	 * the current KYC profile; removing `adopt` changes nothing.
	 *
	 * It must have the declared entity type. Read only when the resource is created.
	 */
	adopt?: pulumi.Input<string | undefined>;
}

const definition: Definition = {
	handler: "kycProfile",
	type: "KycProfile",
	inputs: [
		"entityType",
		"name",
		"country",
		"address",
		"idNumber",
		"documents",
		"waitForApproval",
		"approvalTimeoutSeconds",
		"onDelete",
		"adopt",
	],
	outputs: [
		"status",
		"reasons",
		"documentIds",
		"submittedAt",
		"decidedAt",
		"createdAt",
		"updatedAt",
		"token",
		"lease",
		"spellings",
		"uploaded",
		"unsubmitted",
	],
	secretOutputs: ["idNumber"],
};
// #endregion

/**
 * The person or company that is legally responsible for numbers in a regulated market, with documents.
 *
 * @example
 * import * as pulumi from "@pulumi/pulumi";
 * const profile = new telephony.KycProfile("office", {
 *   entityType: "business",
 *   name: "Example GmbH",
 *   country: "DE",
 *   address: { street: "Heidestr. 17", city: "Berlin", postalCode: "10557", country: "DE" },
 *   idNumber: new pulumi.Config().requireSecret("registerNumber"),
 *   documents: [
 *     { kind: "company_register", file: "papers/register.pdf" },
 *     { kind: "proof_of_address", file: "papers/bill.pdf" },
 *   ],
 * });
 * const number = new telephony.Number("berlin", {
 *   country: "DE",
 *   type: "geographic",
 *   area: "30",
 *   kycProfileId: profile.id,
 * });
 */
export class KycProfile extends TelephonyResource {
	// #region made by npm run generate: fields
	/** Kind of the legal entity responsible for the numbers: a person or a company. */
	declare readonly entityType: pulumi.Output<"individual" | "business" | (string & {})>;
	/** Name of the person or company, as in the documents. */
	declare readonly name: pulumi.Output<string>;
	/** Country of the entity and the numbers. ISO 3166-1 alpha-2 in upper case, such as `DE`. */
	declare readonly country: pulumi.Output<string>;
	/** Address of the person, or registered office of the company. */
	declare readonly address: pulumi.Output<pulumi.Unwrap<KycAddress>>;
	/** Number of the identity card or of the company register. */
	declare readonly idNumber: pulumi.Output<string | undefined>;
	/** Documents that the market requires. */
	declare readonly documents: pulumi.Output<
		| {
				kind:
					| "identity"
					| "proof_of_address"
					| "company_register"
					| "letter_of_authorization"
					| "other"
					| (string & {});
				file: string;
		  }[]
		| undefined
	>;
	/** True if `pulumi up` waits for the service's decision. */
	declare readonly waitForApproval: pulumi.Output<boolean>;
	/** Limit of the wait in seconds. When the limit is reached, `up` fails, and the next `up` continues to wait. */
	declare readonly approvalTimeoutSeconds: pulumi.Output<number>;
	/** Effect of deleting the resource: `delete` deletes the KYC profile, and `retain` leaves it on the account. */
	declare readonly onDelete: pulumi.Output<"delete" | "retain">;
	/**
	 * Id of a KYC profile that is on the account and that no other stack claims. The resource adopts the KYC profile
	 * instead of creating another, and `destroy` retains it.
	 */
	declare readonly adopt: pulumi.Output<string | undefined>;

	/** `draft`, `in_review`, `approved`, `rejected`, `expired`, or a value unknown to this version. */
	declare readonly status: pulumi.Output<string>;
	/** Reasons for the rejection. */
	declare readonly reasons: pulumi.Output<{ code: string; message: string }[]>;
	/** Ids of the documents at the service. A set. */
	declare readonly documentIds: pulumi.Output<string[]>;
	/** RFC 3339; time of the last submission. */
	declare readonly submittedAt: pulumi.Output<string | undefined>;
	/** RFC 3339; undefined until the service has decided. */
	declare readonly decidedAt: pulumi.Output<string | undefined>;
	/** RFC 3339. */
	declare readonly createdAt: pulumi.Output<string>;
	/** RFC 3339. */
	declare readonly updatedAt: pulumi.Output<string>;
	// #endregion

	constructor(name: string, args: KycProfileArgs, opts?: pulumi.CustomResourceOptions) {
		// The id number is a secret, even if the program forgot to say so.
		const idNumber = args?.idNumber === undefined ? {} : { idNumber: pulumi.secret(args.idNumber) };
		super(definition, name, args && { ...args, ...idNumber }, opts);
	}

	/**
	 * Looks up a KYC profile that this program doesn't manage. Its id number is not known.
	 *
	 * @throws when there is no such profile
	 */
	static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): KycProfile {
		return new KycProfile(name, undefined as unknown as KycProfileArgs, { ...opts, id });
	}
}
