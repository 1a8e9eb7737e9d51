/** A change as the provider makes it, by the description that the check has found so far. */
import type { OperationName } from "../../provider/api/contract";
import type { Description } from "../../provider/api/description/description";
import { isTelephonyError, type TelephonyError } from "../../provider/api/errors";
import { isObject, type Json } from "../../provider/api/json";
import type { Transport } from "../../provider/api/transport";
import type { Kind } from "./kinds";

export interface Attempt {
	/** The change, in our names. */
	readonly body: Json;
	/** The object after the change, in our names; undefined if no response shows it. */
	readonly record?: Json | undefined;
	readonly failed?: TelephonyError;
	/** The operation that worked, if it isn't the one of the description. */
	readonly instead?: Operation;
}

/** Sends the changed fields, or the whole object with them. */
export interface Operation {
	readonly request: string;
	readonly isWhole: boolean;
}

/** Returns the line of description for the operation. */
export const operationLine = (name: OperationName, { request, isWhole }: Operation): Description => ({
	operations: { [name]: isWhole ? { request, whole: true } : request },
});

/** A service may show a change late. */
const reads = 3;

/** Changes the object, and reads it until it shows the change. */
export async function attempt(
	transport: Transport,
	{ change, read, feature }: Kind,
	id: string,
	body: Json,
): Promise<Attempt> {
	try {
		const { data } = await transport.send(change, { segment: id, body });
		let record = isObject(data) ? data : undefined;
		for (let tries = 1; tries <= reads && transport.offers(feature) && !isShown(record, body); tries++) {
			if (tries > 1) await transport.run(undefined).clock.sleep(1_000);
			const { data: latest } = await transport.send(read, { segment: id });
			record = isObject(latest) ? latest : undefined;
		}
		return { body, record };
	} catch (error) {
		if (!isTelephonyError(error)) throw error;
		return { body, failed: error };
	}
}

/** Returns true if a value is shown as sent. An object may show more fields, and an absent one may be left out. */
export function isShown(found: unknown, sent: unknown): boolean {
	if (sent === null) return found === null || found === undefined;
	if (!isObject(sent)) return JSON.stringify(found) === JSON.stringify(sent);
	return isObject(found) && Object.entries(sent).every(([key, value]) => isShown(found[key], value));
}

export const failureText = ({ text }: TelephonyError): string => text.split(" (request_id ")[0] ?? text;
