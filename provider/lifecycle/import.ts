/** What an import makes of an object: inputs as a program would declare them, and outputs as if a run had written them. */
import { isTelephonyError, nextStep, TelephonyError } from "../api/errors";
import { type Identity, ownerName, type Referenced } from "../ownership/claim";
import { ownership } from "../ownership/ownership";
import { sameDeclaration, scalar } from "../properties/form";
import { defaultsOf, type Properties, type Values } from "../properties/table";
import type { Session } from "../session/session";
import { type ReadResult, redactError } from "./resource";

interface ImportedObject {
	readonly id: string;
	readonly claim: Identity;
	readonly properties: Properties;
	/** The live values, under the program's names. */
	readonly live: Values;
	readonly computed: Values;
	/** What the program is to say beside them. */
	readonly kept: Values;
}

interface Importing {
	readonly claim: Identity;
	readonly record: Referenced;
	/** The object's name in messages. */
	readonly what: string;
}

/** What a program is to declare of an object: what is live and not said by a default, and what is `kept`. */
export function importedInputs({
	properties,
	live,
	kept,
}: Pick<ImportedObject, "properties" | "live" | "kept">): Values {
	const inputs: Values = {};
	for (const [key, { form = scalar, default: value, cleared, writeOnly }] of Object.entries(properties)) {
		const isPlain = [undefined, "", value, cleared].some((each) => sameDeclaration(form, live[key], each));
		if (!writeOnly && !isPlain) inputs[key] = live[key];
	}
	return { ...inputs, ...kept };
}

/** Without a lease: nothing is written until the program changes something, and until then nobody has claimed it. */
export function imported({ id, claim, properties, live, computed, kept }: ImportedObject): ReadResult {
	const inputs = importedInputs({ properties, live, kept });
	return { id, inputs, props: { ...defaultsOf(properties), ...inputs, ...computed, token: claim.token } };
}

/** The state has nothing yet that a refresh could remove. @throws the error, with an import's own way out */
export const refuseUnknown =
	({ secrets }: Session) =>
	(error: unknown): never => {
		if (!isTelephonyError(error, "NotFound")) throw error;
		const nextStep = "Nothing was imported. Name what the account has, by its id; a number also by its E.164.";
		const refused = new TelephonyError("NotFound", error.text, { nextStep });
		redactError(refused, (text) => secrets.mask(text));
		throw refused;
	};

/**
 * Warns of an object that the same declaration has claimed: nothing is written, so both states would think it theirs.
 *
 * @throws TelephonyError Claimed, if the object is another stack's
 */
export function refuseImport({ progress }: Session, props: Values, { claim, record, what }: Importing): void {
	const state = ownership(claim, record);
	if (state === "superseded")
		progress.warn(
			String(props.resourceUrn ?? ""),
			"another-state",
			`${what} has been claimed for the same project, stack and name: by an entry that this state has lost, or by another copy of the state. If another copy still has it, remove it there with \`pulumi state delete\`: two states that manage one object undo each other's changes.`,
		);
	if (state !== "foreign") return;
	throw new TelephonyError(
		"Claimed",
		`${what} has been claimed by ${ownerName(record.reference, claim)}, and was not imported. ${nextStep("Claimed")}`,
	);
}
