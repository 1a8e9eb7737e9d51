/** Bodies that are safe to keep and show: without secrets and unknown fields. */
import { z } from "zod";
import { type Operation, operations, secretFields } from "../../provider/api/contract";

export const hidden = "(hidden)";

/** Names of secrets in the contract and elsewhere, such as in metadata. */
const isSecret = (name: string): boolean =>
	secretFields.has(name) || name === "account_number" || /pass|secret|key|token|pin\b|cred|auth(?!$)/i.test(name);
/** Names of fields about a secret that don't hold it. */
const isMark = (name: string): boolean => /_(set|updated_at|expires_at|hint|version)$|^(error|next_cursor)$/.test(name);

interface Limits {
	readonly text: number;
	readonly items: number;
}

const levels = 8;
const short: Limits = { text: 200, items: 20 };
const whole: Limits = { text: Number.POSITIVE_INFINITY, items: Number.POSITIVE_INFINITY };

/** The property names of a schema. A field under another name may hold anything. */
const namesIn = (schema: unknown, names: Set<string>): Set<string> => {
	if (typeof schema !== "object" || schema === null) return names;
	for (const [word, part] of Object.entries(schema)) {
		if (word === "properties") for (const name of Object.keys(part as object)) names.add(name);
		namesIn(part, names);
	}
	return names;
};

let cachedNames: ReadonlySet<string> | undefined;
const contractNames = (): ReadonlySet<string> => {
	const names = new Set(["error", "message", "request_id", "details", "field"]);
	for (const { body, response: answer } of Object.values(operations) as Operation[]) {
		for (const [schema, io] of [
			[body, "input"],
			[answer, "output"],
		] as const) {
			if (schema !== undefined) namesIn(z.toJSONSchema(schema, { io, unrepresentable: "any" }), names);
		}
	}
	return names;
};

/** Hides webhook secrets and passwords of SIP URIs in a text. */
const ofText = (text: string, longest: number): string => {
	const safe = text
		.slice(0, longest)
		.replace(/whsec_[\w+/=-]*/g, hidden)
		.replace(/:[^:@/\s]+@/g, `:${hidden}@`);
	return text.length > longest ? `${safe}…` : safe;
};

const part = (value: unknown, limits: Limits, isFree = false, levelsLeft = levels): unknown => {
	if (typeof value === "string") return ofText(value, limits.text);
	if (typeof value !== "object" || value === null) return value;
	if (levelsLeft === 0) return "…";
	if (Array.isArray(value)) {
		const first = value.slice(0, limits.items).map((item) => part(item, limits, isFree, levelsLeft - 1));
		return value.length > limits.items ? [...first, `… and ${value.length - limits.items} more`] : first;
	}
	cachedNames ??= contractNames();
	const names = cachedNames;
	return Object.fromEntries(
		Object.entries(value)
			.slice(0, 100)
			.map(([name, inner]) => {
				const isShown = !(isSecret(name) && !(isMark(name) && names.has(name))) && (isFree || names.has(name));
				return [name, isShown ? part(inner, limits, name === "metadata", levelsLeft - 1) : hidden];
			}),
	);
};

/** A copy of limited size without secrets; undefined if there is no body. */
export const harmless = (body: unknown): unknown => part(body, short);

/** A copy without secrets whose texts and lists are whole, for a form that sends them back. */
export const withoutSecrets = (row: object): Readonly<Record<string, unknown>> =>
	part(row, whole) as Readonly<Record<string, unknown>>;
