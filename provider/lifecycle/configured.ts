/** The parts of a definition that objects without a price share. */
import type { Client, CreateOptions, ServiceResponse } from "../api/client";
import { isDeleted } from "../api/record";
import type { DriftDefinition } from "../drift/definition";
import type { Referenced } from "../ownership/claim";
import { words } from "../properties/form";
import { liveOutputs, liveValues, type Outputs, type Properties, type Values } from "../properties/table";
import type { SharedReads } from "../reads/reads";
import type { Kind } from "../session/kinds";
import { createUnderKey } from "./acquire";
import { adoptsAnother } from "./adopt";
import type { Definition } from "./definition";

/** A kind's part of the client. */
interface Requests<R> {
	get(id: string): Promise<R>;
	create(body: never, options: CreateOptions): Promise<ServiceResponse<R>>;
	patch(id: string, body: never): Promise<R>;
}

interface Tables {
	readonly properties: Properties;
	readonly outputs: Outputs;
}

/** Returns the definition of objects that are made by one request with all their values, as far as the tables decide it. */
export const configured = <R extends Referenced>(
	noun: Kind,
	{ properties, outputs }: Tables,
	requestsOf: (client: Client) => Requests<R>,
) =>
	({
		noun,
		source: { kind: noun },
		properties,
		operations: ({ client, reads }) => ({
			reads: reads[noun] as unknown as SharedReads<R>,
			get: (id) => requestsOf(client).get(id),
			patch: (id, body) => requestsOf(client).patch(id, body as never),
		}),
		live: (record) => liveValues(properties, record as Values),
		computed: (record) => liveOutputs(outputs, record as Values),
		ended: (record) => (isDeleted(record as Values) ? "deleted" : undefined),
		verbs: { make: "create", made: "created", end: "delete", ended: "deleted" },
		replaces: (changed, _olds, news, id) =>
			changed.filter((key) => key === "adopt" && adoptsAnother(words, id, [], news)),
		make: (run, request) =>
			createUnderKey(run, request, ({ client }, body, options) => requestsOf(client).create(body as never, options)),
	}) satisfies Partial<Definition<R>>;

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
