import type {
	CreateKycDocument,
	CreateKycProfile,
	KycDocumentRecord,
	KycProfileRecord,
	KycRequirementsRecord,
	PatchKycProfile,
} from "../contract";
import type { ServiceResponse } from "../response";
import {
	Area,
	type Body,
	type CallOptions,
	Collection,
	type CreateOptions,
	creation,
	type ListOptions,
	type Removal,
} from "./collection";

/**
 * Identity checks in regulated markets.
 *
 * @example
 * const { data: document } = await client.kyc.documents.create({
 * 	kind: "identity",
 * 	filename: "passport.pdf",
 * 	media_type: "application/pdf",
 * 	content: Buffer.from("%PDF-1.7").toString("base64"),
 * });
 * console.log(document.id);
 */
export class Kyc extends Area {
	readonly profiles = new KycProfiles(this.transport);
	readonly documents = new KycDocuments(this.transport);

	/** The requirements of a market for a type of number. */
	async requirements({ signal, isPoll, ...query }: ListOptions<"getKycRequirements">): Promise<KycRequirementsRecord> {
		return (await this.transport.send("getKycRequirements", { query, signal, isPoll })).data;
	}
}

class KycProfiles extends Collection<KycProfileRecord, ListOptions<"listKycProfiles">> {
	protected readonly reads = { list: "listKycProfiles", get: "getKycProfile" } as const;

	create(body: Body<CreateKycProfile>, options: CreateOptions = {}): Promise<ServiceResponse<KycProfileRecord>> {
		return this.transport.send("createKycProfile", creation(body, options));
	}

	/** Changes a draft, or a rejected or expired profile. `reference` may change at any time. */
	patch(id: string, body: Body<PatchKycProfile>, options: CallOptions = {}): Promise<KycProfileRecord> {
		return this.patched(id, body, options, "patchKycProfile");
	}

	/** @throws TelephonyError Conflict while a live number names it */
	delete(id: string, options: CallOptions = {}): Promise<Removal> {
		return this.removed(id, options, "deleteKycProfile");
	}

	/** Submits it for review, for all numbers that name it. */
	submit(id: string, options: CreateOptions = {}): Promise<KycProfileRecord> {
		return this.acted(id, options, "submitKycProfile");
	}
}

class KycDocuments extends Collection<KycDocumentRecord, ListOptions<"listKycDocuments">> {
	protected readonly reads = { list: "listKycDocuments", get: "getKycDocument" } as const;

	/** At most 10 MiB, in base64. */
	create(body: Body<CreateKycDocument>, options: CreateOptions = {}): Promise<ServiceResponse<KycDocumentRecord>> {
		return this.transport.send("createKycDocument", creation(body, options));
	}
}
