/** Changes as the provider makes them, by the description that the check has found so far. */
import { isTelephonyError, type TelephonyError } from "../../provider/api/errors";
import { isObject, type Json } from "../../provider/api/json";
import type { Transport } from "../../provider/api/transport";
import { kinds } from "./kinds";
import type { Change } from "./steps";

export interface Attempt {
	readonly step: Change;
	/** The change, in our names. */
	readonly body: Json;
	/** The object after the change, in our names; undefined if no response shows it. */
	readonly record?: Json | undefined;
	readonly failed?: TelephonyError;
	/** The operation that worked, if it isn't the one of the description. */
	readonly instead?: { readonly request: string; readonly whole: boolean };
}

export const isBusyStatus = (status: number | undefined): boolean => status === 429 || status === 503;

/** True for a refusal that depends on the service's load, and shows nothing about the change. */
export const isRefusedForRate = ({ failed }: Attempt): boolean => isBusyStatus(failed?.status);

export const kindOf = (step: Change) =>
	step === "changeTrunk" ? kinds.trunk : step === "changeWebhook" ? kinds.webhook : kinds.number;

/** A service may show a change late. */
const reads = 3;

/** Changes the object, and reads it until it shows the change. */
export async function attempt(transport: Transport, step: Change, id: string, body: Json): Promise<Attempt> {
	const { change, read, feature } = kindOf(step);
	try {
		const { data } = await transport.send(change, { segment: id, body });
		let record = isObject(data) ? data : undefined;
		for (let tries = 1; tries <= reads && transport.offers(feature) && !isShown(record, body); tries++) {
			if (tries > 1) await transport.run(undefined).clock.sleep(1_000);
			const { data: latest } = await transport.send(read, { segment: id });
			record = isObject(latest) ? latest : undefined;
		}
		return { step, body, record };
	} catch (error) {
		if (!isTelephonyError(error)) throw error;
		return { step, body, failed: error };
	}
}

/** Returns true if a value is shown as sent. An object may show more fields, and an absent one may be left out. */
export function isShown(found: unknown, sent: unknown): boolean {
	if (sent === null) return found === null || found === undefined;
	if (!isObject(sent)) return JSON.stringify(found) === JSON.stringify(sent);
	return isObject(found) && Object.entries(sent).every(([key, value]) => isShown(found[key], value));
}
