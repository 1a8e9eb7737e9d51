/** The property `onDelete`. */
import { z } from "zod";
import type { Fix } from "../drift/condition";
import type { Property, Values } from "../properties/table";
import type { Session } from "../session/session";

/** The property `onDelete` of objects that cost nothing. `deletes` is such as `cancels`. */
export const onDeleteProperty = (noun: string, deletes = "deletes"): Property => ({
	type: () => z.enum(["delete", "retain"], "must be delete or retain"),
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

/**
 * Returns how to remove an object from the program, and what its saved `onDelete` then does. `ends` is such as `releases`.
 * `isProtected` is true if a delete retains it whatever `onDelete` says.
 */
export function removalFix({ onDelete = "retain" }: Values, ends: string, isProtected = false): Fix {
	const isRetained = onDelete === "retain";
	const unprotect = isProtected && !isRetained ? "set `releaseProtection: false`, run `pulumi up`, " : "";
	const outcome = isRetained ? "retains it on the account" : `${ends} it`;
	return {
		code: "accept",
		text: `${unprotect}remove it from the program, then \`pulumi up\` ${outcome} (saved \`onDelete: ${JSON.stringify(onDelete)}\`)`,
	};
}
