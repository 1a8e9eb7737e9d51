/** The secret that the service shows once, in the answer that made it: which one is valid, and who knows it. */
import { sameMarker } from "../properties/canonical";
import type { Values } from "../properties/table";
import type { Service } from "../session/session";

export interface Secret<R> {
	/** The output that holds it. */
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
	/** Makes the service generate a new one. */
	rotate(service: Service, id: string): Promise<R>;
	/** The secret that the program sets, if any, and the part of a request that sets it. */
	declared?(inputs: Values): { readonly value: string; readonly body: Values } | undefined;
}

export type SecretState =
	| { readonly state: "known"; readonly value: string }
	/** The secret of an adopted object: others use it, so it stays until the program asks for another one. */
	| { readonly state: "unknown" }
	/** No valid one is known: the next write sets or makes one. */
	| { readonly state: "stale" };

export const stale: SecretState = { state: "stale" };
export const unknownSecret: SecretState = { state: "unknown" };
export const secretOf = (value: string | undefined): SecretState =>
	value === undefined ? stale : { state: "known", value };

/** What a state holds: "" for a secret that is known to be invalid, nothing for one that isn't known. */
const written = (secret: SecretState): string | undefined =>
	secret.state === "known" ? secret.value : secret.state === "stale" ? "" : undefined;

function read(value: unknown): SecretState {
	if (value === "") return stale;
	return typeof value === "string" ? secretOf(value) : unknownSecret;
}

export const isStale = <R>({ output }: Secret<R>, outs: Values): boolean => read(outs[output]).state === "stale";

const isAdoptedUnknown = <R>({ output }: Secret<R>, outs: Values): boolean =>
	outs.adopt != null && read(outs[output]).state === "unknown";

/** Whether somebody else replaced the secret, judging by its marker. A secret that isn't known here doesn't count. */
function wasReplaced<R>(secret: Secret<R>, record: R, outs: Values): boolean {
	const [marker, before] = [secret.markerOf(record), outs[secret.marker]];
	return marker !== undefined && before !== undefined && !sameMarker(marker, before) && !isAdoptedUnknown(secret, outs);
}

/** Before an update. An object that is not adopted and has no secret in its state needs one. */
export function secretBefore<R>(secret: Secret<R>, record: R, olds: Values): SecretState {
	if (wasReplaced(secret, record, olds)) return stale;
	const before = read(olds[secret.output]);
	return before.state === "unknown" && !isAdoptedUnknown(secret, olds) ? stale : before;
}

/** The outputs after a read. */
export function secretObserved<R>(secret: Secret<R> | undefined, record: R, props: Values): Values {
	if (!secret?.exists(record)) return {};
	const [before, now] = [props[secret.marker], secret.markerOf(record)];
	return {
		[secret.output]: written(wasReplaced(secret, record, props) ? stale : read(props[secret.output])),
		// The same time may be spelled differently, which is no change.
		[secret.marker]: now === undefined || sameMarker(now, before) ? before : now,
	};
}

export const markerOutput = <R>(secret: Secret<R> | undefined, record: R): Values =>
	secret === undefined ? {} : { [secret.marker]: secret.markerOf(record) };

/** The warning about a secret that was replaced, with what the next update does. `declared` are a state's outputs. */
export function replacedWarning<R>(secret: Secret<R>, what: string, declared: Values): string {
	const next = secret.declared?.(declared)
		? "restores the one that the program declares"
		: `generates another one, which you must give to everyone who uses it (output \`${secret.output}\`)`;
	return `The ${secret.output} of the ${what} was replaced outside Pulumi, and the service doesn't show the new one. The next \`pulumi up\` ${next}.`;
}

/** Whether the program asks for a new secret. */
export const isRotated = <R>({ rotation }: Secret<R>, olds: Values, news: Values): boolean =>
	String(olds[rotation] ?? "") !== String(news[rotation] ?? "");

export interface SecretChange<R> {
	/** The object as it is now. */
	readonly start: R;
	/** The outputs of the last write; none if the object is new. */
	readonly olds: Values;
	/** What the program declares. */
	readonly news: Values;
	readonly secret?: SecretState | undefined;
	/** The program asks for another one. */
	readonly rotates?: boolean;
}

/** The secret of an object during a write. */
export class SecretWrite<R> {
	/** The outputs that a request for a secret may change. */
	readonly outputs: readonly string[];
	readonly #secret: Secret<R>;
	readonly #change: SecretChange<R>;
	/** The secret that is valid until the write replaces it. */
	readonly #before: SecretState;
	/** The secret that is to stay. */
	#now: SecretState;

	constructor(secret: Secret<R>, change: SecretChange<R>) {
		this.outputs = [secret.output, secret.marker];
		[this.#secret, this.#change] = [secret, change];
		this.#before = change.secret ?? stale;
		this.#now = change.rotates ? stale : this.#before;
	}

	/** What the request sends of it, and the outputs that it may change. */
	sent(): readonly [body: Values, about: readonly string[]] {
		const declared = this.#declared();
		if (declared === undefined) return [{}, []];
		const isKnown = this.#now.state === "known" && this.#now.value === declared.value;
		return [isKnown ? {} : declared.body, this.outputs];
	}

	/** Takes note of the answer. Other answers than the one that made the secret may show only a mask of it. */
	answered(record: R): void {
		const declared = this.#declared();
		if (declared !== undefined) this.#now = secretOf(declared.value);
		else if (!this.#isSame(record)) this.made(record);
	}

	/** Whether a secret is to be made: one that isn't known is useless, except an adopted object's. */
	isMissing(record: R): boolean {
		return this.#secret.exists(record) && this.#now.state !== "known" && !this.#isLeft(record);
	}

	/** Takes note of the answer that made it. */
	made(record: R): void {
		this.#now = secretOf(this.#secret.shown(record));
	}

	/** What the state keeps of it. */
	kept(record: R): Values {
		const { output, rotation, marker, exists, markerOf } = this.#secret;
		if (!exists(record)) return {};
		const markerNow = { [marker]: markerOf(record) };
		if (this.#isLeft(record)) return { [output]: undefined, ...markerNow };
		if (this.#now.state === "known") return { [output]: this.#now.value, ...markerNow };
		if (this.#before.state !== "known" || !this.#isSame(record)) return { [output]: written(stale), ...markerNow };
		// Not rotated yet: with the old rotation value, the next update rotates.
		return { [output]: this.#before.value, ...markerNow, [rotation]: this.#change.olds[rotation] };
	}

	#declared() {
		return this.#secret.declared?.(this.#change.news);
	}

	#isSame(record: R): boolean {
		return sameMarker(this.#secret.markerOf(record), this.#secret.markerOf(this.#change.start));
	}

	#isLeft(record: R): boolean {
		return this.#now.state === "unknown" && this.#secret.exists(this.#change.start) && this.#isSame(record);
	}
}
