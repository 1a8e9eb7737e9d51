import type { Answer } from "../answer";
import type {
	CreateKycDocument,
	CreateKycProfile,
	KycDocumentRecord,
	KycProfileRecord,
	KycRequirementsRecord,
	PatchKycProfile,
} from "../contract";
import type { Transport } from "../transport";
import { Area, type Body, type CallOptions, type CreateOptions, create, items, type ListOptions } from "./area";

/**
 * Who answers for numbers in regulated markets.
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
	readonly profiles: KycProfiles;
	readonly documents: KycDocuments;

	constructor(transport: Transport) {
		super(transport);
		this.profiles = new KycProfiles(transport);
		this.documents = new KycDocuments(transport);
	}

	/** What a market asks for before a number of the type becomes active there. */
	async requirements({ signal, ...query }: ListOptions<"getKycRequirements">): Promise<KycRequirementsRecord> {
		return (await this.transport.send("getKycRequirements", { query, signal })).data;
	}
}

class KycProfiles extends Area {
	pages({ signal, ...query }: ListOptions<"listKycProfiles"> = {}): AsyncGenerator<readonly KycProfileRecord[]> {
		return this.listing<KycProfileRecord>("listKycProfiles", { query, signal });
	}

	list(options: ListOptions<"listKycProfiles"> = {}): AsyncGenerator<KycProfileRecord, void, undefined> {
		return items(this.pages(options));
	}

	create(body: Body<CreateKycProfile>, options: CreateOptions = {}): Promise<Answer<KycProfileRecord>> {
		return this.transport.send("createKycProfile", create(body, options));
	}

	async get(id: string, { signal }: CallOptions = {}): Promise<KycProfileRecord> {
		return (await this.transport.send("getKycProfile", { segment: id, signal })).data;
	}

	/** Changes a draft, or a profile that was rejected or has expired; `reference` alone at any time. */
	patch(id: string, body: Body<PatchKycProfile>, options: CallOptions = {}): Promise<KycProfileRecord> {
		return this.patched("patchKycProfile", { segment: id, body, signal: options.signal }, () => this.get(id, options));
	}

	/** @throws TelephonyError Conflict while a live number names it */
	delete(id: string, options: CallOptions = {}): Promise<void> {
		return this.removed("deleteKycProfile", { segment: id, ...options }, () => this.get(id, options));
	}

	/** Submits it for review, for all numbers that name it. */
	async submit(id: string, options: CreateOptions = {}): Promise<KycProfileRecord> {
		return this.acted("submitKycProfile", { segment: id, ...create(undefined, options) }, () => this.get(id, options));
	}
}

class KycDocuments extends Area {
	pages({ signal, ...query }: ListOptions<"listKycDocuments"> = {}): AsyncGenerator<readonly KycDocumentRecord[]> {
		return this.listing<KycDocumentRecord>("listKycDocuments", { query, signal });
	}

	list(options: ListOptions<"listKycDocuments"> = {}): AsyncGenerator<KycDocumentRecord, void, undefined> {
		return items(this.pages(options));
	}

	/** At most 10 MiB, in base64. */
	create(body: Body<CreateKycDocument>, options: CreateOptions = {}): Promise<Answer<KycDocumentRecord>> {
		return this.transport.send("createKycDocument", create(body, options));
	}

	async get(id: string, { signal }: CallOptions = {}): Promise<KycDocumentRecord> {
		return (await this.transport.send("getKycDocument", { segment: id, signal })).data;
	}
}
