/**
 * Claims. Every object carries a `reference` that names its declaration (token), its state and the write that sent it
 * (lease). docs/guarantees.md says what follows. The token is the same for the dynamic provider and the plugin.
 */
import { TelephonyError } from "../api/errors";
import { urnOf, type Values } from "../properties/table";
import {
	hash,
	isCut,
	isCutFrom,
	ownerOf,
	parseReference,
	pathOf,
	type Reference,
	readableStackName,
	shortStackName,
	stackNameOf,
	stateLength,
} from "./reference";

export interface Identity {
	/** The declaration: `R.G`, R for its place in the program, G for its criteria. */
	readonly token: string;
	/** The state's owner; undefined if unknown, which equals nothing. For a file backend, a hash of its path follows. */
	readonly state: string | undefined;
	/** True if the service keeps references. */
	readonly kept: boolean;
	/** The whole stack name. References have it cut. */
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

/** Returns the claim of a resource, by its inputs or outputs and the configuration. @param kept true if the service keeps references */
export function identityFrom(
	{ kind, criteria }: Claimant,
	values: Values,
	{ owner, place }: OwnerSettings,
	kept = true,
): Identity {
	const urn = parseUrn(urnOf(values));
	const organization = typeof values.organization === "string" ? values.organization : undefined;
	const g = hash(8, ...(criteria?.(values) ?? []).map((value) => value ?? null));
	const stackName = stackNameOf(urn);
	const claim = (by: string | undefined): Identity => {
		const r = hash(22, organization ?? "", urn.project, urn.stack, urn.parents, kind, urn.name, by ?? "");
		const name = by ?? organization;
		const source = name ?? place;
		const path = name === undefined ? /^file:\/\/[^/]*(\/.*)/.exec(place ?? "")?.[1] : undefined;
		const state = source && hash(stateLength, source) + (path === undefined ? "" : hash(8, path));
		return { token: `${r}.${g}`, state, kept, stackName };
	};
	return owner === undefined ? claim(owner) : { ...claim(owner), earlier: claim(undefined) };
}

/** Returns the identity of a state: one without a kind. @param kept true if the service keeps references */
export const stateIdentity = (values: Values, settings: OwnerSettings, kept = true): Identity =>
	identityFrom({ kind: "" }, values, settings, kept);

/** More keys than any test run uses within a day, when keys expire. */
const mostKeys = 1000;

/** Returns the Idempotency-Key of the nth purchase for a claim. @throws TelephonyError when `counter` reaches `mostKeys` */
export function purchaseKey({ token, state }: Identity, counter: number): string {
	if (counter === mostKeys) {
		const message = `The service reports ${mostKeys} Idempotency-Keys as used, but shows no object that was bought or created with them. Nothing was bought or created. Contact the service's support.`;
		throw new TelephonyError("ContractMismatch", message);
	}
	return `ptel-${hash(43, token, (state ?? "").slice(0, stateLength), counter)}`;
}

/** Returns the part of the token without the criteria. Other generations, areas and types of a resource share it. */
export const declarationOf = ({ token }: Pick<Identity, "token">): string => token.split(".")[0] ?? "";

/** Returns the owner of an object, for messages. `claim` is the reader's own. */
export function ownerName(text: string | null | undefined, claim?: Identity): string {
	const reference = parseReference(text);
	if (isCut(text)) return `a stack whose \`reference\` the service has cut to ${JSON.stringify(text)}`;
	if (reference === undefined) return `another program (its \`reference\` is ${JSON.stringify(text)})`;
	if (claim === undefined || !isSameStack(claim, reference))
		return `the stack ${readableStackName(reference.stackName)}`;
	return isSameState(claim, reference)
		? `another resource of this stack, ${claim.stackName}`
		: `the stack ${claim.stackName} in another state`;
}

/** True if the reference names the claim's stack. Two states may have stacks of the same name. */
export const isSameStack = ({ stackName }: Identity, reference: Pick<Reference, "stackName">): boolean =>
	reference.stackName === shortStackName(stackName);

/** False for an unknown state, so that an object that may belong to another state is never taken. */
export const isSameState = ({ state }: Identity, reference: Pick<Reference, "owner">): boolean =>
	reference.owner !== "" && ownerOf(state) === reference.owner;

/** True for the same path of a file backend, perhaps on another machine: on a shared disk, the same state. */
const isSamePath = ({ state }: Identity, reference: Pick<Reference, "owner">): boolean =>
	pathOf(state) !== "" && reference.owner.endsWith(pathOf(state));

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

/** The live objects that belong to a declaration. */
export interface Claims<T> {
	/** The objects of this declaration: an earlier run made them, but couldn't save them. */
	readonly claimed: readonly T[];
	/** An object of the declaration of this name in another state. */
	readonly foreign?: T | undefined;
}

/** Finds the live objects whose reference names this declaration. */
export function findClaims<T extends Referenced>(claim: Identity, live: readonly T[]): Claims<T> {
	const claimed: T[] = [];
	let foreign: T | undefined;
	for (const record of live) {
		if (isCutFrom(record.reference, claim)) claimed.push(record);
		// Parsing is slow, and each of many creates searches the whole list.
		const reference = record.reference?.startsWith(claim.token) ? parseReference(record.reference) : undefined;
		if (reference?.token !== claim.token) continue;
		if (isSameState(claim, reference)) claimed.push(record);
		else foreign ??= record;
	}
	const earlier = claimed.length === 0 && foreign === undefined ? boughtBefore(claim, live) : undefined;
	return { claimed: earlier === undefined ? claimed : [earlier], foreign };
}

/** Returns the object that this stack made before it had a `telephony:owner`. */
function boughtBefore<T extends Referenced>({ earlier }: Identity, live: readonly T[]): T | undefined {
	if (earlier === undefined) return undefined;
	return live.find((record) => {
		const reference = parseReference(record.reference);
		return reference?.token === earlier.token && (isSameState(earlier, reference) || isSamePath(earlier, reference));
	});
}
