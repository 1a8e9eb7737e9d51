/** Rows that the tables of several resources share. */
import { z } from "zod";
import { seconds } from "../properties/limits";
import { aString } from "../properties/outputs";
import type { Output, Property } from "../properties/table";

/** The limit of a wait. */
export const waitLimit: Property = {
	type: seconds,
	description:
		"Limit of the wait in seconds. When the limit is reached, `up` fails, and the next `up` continues to wait.",
	default: 600,
	isWaitLimit: true,
};

/** A value whose change makes the service generate another secret. */
export const rotation = (output: string, rule: string, effect: string): Property => ({
	type: () => z.union([z.string(), z.number(), z.boolean()], "must be a string, a number, true or false"),
	description: `With any new value, the service generates another ${output}.${rule}`,
	example: "2027-01",
	change: { does: "in place", words: `the service generates a new ${output}${effect}` },
});

/** The drift of an output that decides the state of its object, for which the docs have a table. */
export const byState = "see the states";

/** The status of an object, as the service shows it. */
export const statusRow = (description: string, drift: string): Output => ({
	...aString,
	required: true,
	moves: true,
	wire: "status",
	...{ description, drift },
});
