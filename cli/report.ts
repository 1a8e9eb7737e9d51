/** Turns the engine's events into a report: the drift, the most important first. */

import { type Drift, type DriftKind, driftOf, type Observation, type Part } from "../provider/drift/definition";
import { masked } from "../provider/properties/display";
import type { Severity, Values } from "../provider/properties/table";
import { driftDefinition } from "../provider/resources";
import { type Declaration, type EngineEvent, nameIn, type ResourceState } from "./engine";
import type { Origin } from "./origin";

/** A resource of the stack, drifted or not. */
export interface Seen extends Observation {
	readonly urn: string;
	/** The last part of its token, such as `Number`. */
	readonly type: string;
	/** The full token, such as `pulumi-nodejs:dynamic/telephony:Number`. */
	readonly token: string;
	readonly id: string;
	readonly e164?: string;
	/** Where the program declares it, such as `index.ts:12`, if its language says so. */
	readonly position?: string;
}

/** A resource in `--json`. */
export interface Entry extends Drift {
	readonly name: string;
	readonly type: string;
	readonly id: string;
	readonly e164?: string;
	readonly position?: string;
}

/** The JSON of `--json`. */
export interface Report extends Origin {
	readonly stack: string;
	/** Telephony resources of the stack; each number of a pool counts. */
	readonly total: number;
	/** Resources with drift. Waiting ones don't count. */
	readonly drifted: number;
	readonly resources: readonly Entry[];
}

const telephonyType = /(?:^pulumi-nodejs:dynamic\/telephony:|^telephony:index:)(\w+)$/;
/** Marks a value that the engine hides; fixed by its protocol. */
const signature = "4dabf18193072939515e22adb298388d";

type Declarations = ReadonlyMap<string, Declaration>;
const undeclared: Declaration = { ignored: [] };

/** Every telephony resource of the stack that the engine has read. */
export function seenIn(events: readonly EngineEvent[], declared: Declarations = new Map()): Seen[] {
	const warnings = new Map<string, string[]>();
	for (const { diagnosticEvent } of events) {
		if (diagnosticEvent?.severity !== "warning" || !diagnosticEvent.urn) continue;
		const said = warnings.get(diagnosticEvent.urn) ?? [];
		warnings.set(diagnosticEvent.urn, [...said, diagnosticEvent.message.trim()]);
	}
	return events.flatMap(({ resOutputsEvent }) => {
		if (resOutputsEvent === undefined) return [];
		const { op, urn, type: token, old, new: live } = resOutputsEvent.metadata;
		const type = telephonyType.exec(token)?.[1];
		if (type === undefined || old == null || !isDeclared(old)) return [];
		const known = sideOf(old);
		const { phoneNumber } = known.outputs;
		return [
			{
				urn,
				token,
				type,
				name: nameIn(urn),
				id: old.id ?? "",
				...(typeof phoneNumber === "string" ? { e164: phoneNumber } : {}),
				...(declared.get(urn) ?? undeclared),
				declared: known,
				live: op === "delete" || live == null ? undefined : sideOf(live),
				differs: op !== "same" && op !== "refresh",
				warnings: warnings.get(urn) ?? [],
			},
		];
	});
}

/** A resource that is only looked up may change freely, and one that a replacement left is no longer declared. */
const isDeclared = (old: ResourceState) => old.delete !== true && old.external !== true;

const sideOf = ({ inputs, outputs }: ResourceState) => ({
	inputs: withoutSecrets(inputs ?? {}) as Values,
	outputs: withoutSecrets(outputs ?? {}) as Values,
});

/** With a word in the place of each secret. */
export function withoutSecrets(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutSecrets);
	if (typeof value !== "object" || value === null) return value;
	if (signature in value) return masked;
	return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutSecrets(item)]));
}

const severities: readonly Severity[] = ["high", "medium", "low"];
export const kinds: readonly DriftKind[] = ["missing", "problem", "changed", "waiting"];

const rank = ({ severity, kind, type, name, id }: Entry): string =>
	[kind === "waiting" ? 1 : 0, severities.indexOf(severity), kinds.indexOf(kind), type, name, id].join(" ");

export function reportOf(seen: readonly Seen[], stack: string, origin: Origin): Report {
	const resources = seen.flatMap(entriesOf).sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
	const total = seen.reduce((sum, each) => sum + Math.max(1, partsOf(each).length), 0);
	return { stack, ...origin, total, drifted: resources.filter(isDrift).length, resources };
}

/** The entries of a resource: one for each object that it stands for. */
function entriesOf(each: Seen): Entry[] {
	const definition = driftDefinition(each.type);
	const { name, token: type, id, e164, position } = each;
	const place = position === undefined ? {} : { position };
	const parts = partsOf(each).flatMap((part) => partEntries(type, part).map((entry) => ({ ...entry, ...place })));
	if (parts.length > 0) return parts;
	const drift = definition && driftOf(definition, each);
	return drift === undefined ? [] : [{ name, type, id, ...(e164 === undefined ? {} : { e164 }), ...place, ...drift }];
}

/** If nothing of it is left, the resource is reported as a whole. */
const partsOf = (seen: Seen): readonly Part[] =>
	seen.live === undefined ? [] : (driftDefinition(seen.type)?.parts?.(seen) ?? []);

function partEntries(type: string, { id, definition, seen, takeOver }: Part): Entry[] {
	const drift = driftOf(definition, seen);
	if (drift === undefined) return [];
	const { phoneNumber } = seen.declared.outputs;
	const ways = drift.ways.map((way) => (way.startsWith("accept it") ? takeOver : way));
	return [
		{ name: seen.name, type, id, ...(typeof phoneNumber === "string" ? { e164: phoneNumber } : {}), ...drift, ways },
	];
}

const isDrift = ({ kind }: Entry): boolean => kind !== "waiting";

export const countOf = ({ resources }: Report, kind: DriftKind): number =>
	resources.filter((entry) => entry.kind === kind).length;

/** `drift: 2 of 14 resources (1 changed, 1 missing), stack prod`. */
export function headline(report: Report): string {
	const counts = (["changed", "missing", "problem", "waiting"] as const)
		.map((kind) => [countOf(report, kind), kind] as const)
		.filter(([count]) => count > 0)
		.map(([count, kind]) => `${count} ${kind}`);
	const nouns = report.total === 1 ? "resource" : "resources";
	return `drift: ${report.drifted} of ${report.total} ${nouns}${counts.length === 0 ? "" : ` (${counts.join(", ")})`}, stack ${report.stack}`;
}

/** `account https://api.example.com/v1 · owner acme · 2026-11-22T06:00:00Z`: the second line of every report. */
export const originOf = ({ account, owner, at }: Origin): string =>
	[`account ${account ?? "unknown"}`, ...(owner === undefined ? [] : [`owner ${owner}`]), at].join(" · ");

/** The first question if nothing of a stack is left; otherwise undefined. */
export function suspicion({ total, resources }: Report): string | undefined {
	// An activation has nothing at the service that could be missing.
	const none = resources.every(({ kind, type }) => kind === "missing" || shortType(type) === "Activation");
	return total > 1 && resources.length === total && none
		? "Nothing of this stack is on the account. Do the API key and the address belong to the account that the stack was made on? If they do, `pulumi up --refresh` buys everything again."
		: undefined;
}

/** What makes a run fail: each level includes the next one. */
export const failLevels = ["changed", "missing", "replace"] as const;
export type FailLevel = (typeof failLevels)[number];

/** Whether `--fail-on` applies: to any drift, to lost objects, or to objects that only a purchase puts back. */
export function fails({ resources }: Report, level: FailLevel): boolean {
	switch (level) {
		case "changed":
			return resources.some(isDrift);
		case "missing":
			return resources.some(({ kind }) => kind === "missing");
		case "replace":
			return resources.some(
				({ kind, type }) => kind === "missing" && driftDefinition(shortType(type))?.isBought === true,
			);
	}
}

export const shortType = (token: string): string => telephonyType.exec(token)?.[1] ?? token;

/** On one line, without characters that could control a terminal. */
export const printable = (text: string): string =>
	text
		.trim()
		.replace(/\s+/g, " ")
		.replace(/[\p{Cc}\p{Cf}]/gu, "?");
