/** The table of a resource's properties, from which check, diff, requests and read-back follow. */
import type { z } from "zod";
import { markUnread, unreadFieldsOf } from "../api/contract";
import { defined, mapValues, pickBy } from "../api/json";
import { closestName } from "../api/names";
import {
	covers,
	type Field,
	type Form,
	fromWire,
	hashOf,
	isUnchanged,
	isUnset,
	namesOf,
	sameDeclaration,
	scalar,
	settle,
	toWire,
	typeOf,
} from "./form";
import { type Breach, isHeld } from "./held";

/** Inputs and outputs as the engine hands them over: plain JSON, in which the program's values are camelCase. */
export type Values = Record<string, unknown>;

/** A property that a program may declare. */
export interface Property extends Field {
	/** Filled in by check; counts as declared. */
	readonly default?: unknown;
	/** Filled in by the resource's own check. */
	readonly filled?: true;
	/** Its name at the service; absent if only the provider uses it. */
	readonly wire?: string;
	/** The value that clears it at the service. Default null. */
	readonly cleared?: unknown;
	/** The value that the service is assumed to show while the property isn't set, if it shows one. */
	readonly serviceDefault?: unknown;
	/** True if the value guards the object: only a program that has declared it clears it. */
	readonly isGuard?: true;
	/** Fixed when the object is made: never patched, and never drift. */
	readonly fixed?: true;
	/** True if a response may omit it. By default, an omitted property has no value. */
	readonly leftOut?: true;
	/** Compares two declarations, if that depends on other properties. */
	readonly isSame?: (olds: Values, news: Values) => boolean;
	/** The effect of a change in the program, if it doesn't follow from the other fields. */
	readonly change?: { readonly does: "in place" | "refused" | "replaces"; readonly words: string };
	/** True for the limit of a wait, which the option `customTimeouts` overrides. */
	readonly isWaitLimit?: true;
	/** Severity of a change made outside Pulumi. Default medium. */
	readonly severity?: Severity;
}

export type Severity = "high" | "medium" | "low";

export type Properties = Readonly<Record<string, Property>>;

export interface Output extends Field {
	/** Its name at the service, if its value is shown unchanged. */
	readonly wire?: string;
	/** The meaning of a change made outside Pulumi. */
	readonly drift: string;
	/** True if any write may change it, so that a preview shows it as unknown. */
	readonly moves?: true;
	/** The inputs whose change makes a new value. */
	readonly renewedBy?: readonly string[];
}

export type Outputs = Readonly<Record<string, Output>>;

export const neverDrift = "never drift";

/** The outputs that show the service's value unchanged. */
export const liveOutputs = (outputs: Outputs, record: Values): Values =>
	mapValues(
		pickBy(outputs, ({ wire }) => wire !== undefined),
		({ wire = "" }) => record[wire] ?? undefined,
	);

export interface CheckFailure {
	/** Always empty: the engine prints the value of a property that is named here, which may be secret, or `{<nil>}`. */
	readonly property: "";
	/** Names the property by its path, such as `routing.to` or `auth.allowedCidrs[2]`. */
	readonly reason: string;
}

/** Doubtful values that the user accepts for this run. */
export interface Accepted {
	/** Phone numbers that no numbering plan has. */
	readonly unknownNumbers?: boolean;
}

/**
 * The message of a custom issue that depends on other inputs, or on the run: the issue's parameter `reason`. Returns
 * undefined if the value is valid with them.
 */
export type Reason = (inputs: Values, accepted: Accepted) => string | undefined;

export const failure = (reason: string): CheckFailure => ({ property: "", reason });

/** Marks an object that represents another value, such as a secret. Fixed by the engine's protocol. */
export const signature = "4dabf18193072939515e22adb298388d";

/** Represents a value that is unknown before `up`, at any depth. Fixed by the engine's protocol. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Inputs that the provider adds. */
const internal = new Set(["__provider", "__resourceUrn", "organization"]);

/** Returns the URN of the resource; "" if it is unknown. The engine hides a key with this prefix in its diffs. */
export const urnOf = ({ __resourceUrn: urn }: Values): string => (typeof urn === "string" ? urn : "");

export const isInternal = (key: string): boolean => internal.has(key);

const formOf = (field: Field): Form => field.form ?? scalar;

export interface Checked {
	readonly inputs: Values;
	readonly failures: CheckFailure[];
	/** Failures that only the object that `adopt` names can excuse. */
	readonly deferred: CheckFailure[];
	readonly unknown: readonly UnknownValue[];
}

export interface CheckOptions {
	/** Values that the state has, which are never refused. */
	readonly held?: Values;
	/** True if the object that the create adopts may have values beyond the limits. */
	readonly isAdopting?: boolean;
	readonly accepted?: Accepted;
}

/** Validates, without I/O; fills in defaults, keeps the user's spelling. Unknown values pass. */
export function checkProperties(
	properties: Properties,
	news: Values,
	{ held = {}, isAdopting = false, accepted }: CheckOptions = {},
): Checked {
	const entries = Object.entries(news).filter(
		([key, value]) => isInternal(key) || (Object.hasOwn(properties, key) && !isUnset(value)),
	);
	const declared: Values = Object.fromEntries(entries);
	const defaults = Object.entries(defaultsOf(properties)).filter(([key]) => declared[key] === undefined);
	const undefinedNames = Object.keys(news).filter((key) => !isInternal(key) && !Object.hasOwn(properties, key));
	const keys = Object.keys(properties);
	const problems = keys.flatMap((key) => problemsOf(properties, key, declared, { held: [held], accepted }));
	const isDeferred = ({ is, path: [key = ""] }: Problem) =>
		isAdopting && is === "limit" && properties[String(key)]?.wire !== undefined;
	return {
		inputs: { ...declared, ...Object.fromEntries(defaults) },
		failures: [
			...undefinedNames.map((key) => failure(`${key}: ${unknownProperty(key, keys)}`)),
			...problems.filter((problem) => problem.is !== "unknown" && !isDeferred(problem)).map(failureOf),
		],
		deferred: problems.filter(isDeferred).map(failureOf),
		unknown: problems.flatMap(({ path, knownValues }) =>
			knownValues === undefined ? [] : [{ path: pathOf(path), value: valueAt(declared, path), knownValues }],
		),
	};
}

export const defaultsOf = (properties: Properties): Values =>
	defined(mapValues(properties, ({ default: value }) => value));

/** A value that this version doesn't know, and that the service may. */
export interface UnknownValue {
	/** Such as `events[1]`. */
	readonly path: string;
	readonly value: unknown;
	readonly knownValues: readonly string[];
}

type PropertyPath = readonly PropertyKey[];

interface Problem extends Breach {
	/** Begins with the property's name. */
	readonly path: PropertyPath;
	readonly text: string;
	/** A `limit` is one of this version: an object of the service may be beyond it. */
	readonly is: "wrong" | "limit" | "unknown";
	/** Present if the value is `unknown`. */
	readonly knownValues?: readonly string[] | undefined;
}

const failureOf = ({ path, text }: Problem): CheckFailure => failure(`${pathOf(path)}: ${text}`);

/**
 * Returns the failures of a property. `inputs` are all the resource's, as far as they are known. `held` are values that the
 * state or the service has, which are never refused.
 */
export const failuresOf = (
	properties: Properties,
	key: string,
	inputs: Values,
	{ held = [], accepted }: Partial<ProblemOptions> = {},
): CheckFailure[] =>
	problemsOf(properties, key, inputs, { held, accepted })
		.filter(({ is }) => is !== "unknown")
		.map(failureOf);

/** Breaches of types that programs have. The other rules are limits, which no compiler knows. */
const typeCodes: readonly string[] = ["invalid_type", "invalid_value", "invalid_union", "unrecognized_keys"];

/** Returns the paths at which the inputs don't fit the types of programs, such as that of a route of an unknown kind. */
export const untypedPaths = (properties: Properties, inputs: Values): string[] =>
	Object.keys(properties)
		.flatMap((key) => problemsOf(properties, key, inputs, { held: [] }))
		.filter(({ code }) => typeCodes.includes(code ?? ""))
		.map(({ path }) => pathOf(path));

interface ProblemOptions {
	readonly held: readonly Values[];
	readonly accepted?: Accepted | undefined;
}

function problemsOf(
	properties: Properties,
	key: string,
	inputs: Values,
	{ held, accepted = {} }: ProblemOptions,
): Problem[] {
	const property = properties[key];
	const value = inputs[key];
	if (property === undefined) return [];
	const states = held.filter((values) => Object.keys(values).length > 0);
	if (value === undefined) {
		const isOptional = !property.required || property.default !== undefined;
		// An imported object may lack it.
		const isAbsent = states.some((values) => isUnset(values[key]));
		return isOptional || isAbsent ? [] : [{ code: "invalid_type", path: [key], text: missing, is: "wrong" }];
	}
	const isLost = (leaf: unknown) => typeof leaf === "string" && lostOutput.test(leaf);
	const marked = [...pathsTo([key], value, isMarked)];
	const isWithin = ({ path }: Problem) => marked.some((outer) => path.length > outer.length && isPrefix(outer, path));
	const isExcused = ({ code, path: [, ...path] }: Problem) =>
		states.some((values) => isHeld(formOf(property), value, values[key], { code, path }));
	const seen = new Set<string>();
	return [
		...marked.map((path): Problem => ({ path, text: notPlain, is: "wrong" })),
		...[...pathsTo([key], value, isLost)].map((path): Problem => ({ path, text: outputInText, is: "wrong" })),
		...issuesOf(key, property, inputs, accepted),
	].filter((problem) => {
		const path = pathOf(problem.path);
		return !isWithin(problem) && !isExcused(problem) && !seen.has(path) && seen.add(path);
	});
}

const isPrefix = (start: PropertyPath, path: PropertyPath): boolean =>
	start.every((part, index) => part === path[index]);

const wrongCodes: readonly string[] = ["invalid_type", "unrecognized_keys"];

/** The problems that the property's type finds. Their messages are ours. */
function issuesOf(key: string, property: Property, inputs: Values, accepted: Accepted): Problem[] {
	const value = inputs[key];
	const { error } = typeOf(property).safeParse(value, { error: inPlainWords });
	return (error?.issues ?? [])
		.filter((issue) => !isUnknownAt(value, issue.path))
		.flatMap((issue): Problem[] => {
			const { code, path } = issue;
			if (code === "unrecognized_keys")
				return issue.keys.map((name) => ({
					code,
					path: [key, ...path, name],
					text: unknownProperty(name, namesAt(formOf(property), value, path)),
					is: "wrong",
				}));
			const text = messageOf(issue, inputs, accepted);
			if (text === undefined) return [];
			const knownValues: readonly string[] | undefined = code === "custom" ? issue.params?.knownValues : undefined;
			const is = wrongCodes.includes(code ?? "") ? "wrong" : knownValues === undefined ? "limit" : "unknown";
			return [{ code, path: [key, ...path], text, is, knownValues }];
		});
}

function messageOf(issue: z.core.$ZodIssue, inputs: Values, accepted: Accepted): string | undefined {
	const reason: Reason | undefined = issue.code === "custom" ? issue.params?.reason : undefined;
	return reason === undefined ? issue.message : reason(inputs, accepted);
}

/** True if the declared value, or its absence, is valid. Follow-up mistakes of an invalid value aren't reported. */
export const isValid = (properties: Properties, key: string, inputs: Values): boolean =>
	properties[key] !== undefined &&
	failuresOf(
		properties,
		key,
		pickBy(inputs, (value) => !isUnset(value)),
	).length === 0;

/** Refuses changes of the properties that can't change. `olds` are the inputs of the last write. */
export const refusedChanges = (properties: Properties, olds: Values, inputs: Values): CheckFailure[] =>
	Object.entries(properties).flatMap(([key, property]) => {
		const { change } = property;
		const isSame = olds[key] === undefined || sameDeclaration(formOf(property), olds[key], inputs[key]);
		const isChanged = !isSame && inputs[key] !== unknownValue;
		if (change?.does !== "refused" || !isChanged || !isValid(properties, key, inputs)) return [];
		const fix = change.words.replace(/^refused: /, "");
		return [failure(`${key}: can't change from ${olds[key]} to ${inputs[key]}. Restore the old value, or ${fix}`)];
	});

/** The text of an SDK in place of an Output: `Calling [toString] on an [Output<T>] is not supported.` */
const lostOutput = /\bCalling \S+ on an \S+ is not supported/;
const outputInText =
	"this string was built from an Output whose value was unknown. Build it with pulumi.interpolate`…`, or pulumi.jsonStringify(…) for JSON.";

/** True for an asset, an archive or a reference to a resource. */
const isMarked = (value: unknown) => typeof value === "object" && value !== null && signature in value;

/** The paths of such values, without those inside them. */
function* pathsTo(path: PropertyPath, value: unknown, isSuch: (value: unknown) => boolean): Generator<PropertyPath> {
	if (isSuch(value)) yield path;
	else if (typeof value === "object" && value !== null)
		for (const [key, item] of Object.entries(value))
			yield* pathsTo([...path, Array.isArray(value) ? Number(key) : key], item, isSuch);
}

const notPlain = "must be a plain value, not an asset, an archive or a resource";
const missing = "must be set";

const kinds: Readonly<Record<string, string>> = {
	string: "a string",
	number: "a number",
	int: "a whole number",
	boolean: "true or false",
	array: "a list",
	object: "an object",
	record: "an object",
};

/** Messages for zod's issues without a message of ours. */
function inPlainWords(issue: z.core.$ZodRawIssue): string | undefined {
	const ofText = issue.origin === "string";
	switch (issue.code) {
		case "invalid_type":
			if (issue.input === undefined) return missing;
			return `must be ${kinds[issue.expected] ?? issue.expected}`;
		case "too_small":
			if (ofText && issue.minimum === 1) return "must not be empty";
			return ofText ? `must have at least ${issue.minimum} characters` : `must be at least ${issue.minimum}`;
		case "too_big":
			return ofText ? `must have at most ${issue.maximum} characters` : `must be at most ${issue.maximum}`;
		case "invalid_key":
			return `its key ${issue.issues.map(({ message }) => message).join(", ")}`;
		default:
			return undefined;
	}
}

function isUnknownAt(value: unknown, path: readonly PropertyKey[]): boolean {
	let here = value;
	for (const key of path) {
		if (here === unknownValue) return true;
		here = (here as Record<PropertyKey, unknown> | undefined)?.[key];
	}
	return here === unknownValue;
}

const pathOf = ([key, ...path]: PropertyPath): string =>
	path.reduce<string>(
		(text, part) => (typeof part === "number" ? `${text}[${part}]` : `${text}.${String(part)}`),
		String(key),
	);

const valueAt = (values: unknown, path: PropertyPath): unknown =>
	path.reduce((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], values);

/** The fields that the object at this path may have. */
function namesAt(form: Form, value: unknown, [key, ...rest]: readonly PropertyKey[]): string[] {
	const inner = (value as Record<PropertyKey, unknown> | undefined)?.[key ?? ""];
	if (key !== undefined && (form.kind === "set" || form.kind === "list")) return namesAt(form.item, inner, rest);
	if (form.kind !== "object") return [];
	if (key !== undefined) return namesAt(form.fields[String(key)]?.form ?? scalar, inner, rest);
	return namesOf(form, value as Values);
}

export function unknownProperty(name: string, names: readonly string[]): string {
	const meant = closestName(name, names);
	const hint = meant === undefined ? `The properties are ${names.join(", ")}.` : `Did you mean ${meant}?`;
	return `there is no such property. ${hint}`;
}

/** The properties that differ between what a state holds and what the program declares now. Pure. */
export function changedProperties(properties: Properties, olds: Values, news: Values): string[] {
	return Object.entries(properties)
		.filter(([key, property]) =>
			property.isSame ? !property.isSame(olds, news) : !isUnchanged(formOf(property), olds[key], news[key]),
		)
		.map(([key]) => key);
}

/** The service's record in the program's names. Marks the properties that can't be read. */
export function liveValues(properties: Properties, record: Values): Values {
	const live: Values = {};
	const unread = unreadFieldsOf(record);
	const unreadKeys = Object.keys(properties).filter((key) => unread.has(properties[key]?.wire ?? ""));
	for (const [key, property] of Object.entries(properties)) {
		if (property.wire === undefined) continue;
		const value = fromWire(formOf(property), record[property.wire]);
		// A service may show a mask of a secret, or that it has none.
		live[key] = property.writeOnly && value !== null ? undefined : value;
	}
	return markUnread(live, new Set(unreadKeys));
}

export interface PatchSides {
	readonly live: Values;
	/** The outputs of the last confirmed write. */
	readonly olds: Values;
	/** The inputs that the program declares. */
	readonly news: Values;
	/** Hashes of the service's spellings of declared values, which aren't sent again. */
	readonly spellings?: Readonly<Record<string, string>>;
}

/**
 * The request that gives the service what `news` declares. Properties in `doubtful` are always sent whole, because the
 * service may have more than is declared.
 */
export function patchBody(properties: Properties, sides: PatchSides, doubtful: readonly string[] = []): Values {
	return Object.fromEntries(
		Object.entries(properties).flatMap(([key, property]) => {
			if (property.wire === undefined || property.fixed) return [];
			const value = isUnset(sides.news[key])
				? clearing(key, property, sides)
				: sending(key, property, sides, doubtful.includes(key));
			return value === undefined ? [] : [[property.wire, value]];
		}),
	);
}

/** The value that clears a property that the program no longer declares; undefined if the service has none. */
function clearing(key: string, property: Property, { olds, live }: PatchSides): unknown {
	const isHidden = mayBeHidden(property) && live[key] === undefined && !isUnset(olds[key]);
	const isCleared = !isHidden && sameDeclaration(formOf(property), live[key], property.cleared);
	return key in olds && !isCleared ? (property.cleared ?? null) : undefined;
}

/** True if a response may omit the property although it has a value. A required one can't be cleared. */
const mayBeHidden = ({ leftOut, required }: Property): boolean => leftOut === true || required === true;

function sending(key: string, property: Property, sides: PatchSides, isDoubtful: boolean): unknown {
	const { olds, news, live, spellings = {} } = sides;
	const form = formOf(property);
	const isChanged = !isUnset(olds[key]) && !isUnchanged(form, olds[key], news[key]);
	const isHidden = mayBeHidden(property) && live[key] === undefined && key in olds;
	const isThere = isHidden || covers(form, news[key], live[key]) || isKept(form, spellings[key], live[key]);
	return isChanged || isDoubtful || !isThere ? toWire(form, news[key]) : undefined;
}

/** Clears those of `keys` that the program doesn't declare, even if a read that lags shows no value. */
export const clearedBody = (properties: Properties, news: Values, keys: readonly string[]): Values =>
	Object.fromEntries(
		keys.flatMap((key) => {
			const { wire, cleared } = properties[key] ?? {};
			return wire === undefined || !isUnset(news[key]) ? [] : [[wire, cleared ?? null]];
		}),
	);

/** Outputs of a run that declared everything but guards, so that a write clears what this program doesn't declare. */
export const allDeclared = (properties: Properties): Values =>
	mapValues(
		pickBy(properties, ({ isGuard }) => !isGuard),
		() => null,
	);

/** The request of a create: everything declared that the service knows. */
export const createBody = (properties: Properties, news: Values): Values =>
	patchBody(properties, { olds: {}, news, live: {} });

interface WrittenChange {
	/** The request. */
	readonly sent: Values;
	/** The live values before it and after it. */
	readonly before: Values;
	readonly after: Values;
	/** The declared values, and the service's spellings of them. */
	readonly declared: Values;
	readonly spellings: Readonly<Record<string, string>>;
}

/**
 * Returns the request that writes back what a change has cleared besides its own values: a service may clear what a request
 * leaves out. A value that isn't shown doesn't count as cleared. A declared value is sent as declared, with its secrets.
 */
export function lostBody(properties: Properties, { sent, before, after, declared, spellings }: WrittenChange): Values {
	const isLost = (key: string, { form = scalar, wire, fixed, cleared }: Property) =>
		wire !== undefined &&
		!fixed &&
		!Object.hasOwn(sent, wire) &&
		!isUnset(before[key]) &&
		!sameDeclaration(form, before[key], cleared) &&
		after[key] !== undefined &&
		[null, "", cleared].some((empty) => empty !== undefined && sameDeclaration(form, after[key], empty));
	const values = { ...before, ...declaredOutputs(properties, declared, before, spellings) };
	return createBody(
		properties,
		pickBy(values, (_, key) => properties[key] !== undefined && isLost(key, properties[key])),
	);
}

export const fixedBody = (properties: Properties, news: Values): Values =>
	Object.fromEntries(
		Object.entries(properties).flatMap(([key, property]) =>
			property.wire === undefined || !property.fixed || isUnset(news[key])
				? []
				: [[property.wire, toWire(formOf(property), news[key])]],
		),
	);

/** True if the live value is the service's spelling of the declared one, as the last write has left it. */
const isKept = (form: Form, spelling: string | undefined, live: unknown): boolean =>
	spelling !== undefined && spelling === hashOf(form, live);

/** The declared properties as the state keeps them: in the program's spelling while it matches the live value. */
export function declaredOutputs(
	properties: Properties,
	declared: Values,
	live: Values,
	spellings: Readonly<Record<string, string>> = {},
): Values {
	const outputs: Values = {};
	for (const [key, property] of Object.entries(properties)) {
		if (declared[key] === undefined) continue;
		const isHidden = (mayBeHidden(property) && live[key] === undefined) || unreadFieldsOf(live).has(key);
		const form = formOf(property);
		const isSame = property.wire === undefined || property.fixed || isHidden || isKept(form, spellings[key], live[key]);
		outputs[key] = isSame ? declared[key] : settle(form, declared[key], live[key]);
	}
	return outputs;
}

/** The inputs that a read returns: the declared properties with their live values. */
export function declaredInputs(properties: Properties, outputs: Values): Values {
	const names = [...Object.keys(properties), ...internal];
	return Object.fromEntries(names.filter((key) => !isUnset(outputs[key])).map((key) => [key, outputs[key]]));
}
