/** The stack that a reference at the service names: its project, its name and its owner. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { isSameState, parseUrn, stateIdentity } from "../provider/ownership/claim";
import { homeOf, parseReference } from "../provider/ownership/reference";
import type { Config } from "../provider/session/config";
import { projectFiles } from "../provider/session/place";
import type { Held } from "./held";
import { UsageError } from "./usage";

export interface StackName {
	/** As references say it: `project/stack`. */
	readonly home: string;
	readonly stack: string;
	/** Whether a reference names this stack, and an owner that isn't known to be another one. */
	isNamedBy(reference: string | null | undefined): boolean;
}

/** @throws UsageError if the project's name can't be found */
export function stackNameOf(
	given: string,
	cwd: string,
	{ urn, ...held }: Pick<Held, "urn" | "organization">,
	{ owner, places }: Pick<Config, "owner" | "places">,
): StackName {
	// `org/project/stack`; a shorter name leaves out the first parts.
	const [stack = given, named, ofOrganization] = given.split("/").toReversed();
	const known = urn ?? `urn:pulumi:${stack}::${named ?? projectIn(cwd)}::`;
	const resourceUrn = known.split("::").slice(0, 2).join("::");
	const home = homeOf(parseUrn(resourceUrn));
	const organization = held.organization ?? ofOrganization;
	const isKnown = organization !== undefined || owner !== undefined || !/^https?:/.test(places[0] ?? "https:");
	// A number may have been claimed before the stack was given a `telephony:owner`.
	const identities = [owner, undefined].map((each) =>
		stateIdentity({ resourceUrn, organization }, { owner: each, places }),
	);
	return {
		home,
		stack: parseUrn(resourceUrn).stack,
		isNamedBy: (text) => {
			const reference = parseReference(text);
			return reference?.home === home && (!isKnown || identities.some((each) => isSameState(each, reference)));
		},
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
