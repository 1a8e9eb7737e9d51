/**
 * Notices a service that cuts or refuses references. A later run couldn't recognize what this run buys or creates there, so
 * the run buys and creates nothing more.
 */
import { isTelephonyError, TelephonyError } from "../api/errors";
import type { Values } from "../properties/table";
import { type Identity, isSameStack, isSameState, type Referenced } from "./claim";
import { isCut, parseReference, shortStackName } from "./reference";

/** The line that declares a service without references. */
export const withoutReferences = "Add `-reference` to `telephony:features`.";

interface Listed {
	/** The noun of the kind. */
	readonly noun: string;
	readonly live: readonly Referenced[];
	nameOf(record: Referenced): string;
	/** True if this run declares the resource. */
	declares(token: string): boolean;
}

export class KeptReferences {
	/** True once the service has shown a whole reference of ours. */
	isProven = false;
	/** Why the run buys and creates nothing more. */
	#fault: string | undefined;
	readonly #listed = new Set<string>();

	/**
	 * Explains the refusal of a request with a reference. Until the service has shown a whole reference, the reference may be
	 * its cause, unless the error names another value of the request.
	 */
	explained(error: unknown, body: Values): unknown {
		if (this.isProven || body.reference === undefined || !isTelephonyError(error, "Invalid")) return error;
		const isNamed = (field: string) => new RegExp(`\\b${field}\\b`, "i").test(error.text);
		const others = Object.keys(body).filter((field) => field !== "reference");
		if (!isNamed("reference") && others.some(isNamed)) return error;
		return new TelephonyError(error.kind, `${error.text} The cause may be our \`reference\`. ${withoutReferences}`, {
			cause: error,
			messageCode: "reference-cut",
		});
	}

	/** Notes the error of a write if the service has cut or refused its reference. */
	noteError(error: unknown): void {
		if (isTelephonyError(error) && error.messageCode === "reference-cut") this.#fault ??= error.text;
	}

	/** Notes what a list shows, once in a run. */
	noteList(claim: Identity, { noun, live, nameOf, declares }: Listed): void {
		if (!claim.kept || this.#listed.has(noun)) return;
		this.#listed.add(noun);
		for (const record of live) {
			const { reference: text } = record;
			const reference = parseReference(text);
			// Two stacks may have such names, but not the same token.
			const isNameCut =
				reference !== undefined &&
				declares(reference.token) &&
				isSameState(claim, reference) &&
				!isSameStack(claim, reference) &&
				shortStackName(claim.stackName).startsWith(reference.stackName);
			if (isCut(text) || isNameCut)
				this.#fault ??= `The service has cut the \`reference\` of the ${noun} ${nameOf(record)}: it shows ${JSON.stringify(text)}. ${withoutReferences}`;
			else this.isProven ||= reference !== undefined;
		}
	}

	/** @throws TelephonyError if the service cuts or refuses references */
	assertKept({ kept }: Identity): void {
		if (!kept || this.#fault === undefined) return;
		throw new TelephonyError(
			"Conflict",
			`Nothing was bought or created for this resource, because an interrupted run couldn't recognize it. ${this.#fault}`,
			{ messageCode: "reference-cut" },
		);
	}
}
