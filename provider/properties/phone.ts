/** Phone numbers as programs write them: E.164 with the plus. */
import { z } from "zod";
import { e164 as acceptedE164 } from "../api/contract/schema";
import { canonicalE164, writtenE164 } from "./canonical";
import { type Form, text } from "./form";

const inE164 = "in E.164, with + and the country code, such as +31201234567";

const unassigned =
	"must be set. If it is another resource's `phoneNumber`, that is unknown until the carrier assigns it: leave this property out until then";

export const e164 = z
	.string({ error: ({ input }) => (input === undefined ? unassigned : undefined) })
	.refine((value) => writtenE164(value) !== undefined, `must be a phone number ${inE164}`);

export const e164Form: Form = {
	kind: "scalar",
	spelling: canonicalE164,
	accepted: acceptedE164,
	isReadCanonical: true,
	same: "spaces and punctuation",
};

/** The id of a number, or its E.164. Digits alone may be an id, unless they start with 0. */
export const numberName = (empty: string) =>
	z
		.string()
		.min(1, empty)
		.refine(
			(value) => !/^[\d\s()./-]{7,}$/.test(value) || /^[1-9]\d*$/.test(value),
			`a phone number must be written ${inE164}`,
		);

/** The name that finds a number: E.164 in any spelling, or an id. */
export const writtenName = (value: string): string => writtenE164(value) ?? value.trim();

export const numberNameForm: Form = text(writtenName, "spaces and punctuation of a phone number");
