/**
 * The `reference` that the service keeps with an object, in at most 128 characters:
 * `R.G.owner.lease~project/stack`.
 */
import { hash as digest, randomBytes } from "node:crypto";

export interface Reference {
	/** The declaration: `R.G`. */
	readonly token: string;
	readonly state: string;
	/** The write that sent it, or {@link leftLease}. */
	readonly lease: string;
	/** `project/stack`; a hash if it doesn't fit. */
	readonly stackName: string;
}

/** The lease of an object that its stack has left on the account, for any stack to adopt. */
export const leftLease = "left";

export const hash = (length: number, ...parts: readonly unknown[]) =>
	digest("sha256", JSON.stringify(parts), "base64url").slice(0, length);

export const freshLease = (): string => randomBytes(12).toString("base64url");

/** 128 characters less the other parts at their longest. */
const stackNameLength = 54;

export function stackNameOf({ project, stack }: { readonly project: string; readonly stack: string }): string {
	const stackName = `${project}/${stack}`;
	if (stackName === "/") return "";
	return stackName.length > stackNameLength || stackName.includes("~") ? `#${hash(8, stackName)}` : stackName;
}

export const formatReference = (
	{
		token,
		state,
		stackName,
	}: { readonly token: string; readonly state: string | undefined; readonly stackName: string },
	lease: string,
): string => `${token}.${state ?? ""}.${lease}~${stackName}`;

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
	const [r, g, state, lease, ...rest] = coded.split(".");
	if (!r || !g || state === undefined || !lease || rest.length > 0) return undefined;
	return stackName === undefined || tildes.length > 0 ? undefined : { token: `${r}.${g}`, state, lease, stackName };
}

export const isLeft = (text: string | null | undefined): boolean => parseReference(text)?.lease === leftLease;
