/** The property `onDelete`. */
import { z } from "zod";
import type { Fix } from "../drift/condition";
import type { Property, Values } from "../properties/table";
import type { Session } from "../session/session";

/** The property `onDelete` of objects that cost nothing. `deletes` is such as `cancels`. */
export const onDeleteProperty = (noun: string, deletes = "deletes"): Property => ({
	type: z.enum(["delete", "retain"], "must be delete or retain"),
	description: `Effect of deleting the resource: \`delete\` ${deletes} the ${noun}, and \`retain\` leaves it on the account.`,
	otherwise: "`delete`; with `adopt`, `retain`",
	filled: true,
});

/**
 * Writes the resolved `onDelete` into the inputs, so that preview shows it and a later delete finds it in the state.
 * `isCharged` is true if the object costs money, so that the default is the stack's.
 */
export async function resolveOnDelete(
	session: Session,
	inputs: Values,
	{ isAdopted, isCharged }: { readonly isAdopted: boolean; readonly isCharged: boolean },
): Promise<void> {
	if (inputs.onDelete !== undefined) return;
	if (isAdopted) inputs.onDelete = "retain";
	else if (!isCharged) inputs.onDelete = "delete";
	else inputs.onDelete = (await session.config().catch(() => undefined))?.onDelete ?? "retain";
}

/** Returns how to remove an object from the program, and what its saved `onDelete` then does. `ends` is such as `releases`. */
export const removalFix = ({ onDelete = "retain" }: Values, ends: string): Fix => ({
	code: "accept",
	text: `remove it from the program, then \`pulumi up\` ${onDelete === "retain" ? "retains it on the account" : `${ends} it`} (saved \`onDelete: ${JSON.stringify(onDelete)}\`)`,
});
