/**
 * Who owns an object. Every object carries a `reference`, which says which declaration it belongs to (token), in which
 * state, and which write it is from (lease). docs/guarantees.md says what follows.
 *
 * The token doesn't depend on the front, so that moving from the dynamic resource to the plugin keeps the number.
 */
import type { ServiceResponse } from "../api/client";
import { isAbsent, isGone, isTelephonyError, nextStep, TelephonyError } from "../api/errors";
import type { Values } from "../properties/table";
import { formatReference, hash, homeOf, parseReference, type Reference } from "./reference";

export interface Identity {
	/** Which declaration: `R.G`, R for its place in the program, G for what it asks for. */
	readonly token: string;
	/** Which state; undefined if unknown, which equals nothing. For a file backend, a hash of its path follows. */
	readonly state: string | undefined;
	/** The same state as older versions named it: recognised, but never written. */
	readonly olderStates: readonly string[];
	/** Whether the service keeps references at all. */
	readonly kept: boolean;
	/** Project and stack, as references say them. */
	readonly home: string;
	/** The same declaration before it was given a `telephony:owner`. */
	readonly earlier?: Identity;
}

/** What claims objects: a kind of resource. */
export interface Claimant {
	/** A `member` is a number of a `pool`. */
	readonly kind: string;
	/** What a new object would be bought by; none for objects that are only configured. */
	criteria?(inputs: Values): readonly unknown[];
}

export interface IdentitySource extends Pick<Claimant, "kind"> {
	/** Inputs or outputs: both hold `resourceUrn`, and `organization` if it is a real one. */
	readonly values: Values;
	/** What a new object would be bought by; none for objects that are only configured. */
	readonly criteria?: readonly unknown[];
	/** `telephony:owner`. */
	readonly owner: string | undefined;
	/** Where the state is kept, the canonical spelling first; empty if that isn't known. */
	readonly places: readonly string[];
	/** Whether the service keeps references. Default true. */
	readonly kept?: boolean;
}

const whoLength = 16;
const kinLength = 8;
const stateOf = (state: string | undefined) => state?.slice(0, whoLength) ?? "";
const kinOf = (state: string | undefined) => state?.slice(whoLength) ?? "";

const criteriaHash = (criteria: readonly unknown[]): string => hash(8, ...criteria.map((each) => each ?? null));

/** The claim of a resource, by its inputs or outputs and the configuration. */
export const identityFrom = (
	{ kind, criteria }: Claimant,
	values: Values,
	{ owner, places }: Pick<IdentitySource, "owner" | "places">,
	kept = true,
): Identity => identityOf({ kind, values, criteria: criteria?.(values) ?? [], owner, places, kept });

/** The state that an object's reference must name to be of the same state: an identity without a kind. */
export const stateIdentity = (values: Values, { owner, places }: Pick<IdentitySource, "owner" | "places">): Identity =>
	identityOf({ kind: "", values, owner, places });

export function identityOf({ kind, values, criteria = [], owner, places, kept = true }: IdentitySource): Identity {
	const urn = parseUrn(String(values.resourceUrn));
	const organization = typeof values.organization === "string" ? values.organization : undefined;
	const g = criteriaHash(criteria);
	const home = homeOf(urn);
	const claim = (by: string | undefined): Identity => {
		const r = hash(22, organization ?? "", urn.project, urn.stack, urn.parents, kind, urn.name, by ?? "");
		const name = by ?? organization;
		const [state, ...olderStates] = (name === undefined ? places : [name]).map((source) => hash(whoLength, source));
		const path = name === undefined ? /^file:\/\/[^/]*(\/.*)/.exec(places[0] ?? "")?.[1] : undefined;
		const kin = path === undefined ? "" : hash(kinLength, path);
		return { token: `${r}.${g}`, state: state === undefined ? undefined : state + kin, olderStates, kept, home };
	};
	return owner === undefined ? claim(owner) : { ...claim(owner), earlier: claim(undefined) };
}

/** More keys than any test run uses up within the day that a key lives. */
const mostKeys = 1000;

/** The Idempotency-Key of the nth purchase for a claim. @throws TelephonyError when `counter` reaches `mostKeys` */
export function purchaseKey({ token, state }: Identity, counter: number): string {
	if (counter === mostKeys) {
		const message = `The service reports ${mostKeys} Idempotency-Keys as used, but shows no object that was bought or created with them. ${nextStep("ContractMismatch")}`;
		throw new TelephonyError("ContractMismatch", message);
	}
	return `ptel-${hash(43, token, stateOf(state), counter)}`;
}

/** The declaration without its criteria: another generation, area or type of the same resource shares it. */
export const declarationOf = ({ token }: Pick<Identity, "token">): string => token.split(".")[0] ?? "";

/** Who has an object, in words. `claim` is of the resource that asks, if one does. */
export function ownerName(text: string | null | undefined, claim?: Identity): string {
	const reference = parseReference(text);
	if (reference === undefined) return `another program (its \`reference\` is ${JSON.stringify(text)})`;
	const name = reference.home.startsWith("#")
		? "a stack whose name is too long to keep"
		: `the stack ${reference.home}`;
	if (reference.home !== claim?.home) return name;
	return isSameState(claim, reference) ? `this stack, ${reference.home}` : `${name} in another state`;
}

/** An unknown state equals nothing, so that an object that may be somebody else's is never taken. */
export const isSameState = ({ state, olderStates }: Identity, reference: Pick<Reference, "state">): boolean =>
	reference.state !== "" && [stateOf(state), ...olderStates].includes(stateOf(reference.state));

/** The same path of a file backend, perhaps on another machine: on a shared disk, the same state. */
const isSamePath = ({ state }: Identity, reference: Pick<Reference, "state">): boolean =>
	kinOf(state) !== "" && kinOf(state) === kinOf(reference.state);

/** `urn:pulumi:<stack>::<project>::<parent types>$<type>::<name>`; names may contain colons. */
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

const waysOut: Readonly<Record<string, string>> = {
	number:
		"For one stack on several machines, name the number in `adopt` and set one `telephony:owner` everywhere. For two stacks, give each its own `telephony:owner`. After a taint, run `pulumi state untaint`.",
	other:
		"For one stack on several machines, set one `telephony:owner` everywhere. For two stacks, give each its own `telephony:owner`.",
};

/**
 * The live object that already belongs to this declaration, to be taken over: an earlier run bought it, but couldn't
 * save it. @throws TelephonyError Claimed if it isn't clear who owns it
 */
export function findOurs<T extends Referenced>(
	claim: Identity,
	live: readonly T[],
	noun: string,
	describe: (record: T) => string,
): T | undefined {
	const claims = live.flatMap((record) => {
		// Most are others', and each of many creates looks at all.
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
			`The ${noun} ${describe(foreign.record)} belongs to the resource of this name in ${ownerName(foreign.record.reference, claim)}. Nothing was bought or changed. ${waysOut[noun] ?? waysOut.other}`,
			{ messageCode: "another-state" },
		);
	}
	return mine[0]?.record ?? boughtBefore(claim, live);
}

/** What this stack bought before it was given a `telephony:owner`. */
function boughtBefore<T extends Referenced>({ earlier }: Identity, live: readonly T[]): T | undefined {
	if (earlier === undefined) return undefined;
	return live.find((record) => {
		const reference = parseReference(record.reference);
		return reference?.token === earlier.token && (isSameState(earlier, reference) || isSamePath(earlier, reference));
	});
}

/** A single read may lag as well. */
const isOlder = (one: Referenced, other: Referenced): boolean =>
	Date.parse(one.updated_at ?? "") < Date.parse(other.updated_at ?? "");

/** As it is now; undefined if it is another declaration's or somebody else's by now, which the list doesn't show yet. */
export async function stillOurs<T extends Referenced>(listed: T, get: () => Promise<T>): Promise<T | undefined> {
	try {
		const record = await get();
		const [now, before] = [record, listed].map(({ reference }) => parseReference(reference)?.token);
		if (!record.reference || now === before) return record;
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
	/** Whether another entry of this state holds it, under another name. */
	isHeldByAnother(id: string): Promise<boolean>;
	create(reference: string, idempotencyKey: string): Promise<ServiceResponse<T>>;
	/** Reads what an earlier answer made, as it is now. */
	get(made: T): Promise<T>;
	/** As the answer to a write shows it, where reads may still show what has ended; undefined if it has. */
	claimed?(found: T): Promise<T | undefined>;
}

export interface Created<T> {
	readonly record: T;
	/** "" for an object that was taken over, as it isn't claimed yet. */
	readonly lease: string;
	/** The answer that made it, with what is shown only once; absent for one that was taken over. */
	readonly answer?: T;
}

/** How something is created once. */
interface Once<T> {
	/** What an earlier run created; undefined if there is none. */
	find(): Promise<T | undefined>;
	/** Creates it under this Idempotency-Key; undefined if the key is spent, so that the next is due. */
	post(key: string): Promise<T | undefined>;
}

export async function createOnce<T>(claim: Identity, { find, post }: Once<T>): Promise<T> {
	let created = await find();
	for (let counter = 0; created === undefined; counter++) created = await post(purchaseKey(claim, counter));
	return created;
}

/**
 * Creates an object that costs nothing (a trunk, a webhook) once. The reference is sent with the creation, and its
 * lease is derived from the key, so that a repeated request is the same request.
 */
export function createClaimed<T extends Referenced>(claim: Identity, creation: Creation<T>): Promise<Created<T>> {
	const find = async (): Promise<Created<T> | undefined> => {
		const ours = findOurs(claim, creation.live, creation.noun, creation.describe);
		if (ours === undefined || (await creation.isHeldByAnother(ours.id))) return undefined;
		return takenOver(await stillOurs(ours, () => creation.get(ours)), creation);
	};
	return createOnce(claim, { find, post: (key) => createUnder(key, claim, creation) });
}

async function takenOver<T extends Referenced>(
	found: T | undefined,
	{ claimed = async (each) => each }: Creation<T>,
): Promise<Created<T> | undefined> {
	const record = found && (await claimed(found));
	return record && { record, lease: "" };
}

async function createUnder<T extends Referenced>(
	key: string,
	claim: Identity,
	creation: Creation<T>,
): Promise<Created<T> | undefined> {
	const { create, get, isHeldByAnother } = creation;
	const lease = hash(16, key);
	try {
		const { data: answer, replayed } = await create(formatReference(claim, lease), key);
		if (!replayed) return { record: answer, lease, answer };
		if (await isHeldByAnother(answer.id)) return undefined;
		const record = await get(answer);
		if (record.reference === undefined) return { record, lease, answer };
		const reference = parseReference(record.reference);
		// The read may lag behind a later write, so the object is claimed again.
		if (reference?.lease === lease) {
			const taken = await takenOver(record, creation);
			return taken && { ...taken, answer };
		}
		// Written since by this very declaration, which the list doesn't show yet. Otherwise it has another owner.
		const isOurs = reference?.token === claim.token && isSameState(claim, reference);
		return isOurs ? await takenOver(record, creation) : undefined;
	} catch (error) {
		if (isSpent(error)) return undefined;
		throw error;
	}
}

/** What the key made is gone, or it was used for another request or a refused one. */
const isSpent = (error: unknown): boolean =>
	isTelephonyError(error) && (isGone(error) || error.replayed === true || error.errorCode === "idempotency_key_reused");
