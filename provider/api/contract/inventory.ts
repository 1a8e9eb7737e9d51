import { z } from "zod";
import { numberTypes } from "./numbers";
import type { Operation } from "./operation";
import { answer, country, listQuery, money, openEnum, page } from "./schema";

export const capabilities = ["voice", "sms", "mms", "fax"] as const;

/** An available number. Others look too: a purchase by criteria gets the first one that is still free then. */
export const AvailableNumberRecord = answer({
	/** E.164. */
	number: z.string(),
	country: z.string().optional(),
	area: z.string().nullable().optional(),
	type: openEnum(numberTypes).optional(),
	capabilities: z.array(z.string()).optional(),
	kyc_required: z.boolean().optional(),
	price: answer({ setup: money, monthly: money }).nullable().optional(),
});
export type AvailableNumberRecord = z.infer<typeof AvailableNumberRecord>;

const SearchNumbersQuery = listQuery({
	country,
	/** Default: all types, one after the other. */
	type: z.enum(numberTypes).optional(),
	area: z.string().min(1).max(20).optional(),
	/** Digits that follow each other somewhere in the number. */
	contains: z
		.string()
		.regex(/^\d{1,15}$/, "must be 1 to 15 digits")
		.optional(),
	/** What the number must be able to do, separated by commas. */
	capabilities: z
		.string()
		.regex(/^(voice|sms|mms|fax)(,(voice|sms|mms|fax))*$/, `must be of ${capabilities.join(", ")}, separated by commas`)
		.optional(),
});

export const inventoryOperations = {
	searchNumbers: {
		method: "GET",
		path: "/available_numbers",
		origin: "assumed",
		feature: "inventory",
		query: SearchNumbersQuery,
		status: 200,
		answer: page(AvailableNumberRecord),
	},
} as const satisfies Record<string, Operation>;
