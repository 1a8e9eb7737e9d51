/**
 * Describes the difference between a state and the service: its severity, its consequence, and how to fix it. Pure: the
 * engine has compared already.
 */

import { handOverSteps } from "../api/errors";
import { at, defined, mapLeaves } from "../api/json";
import { codeOf, type MessageCode } from "../api/message-codes";
import { losses } from "../ownership/ownership";
import { code, masked, named, shortenedValue } from "../properties/display";
import { openIn } from "../properties/open";
import {
	failuresOf,
	type Outputs,
	type Properties,
	type Severity,
	unknownValue,
	type Values,
} from "../properties/table";
import {
	type Change,
	type Comparable,
	changesOf,
	hiddenChanges,
	isIgnored,
	maskedLive,
	type ResourceValues,
} from "./changes";
import { type Condition, changeOf, conditionText, type Fix } from "./condition";
import type { Standing } from "./states";

/** changed: a property differs. deleted: removed outside Pulumi. waiting: pending, no drift. problem: Pulumi can't fix it. */
export type DriftKind = "changed" | "deleted" | "waiting" | "problem";

/** update: in place. buy, create: another object. none: nothing to repair. manual: Pulumi can't repair it. */
export type Repair = "update" | "buy" | "create" | "none" | "manual";

export interface Drift {
	readonly kind: DriftKind;
	/** The cause, if docs/troubleshooting.md has an entry for it. */
	readonly code?: MessageCode;
	readonly severity: Severity;
	readonly changes: readonly Change[];
	readonly repair: Repair;
	/** The repair in words. */
	readonly consequence: string;
	/** Without `accept` if the program doesn't declare what differs. */
	readonly fixes: readonly Fix[];
}

export interface DriftDefinition extends Comparable, Standing {
	readonly outputs: Outputs;
	/** Outputs that only the provider reads. */
	readonly kept: readonly string[];
	/** True if another one costs money. */
	readonly isBought?: boolean;
	/** The consequence of replacing a deleted object, and how to do it. */
	ifDeleted(declared: Values): { readonly consequence: string; readonly fix: string };
	/** Paths of outputs that show a difference by themselves. */
	drifted?(outputs: Values): readonly string[];
	/** The objects that one resource stands for, each with a drift of its own. */
	parts?(seen: Observation): readonly Part[];
}

/** One object of a resource that stands for many. */
export interface Part {
	readonly id: string;
	readonly definition: DriftDefinition;
	readonly seen: Observation;
	/** The fix `accept`: how to declare it as a resource of its own. */
	readonly accept: string;
}

/** One resource after the engine's refresh, with secrets masked. */
export interface Observation {
	readonly name: string;
	/** The state: the program's values of the last `up`. */
	readonly declared: ResourceValues;
	/** The result of a read; absent if the object is deleted. */
	readonly live?: ResourceValues | undefined;
	/** True if the next `up` would update it. */
	readonly differs: boolean;
	/** The codes of the read's warnings. */
	readonly codes: readonly (MessageCode | undefined)[];
	/** The read's warnings that concern this resource alone. */
	readonly warnings: readonly string[];
	/** The paths that the program has under `ignoreChanges`. */
	readonly ignored: readonly string[];
}

const severities: readonly Severity[] = ["low", "medium", "high"];

/** Describes the drift of a resource; undefined if there is none. */
export function driftOf(definition: DriftDefinition, seen: Observation): Drift | undefined {
	if (seen.live === undefined) return deleted(seen, definition);
	const live = { ...seen.live, inputs: maskedLive(definition, seen.declared, seen.live.inputs) };
	const observed = { ...seen, live };
	const condition = definition.condition?.(live.outputs) ?? foreign(observed);
	const changes = seen.differs ? changesOf(definition, observed, seen.ignored) : [];
	const { isDirty, unapplied } = openIn(live.outputs);
	if (condition?.kind === "problem") return conditional(condition, changes);
	if (changes.length === 0 && unapplied.length > 0) return notApplied(observed, definition, unapplied);
	if (condition && changes.length === 0) return conditional(condition, changes);
	if (changes.length > 0) return changed(observed, definition, changes);
	const hidden = seen.differs && !isIgnored(definition, observed) ? hiddenChanges(definition, observed) : undefined;
	if (isDirty && !hidden?.length) return unfinished;
	return hidden && changed(observed, definition, hidden);
}

function conditional(condition: Condition, changes: readonly Change[]): Drift {
	const { kind, code, fixes } = condition;
	const isProblem = kind === "problem";
	return {
		kind,
		...(code && { code }),
		severity: isProblem ? "high" : "low",
		changes: [...changes, changeOf(condition)].map(shortened),
		repair: isProblem ? "manual" : "none",
		consequence: `${isProblem ? "needs you" : "nothing to repair"}: ${conditionText(condition)}`,
		fixes,
	};
}

const unfinished: Drift = {
	kind: "waiting",
	severity: "low",
	changes: [],
	repair: "none",
	consequence: "nothing to repair: the last `pulumi up` did not finish this resource",
	fixes: [{ code: "finish", text: "`pulumi up` continues where the last run stopped" }],
};

function deleted({ name, declared, codes }: Observation, definition: DriftDefinition): Drift {
	const { consequence, fix } = definition.ifDeleted(declared.inputs);
	const { phoneNumber, status } = declared.outputs;
	const subject = typeof phoneNumber === "string" ? `${named(name)} (${phoneNumber})` : named(name);
	const loss = Object.values(losses).find(({ code }) => codes.includes(code));
	const isFinal = loss === losses.ported_out || loss === losses.failed;
	return {
		kind: "deleted",
		...(loss && { code: loss.code }),
		severity: "high",
		changes: [{ path: "status", declared: status ?? "there", live: loss?.word ?? "deleted" }],
		repair: definition.isBought ? "buy" : "create",
		consequence,
		fixes: [
			{ code: "restore", text: isFinal ? `\`pulumi up --refresh\` ${consequence}` : fix },
			{ code: "accept", text: `remove ${subject} from the program, then \`pulumi up --refresh\`` },
		],
	};
}

function foreign({ codes, warnings }: Observation): Condition | undefined {
	if (!codes.includes("claimed")) return undefined;
	return {
		kind: "problem",
		code: "claimed",
		goal: "this stack's",
		change: { path: "reference", declared: "this stack's", live: "another stack's" },
		status: warnings.find((text) => codeOf(text) === "claimed") ?? "another stack has claimed it",
		fixes: [
			{ code: "restore", text: handOverSteps },
			{ code: "accept", text: "remove it from this program; the object is kept" },
		],
	};
}

function changed(observed: Observation, { properties, secret }: DriftDefinition, changes: readonly Change[]): Drift {
	const isSecret = ({ path }: Change) => path === secret?.marker || path === secret?.output;
	const severity = changes
		.map((change) => (isSecret(change) ? "high" : (properties[keyOf(change)]?.severity ?? "medium")))
		.reduce((worst, next) => (severities.indexOf(next) > severities.indexOf(worst) ? next : worst), "low");
	const isDeclared = secret?.declared?.(observed.declared.inputs) !== undefined;
	const renewed = changes.some(isSecret) && !isDeclared ? secret?.output : undefined;
	const beyond = beyondLimits(properties, changes, observed.live?.inputs ?? {});
	const fixes: Fix[] = [
		{ code: "restore", text: `\`pulumi up --refresh\` ${restoring(properties, changes, renewed)}` },
	];
	const accept = accepting(observed, properties, changes);
	if (accept !== undefined) fixes.push({ code: "accept", text: accept });
	return {
		kind: "changed",
		severity,
		changes: changes.map(shortened),
		repair: "update",
		consequence: `in place${renewed === undefined ? "" : `, with a new ${renewed}`}${beyond.length === 0 ? "" : `; the live value is beyond the provider's limits: ${beyond.join("; ")}`}`,
		fixes,
	};
}

/** Describes a change that the last run sent, and that the service accepted without carrying it out. */
function notApplied(observed: Observation, definition: DriftDefinition, paths: readonly string[]): Drift {
	const changes = paths.map((path) => ({ path, live: at(observed.live?.inputs, path) }));
	return {
		...changed(observed, definition, changes),
		code: "not-applied",
		consequence: "in place: the last `pulumi up` sent another value, and the service doesn't show it",
		fixes: [{ code: "finish", text: "`pulumi up` writes it again" }],
	};
}

const keyOf = ({ path }: Change): string => path.split(".")[0] ?? "";

/** Returns the problems of the live values. After a refresh the state has these values, so check accepts them. */
function beyondLimits(properties: Properties, changes: readonly Change[], live: Values): string[] {
	const accepted = { unknownNumbers: true };
	return [...new Set(changes.map(keyOf))].flatMap((key) => {
		if (live[key] == null) return [];
		return failuresOf(properties, key, { ...live, [key]: unmasked(live[key]) }, { accepted }).map(
			({ reason }) => reason,
		);
	});
}

/** A masked value counts as unknown, because it may be valid. */
const unmasked = (value: unknown): unknown => mapLeaves(value, (leaf) => (leaf === masked ? unknownValue : leaf));

function restoring(properties: Properties, changes: readonly Change[], renewed: string | undefined): string {
	const words = changes
		.filter((change) => properties[keyOf(change)] !== undefined)
		.map(({ path, declared }) =>
			declared === undefined ? `clears \`${path}\`` : `sets \`${path}\` to ${code(declared)}`,
		);
	if (renewed !== undefined) words.push(`generates a new ${renewed}, which you must give to everyone who uses it`);
	return words.length === 0 ? "writes it again" : words.join(", ");
}

/** Returns undefined if the program doesn't declare what differs. */
function accepting(
	{ name, live }: Observation,
	properties: Properties,
	changes: readonly Change[],
): string | undefined {
	const keys = [...new Set(changes.map(keyOf))].filter((key) => properties[key] !== undefined);
	if (keys.length === 0) return undefined;
	const edits = keys.map((key) => {
		const value = live?.inputs[key];
		return value == null ? `remove \`${key}\`` : `set \`${key}\` to ${code(value)}`;
	});
	return `in the program, ${edits.join(" and ")} in ${named(name)}, then \`pulumi up --refresh\``;
}

const shortened = ({ path, declared, live }: Change): Change => ({
	path,
	...defined({ declared: shortenedValue(declared), live: shortenedValue(live) }),
});
