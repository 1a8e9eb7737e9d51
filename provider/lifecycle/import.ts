/** The import of an object: inputs as a program would declare them, or a refusal. */
import { handOver, isTelephonyError, TelephonyError } from "../api/errors";
import { ownerName } from "../ownership/claim";
import { ownership } from "../ownership/ownership";
import { isRetained } from "../ownership/reference";
import { sameDeclaration, scalar } from "../properties/form";
import { type Properties, urnOf, type Values } from "../properties/table";
import type { Session } from "../session/session";
import type { Claimed } from "./messages";

export function importedInputs(properties: Properties, live: Values, kept: Values): Values {
	const inputs: Values = {};
	for (const [key, { form = scalar, default: value, cleared, writeOnly }] of Object.entries(properties)) {
		const isPlain = [undefined, "", value, cleared].some((plain) => sameDeclaration(form, live[key], plain));
		if (!writeOnly && !isPlain) inputs[key] = live[key];
	}
	return { ...inputs, ...kept };
}

/** @throws the error, with the fix for an import */
export function refuseUnknown(error: unknown): never {
	if (!isTelephonyError(error, "NotFound")) throw error;
	const nextStep = "Nothing was imported. Use the id of an existing object, or the E.164 of a number with its `+`.";
	throw new TelephonyError("NotFound", error.text, { nextStep });
}

/**
 * Warns of an object that the same declaration has claimed. An import writes nothing, so two states may now have it.
 *
 * @throws TelephonyError Claimed, if the object is another stack's
 */
export function refuseImport({ progress }: Session, { claim, record, outs, what }: Claimed): void {
	if (isRetained(record.reference)) return;
	// This resource has no outputs yet.
	const state = ownership(claim, record);
	if (state === "superseded")
		progress.warn(
			urnOf(outs),
			"another-state",
			`${what} is already claimed for this project, stack and name, by a resource that this state lost or by another copy of the state. If another copy has it, run \`pulumi state delete\` there; otherwise the two undo each other's changes.`,
		);
	if (state !== "foreign") return;
	throw new TelephonyError(
		"Claimed",
		`${what} was claimed by ${ownerName(record.reference, claim)}, so it was not imported. To import it, ${handOver}`,
	);
}
