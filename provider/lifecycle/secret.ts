/** The secret that the service shows once, in the answer that made it: which one is valid, and who knows it. */
import { sameMarker } from "../properties/canonical";
import type { Values } from "../properties/table";

export interface Secret<R> {
	/**
	 * The output that holds it; "" once it is known to be invalid, so that the next update sets a valid one. Absent if an
	 * adopted object already had one: it isn't known here, and is left alone.
	 */
	readonly output: string;
	/** The input that asks for a new secret whenever its value changes. */
	readonly rotation: string;
	/** The output that changes when somebody makes a new secret, which is detected by this and never by its value. */
	readonly marker: string;
	markerOf(record: R): unknown;
	/** Whether the object has a secret at all. */
	exists(record: R): boolean;
	/** The secret, which only the answer that made it shows. */
	shown(record: R): string | undefined;
	/** The secret that the program sets, if any, and the part of a request that sets it. */
	declared?(inputs: Values): { readonly value: string; readonly body: Values } | undefined;
}

/** Whether it is an adopted object's unknown secret, which stays until the program asks for another one. */
export const isLeftAlone = <R>({ output }: Secret<R>, known: Values): boolean =>
	known.adopt != null && known[output] === undefined;

/** Whether somebody else replaced the secret, judging by its marker. A secret that isn't known here doesn't count. */
export function wasReplaced<R>(secret: Secret<R>, record: R, known: Values): boolean {
	const [marker, before] = [secret.markerOf(record), known[secret.marker]];
	return marker !== undefined && before !== undefined && !sameMarker(marker, before) && !isLeftAlone(secret, known);
}

/** The warning about it, with what the next update does. `declared` are a state's outputs. */
export function replacedWarning<R>(secret: Secret<R>, what: string, declared: Values): string {
	const next = secret.declared?.(declared)
		? "writes back the one that the program declares"
		: `makes another one and puts it into the output \`${secret.output}\`: give it to those who use it`;
	return `Somebody replaced the ${secret.output} of the ${what}, and the service doesn't show the new one. The next \`pulumi up\` ${next}.`;
}
