/** Objects that a program only reads, with `.get`: nothing about them is declared, so nothing is drift. */
import { isTelephonyError, TelephonyError } from "../api/errors";
import type { Values } from "../properties/table";
import type { Session } from "../session/session";
import { messageOf, type ReadResult } from "./resource";

interface LookedUp {
	readonly id: string;
	readonly props: Values;
	readonly kind: string;
	readonly isRefresh: boolean;
}

/** Only warns in a refresh, as this state loses nothing. @throws TelephonyError NotFound for the program's own read */
export function lookupLost(session: Session, { id, props, kind, isRefresh }: LookedUp, error: unknown): ReadResult {
	if (!isRefresh) {
		const text = isTelephonyError(error) ? error.text : messageOf(error);
		const nextStep = "`.get` needs the id of an existing object.";
		throw new TelephonyError("NotFound", text, { nextStep, cause: error });
	}
	const what = typeof props.phoneNumber === "string" ? `${kind} ${props.phoneNumber} (${id})` : `${kind} ${id}`;
	session.progress.warn(
		String(props.resourceUrn ?? ""),
		"not-found",
		`The ${what}, which this program reads with \`.get\`, no longer exists, so the next \`pulumi up\` fails. Use another id, or remove the \`.get\`.`,
	);
	return { id, props };
}
