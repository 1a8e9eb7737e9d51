import { z } from "zod";
import { numberTypes } from "./numbers";
import { list, ofFeature } from "./operation";
import * as s from "./schema";

export const capabilities = ["voice", "sms", "mms", "fax"] as const;

/** An available number. Others may buy it first: a purchase by criteria gets the next free number. */
export const AvailableNumberRecord = s.response(() => ({
	/** E.164. */
	number: s.phone,
	country: z.string().optional(),
	area: z.string().nullable().optional(),
	type: s.openEnum(numberTypes).optional(),
	capabilities: z.array(z.string()).optional(),
	kyc_required: z.boolean().optional(),
	price: s
		.response(() => ({ setup: s.money, monthly: s.money }))
		.nullable()
		.optional(),
}));
export type AvailableNumberRecord = z.infer<typeof AvailableNumberRecord>;

export const inventoryOperations = ofFeature("inventory", {
	searchNumbers: list("/available_numbers", AvailableNumberRecord, () => ({
		country: s.country,
		/** Default: all types, one after the other. */
		type: z.enum(numberTypes).optional(),
		area: z.string().min(1).max(20).optional(),
		/** Consecutive digits of the number. */
		contains: z
			.string()
			.regex(/^\d{1,15}$/, "must be 1 to 15 digits")
			.optional(),
		/** Capabilities that the number must have, separated by commas. */
		capabilities: z
			.string()
			.regex(
				/^(voice|sms|mms|fax)(,(voice|sms|mms|fax))*$/,
				`must be of ${capabilities.join(", ")}, separated by commas`,
			)
			.optional(),
	})),
});
