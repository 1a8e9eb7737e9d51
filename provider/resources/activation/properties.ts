/** An activation's properties: which numbers it waits for, how long, and what is shown of them. */
import { z } from "zod";
import { listOf, scalar, setOf, typeOf } from "../../properties/form";
import { objectOf } from "../../properties/object";
import { aString } from "../../properties/outputs";
import { numberName } from "../../properties/phone";
import type { Outputs, Properties } from "../../properties/table";
import { byState, waitLimit } from "../rows";

export const activationProperties: Properties = {
	numberIds: {
		type: () =>
			z.array(numberName("must be the id of a number, such as num_01")).min(1, "must name at least one number"),
		description: "Ids of the numbers to wait for.",
		example: ["num_01", "num_02"],
		required: true,
		form: setOf(scalar),
		change: { does: "in place", words: "in place: waits for the numbers that aren't active yet" },
	},
	timeoutSeconds: waitLimit,
};

const state = objectOf(
	{
		id: { ...aString, required: true, description: "The number's id." },
		phoneNumber: { ...aString, description: "E.164; undefined until the carrier assigns a number." },
		status: {
			...aString,
			required: true,
			description: "See `Number.status`; `deleted` if the account no longer has the number.",
		},
	},
	{ name: "NumberState", description: "One of the numbers waited for." },
);

export const activationOutputs: Outputs = {
	numbers: {
		type: () => z.array(typeOf(state)),
		form: listOf(state.form),
		required: true,
		moves: true,
		description: "States in the order of `numberIds`. A number that is suspended, porting out or released is drift.",
		drift: byState,
	},
};
