/** Turns the engine's events into the drift report, the most important resources first. */
import { codeOf } from "../../provider/api/message-codes";
import { type Drift, type DriftKind, driftOf, type Observation, type Part } from "../../provider/drift/definition";
import type { Severity, Values } from "../../provider/properties/table";
import { driftDefinition } from "../../provider/resources";
import { type EngineEvent, findTelephonyType, nameIn, type ResourceState, withoutSecrets } from "../engine/events";
import type { SavedResource } from "../engine/state";
import type { Origin } from "../report/model";

/** A resource of the stack as the engine has read it, drifted or not. */
export interface ReadResource extends Observation {
	readonly urn: string;
	/** The last part of its token, such as `Number`. */
	readonly type: string;
	/** The full token, such as `pulumi-nodejs:dynamic/telephony:Number`. */
	readonly token: string;
	readonly id: string;
	readonly e164?: string | undefined;
	/** Place in the program, such as `index.ts:12`, if its language reports it. */
	readonly position?: string | undefined;
}

/** A resource in `--json`. */
export interface DriftedResource extends Drift {
	readonly name: string;
	readonly type: string;
	readonly id: string;
	readonly e164?: string | undefined;
	readonly position?: string | undefined;
}

/** The JSON of `--json`. */
export interface DriftReport extends Origin {
	readonly stack: string;
	/** Number of telephony resources; each number of a pool counts. */
	readonly total: number;
	/** Number of resources with drift; waiting ones don't count. */
	readonly drifted: number;
	readonly resources: readonly DriftedResource[];
}

/** Returns every telephony resource that the engine has read. @param state adds what only the state has */
export function resourcesIn(events: readonly EngineEvent[], state: readonly SavedResource[] = []): ReadResource[] {
	const saved = new Map(state.map((resource) => [resource.urn, resource]));
	const warnings = warningsByUrn(events);
	return events.flatMap(({ resOutputsEvent }): ReadResource[] => {
		if (resOutputsEvent === undefined) return [];
		const { op, urn, type: token, old, new: live } = resOutputsEvent.metadata;
		const type = findTelephonyType(token);
		if (type === undefined || old == null || !isDeclared(old)) return [];
		const declared = valuesOf(old);
		const texts = warnings.get(urn) ?? [];
		return [
			{
				urn,
				token,
				type,
				name: nameIn(urn),
				id: old.id ?? "",
				e164: e164In(declared.outputs),
				position: positionIn(saved.get(urn)?.sourcePosition),
				ignored: saved.get(urn)?.ignoreChanges ?? [],
				declared,
				live: op === "delete" || live == null ? undefined : valuesOf(live),
				differs: op !== "same" && op !== "refresh",
				codes: texts.map(codeOf),
				warnings: texts,
			},
		];
	});
}

function warningsByUrn(events: readonly EngineEvent[]): ReadonlyMap<string, readonly string[]> {
	const warnings = new Map<string, string[]>();
	for (const { diagnosticEvent } of events) {
		if (diagnosticEvent?.severity !== "warning" || !diagnosticEvent.urn) continue;
		const { urn, message } = diagnosticEvent;
		warnings.set(urn, [...(warnings.get(urn) ?? []), message.trim()]);
	}
	return warnings;
}

/** False for a resource that is only looked up, and for one that a replacement left. */
const isDeclared = (old: ResourceState) => old.delete !== true && old.external !== true;

const valuesOf = ({ inputs, outputs }: ResourceState) => ({
	inputs: withoutSecrets(inputs ?? {}) as Values,
	outputs: withoutSecrets(outputs ?? {}) as Values,
});

const e164In = ({ phoneNumber }: Values) => (typeof phoneNumber === "string" ? phoneNumber : undefined);

/** `project:///src/index.ts#12,3` is `src/index.ts:12`. For a program in YAML, the engine reports its own Go module. */
export function positionIn(source: string | undefined): string | undefined {
	const [, file, line] = /^project:\/{3}(.+)#(\d+)(?:,\d+)?$/.exec(source ?? "") ?? [];
	if (file === undefined || /@v\d/.test(file)) return undefined;
	try {
		return `${decodeURIComponent(file)}:${line}`;
	} catch {
		return `${file}:${line}`;
	}
}

const severities: readonly Severity[] = ["high", "medium", "low"];
export const kinds: readonly DriftKind[] = ["deleted", "problem", "changed", "waiting"];

const rank = ({ severity, kind, type, name, id }: DriftedResource): string =>
	[kind === "waiting" ? 1 : 0, severities.indexOf(severity), kinds.indexOf(kind), type, name, id].join(" ");

export function driftReport(read: readonly ReadResource[], stack: string, origin: Origin): DriftReport {
	const resources = read.flatMap(driftedResources).sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
	const total = read.reduce((sum, resource) => sum + Math.max(1, partsOf(resource).length), 0);
	return { stack, ...origin, total, drifted: resources.filter(isDrift).length, resources };
}

/** Returns a row for each object of the resource that differs. */
function driftedResources(read: ReadResource): DriftedResource[] {
	const definition = driftDefinition(read.type);
	const { name, token: type, id, e164, position } = read;
	const parts = partsOf(read).flatMap((part) => driftedParts(type, part).map((drifted) => ({ ...drifted, position })));
	if (parts.length > 0) return parts;
	const drift = definition && driftOf(definition, read);
	return drift === undefined ? [] : [{ name, type, id, e164, position, ...drift }];
}

/** A deleted resource is reported as a whole. */
const partsOf = (read: ReadResource): readonly Part[] =>
	read.live === undefined ? [] : (driftDefinition(read.type)?.parts?.(read) ?? []);

function driftedParts(type: string, { id, definition, seen, accept }: Part): DriftedResource[] {
	const drift = driftOf(definition, seen);
	if (drift === undefined) return [];
	const fixes = drift.fixes.map((fix) => (fix.code === "accept" ? { ...fix, text: accept } : fix));
	return [{ name: seen.name, type, id, e164: e164In(seen.declared.outputs), ...drift, fixes }];
}

const isDrift = ({ kind }: DriftedResource): boolean => kind !== "waiting";

export const countOf = ({ resources }: DriftReport, kind: DriftKind): number =>
	resources.filter((resource) => resource.kind === kind).length;

/** Levels of `--fail-on`: each includes the next one. */
export const failLevels = ["changed", "deleted", "replace"] as const;
export type FailLevel = (typeof failLevels)[number];

/** True for any drift, for deleted objects, or for deleted objects that must be bought again. */
export function hasFailed({ resources }: DriftReport, level: FailLevel): boolean {
	if (level === "changed") return resources.some(isDrift);
	return level === "deleted"
		? resources.some(({ kind }) => kind === "deleted")
		: resources.some(({ repair }) => repair === "buy");
}
