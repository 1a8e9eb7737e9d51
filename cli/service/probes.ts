/** Everything that the check may try, with the command that tries it. */
import type { Feature, OperationName } from "../../provider/api/contract";
import { type Exchange, type Reader, resultOf } from "./exchange";
import { about, type Finding, type Subject } from "./finding";

interface Probe {
	readonly what: string;
	readonly by: "read" | "write" | "buy";
	readonly name: OperationName;
	/** A feature that it needs besides that of the operation. */
	readonly feature?: Feature;
	readonly subject?: Subject;
}

const number = { record: "number" };
const trunk = { record: "trunk" };
const webhook = { record: "webhook" };
const label = { record: "number", field: "label" };
const routing = { record: "number", field: "routing" };
const change = { by: "buy", name: "patchNumber" } as const;
const ofTrunk = { by: "write", subject: trunk } as const;
const ofWebhook = { by: "write", subject: webhook } as const;

export const probes = {
	wrongKey: { what: "a wrong key", by: "read", name: "listNumbers" },
	single: { what: "one number by its id (getById)", by: "buy", name: "getNumber" },
	unknown: { what: "a missing number", by: "read", name: "getNumber" },
	filter: { what: "filter by status (statusFilter)", by: "read", name: "listNumbers", feature: "statusFilter" },
	account: {
		what: "the key's account (account)",
		by: "read",
		name: "getAccount",
		subject: { record: "account" },
	},
	trunks: { what: "trunks", by: "read", name: "listTrunks", subject: trunk },
	webhooks: { what: "webhooks", by: "read", name: "listWebhooks", subject: webhook },
	buy: { what: "a purchase", by: "buy", name: "buyNumber" },
	replay: {
		what: "the purchase again (idempotencyKey)",
		by: "buy",
		name: "buyNumber",
		feature: "idempotencyKey",
	},
	change: { ...change, what: "a change (patchNumber)" },
	longReference: {
		...change,
		what: "number: reference of 64 characters",
		feature: "reference",
		subject: number,
	},
	longLabel: { ...change, what: "number: label of 64 characters", subject: label },
	routing: { ...change, what: "number: routing to a SIP URI", subject: routing },
	release: { what: "a release", by: "buy", name: "releaseNumber" },
	createTrunk: { ...ofTrunk, what: "trunk: create", name: "createTrunk" },
	changeTrunk: { ...ofTrunk, what: "trunk: change", name: "patchTrunk" },
	deleteTrunk: { ...ofTrunk, what: "trunk: delete", name: "deleteTrunk" },
	createWebhook: { ...ofWebhook, what: "webhook: create", name: "createWebhook" },
	changeWebhook: { ...ofWebhook, what: "webhook: change", name: "patchWebhook" },
	deleteWebhook: { ...ofWebhook, what: "webhook: delete", name: "deleteWebhook" },
} as const satisfies Record<string, Probe>;

export type ProbeName = keyof typeof probes;

/** Makes the findings of a probe. */
export function aboutProbe(name: ProbeName, assumed: string) {
	const { what, subject }: Probe = probes[name];
	return about(what, assumed, subject);
}

/** For a feature that the description or the configuration declares as absent. */
export const notOffered = (name: ProbeName): Finding => aboutProbe(name, "not offered").holds();

/** Returns the finding about an operation that failed. @param remedy names the operation's place in the description */
export function failedFinding(
	reader: Reader,
	name: ProbeName,
	exchange: Exchange,
	{ feature, remedy }: { readonly feature: Feature; readonly remedy: string },
): Finding {
	const finding = aboutProbe(name, "offered");
	return reader.lacksOperation(exchange)
		? finding.state(resultOf(exchange), { features: `-${feature}` }, `or set ${remedy}, if it is elsewhere`)
		: finding.decide(resultOf(exchange), `declare -${feature}, or set ${remedy}`);
}

/** Returns the finding about an operation that succeeded, perhaps by another request. */
export function usedFinding(probe: ProbeName, { name, doing, instead }: Exchange, assumed: string): Finding {
	if (instead === undefined) return aboutProbe(probe, doing.split(" ")[0] ?? "").holds();
	return aboutProbe(probe, assumed).state(instead, { operations: { [name]: instead } });
}

const commands = {
	read: "telephony service check",
	write: "telephony service check --write",
	buy: "telephony service check --buy NL/mobile",
} as const;

/**
 * Returns the findings about what the service may offer and the check hasn't tested.
 * @param tries the HTTP status of each probe that the service refused for its rate; undefined for a tested one
 */
export function untestedFindings({ dialect, allows }: Reader, tries: ReadonlyMap<ProbeName, number | undefined>) {
	const isLacking = ({ subject }: Probe) =>
		subject?.field !== undefined && dialect.lacks(subject.record, subject.field);
	const findings: Finding[] = [];
	for (const [name, probe] of Object.entries(probes) as [ProbeName, Probe][]) {
		const status = tries.get(name);
		const isTested = tries.has(name) && status === undefined;
		if (isTested || !allows(probe.name, probe.feature) || isLacking(probe)) continue;
		const reason = status === undefined ? "not tried" : `the service refused for its rate (HTTP ${status})`;
		findings.push(aboutProbe(name, "offered").untested(reason, commands[probe.by]));
	}
	return findings;
}
