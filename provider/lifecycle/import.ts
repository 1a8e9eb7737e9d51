/** What an import makes of an object: inputs as a program would declare them, and outputs as if a run had written them. */
import { nextStep, TelephonyError } from "../api/errors";
import { type Claim, ownerName, type Referenced } from "../ownership/claim";
import { ownership } from "../ownership/ownership";
import { sameDeclaration, scalar } from "../properties/form";
import { defaultsOf, type Properties, type Values } from "../properties/table";
import type { ReadResult } from "./resource";

interface Found {
	readonly id: string;
	readonly claim: Claim;
	readonly properties: Properties;
	/** The live values, under the program's names. */
	readonly live: Values;
	readonly computed: Values;
	/** What the program is to say beside them. */
	readonly kept: Values;
}

/** What a program is to declare of an object: what is live and not said by a default, and what is `kept`. */
export function importedInputs({ properties, live, kept }: Pick<Found, "properties" | "live" | "kept">): Values {
	const inputs: Values = {};
	for (const [key, { form = scalar, default: value, cleared, writeOnly }] of Object.entries(properties)) {
		const isPlain = [undefined, "", value, cleared].some((each) => sameDeclaration(form, live[key], each));
		if (!writeOnly && !isPlain) inputs[key] = live[key];
	}
	return { ...inputs, ...kept };
}

/** Without a lease: nothing is written until the program changes something, and until then nobody has claimed it. */
export function imported({ id, claim, properties, live, computed, kept }: Found): ReadResult {
	const inputs = importedInputs({ properties, live, kept });
	return { id, inputs, props: { ...defaultsOf(properties), ...inputs, ...computed, token: claim.token } };
}

/** @throws TelephonyError Claimed, if the object is another stack's */
export function refuseImport(claim: Claim, record: Referenced, what: string): void {
	if (ownership(claim, record) !== "somebody else's") return;
	throw new TelephonyError(
		"Claimed",
		`${what} has been claimed by ${ownerName(record.reference, claim)}, and was not imported. ${nextStep("Claimed")}`,
	);
}
