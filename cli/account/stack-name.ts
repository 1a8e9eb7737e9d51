/** The stack that a reference at the service names. */
import { isSameStack, isSameState, ownerName, parseUrn, stateIdentity } from "../../provider/ownership/claim";
import { parseReference, type Reference } from "../../provider/ownership/reference";
import type { Config } from "../../provider/session/config";
import { findProject } from "../engine/project";
import { isFile, partsOf } from "../engine/state";
import { UsageError } from "../report/usage";
import type { StackState } from "./holdings";

export interface StackName {
	/** `project/stack`. */
	readonly stackName: string;
	readonly stack: string;
	/** True if a reference names this stack and its owner. */
	isNamedBy(reference: string | null | undefined): boolean;
	/** True if a reference names a stack of this name that has another owner, as far as the command knows the owner. */
	isNamesake(reference: string | null | undefined): boolean;
	/** Describes the owner in a reference. */
	ownerOf(reference: string): string;
}

/** @param given a stack's name, or a file that holds its state @throws UsageError if its project is unknown */
export function stackNameOf(
	given: string,
	cwd: string,
	state: Pick<StackState, "urn" | "organization">,
	{ owner, place }: Pick<Config, "owner" | "place">,
): StackName {
	if (state.urn === undefined && isFile(given, cwd))
		throw new UsageError("usage", `${given} holds no resources: name the stack instead.`);
	const parts = partsOf(given);
	// All stacks of a backend of one's own are in this one.
	const namedOrganization =
		isFile(given, cwd) || parts.organization === "organization" ? undefined : parts.organization;
	const __resourceUrn = state.urn ?? `urn:pulumi:${parts.name}::${parts.project ?? projectIn(cwd)}::`;
	const organization = state.organization ?? namedOrganization;
	const identityWith = (stateOwner: string | undefined) =>
		stateIdentity({ __resourceUrn, organization }, { owner: stateOwner, place });
	const identity = identityWith(owner);
	// Claims may be older than the stack's `telephony:owner`.
	const withoutOwner = identityWith(undefined);
	const hasOwner = (reference: Reference) => isSameState(identity, reference) || isSameState(withoutOwner, reference);
	const named = (text: string | null | undefined): Reference | undefined => {
		const reference = parseReference(text);
		return reference !== undefined && isSameStack(identity, reference) ? reference : undefined;
	};
	return {
		stackName: identity.stackName,
		stack: parseUrn(__resourceUrn).stack,
		isNamedBy: (text) => {
			const reference = named(text);
			return reference !== undefined && hasOwner(reference);
		},
		isNamesake: (text) => {
			const reference = named(text);
			return reference !== undefined && !hasOwner(reference);
		},
		ownerOf: (reference) => ownerName(reference, identity),
	};
}

/** @throws UsageError if neither the folder nor a parent has a project */
function projectIn(cwd: string): string {
	const name = findProject(cwd);
	if (name === undefined)
		throw new UsageError("engine", "there is no Pulumi project here: name its folder with --cwd.");
	return name;
}
