/** The secret that the service shows once, in the answer that made it: which one is valid, and who knows it. */
import { sameMarker } from "../properties/canonical";
import type { Values } from "../properties/table";

export interface Secret<R> {
	/**
	 * The output that holds it; "" once it is known to be no longer valid, so that the next update brings a valid one.
	 * Absent where an adopted object had one before: nobody here knows it, and it is left alone.
	 */
	readonly output: string;
	/** The input of which any new value asks for a new one. */
	readonly rotation: string;
	/** The output that changes when somebody makes a new one: it is told by this, never by its value. */
	readonly marker: string;
	markerOf(record: R): unknown;
	/** Whether the object has a secret at all. */
	exists(record: R): boolean;
	/** In the answer that made it, and nowhere else. */
	shown(record: R): string | undefined;
	/** The program's own, where it brings one, and the part of a request that sets it. */
	declared?(inputs: Values): { readonly value: string; readonly body: Values } | undefined;
}

/** Of an adopted object, and not known: it stays as it is until the program asks for another one. */
export const isLeftAlone = <R>({ output }: Secret<R>, known: Values): boolean =>
	known.adopt != null && known[output] === undefined;

/** Told by its marker: a secret that somebody else replaced is no longer valid. What nobody here knows, nobody misses. */
export function wasReplaced<R>(secret: Secret<R>, record: R, known: Values): boolean {
	const [marker, before] = [secret.markerOf(record), known[secret.marker]];
	return marker !== undefined && before !== undefined && !sameMarker(marker, before) && !isLeftAlone(secret, known);
}

/** What the next update does about it; `declared` are a state's outputs. */
export function replacedWarning<R>(secret: Secret<R>, what: string, declared: Values): string {
	const next = secret.declared?.(declared)
		? "writes back the one that the program declares"
		: `makes another one and puts it into the output \`${secret.output}\`: give it to those who use it`;
	return `Somebody replaced the ${secret.output} of the ${what}, and the service doesn't show the new one. The next \`pulumi up\` ${next}.`;
}
