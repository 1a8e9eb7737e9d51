/**
 * What the service keeps with an object as its `reference`, in at most 128 characters:
 * `R.G.state.lease.account.beside~project/stack`. Older ones are `R.G.state.lease`.
 */
import { hash as digest, randomBytes } from "node:crypto";

/** What an object carries in addition to its owner, until it ends. */
export interface Bonds {
	/** Objects with the same word were made or found together, so they are on one account. Empty if that isn't known. */
	readonly account: string;
	/** The marks of the numbers that its purchase may have left behind: see beside.ts. */
	readonly beside: string;
}

export interface Reference extends Bonds {
	/** Which declaration: `R.G`. */
	readonly token: string;
	/** Which state. */
	readonly state: string;
	/** Which write. */
	readonly lease: string;
	/** Project and stack, for people; a hash of them where they don't fit. Empty in older references. */
	readonly home: string;
}

export const noBonds: Bonds = { account: "", beside: "" };

export const hash = (length: number, ...parts: readonly unknown[]) =>
	digest("sha256", JSON.stringify(parts), "base64url").slice(0, length);

export const freshLease = (): string => randomBytes(12).toString("base64url");

/** The word for objects that are made where none of their state was found. */
export const freshAccount = (): string => randomBytes(4).toString("base64url");

/** What is left of 128 characters after all other parts at their longest. */
const homeLength = 30;

export function homeOf({ project, stack }: { readonly project: string; readonly stack: string }): string {
	const home = `${project}/${stack}`;
	if (home === "/") return "";
	return home.length > homeLength || home.includes("~") ? `#${hash(8, home)}` : home;
}

/** The length of a mark, and what has room in a reference. */
export const markLength = 4;
const marksLength = 4 * markLength;
/** Stands for every number of the same kind and stack that is older. */
export const everyMark = "*";

export const formatReference = (
	{ token, state, home }: { readonly token: string; readonly state: string | undefined; readonly home: string },
	lease: string,
	{ account, beside }: Bonds = noBonds,
): string => `${token}.${state ?? ""}.${lease}.${account}.${beside.length > marksLength ? everyMark : beside}~${home}`;

/** Each of many creates looks at the references of all numbers. */
const parsed = new Map<string, Reference | undefined>();
const mostParsed = 20_000;

export function parseReference(text: string | null | undefined): Reference | undefined {
	if (!text) return undefined;
	const known = parsed.get(text);
	if (known !== undefined || parsed.has(text)) return known;
	if (parsed.size >= mostParsed) parsed.clear();
	const reference = parse(text);
	parsed.set(text, reference);
	return reference;
}

function parse(text: string): Reference | undefined {
	const [coded = "", home = "", ...tildes] = text.split("~");
	const [r, g, state, lease, account = "", beside = "", ...rest] = coded.split(".");
	if (!r || !g || state === undefined || !lease || rest.length > 0 || tildes.length > 0) return undefined;
	return { token: `${r}.${g}`, state, lease, account, beside, home };
}
