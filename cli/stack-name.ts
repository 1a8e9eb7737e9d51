/** The stack that a reference at the service names: its project, its name and its owner. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { type Identity, isSameState, ownerName, parseUrn, stateIdentity } from "../provider/ownership/claim";
import { parseReference } from "../provider/ownership/reference";
import type { Config } from "../provider/session/config";
import { projectFiles } from "../provider/session/place";
import { type Held, isFile } from "./held";
import { UsageError } from "./usage";

export interface StackName {
	/** As references say it: `project/stack`. */
	readonly home: string;
	readonly stack: string;
	/** Whether a reference names this stack, and an owner that isn't known to be another one. */
	isNamedBy(reference: string | null | undefined): boolean;
	/** The owner in a reference, in words. */
	ownerOf(reference: string): string;
}

/** @param given a stack's name, or a file that holds its state @throws UsageError if its project is unknown */
export function stackNameOf(
	given: string,
	cwd: string,
	{ urn, ...held }: Pick<Held, "urn" | "organization">,
	{ owner, place }: Pick<Config, "owner" | "place">,
): StackName {
	if (urn === undefined && isFile(given))
		throw new UsageError("usage", `${given} holds no resources: name the stack instead.`);
	// `org/project/stack`; a shorter name leaves out the first parts.
	const [name, project, ofOrganization] = isFile(given) ? [] : given.split("/").toReversed();
	const resourceUrn = urn ?? `urn:pulumi:${name}::${project ?? projectIn(cwd)}::`;
	const organization = held.organization ?? ofOrganization;
	const [identity, earlier] = [owner, undefined].map((each) =>
		stateIdentity({ resourceUrn, organization }, { owner: each, place }),
	) as [Identity, Identity];
	const isServiceBackend = /^https?:/.test(place ?? "https:");
	const isOwnerKnown = (organization ?? owner) !== undefined || !isServiceBackend;
	return {
		home: identity.stackName,
		stack: parseUrn(resourceUrn).stack,
		isNamedBy: (text) => {
			const reference = parseReference(text);
			if (reference?.stackName !== identity.stackName) return false;
			// It may have been claimed before the stack was given a `telephony:owner`.
			return !isOwnerKnown || isSameState(identity, reference) || isSameState(earlier, reference);
		},
		ownerOf: (reference) => ownerName(reference, identity),
	};
}

/** @throws UsageError */
function projectIn(cwd: string): string {
	for (let folder = cwd; ; folder = dirname(folder)) {
		for (const file of projectFiles) {
			const name = nameIn(join(folder, file));
			if (name !== undefined) return name;
		}
		if (dirname(folder) === folder)
			throw new UsageError("engine", "there is no Pulumi project here: name its folder with --cwd.");
	}
}

function nameIn(file: string): string | undefined {
	try {
		// JSON is YAML.
		const { name } = parse(readFileSync(file, "utf8")) as { readonly name?: unknown };
		return typeof name === "string" ? name : undefined;
	} catch {
		return undefined;
	}
}
