/** Defines policies briefly: the resources a policy checks, its settings, and the problems that it finds. */
import type { ResourceValidationPolicy, StackValidationPolicy } from "@pulumi/policy";

export type Kind = "Number" | "NumberPool" | "SipTrunk" | "Webhook" | "PortOrder";
type Properties = Readonly<Record<string, unknown>>;

/** A resource of ours. Reading a property that a preview doesn't know throws, so properties are read by `knownValue`. */
export interface Seen {
	readonly kind: Kind;
	readonly name: string;
	readonly urn: string;
	readonly props: Properties;
}

type Schema = NonNullable<ResourceValidationPolicy["configSchema"]>["properties"][string];
/** Each setting with its schema, whose default holds where the pack's user says nothing. */
type Settings = Readonly<Record<string, Schema>>;
type Values<S extends Settings> = { readonly [Name in keyof S]: unknown };

interface Described<S extends Settings> {
	readonly name: string;
	readonly description: string;
	readonly settings?: S;
}

export function resourcePolicy<const S extends Settings>(
	{ settings, ...about }: Described<S>,
	of: readonly Kind[],
	problems: (resource: Seen, settings: Values<S>) => readonly string[],
): ResourceValidationPolicy {
	const reported = new Set<string>();
	return {
		...about,
		...schemaOf(settings),
		validateResource: ({ type, name, urn, props, getConfig }, report) => {
			const kind = kindOf(type);
			if (kind === undefined || !of.includes(kind)) return;
			try {
				for (const problem of problems({ kind, name, urn, props }, valuesOf(settings, getConfig()))) report(problem);
			} catch (error) {
				if (!(error instanceof SettingError)) throw error;
				// All resources share the setting, so one of them reports it.
				if (!reported.has(error.message)) report(error.message);
				reported.add(error.message);
			}
		},
	};
}

export function stackPolicy<const S extends Settings>(
	{ settings, ...about }: Described<S>,
	problems: (resources: readonly Seen[], settings: Values<S>) => readonly string[],
): StackValidationPolicy {
	return {
		...about,
		...schemaOf(settings),
		validateStack: ({ resources, getConfig }, report) => {
			const ours = resources.flatMap(({ type, name, urn, props }) => {
				const kind = kindOf(type);
				return kind === undefined ? [] : [{ kind, name, urn, props }];
			});
			for (const problem of problems(ours, valuesOf(settings, getConfig()))) report(problem);
		},
	};
}

const schemaOf = (settings: Settings | undefined) =>
	settings === undefined ? {} : { configSchema: { properties: { ...settings } } };

function valuesOf<S extends Settings>(settings: S | undefined, given: Properties): Values<S> {
	const defaults = Object.entries(settings ?? {}).map(([name, schema]) => [name, schema.default]);
	return { ...Object.fromEntries(defaults), ...given };
}

/** Undefined if the resource isn't ours. The classes and the plugin have types of their own. */
export const kindOf = (type: string): Kind | undefined =>
	/^(?:pulumi-nodejs:dynamic\/telephony|telephony:index(?:\/\w+)?):(\w+)$/.exec(type)?.[1] as Kind | undefined;

/** The value at a path; undefined if there is none, or if a preview doesn't know it: then `up` asks again. */
export function knownValue(value: unknown, ...path: readonly string[]): unknown {
	try {
		return path.reduce((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
	} catch {
		return undefined;
	}
}

export function knownText(value: unknown, ...path: readonly string[]): string | undefined {
	const text = knownValue(value, ...path);
	return typeof text === "string" ? text : undefined;
}

export function knownNumber(value: unknown, ...path: readonly string[]): number | undefined {
	const number = knownValue(value, ...path);
	return typeof number === "number" ? number : undefined;
}

/** Those items of a list that are known. */
export function knownItems(value: unknown, ...path: readonly string[]): readonly unknown[] {
	const list = knownValue(value, ...path);
	if (!Array.isArray(list)) return [];
	return Array.from({ length: list.length }, (_, index) => knownValue(list, String(index))).filter(
		(item) => item !== undefined,
	);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** A setting that the schema allows and the policy can't use. */
class SettingError extends Error {}

/** A setting that holds a regular expression; undefined if it isn't set. @throws SettingError */
export function patternOf(setting: string, value: unknown): RegExp | undefined {
	if (typeof value !== "string" || value === "") return undefined;
	try {
		return new RegExp(value, "iu");
	} catch (error) {
		throw new SettingError(`The setting \`${setting}\` must be a regular expression: ${(error as Error).message}`);
	}
}

/** Returns a pattern that matches the whole of a text. */
export function wholePatternOf(setting: string, value: unknown): RegExp | undefined {
	const part = patternOf(setting, value);
	return part && new RegExp(`^(?:${part.source})$`, part.flags);
}

export const textsOf = (value: unknown): readonly string[] => knownItems(value).map(String);
