/** The parts of a definition that objects without a price share. */
import type { CreateOptions, ServiceResponse } from "../api/client";
import type { DriftDefinition } from "../drift/definition";
import type { Referenced } from "../ownership/claim";
import { words } from "../properties/form";
import type { Outputs, Values } from "../properties/table";
import type { Service } from "../session/session";
import { createUnderKey } from "./acquire";
import { adoptsAnother } from "./adopt";
import type { Definition } from "./definition";

/** Returns how objects are made by one request that carries all their values. */
export const configured = <R extends Referenced>(
	create: (service: Service, body: Values, options: CreateOptions) => Promise<ServiceResponse<R>>,
): Pick<Definition<R>, "verbs" | "replaces" | "make"> => ({
	verbs: { make: "create", made: "created", end: "delete", ended: "deleted" },
	replaces: (changed, _olds, news, id) =>
		changed.filter((key) => key === "adopt" && adoptsAnother(words, id, [], news)),
	make: (run, request) => createUnderKey(run, request, create),
});

interface ReportedDrift {
	readonly outputs: Outputs;
	/** How to restore a deleted object. */
	readonly fix: string;
	/** Outputs that the provider keeps for itself, besides the claim. */
	readonly kept?: readonly string[];
}

/** The drift of such an object. While `adopt` names a deleted object, no new one can be created. */
export const configuredDrift = <R extends Referenced>(
	{ properties, secret, waitsIf, condition, ifDeleted: consequence }: Definition<R>,
	{ outputs, fix, kept = [] }: ReportedDrift,
): DriftDefinition => ({
	properties,
	...(secret && { secret }),
	outputs,
	kept: ["token", "lease", "spellings", ...kept],
	waitsIf,
	condition,
	ifDeleted: ({ adopt }) =>
		adopt === undefined
			? { consequence, fix }
			: {
					consequence: `${consequence} after you remove \`adopt\`, which names the deleted one`,
					fix: `remove \`adopt\` from the program, then ${fix}`,
				},
});
