/** Brings papers to the account, each once by its content, and tells which of them an object has. */
import type { Client } from "../api/client";
import { isTelephonyError, TelephonyError } from "../api/errors";
import { patienceMs } from "../api/until";
import type { Run, WriteTarget } from "../lifecycle/definition";
import type { Identity, Referenced } from "../ownership/claim";
import { hash } from "../ownership/reference";
import { isUnset, sameDeclaration, scalar, setOf } from "../properties/form";
import type { Values } from "../properties/table";
import { isKeyed } from "../session/staleness";
import { documentOf } from "./files";
import { type Paper, papersIn, type Uploaded } from "./properties";

/** An object that papers are handed in with. */
export interface WithPapers extends Referenced {
	readonly document_ids?: readonly string[] | undefined;
}

/** What a write has to do with the papers. */
interface HandedIn {
	/** What the request sends of them; nothing if the object has them already. */
	readonly body: Values;
	/** What the entry keeps: all that it has ever uploaded. */
	readonly kept: { readonly uploaded: readonly Uploaded[] };
}

/** Uploads the declared papers that the account lacks. @throws TelephonyError; what was uploaded before is found again */
export async function handInDocuments<R extends WithPapers>(
	run: Pick<Run<R>, "session" | "service">,
	{ claim, olds, news }: Pick<WriteTarget<R>, "claim" | "olds" | "news">,
	record: R,
): Promise<HandedIn> {
	const known = uploadedIn(olds);
	const isDropped = isUnset(news.documents);
	if (isDropped && isUnset(olds.documents)) return { body: {}, kept: { uploaded: known } };
	const uploaded: Uploaded[] = [];
	// One at a time: each is held in memory as a whole.
	for (const paper of papersIn(news)) {
		const own = known.find((each) => isSame(each, paper));
		uploaded.push({ ...paper, id: own?.id ?? (await idOnAccount(run, claim, paper)) });
	}
	const ids = uploaded.map(({ id }) => id);
	const isThere = record.document_ids !== undefined && sameDeclaration(setOf(scalar), record.document_ids, ids);
	return {
		body: isThere ? {} : { document_ids: ids },
		kept: { uploaded: [...uploaded, ...known.filter(({ id }) => !ids.includes(id))] },
	};
}

/** What an entry's outputs say of papers: the papers of the object, as the program knows them. */
export function documentOutputs({ document_ids: live }: WithPapers, entry: Values): Values {
	const uploaded = uploadedIn(entry);
	const known = uploaded.filter(({ id }) => live?.includes(id));
	const knownIds = known.map(({ id }) => id);
	const others = (live ?? []).filter((id) => !knownIds.includes(id));
	const shown = [...known.map(({ id: _, ...paper }) => paper), ...others.map((id) => ({ kind: "unknown", file: id }))];
	const isShown = live !== undefined && !isUnset(entry.documents);
	return {
		...(isShown ? { documents: shown } : {}),
		documentIds: live === undefined ? uploaded.map(({ id }) => id) : [...knownIds, ...others],
		...(uploaded.length === 0 ? {} : { uploaded }),
	};
}

const uploadedIn = ({ uploaded }: Values): readonly Uploaded[] =>
	Array.isArray(uploaded) ? (uploaded as readonly Uploaded[]) : [];

const isSame = (one: Pick<Paper, "kind" | "sha256">, other: Paper): boolean =>
	one.kind === other.kind && one.sha256 === other.sha256;

// ---- The account ----------------------------------------------------------------------------------------------------

type Listed = Promise<ReadonlyMap<string, string>>;

/** By kind and content, the documents of the account: as a list has shown them, and as this process has uploaded them. */
interface AccountDocuments {
	readonly listed: Listed;
	/** Another look, where only a list shows what a killed run has uploaded: it may lag. */
	again?: Listed;
	readonly made: Map<string, Promise<string>>;
}

const seen = new WeakMap<Client, AccountDocuments>();

const keyOf = ({ kind, sha256 }: { readonly kind?: string | undefined; readonly sha256?: string | undefined }) =>
	`${kind} ${sha256}`;

type Uploading = Pick<Run<Referenced>, "session" | "service">;

/** Another resource may have the same paper, and is uploading it right now. */
async function idOnAccount(run: Uploading, claim: Identity, paper: Paper): Promise<string> {
	const { client } = run.service;
	const known: AccountDocuments = seen.get(client) ?? { listed: listed(client), made: new Map() };
	seen.set(client, known);
	const id = await found(client, known, paper);
	if (id !== undefined) return id;
	const key = keyOf(paper);
	const making = known.made.get(key) ?? uploadOnce(run, claim, known, paper);
	known.made.set(key, making);
	return making.catch((error: unknown) => {
		known.made.delete(key);
		throw error;
	});
}

/** Under a key, the service itself tells of an earlier upload. */
async function uploadOnce(run: Uploading, claim: Identity, known: AccountDocuments, paper: Paper): Promise<string> {
	const { session, service } = run;
	if (!isKeyed(service)) {
		known.again ??= session.clock
			.sleep(patienceMs, session.ending)
			.then(() => listed(service.client))
			.catch((error: unknown) => {
				delete known.again;
				throw error;
			});
		const id = (await known.again).get(keyOf(paper));
		if (id !== undefined) return id;
	}
	return upload(run, claim, paper);
}

async function found(client: Client, known: AccountDocuments, paper: Paper): Promise<string | undefined> {
	try {
		return (await known.listed).get(keyOf(paper));
	} catch (error) {
		// The next paper asks for the list again.
		if (seen.get(client) === known) seen.delete(client);
		throw error;
	}
}

async function listed({ kyc }: Client): Promise<ReadonlyMap<string, string>> {
	const ids = new Map<string, string>();
	for await (const { id, kind, sha256 } of kyc.documents.list())
		if (sha256 !== undefined) ids.set(keyOf({ kind, sha256: sha256.toLowerCase() }), id);
	return ids;
}

async function upload({ session, service }: Uploading, claim: Identity, paper: Paper): Promise<string> {
	const body = documentOf(session.cwd, paper);
	const idempotencyKey = `ptel-${hash(43, claim.state ?? claim.token, keyOf(paper), body.filename)}`;
	const { data } = await service.client.kyc.documents.create(body, { idempotencyKey }).catch((error: unknown) => {
		if (!isTelephonyError(error)) throw error;
		throw new TelephonyError(error.kind, `${paper.file} was not uploaded: ${error.message}`, { cause: error });
	});
	if (data.sha256 === undefined || data.sha256.toLowerCase() === paper.sha256) return data.id;
	throw new TelephonyError(
		"ContractMismatch",
		`${paper.file} arrived damaged: the service reports the SHA-256 ${data.sha256} for document ${data.id}. Run again. If it fails again, contact the service's support.`,
	);
}
