/**
 * Describes the difference between a state and the service: its severity, its consequence, and how to fix it. Pure: the
 * engine has compared already.
 */

import { handOver } from "../api/errors";
import { defined, mapLeaves } from "../api/json";
import { codeOf } from "../api/message-codes";
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
import { type Change, type Comparable, changesOf, hiddenChanges, isIgnored, maskedLive, type Side } from "./changes";
import type { Condition, Standing } from "./states";

/** changed: a property differs. missing: deleted. waiting: pending, no drift. problem: Pulumi can't fix it. */
export type DriftKind = "changed" | "missing" | "waiting" | "problem";

export interface Drift {
	readonly kind: DriftKind;
	readonly severity: Severity;
	readonly changes: readonly Change[];
	/** Begins with `in place`, `buys a new number`, `creates a new …`, `cannot be repaired` or `nothing to repair`. */
	readonly consequence: string;
	/** Fixes: put the declared value back, or accept the live one. */
	readonly ways: readonly string[];
}

export interface DriftDefinition extends Comparable, Standing {
	readonly outputs: Outputs;
	/** Outputs that only the provider reads. */
	readonly kept: readonly string[];
	readonly isBought?: boolean;
	/** The consequence of replacing a lost object, and how to do it. */
	lost(declared: Values): { readonly consequence: string; readonly way: string };
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
	/** How to declare it as a resource of its own. */
	readonly takeOver: string;
}

/** One resource after the engine's refresh, with secrets masked. */
export interface Observation {
	readonly name: string;
	/** The state: the program's values of the last `up`. */
	readonly declared: Side;
	/** The result of a read; absent if the object is deleted. */
	readonly live?: Side | undefined;
	/** True if the next `up` would update it. */
	readonly differs: boolean;
	readonly warnings: readonly string[];
	/** The paths that the program has under `ignoreChanges`. */
	readonly ignored: readonly string[];
}

const severities: readonly Severity[] = ["low", "medium", "high"];

/** Describes the drift of a resource; undefined if there is none. */
export function driftOf(definition: DriftDefinition, seen: Observation): Drift | undefined {
	if (seen.live === undefined) return missing(seen, definition);
	const live = { ...seen.live, inputs: maskedLive(definition, seen.declared, seen.live.inputs) };
	const observed = { ...seen, live };
	const condition = definition.condition?.(live.outputs) ?? foreign(observed);
	const changes = seen.differs ? changesOf(definition, observed, seen.ignored) : [];
	if (condition?.kind === "problem" || (condition && changes.length === 0)) return conditional(condition, changes);
	if (changes.length > 0) return changed(observed, definition, changes);
	const hidden = seen.differs && !isIgnored(definition, observed) ? hiddenChanges(definition, observed) : undefined;
	if (openIn(live.outputs).isDirty && !hidden?.length) return unfinished;
	return hidden && changed(observed, definition, hidden);
}

function conditional({ kind, change, consequence, ways }: Condition, changes: readonly Change[]): Drift {
	const severity = kind === "problem" ? "high" : "low";
	return { kind, severity, changes: [...changes, change].map(shortened), consequence, ways };
}

const unfinished: Drift = {
	kind: "waiting",
	severity: "low",
	changes: [],
	consequence: "nothing to repair: the last `pulumi up` did not finish this resource",
	ways: ["finish it: `pulumi up` continues where the last run stopped"],
};

function missing({ name, declared, warnings }: Observation, definition: DriftDefinition): Drift {
	const lost = definition.lost(declared.inputs);
	const { phoneNumber, status } = declared.outputs;
	const subject = typeof phoneNumber === "string" ? `${named(name)} (${phoneNumber})` : named(name);
	const codes = warnings.map(codeOf);
	const loss = Object.values(losses).find(({ code }) => codes.includes(code));
	const isFinal = loss === losses.ported_out || loss === losses.failed;
	return {
		kind: "missing",
		severity: "high",
		changes: [{ path: "status", declared: status ?? "there", live: loss?.word ?? "gone" }],
		consequence: lost.consequence,
		ways: [
			`restore it: ${isFinal ? `\`pulumi up --refresh\` ${lost.consequence}` : lost.way}`,
			`accept it: remove ${subject} from the program, then \`pulumi up --refresh\``,
		],
	};
}

function foreign({ warnings }: Observation): Condition | undefined {
	const warning = warnings.find((text) => codeOf(text) === "claimed");
	if (warning === undefined) return undefined;
	return {
		kind: "problem",
		change: { path: "reference", declared: "this stack's", live: "another stack's" },
		consequence: `cannot be repaired from here: ${warning}`,
		ways: [`restore it: ${handOver.replace(/\.$/, "")}`, "accept it: remove it from this program; the object is kept"],
	};
}

function changed(observed: Observation, { properties, secret }: DriftDefinition, changes: readonly Change[]): Drift {
	const isSecret = ({ path }: Change) => path === secret?.marker || path === secret?.output;
	const severity = changes
		.map((change) => (isSecret(change) ? "high" : (properties[keyOf(change)]?.severity ?? "medium")))
		.reduce((worst, each) => (severities.indexOf(each) > severities.indexOf(worst) ? each : worst), "low");
	const isDeclared = secret?.declared?.(observed.declared.inputs) !== undefined;
	const renewed = changes.some(isSecret) && !isDeclared ? secret?.output : undefined;
	const refused = refusedLive(properties, changes, observed.live?.inputs ?? {});
	return {
		kind: "changed",
		severity,
		changes: changes.map(shortened),
		consequence: `in place${renewed === undefined ? "" : `, with a new ${renewed}`}${refused.length === 0 ? "" : `; the live value is invalid: ${refused.join("; ")}`}`,
		ways: [
			`restore it: \`pulumi up --refresh\` ${restoring(properties, changes, renewed)}`,
			refused.length > 0
				? "accept it: not possible, because the live value is invalid in a program"
				: `accept it: ${accepting(observed, properties, changes)}`,
		],
	};
}

const keyOf = ({ path }: Change): string => path.split(".")[0] ?? "";

function refusedLive(properties: Properties, changes: readonly Change[], live: Values): string[] {
	return [...new Set(changes.map(keyOf))].flatMap((key) => {
		const property = properties[key];
		if (property === undefined || live[key] == null) return [];
		return failuresOf(key, property, { ...live, [key]: unmasked(live[key]) }).map(({ reason }) => reason);
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

function accepting({ name, live }: Observation, properties: Properties, changes: readonly Change[]): string {
	const keys = [...new Set(changes.map(keyOf))].filter((key) => properties[key] !== undefined);
	if (keys.length === 0) return "not possible, because the program doesn't declare it";
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
