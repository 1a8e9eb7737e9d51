/** Types with the contract's limits and our messages. */
import { z } from "zod";
import { isCountry, meantCountry } from "./canonical";
import { text } from "./form";

/** The limits of a type of the contract; of a string, its length; of an array, the number of its items. */
export function boundsOf(type: z.ZodType): { readonly least: number; readonly most: number } {
	const inner = unwrapped(type);
	if (inner instanceof z.ZodNumber) return { least: inner.minValue ?? -Infinity, most: inner.maxValue ?? Infinity };
	if (inner instanceof z.ZodString) return { least: inner.minLength ?? 0, most: inner.maxLength ?? Infinity };
	const checks = (inner.def.checks ?? []).map((check) => check._zod.def as { minimum?: number; maximum?: number });
	return {
		least: checks.find(({ minimum }) => minimum !== undefined)?.minimum ?? 0,
		most: checks.find(({ maximum }) => maximum !== undefined)?.maximum ?? Infinity,
	};
}

/** The type without `optional` and `nullable`. */
export function unwrapped(type: z.ZodType): z.ZodType {
	if (!(type instanceof z.ZodOptional || type instanceof z.ZodNullable)) return type;
	return unwrapped(type.unwrap() as z.ZodType);
}

/** A whole number between two bounds, both included. */
export function whole(type: z.ZodType) {
	const { least, most } = boundsOf(type);
	const message = `must be a whole number from ${least} to ${most}`;
	return z.int(message).min(least, message).max(most, message);
}

/** A word that a newer service may have: codecs have names such as AMR-WB/16000. */
const unknownWord = /^[\w.:/*+-]{1,64}$/;

/**
 * One of a few words, or another that only the service may know. Check warns of that one. Not for a property with which an
 * unknown word could buy, lose or open something.
 */
export function choice(type: z.ZodType) {
	const words = (unwrapped(type) as z.ZodEnum<Record<string, string>>).options;
	const message = `must be one of ${words.join(", ")}`;
	return z
		.string(message)
		.superRefine((value, context) => {
			if (words.includes(value)) return;
			const isWord = unknownWord.test(value);
			context.addIssue({ code: "custom", message, ...(isWord && { params: { knownValues: words } }) });
		})
		.meta({ "x-known-values": words });
}

/** A string in which `problemOf` finds no problem. */
export const textWithout = (problemOf: (value: string) => string | undefined): z.ZodString =>
	z.string().superRefine((value, context) => {
		const message = problemOf(value);
		if (message !== undefined) context.addIssue({ code: "custom", message });
	});

export const aCountry = () =>
	z.string().refine(isCountry, {
		error: ({ input }) => {
			const meant = meantCountry(String(input));
			return `must be a two-letter ISO 3166 code in upper case${meant === undefined ? ", such as NL" : `. Did you mean ${meant}?`}`;
		},
	});

/** The service may show a country in lower case. */
export const countryForm = text((code) => code.trim().toUpperCase(), "upper or lower case");

/** The limit of a wait. */
export const seconds = () => z.int("must be a whole number of seconds").min(1, "must be at least 1 second");
