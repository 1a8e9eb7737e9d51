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
	/** How to put back a lost object. */
	readonly way: string;
	/** Outputs that the provider keeps for itself, besides the claim. */
	readonly kept?: readonly string[];
}

/** The drift of such an object. While `adopt` names a lost object, no new one can be created. */
export const configuredDrift = <R extends Referenced>(
	{ properties, secret, waitsIf, condition, lost: consequence }: Definition<R>,
	{ outputs, way, kept = [] }: ReportedDrift,
): DriftDefinition => ({
	properties,
	...(secret && { secret }),
	outputs,
	kept: ["token", "lease", "spellings", ...kept],
	waitsIf,
	condition,
	lost: ({ adopt }) =>
		adopt === undefined
			? { consequence, way }
			: {
					consequence: `${consequence} after you remove \`adopt\`, which names the lost one`,
					way: `remove \`adopt\` from the program, then ${way}`,
				},
});
