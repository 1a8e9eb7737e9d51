/** The parts of a definition that objects without a price share. */
import type { CreateOptions, ServiceResponse } from "../api/client";
import type { DriftDefinition } from "../drift/definition";
import type { Referenced } from "../ownership/claim";
import { scalar, words } from "../properties/form";
import { isSpelling } from "../properties/spelling";
import type { Outputs, Values } from "../properties/table";
import type { Service } from "../session/session";
import { isKeyed } from "../session/staleness";
import { createUnderKey, isReferenced } from "./acquire";
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

/**
 * Returns which unclaimed objects an interrupted run may have created: those with the declared value of `key`. No resource
 * of this state and no `adopt` of this program has them. References and keys show it with certainty.
 */
export const namesakes =
	<R extends Referenced>(key: string): NonNullable<Definition<R>["candidates"]> =>
	({ service, memory, definition: { properties, live: valuesOf } }, { claim, inputs, live }) => {
		if (isReferenced(service, live) || isKeyed(service)) return [];
		const adopted = memory.adopted();
		return live.filter(
			(record) =>
				!record.reference &&
				isSpelling(properties[key]?.form ?? scalar, inputs[key], valuesOf(record)[key]) &&
				!memory.isOthers(claim.token, record.id) &&
				!memory.older.has(record.id) &&
				!adopted.includes(record.id),
		);
	};

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
