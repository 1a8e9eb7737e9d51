/** The write of an object that is submitted with documents: it uploads each once, changes the object, and submits it. */
import type { Client } from "../api/client";
import { isTelephonyError, TelephonyError } from "../api/errors";
import { isWhole, notApplied, shownAfterWrite } from "../lifecycle/confirm";
import type { Run, WriteTarget } from "../lifecycle/definition";
import type { Write } from "../lifecycle/write";
import type { Identity, Referenced } from "../ownership/claim";
import { hash } from "../ownership/reference";
import { compareTimes } from "../properties/canonical";
import { isUnset, sameDeclaration, scalar, setOf } from "../properties/form";
import type { Values } from "../properties/table";
import { documentOf } from "./files";
import { type Document, documentsIn, type UploadedDocument } from "./properties";

/** An object that documents belong to. */
export interface WithDocuments extends Referenced {
	readonly document_ids?: readonly string[] | undefined;
	readonly status?: string | null | undefined;
	/** The time of the last submission. */
	readonly submitted_at?: string | null | undefined;
}

interface Submission<R> {
	/** True for a draft, which every write submits. */
	isDraft(record: R): boolean;
	/** True if the service rejected the object: a write that corrects it submits it again. */
	isRejected(record: R): boolean;
	submit(record: R): Promise<R>;
}

export async function writeAndSubmit<R extends WithDocuments>(
	run: Run<R>,
	write: Write<R>,
	target: WriteTarget<R>,
	{ isDraft, isRejected, submit }: Submission<R>,
): Promise<void> {
	const { olds, start } = target;
	const { uploaded, unsubmitted } = olds;
	write.kept = { uploaded, unsubmitted };
	const upload = await uploadDocuments(run, target, start);
	// Stays in the state if the correction fails before it is submitted.
	write.kept = { uploaded: upload.uploaded, unsubmitted: true };
	try {
		const isCorrected = (await write.send(upload.body)) || unsubmitted === true;
		if (isDraft(write.record) || (isCorrected && isRejected(write.record)))
			await write.request(() => submitConfirmed(run, write, { isDraft, isRejected, submit }), { completes: true });
		write.kept = { uploaded: upload.uploaded };
	} finally {
		run.operations.reads.wrote(start.id, write.record);
	}
}

/** Submits the object. @throws TelephonyError if the service still shows a draft, or the rejection from before */
async function submitConfirmed<R extends WithDocuments>(
	{ session, operations, definition }: Run<R>,
	write: Write<R>,
	{ isDraft, isRejected, submit }: Submission<R>,
): Promise<void> {
	const before = write.record;
	const response = await submit(before);
	// A service that shows no status shows no draft either.
	const isSubmitted = (record: R) => record.status === undefined || !isDraft(record);
	// A rejection is the earlier one, unless the service still shows it once it must show the submission.
	const isShown = (record: R) => isSubmitted(record) && !isRejected(record);
	const read = () => operations.reads.readCurrent(response.id);
	const whole = isWhole(response, write.record) ? response : undefined;
	write.record = await shownAfterWrite(session, { response: whole, read, isShown });
	const isEarlier = isRejected(write.record) && compareTimes(write.record.submitted_at, before.submitted_at) === 0;
	if (isSubmitted(write.record) && !isEarlier) return;
	const name = `the ${definition.noun} ${definition.nameOf(write.record)}`;
	throw notApplied(name, [{ property: "status", declared: "submitted", live: write.record.status }]);
}

interface Upload {
	/** The part of the request that attaches the documents; empty if the object has them already. */
	readonly body: Values;
	/** All documents that this resource has ever uploaded. */
	readonly uploaded: readonly UploadedDocument[];
}

/** Uploads the declared documents that the account lacks. @throws TelephonyError; the next run finds earlier uploads */
export async function uploadDocuments<R extends WithDocuments>(
	run: Pick<Run<R>, "session" | "service">,
	{ claim, olds, news }: Pick<WriteTarget<R>, "claim" | "olds" | "news">,
	record: R,
): Promise<Upload> {
	const earlier = uploadedIn(olds);
	if (isUnset(news.documents) && isUnset(olds.documents)) return { body: {}, uploaded: earlier };
	const declared = new Map<string, UploadedDocument>();
	// One at a time: each is held in memory as a whole.
	for (const document of documentsIn(news)) {
		const id = idIn(earlier, document) ?? (await idOnAccount(run, claim, document));
		declared.set(id, { ...document, id });
	}
	const ids = [...declared.keys()];
	// Of a service that doesn't show them, the state knows what the last write has attached.
	const attached = record.document_ids ?? documentsIn(olds).flatMap((document) => idIn(earlier, document) ?? []);
	const isAttached = sameDeclaration(setOf(scalar), attached, ids);
	return {
		body: isAttached ? {} : { document_ids: ids },
		uploaded: [...declared.values(), ...earlier.filter(({ id }) => !ids.includes(id))],
	};
}

/** The outputs about documents and their submission. `state` holds the declared ones and all that were uploaded. */
export function submissionOutputs({ document_ids: live }: WithDocuments, state: Values, isRejected: boolean): Values {
	const uploaded = uploadedIn(state);
	const attached = uploaded.filter(({ id }) => live?.includes(id));
	const attachedIds = attached.map(({ id }) => id);
	const others = (live ?? []).filter((id) => !attachedIds.includes(id));
	const documents = [
		...attached.map(({ id: _, ...document }) => document),
		...others.map((id) => ({ kind: "unknown", file: id })),
	];
	const isShown = live !== undefined && !isUnset(state.documents);
	return {
		...(isShown ? { documents } : {}),
		documentIds: live === undefined ? uploaded.map(({ id }) => id) : [...attachedIds, ...others],
		...(uploaded.length === 0 ? {} : { uploaded }),
		...(isRejected && state.unsubmitted === true ? { unsubmitted: true } : {}),
	};
}

const uploadedIn = ({ uploaded }: Values): readonly UploadedDocument[] =>
	Array.isArray(uploaded) ? (uploaded as readonly UploadedDocument[]) : [];

const idIn = (uploads: readonly UploadedDocument[], document: Document): string | undefined =>
	uploads.find((uploaded) => keyOf(uploaded) === keyOf(document))?.id;

const keyOf = ({ kind, sha256 }: { readonly kind?: string | undefined; readonly sha256?: string | undefined }) =>
	`${kind} ${sha256}`;

type Ids = Map<string, Promise<string>>;

/** Ids of an account's documents by kind and content: those that its list shows, and uploads of this process. */
const accounts = new WeakMap<Client, Promise<Ids>>();

async function listed({ kyc }: Client): Promise<Ids> {
	const ids: Ids = new Map();
	try {
		for await (const { id, kind, sha256 } of kyc.documents.list())
			if (sha256 !== undefined) ids.set(keyOf({ kind, sha256: sha256.toLowerCase() }), Promise.resolve(id));
	} catch (error) {
		// Without a list, the state alone knows which documents were uploaded.
		if (!isTelephonyError(error, "NotOffered")) throw error;
	}
	return ids;
}

type Uploading = Pick<Run<Referenced>, "session" | "service">;

/** Resources with the same document share one upload. */
async function idOnAccount(run: Uploading, claim: Identity, document: Document): Promise<string> {
	const { client } = run.service;
	const listing = accounts.get(client) ?? listed(client);
	accounts.set(client, listing);
	const ids = await listing.catch((error: unknown) => {
		accounts.delete(client);
		throw error;
	});
	const key = keyOf(document);
	const id = ids.get(key) ?? upload(run, claim, document);
	ids.set(key, id);
	return id.catch((error: unknown) => {
		ids.delete(key);
		throw error;
	});
}

async function upload({ session, service }: Uploading, claim: Identity, document: Document): Promise<string> {
	const body = documentOf(session.cwd, document);
	const idempotencyKey = `ptel-${hash(43, claim.state ?? claim.token, keyOf(document), body.filename)}`;
	const { data } = await service.client.kyc.documents.create(body, { idempotencyKey }).catch((error: unknown) => {
		if (!isTelephonyError(error)) throw error;
		throw new TelephonyError(error.kind, `${document.file} was not uploaded: ${error.message}`, { cause: error });
	});
	if (data.sha256 === undefined || data.sha256.toLowerCase() === document.sha256) return data.id;
	throw new TelephonyError(
		"ContractMismatch",
		`${document.file} arrived damaged: the service reports the SHA-256 ${data.sha256} for document ${data.id}. Run again. If it fails again, contact the service's support.`,
	);
}
