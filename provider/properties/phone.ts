/** Phone numbers as programs write them: E.164 with the plus. */
import { z } from "zod";
import { e164 as acceptedE164 } from "../api/contract/schema";
import { canonicalE164, isPossibleE164, isSameSubscriber, suggestedE164, writtenE164 } from "./canonical";
import { type Form, text } from "./form";
import type { Reason } from "./table";

/** Returns the reason of a refusal. It suggests the number in the resource's country, as the country code is often missing. */
const reasonFor =
	(value: string, message: string, isRefused: (meant: string | undefined) => boolean = () => true): Reason =>
	({ country }) => {
		const meant = suggestedE164(value, country);
		if (!isRefused(meant)) return undefined;
		return meant === undefined ? `${message}, such as +31201234567` : `${message}. Did you mean ${meant}?`;
	};

const refuse = (context: z.RefinementCtx, reason: Reason): void =>
	context.addIssue({ code: "custom", params: { reason } });

const unassigned =
	"must be set. If it is another resource's `phoneNumber`, that is unknown until the carrier assigns it: leave this property out until then";

/** A list shows what is unknown as null. */
const assigned = () => z.string({ error: ({ input }) => (input == null ? unassigned : undefined) });

/** The run accepts digits that no numbering plan has. */
const acceptUnknown = "TELEPHONY_ACCEPT_UNKNOWN_NUMBERS";
export const acceptsUnknownNumbers = (env: NodeJS.ProcessEnv): boolean => env[acceptUnknown] === "yes";

/** A number that calls go to. A mistyped one would lose them, so the country must have numbers of this length. */
export const e164 = () =>
	assigned().superRefine((value, context) => {
		const number = writtenE164(value);
		if (number === undefined) {
			refuse(
				context,
				reasonFor(value, "must be a phone number in E.164: + and the country code, then digits without other text"),
			);
		} else if (!acceptedE164.safeParse(number).success) {
			refuse(context, reasonFor(value, "must be a phone number of 7 to 15 digits"));
		} else if (!isPossibleE164(number)) {
			const reason = reasonFor(value, "must be a phone number that a numbering plan has");
			refuse(context, (inputs, accepted) => {
				if (accepted.unknownNumbers) return undefined;
				const text = reason(inputs, accepted)?.replace(/[^?]$/, "$&.");
				return `${text} If this number exists, run again with ${acceptUnknown}=yes`;
			});
		}
	});

export const e164Form: Form = {
	kind: "scalar",
	spelling: canonicalE164,
	accepted: () => acceptedE164,
	isReadCanonical: true,
	isRespelled: isSameSubscriber,
	same: "spaces and punctuation",
};

/** True for text that begins like a phone number, and isn't one. No id begins so. */
export const isMisspelledE164 = (text: string): boolean =>
	/^[\s\p{Cf}(]*([+＋]|tel:)/iu.test(text) && writtenE164(text) === undefined;

/** The id of a number, or its E.164. Ids may be digits too, so digits are refused only if the country has that number. */
export const numberName = (empty: string) =>
	assigned()
		.regex(/\S/, empty)
		.superRefine((value, context) => {
			if (!isMisspelledE164(value) && !/^[\p{Nd}\s\p{Cf}()./-]{7,}$/u.test(value)) return;
			const mayBeId = /^[1-9]\d*$/.test(value);
			const message = "a phone number is written in E.164, with + and the country code";
			refuse(
				context,
				reasonFor(value, message, (meant) => !mayBeId || meant !== undefined),
			);
		});

/** The name that finds a number: E.164 in any spelling, or an id. */
export const writtenName = (value: string): string => writtenE164(value) ?? value.trim();

export const numberNameForm: Form = text(writtenName, "spaces and punctuation of a phone number");
