/**
 * Claims. Every object carries a `reference` that names its declaration (token), its state and the write that sent it
 * (lease). docs/guarantees.md says what follows. The token is the same for the dynamic provider and the plugin.
 */
import type { ServiceResponse } from "../api/client";
import { isAbsent, isGone, isTelephonyError, nextStep, TelephonyError } from "../api/errors";
import type { Values } from "../properties/table";
import { formatReference, hash, parseReference, type Reference, stackNameOf } from "./reference";

export interface Identity {
	/** The declaration: `R.G`, R for its place in the program, G for its criteria. */
	readonly token: string;
	/** The state's owner; undefined if unknown, which equals nothing. For a file backend, a hash of its path follows. */
	readonly state: string | undefined;
	/** True if the service keeps references. */
	readonly kept: boolean;
	/** The stack name in references. */
	readonly stackName: string;
	/** This declaration's identity before the stack had a `telephony:owner`. */
	readonly earlier?: Identity;
}

/** A kind of resource that claims objects. */
export interface Claimant {
	/** A `member` is a number of a `pool`. */
	readonly kind: string;
	/** The criteria of a purchase; none for objects that aren't bought. */
	criteria?(inputs: Values): readonly unknown[];
}

/** The parts of the configuration that name a state's owner. */
interface OwnerSettings {
	/** `telephony:owner`. */
	readonly owner: string | undefined;
	/** Where the state is kept; undefined if unknown. */
	readonly place: string | undefined;
}

const ownerLength = 16;
const pathLength = 8;
const stateOf = (state: string | undefined) => state?.slice(0, ownerLength) ?? "";
const pathOf = (state: string | undefined) => state?.slice(ownerLength) ?? "";

/** Returns the claim of a resource, by its inputs or outputs and the configuration. @param kept true if the service keeps references */
export function identityFrom(
	{ kind, criteria }: Claimant,
	values: Values,
	{ owner, place }: OwnerSettings,
	kept = true,
): Identity {
	const urn = parseUrn(String(values.resourceUrn));
	const organization = typeof values.organization === "string" ? values.organization : undefined;
	const g = hash(8, ...(criteria?.(values) ?? []).map((each) => each ?? null));
	const stackName = stackNameOf(urn);
	const claim = (by: string | undefined): Identity => {
		const r = hash(22, organization ?? "", urn.project, urn.stack, urn.parents, kind, urn.name, by ?? "");
		const name = by ?? organization;
		const source = name ?? place;
		const path = name === undefined ? /^file:\/\/[^/]*(\/.*)/.exec(place ?? "")?.[1] : undefined;
		const state = source && hash(ownerLength, source) + (path === undefined ? "" : hash(pathLength, path));
		return { token: `${r}.${g}`, state, kept, stackName };
	};
	return owner === undefined ? claim(owner) : { ...claim(owner), earlier: claim(undefined) };
}

/** Returns the identity of a state: one without a kind. */
export const stateIdentity = (values: Values, settings: OwnerSettings): Identity =>
	identityFrom({ kind: "" }, values, settings);

/** More keys than any test run uses within a day, when keys expire. */
const mostKeys = 1000;

/** Returns the Idempotency-Key of the nth purchase for a claim. @throws TelephonyError when `counter` reaches `mostKeys` */
export function purchaseKey({ token, state }: Identity, counter: number): string {
	if (counter === mostKeys) {
		const message = `The service reports ${mostKeys} Idempotency-Keys as used, but shows no object that was bought or created with them. ${nextStep("ContractMismatch")}`;
		throw new TelephonyError("ContractMismatch", message);
	}
	return `ptel-${hash(43, token, stateOf(state), counter)}`;
}

/** Returns the part of the token without the criteria. Other generations, areas and types of a resource share it. */
export const declarationOf = ({ token }: Pick<Identity, "token">): string => token.split(".")[0] ?? "";

/** Returns the owner of an object, for messages. `claim` is the reader's own. */
export function ownerName(text: string | null | undefined, claim?: Identity): string {
	const reference = parseReference(text);
	if (reference === undefined) return `another program (its \`reference\` is ${JSON.stringify(text)})`;
	const name = reference.stackName.startsWith("#")
		? "a stack whose name is too long to keep"
		: `the stack ${reference.stackName}`;
	if (reference.stackName !== claim?.stackName) return name;
	return isSameState(claim, reference)
		? `another resource of this stack, ${reference.stackName}`
		: `${name} in another state`;
}

/** False for an unknown state, so that an object that may belong to another state is never taken. */
export const isSameState = ({ state }: Identity, reference: Pick<Reference, "state">): boolean =>
	reference.state !== "" && stateOf(state) === stateOf(reference.state);

/** True for the same path of a file backend, perhaps on another machine: on a shared disk, the same state. */
const isSamePath = ({ state }: Identity, reference: Pick<Reference, "state">): boolean =>
	pathOf(state) !== "" && pathOf(state) === pathOf(reference.state);

/** Parses `urn:pulumi:<stack>::<project>::<parent types>$<type>::<name>`. Names may contain colons. */
export function parseUrn(urn: string): { stack: string; project: string; parents: string; name: string } {
	const [stack = "", project = "", types = "", ...name] = urn.replace(/^urn:pulumi:/, "").split("::");
	const parents = types.split("$").slice(0, -1).join("$");
	return { stack, project, parents, name: name.join("::") };
}

export interface Referenced {
	readonly id: string;
	readonly reference?: string | null | undefined;
	readonly created_at?: string | null | undefined;
	readonly updated_at?: string | null | undefined;
}

const fixes: Readonly<Record<string, string>> = {
	number:
		"For one stack on several machines, name the number in `adopt` and set one `telephony:owner` everywhere. For two stacks, give each its own `telephony:owner`. After a taint, run `pulumi state untaint`.",
	other:
		"For one stack on several machines, set one `telephony:owner` everywhere. For two stacks, give each its own `telephony:owner`.",
};

/**
 * Returns the live object that already belongs to this declaration: an earlier run made it, but couldn't save it.
 * @throws TelephonyError Claimed if its owner is unclear
 */
export function findOurs<T extends Referenced>(
	claim: Identity,
	live: readonly T[],
	noun: string,
	describe: (record: T) => string,
): T | undefined {
	const claims = live.flatMap((record) => {
		// Parsing is slow, and each of many creates searches the whole list.
		if (!record.reference?.startsWith(claim.token)) return [];
		const reference = parseReference(record.reference);
		return reference?.token === claim.token ? [{ record, reference }] : [];
	});
	const mine = claims.filter(({ reference }) => isSameState(claim, reference));
	if (mine.length > 1) {
		throw new TelephonyError(
			"Claimed",
			`Several ${noun}s on the account belong to this resource: ${mine.map(({ record }) => describe(record)).join(", ")}. Nothing was changed. Release all but one in the service's dashboard, then run \`pulumi up\` again.`,
			{ messageCode: "duplicate" },
		);
	}
	const foreign = claims.find(({ reference }) => !isSameState(claim, reference));
	if (mine.length === 0 && foreign !== undefined) {
		throw new TelephonyError(
			"Claimed",
			`The ${noun} ${describe(foreign.record)} belongs to the resource of this name in ${ownerName(foreign.record.reference, claim)}. Nothing was bought or changed. ${fixes[noun] ?? fixes.other}`,
			{ messageCode: "another-state" },
		);
	}
	return mine[0]?.record ?? boughtBefore(claim, live);
}

/** Returns the object that this stack made before it had a `telephony:owner`. */
function boughtBefore<T extends Referenced>({ earlier }: Identity, live: readonly T[]): T | undefined {
	if (earlier === undefined) return undefined;
	return live.find((record) => {
		const reference = parseReference(record.reference);
		return reference?.token === earlier.token && (isSameState(earlier, reference) || isSamePath(earlier, reference));
	});
}

const isOlder = (a: Referenced, b: Referenced): boolean =>
	Date.parse(a.updated_at ?? "") < Date.parse(b.updated_at ?? "");

/** Reads a listed object again. Returns undefined if another declaration has claimed it, which the list doesn't show yet. */
export async function stillOurs<T extends Referenced>(listed: T, get: () => Promise<T>): Promise<T | undefined> {
	try {
		const record = await get();
		const [current, before] = [record, listed].map(({ reference }) => parseReference(reference)?.token);
		if (!record.reference || current === before) return record;
		return isOlder(record, listed) ? listed : undefined;
	} catch (error) {
		if (isAbsent(error)) return listed;
		throw error;
	}
}

export interface Creation<T extends Referenced> {
	/** Every live object of the kind. */
	readonly live: readonly T[];
	readonly noun: string;
	describe(record: T): string;
	/** True if another resource of this run holds the object: it was renamed, and its old name is declared again. */
	isOthers(id: string): boolean;
	create(reference: string, idempotencyKey: string): Promise<ServiceResponse<T>>;
	/** Reads an object that an earlier response has shown. */
	get(made: T): Promise<T>;
}

export interface Created<T> {
	readonly record: T;
	/** "" for a resumed object, which isn't claimed yet. */
	readonly lease: string;
	/** The response that made the object, with its secret; absent for a resumed object. */
	readonly answer?: T;
}

/**
 * Creates an object that costs nothing, such as a trunk, once. The creation sends the reference. Its lease follows from
 * the key, so that a repeated request is the same request.
 */
export async function createClaimed<T extends Referenced>(claim: Identity, creation: Creation<T>): Promise<Created<T>> {
	const ours = findOurs(claim, creation.live, creation.noun, creation.describe);
	if (ours !== undefined) {
		const record = await stillOurs(ours, () => creation.get(ours));
		if (record !== undefined && !creation.isOthers(record.id)) return { record, lease: "" };
	}
	for (let counter = 0; ; counter++) {
		const created = await createUnder(purchaseKey(claim, counter), claim, creation);
		if (created !== undefined) return created;
	}
}

/** Creates the object under this Idempotency-Key. Returns undefined if the key is used up. */
async function createUnder<T extends Referenced>(
	key: string,
	claim: Identity,
	{ create, get, isOthers }: Creation<T>,
): Promise<Created<T> | undefined> {
	const lease = hash(16, key);
	try {
		const { data: answer, replayed } = await create(formatReference(claim, lease), key);
		if (!replayed) return { record: answer, lease, answer };
		const record = await get(answer);
		if (isOthers(answer.id)) return undefined;
		if (record.reference === undefined) return { record, lease, answer };
		const reference = parseReference(record.reference);
		// A read may lag behind a later write, so the object is claimed again.
		if (reference?.lease === lease) return { record, lease: "", answer };
		// This declaration has written it since, which the list doesn't show yet. Any other reference is another owner's.
		return reference?.token === claim.token && isSameState(claim, reference) ? { record, lease: "" } : undefined;
	} catch (error) {
		if (isSpent(error)) return undefined;
		throw error;
	}
}

/** True if the key's object is deleted, or the key was used for another request or a refused one. */
const isSpent = (error: unknown): boolean =>
	isTelephonyError(error) && (isGone(error) || error.replayed === true || error.errorCode === "idempotency_key_reused");
