/**
 * The `reference` that the service keeps with an object: `R.G.owner.lease~project/stack`. It has at most 64 characters,
 * all of which any text field accepts.
 */
import { hash as digest, randomBytes } from "node:crypto";

export interface Reference {
	/** The declaration: `R.G`. */
	readonly token: string;
	/** See {@link ownerOf}. */
	readonly owner: string;
	/** The write that sent it, or {@link retainedLease}. */
	readonly lease: string;
	/** `project/stack`, perhaps cut: see {@link shortStackName}. */
	readonly stackName: string;
}

/** The parts of a reference that don't change with each write. */
interface ClaimParts {
	readonly token: string;
	readonly state: string | undefined;
	/** `project/stack`, whole. */
	readonly stackName: string;
}

/** The lease of a retained object, which any stack may adopt. */
export const retainedLease = "left";

export const hash = (length: number, ...parts: readonly unknown[]) =>
	digest("sha256", JSON.stringify(parts), "base64url").slice(0, length);

const leaseLength = 6;

export const freshLease = (): string => randomBytes(leaseLength).toString("base64url").slice(0, leaseLength);

/** Returns the lease of a request that may be repeated under its key. */
export const leaseOf = (key: string): string => hash(leaseLength, key);

/** Length of the hash of a state's owner or place. The hash of a folder's path may follow it. */
export const stateLength = 16;
const ownerLength = 8;
const pathLength = ownerLength / 2;

/** Returns the owner in references. The second half of a folder's is the hash of its path. */
export function ownerOf(state: string | undefined): string {
	const path = pathOf(state);
	return (state ?? "").slice(0, ownerLength - path.length) + path;
}

/** Returns the hash of a folder's path in an owner; "" for any other state. */
export const pathOf = (state: string | undefined): string => (state ?? "").slice(stateLength).slice(0, pathLength);

/** 64 characters less the token (31), the owner, the lease, two dots and a tilde. */
const stackNameLength = 16;
const digestLength = 4;

/** Returns a stack name as references have it. A hash ends one that is too long, or has a character that isn't accepted. */
export function shortStackName(stackName: string): string {
	if (stackName.length <= stackNameLength && /^[\w./-]*$/.test(stackName)) return stackName;
	const start = stackName.replace(/[^\w./-]/g, "_").slice(0, stackNameLength - digestLength - 1);
	return `${start}#${hash(digestLength, stackName)}`;
}

/** Returns a reference's stack name for messages. A cut name ends with an ellipsis. */
export const readableStackName = (shortName: string): string => shortName.replace(/#.*$/, "…");

export const stackNameOf = ({ project, stack }: { readonly project: string; readonly stack: string }): string =>
	project === "" && stack === "" ? "" : `${project}/${stack}`;

export const formatReference = ({ token, state, stackName }: ClaimParts, lease: string): string =>
	`${token}.${ownerOf(state)}.${lease}~${shortStackName(stackName)}`;

/** Each of many creates parses the references of all numbers. */
const parsed = new Map<string, Reference | undefined>();
const mostParsed = 20_000;

/** Returns undefined for a text that isn't one of our references. */
export function parseReference(text: string | null | undefined): Reference | undefined {
	if (!text) return undefined;
	const cached = parsed.get(text);
	if (cached !== undefined || parsed.has(text)) return cached;
	if (parsed.size >= mostParsed) parsed.clear();
	const reference = parse(text);
	parsed.set(text, reference);
	return reference;
}

function parse(text: string): Reference | undefined {
	const [coded = "", stackName, ...tildes] = text.split("~");
	const [r, g, owner, lease, ...rest] = coded.split(".");
	if (!r || !g || owner === undefined || !lease || rest.length > 0) return undefined;
	return stackName === undefined || tildes.length > 0 ? undefined : { token: `${r}.${g}`, owner, lease, stackName };
}

/** The beginning of a reference, with a token in full. */
const tokenForm = /^[\w-]{22}\.[\w-]{8}(\.|$)/;

/** True for the beginning of a reference: the service has cut it. */
export const isCut = (text: string | null | undefined): boolean =>
	typeof text === "string" && tokenForm.test(text) && parseReference(text) === undefined;

/** A shorter text may be any other program's. */
const shortestCut = 12;

/** Each of many creates compares the whole list. */
const foldedTexts = new Map<string, string>();

/** The letters and digits, in lower case: a service may drop or replace any others. */
function folded(text: string): string {
	const cached = foldedTexts.get(text);
	if (cached !== undefined) return cached;
	if (foldedTexts.size >= mostParsed) foldedTexts.clear();
	const plain = text.toLowerCase().replace(/[^a-z\d]/g, "");
	foldedTexts.set(text, plain);
	return plain;
}

/** True if the service has cut the reference to this text, or shows it with other letters, blanks or signs. */
export const isCutTo = (text: string | null | undefined, reference: string): boolean =>
	typeof text === "string" &&
	folded(text).length >= shortestCut &&
	text !== reference &&
	(folded(reference).startsWith(folded(text)) || hasSameLease(text, reference));

/** True if both have one token and lease, and so differ in the name of the stack. */
function hasSameLease(first: string, second: string): boolean {
	const a = parseReference(first);
	const b = parseReference(second);
	return a !== undefined && a.token === b?.token && a.owner === b.owner && a.lease === b.lease;
}

/** True for the beginning of a reference of this declaration and owner. It doesn't tell whose lease it had. */
export function isCutFrom(text: string | null | undefined, claimed: Omit<ClaimParts, "stackName">): boolean {
	// Each of many creates compares the whole list, and most references are other declarations'.
	if (!text || !folded(text).startsWith(folded(claimed.token.slice(0, shortestCut)))) return false;
	const start = `${claimed.token}.${ownerOf(claimed.state)}.`;
	if (text.startsWith(start)) return parseReference(text) === undefined;
	return folded(text).startsWith(folded(start)) || isCutTo(text, start);
}

export const isRetained = (text: string | null | undefined): boolean => parseReference(text)?.lease === retainedLease;
