/** Objects that a program only reads, with `.get`: none of it is declared, so none of it is drift. */
import { isTelephonyError, TelephonyError } from "../api/errors";
import { isInternal, type Properties, type Values } from "../properties/table";
import type { Session } from "../session/session";
import { messageOf, type ReadResult } from "./resource";

/**
 * An object that a program only reads (`.get`) changes with the program's next read. A refresh returns the state as it
 * is: the engine would report any change as drift, although the program declares none of it.
 */
export const lookup = (
	{ id, props, properties }: Pick<LookedUp, "id" | "props" | "properties">,
	found: Values,
): ReadResult => ({
	id,
	props: isRefresh(props, properties) ? props : found,
});

interface LookedUp {
	readonly id: string;
	readonly props: Values;
	readonly properties: Properties;
	readonly kind: string;
}

/** Nothing of ours is lost, so a refresh only warns. @throws TelephonyError NotFound for the program's own read */
export function lookupLost(session: Session, { id, props, properties, kind }: LookedUp, error: unknown): ReadResult {
	if (!isRefresh(props, properties)) {
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

/** The program's own read comes with its inputs at most. A refresh comes with outputs too; services may lack any one. */
const isRefresh = (props: Values, properties: Properties): boolean =>
	Object.entries(props).some(([key, value]) => value != null && !isInternal(key) && !Object.hasOwn(properties, key));
