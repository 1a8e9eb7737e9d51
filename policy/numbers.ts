/** Policies for the numbers that may be bought, and for those that must be kept. */
import { knownText, knownValue, patternOf, resourcePolicy, textsOf } from "./define";

export const allowedNumbers = resourcePolicy(
	{
		name: "allowed-numbers",
		description: "Numbers are only of the countries and types that the team allows.",
		settings: {
			countries: {
				type: "array",
				items: { type: "string", pattern: "^[A-Z]{2}$" },
				default: [],
				description: "ISO 3166-1 alpha-2, such as NL; empty allows all.",
			},
			types: {
				type: "array",
				items: { type: "string", enum: ["geographic", "mobile", "toll_free", "national"] },
				default: [],
				description: "Kinds of numbers; empty allows all.",
			},
		},
	},
	["Number", "NumberPool", "PortOrder"],
	({ props }, { countries, types }) => [
		...unlisted("country", knownText(props, "country"), textsOf(countries)),
		...unlisted("type", knownText(props, "type"), textsOf(types)),
	],
);

function unlisted(property: string, value: string | undefined, allowed: readonly string[]): readonly string[] {
	if (value === undefined || allowed.length === 0 || allowed.includes(value)) return [];
	return [`\`${property}\` is ${value}, and only ${allowed.join(", ")} may be used.`];
}

export const releaseProtection = resourcePolicy(
	{
		name: "release-protection",
		description: "Important numbers, selected by label or metadata, have `releaseProtection: true`.",
		settings: {
			label: {
				type: "string",
				default: "\\bprod(uction)?\\b",
				description:
					"A regular expression. A number with a matching label must be protected. Empty: labels don't matter.",
			},
			metadata: {
				type: "object",
				additionalProperties: { type: "string" },
				default: { environment: "^prod(uction)?$" },
				description: "Keys of metadata, each with a regular expression for its value.",
			},
		},
	},
	["Number", "NumberPool"],
	({ props }, { label, metadata }) => {
		const reason = reasonToProtect(props, label, metadata);
		if (reason === undefined || mayBeProtected(props)) return [];
		return [`${reason}, so it needs \`releaseProtection: true\`.`];
	},
);

/** A value that only `up` will know may be true. */
function mayBeProtected(props: Readonly<Record<string, unknown>>): boolean {
	return knownValue(props, "releaseProtection") === true || isUnknown(props, "releaseProtection");
}

function isUnknown(props: Readonly<Record<string, unknown>>, key: string): boolean {
	try {
		void props[key];
		return false;
	} catch {
		return true;
	}
}

function reasonToProtect(props: Readonly<Record<string, unknown>>, label: unknown, metadata: unknown) {
	const text = knownText(props, "label");
	if (text !== undefined && patternOf("label", label)?.test(text)) return `Its label is "${text}"`;
	for (const [key, pattern] of Object.entries((metadata ?? {}) as object)) {
		const value = knownText(props, "metadata", key);
		if (value !== undefined && patternOf(`metadata.${key}`, pattern)?.test(value))
			return `Its metadata has ${key}: ${value}`;
	}
	return undefined;
}
