/** Everything that the check may test, with the command that tests it. */
import type { Feature, OperationName } from "../../provider/api/contract";
import { about, type Finding } from "./finding";

export interface Probe {
	readonly what: string;
	readonly by: "read" | "write" | "buy";
	readonly name: OperationName;
	/** A feature that it needs besides that of the operation. */
	readonly feature?: Feature;
	/** The property of a number that it changes. */
	readonly property?: string;
}

const change = { by: "buy", name: "patchNumber" } as const;

export const probes = {
	single: { what: "one number by its id (getById)", by: "buy", name: "getNumber" },
	missing: { what: "a missing number", by: "read", name: "getNumber" },
	filter: { what: "filter by status (statusFilter)", by: "read", name: "listNumbers", feature: "statusFilter" },
	trunks: { what: "trunks", by: "read", name: "listTrunks" },
	webhooks: { what: "webhooks", by: "read", name: "listWebhooks" },
	buy: { what: "a purchase", by: "buy", name: "buyNumber" },
	replay: { what: "the purchase again (idempotencyKey)", by: "buy", name: "buyNumber", feature: "idempotencyKey" },
	label: { ...change, what: "number: change of the label", property: "label" },
	reference: { ...change, what: "number: change of the reference", feature: "reference", property: "reference" },
	routing: { ...change, what: "number: change of the routing", property: "routing" },
	release: { what: "a release", by: "buy", name: "releaseNumber" },
	createTrunk: { what: "trunk: create", by: "write", name: "createTrunk" },
	changeTrunk: { what: "trunk: change", by: "write", name: "patchTrunk" },
	deleteTrunk: { what: "trunk: delete", by: "write", name: "deleteTrunk" },
	createWebhook: { what: "webhook: create", by: "write", name: "createWebhook" },
	changeWebhook: { what: "webhook: change", by: "write", name: "patchWebhook" },
	deleteWebhook: { what: "webhook: delete", by: "write", name: "deleteWebhook" },
} as const satisfies Record<string, Probe>;

export type ProbeName = keyof typeof probes;

/** Makes the findings of a probe. */
export const aboutProbe = (name: ProbeName, assumed: string) => about(probes[name].what, assumed);

const commands = {
	read: "telephony service check",
	write: "telephony service check --write",
	buy: "telephony service check --buy NL/mobile",
} as const;

/**
 * Returns the findings about what the service may offer and the check hasn't tested.
 * @param tries the HTTP status of each probe that the service refused for its rate; undefined for a tested one
 */
export function untestedFindings(
	isOffered: (probe: Probe) => boolean,
	tries: ReadonlyMap<ProbeName, number | undefined>,
): Finding[] {
	const findings: Finding[] = [];
	for (const [name, probe] of Object.entries(probes) as [ProbeName, Probe][]) {
		const status = tries.get(name);
		const isTested = tries.has(name) && status === undefined;
		if (isTested || !isOffered(probe)) continue;
		const reason = status === undefined ? "not tried" : `the service refused for its rate (HTTP ${status})`;
		findings.push(aboutProbe(name, "offered").untested(reason, commands[probe.by]));
	}
	return findings;
}
