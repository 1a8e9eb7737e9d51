/** The secret that the service shows once, in the response that made it. */
import type { OperationName } from "../api/contract";
import { sameMarker } from "../properties/canonical";
import type { Values } from "../properties/table";
import type { Service } from "../session/session";

export interface Secret<R extends object> {
	/** The output that holds it. */
	readonly output: string;
	/** The input that asks for a new secret whenever its value changes. */
	readonly rotation: string;
	/** The output that changes with each new secret. Only this detects a new one, never the value. */
	readonly marker: string;
	markerOf(record: R): unknown;
	/** True if an object has a secret at all, by its record or by the values of a state; undefined if they don't show that. */
	exists(values: object): boolean | undefined;
	/** The secret, which only the response that made it shows. */
	findValue(record: R): string | undefined;
	/** Makes the service generate a new one. Undefined if the service can't. */
	readonly rotate: ((service: Service, id: string) => Promise<R>) | undefined;
	/** The operation of `rotate`. */
	readonly operation: OperationName;
	/** The field of the record that shows it. */
	readonly field: string;
	/** The secret that the program sets, if any, and the part of a request that sets it. */
	declared?(inputs: Values): { readonly value: string; readonly body: Values } | undefined;
	/** The path of the property that sets it, if the program leaves it to the service to make one. */
	toBeDeclared?(inputs: Values): string | undefined;
}

export type SecretState =
	| { readonly name: "known"; readonly value: string }
	/**
	 * A secret that stays unknown: others use an adopted object's, or the service can't make another one, or never shows
	 * those that it makes.
	 */
	| { readonly name: "unknown" }
	/** No valid secret is known: the next write sets or makes one. */
	| { readonly name: "lost" }
	/** The program asks for another secret. Until the service has made it, `value` is valid. */
	| { readonly name: "rotating"; readonly value: string };

export const lost: SecretState = { name: "lost" };
export const unknown: SecretState = { name: "unknown" };
export const secretOf = (value: string | undefined): SecretState =>
	value === undefined ? lost : { name: "known", value };

/** The output of a lost secret. The output of an unknown one is absent. */
const lostOutput = "";

/** A secret of which the service shows only a few characters, if any. */
const maskedSecret = /^$|[*•]{3}/;

/** Returns the secret that a response shows. An empty text or a mask is none. */
export function shownSecret<R extends object>({ findValue }: Secret<R>, record: R): string | undefined {
	const value = findValue(record);
	return value === undefined || maskedSecret.test(value) ? undefined : value;
}

/** The secret that a resource state holds. An object that had none so far needs one. */
function secretIn<R extends object>({ output, exists }: Secret<R>, outs: Values, isPending = false): SecretState {
	const value = outs[output];
	if (typeof value === "string") return value === lostOutput ? lost : secretOf(value);
	// A write without a response may have added one, also to an adopted object.
	if (isPending && exists(outs) === false) return lost;
	return outs.adopt != null || exists(outs) ? unknown : lost;
}

/** True if the program or the service can replace a lost secret. */
const isRenewable = <R extends object>(secret: Secret<R>, values: Values): boolean =>
	secret.rotate !== undefined || secret.declared?.(values) !== undefined;

export const isLost = <R extends object>(secret: Secret<R>, outs: Values): boolean =>
	outs[secret.output] === lostOutput && isRenewable(secret, outs);

/** True if the marker shows another secret than the state's. An unknown one may change unnoticed. */
function wasReplaced<R extends object>(secret: Secret<R>, record: R, outs: Values): boolean {
	const [marker, before] = [secret.markerOf(record), outs[secret.marker]];
	const isComparable = marker !== undefined && before !== undefined && secretIn(secret, outs).name !== "unknown";
	return isComparable && !sameMarker(marker, before);
}

/** `isPending` is true if the service may have carried out a write of this declaration that the state doesn't know. */
export const secretBefore = <R extends object>(
	secret: Secret<R>,
	record: R,
	olds: Values,
	isPending: boolean,
): SecretState => (wasReplaced(secret, record, olds) ? lost : secretIn(secret, olds, isPending));

/** The outputs after a read. `isPending` as in `secretBefore`. */
export function secretObserved<R extends object>(
	secret: Secret<R> | undefined,
	record: R,
	props: Values,
	isPending: boolean,
): Values {
	if (!(secret?.exists(record) ?? secret?.exists(props))) return {};
	const [before, marker] = [props[secret.marker], secret.markerOf(record)];
	const replaced = isRenewable(secret, props) ? lostOutput : undefined;
	const isAdded = isPending && secret.exists(props) === false;
	return {
		[secret.output]: isAdded || wasReplaced(secret, record, props) ? replaced : props[secret.output],
		// A different spelling of one time isn't a change.
		[secret.marker]: marker === undefined || sameMarker(marker, before) ? before : marker,
	};
}

export const markerOutput = <R extends object>(secret: Secret<R> | undefined, record: R): Values =>
	secret === undefined ? {} : { [secret.marker]: secret.markerOf(record) };

/** The warning about a secret that was replaced, with what the next update does. `declared` are a state's outputs. */
export function replacedWarning<R extends object>(secret: Secret<R>, what: string, declared: Values): string {
	const next = secret.declared?.(declared)
		? "restores the one that the program declares"
		: `generates another one, which you must give to everyone who uses it (output \`${secret.output}\`)`;
	return `The ${secret.output} of the ${what} was replaced outside Pulumi, and the service doesn't show the new one. The next \`pulumi up\` ${next}.`;
}

/** The warning about a secret that the service has made and doesn't show. `declared` are a state's outputs. */
export function hiddenWarning<R extends object>(
	{ output, toBeDeclared }: Secret<R>,
	what: string,
	declared: Values,
): string {
	const path = toBeDeclared?.(declared);
	const fix = path === undefined ? "" : `, or declare your own as \`${path}\``;
	return `The service made a ${output} for the ${what}, and its response doesn't show it. The output \`${output}\` is undefined, and no later run makes another one. Copy the ${output} from the service's dashboard${fix}.`;
}

/** True if the program declares another value. A property that it no longer declares ends no working secret. */
export const isRotated = <R extends object>({ rotation }: Secret<R>, olds: Values, news: Values): boolean =>
	news[rotation] != null && String(olds[rotation] ?? "") !== String(news[rotation]);

export interface SecretChange<R extends object> {
	readonly start: R;
	/** The outputs of the last write; none if the object is new. */
	readonly olds: Values;
	readonly news: Values;
	readonly secret?: SecretState | undefined;
	/** The program asks for another one. */
	readonly rotates?: boolean;
}

export class SecretWrite<R extends object> {
	readonly #secret: Secret<R>;
	readonly #change: SecretChange<R>;
	#state: SecretState;
	/** True if this write has set a secret, or had the service make one. */
	#isNew = false;
	/** True if the service has made a secret in this write without showing it. */
	isHidden = false;

	constructor(secret: Secret<R>, change: SecretChange<R>) {
		this.#secret = secret;
		this.#change = change;
		this.#state = stateBefore(secret, change);
	}

	/** The part of the request that sets the secret. */
	body(): Values {
		const declared = this.#declared();
		const isSet = this.#state.name === "known" && this.#state.value === declared?.value;
		if (declared === undefined || isSet) return {};
		this.#isNew = true;
		return declared.body;
	}

	/** Notes the response to the request. It may show only a mask of a secret that it hasn't made. */
	noteResponse(record: R): void {
		const declared = this.#declared();
		// A response without a marker shows another secret only where none is known.
		const isMade = this.#markerOf(record) === undefined ? this.#state.name === "lost" : !this.#isSame(record);
		if (declared !== undefined) this.#state = secretOf(declared.value);
		else if (isMade) this.noteMade(record);
	}

	isMissing(record: R): boolean {
		return this.#exists(record) && (this.#state.name === "lost" || this.#state.name === "rotating");
	}

	noteMade(record: R): void {
		this.#isNew = true;
		this.#state = secretOf(shownSecret(this.#secret, record));
	}

	/** Notes the response to `rotate`. Another try would only make another secret that the service doesn't show. */
	noteRotated(record: R): void {
		this.noteMade(record);
		this.isHidden = this.#state.name === "lost";
		if (this.isHidden) this.#state = unknown;
	}

	outputs(record: R): Values {
		const { output, rotation, marker } = this.#secret;
		if (!this.#exists(record)) return {};
		// A marker that hasn't moved yet is the earlier secret's.
		const before = this.#change.olds[marker];
		const current = this.#markerOf(record) ?? (this.#isNew ? undefined : before);
		const isBehind = this.#isNew && before !== undefined && sameMarker(current, before);
		const shared = { [marker]: isBehind ? undefined : current };
		switch (this.#state.name) {
			case "known":
				return { ...shared, [output]: this.#state.value };
			case "unknown":
				return { ...shared, [output]: undefined };
			case "lost":
				return { ...shared, [output]: lostOutput };
			case "rotating":
				// With the old rotation value, the next update rotates.
				return { ...shared, [output]: this.#state.value, [rotation]: this.#change.olds[rotation] };
		}
	}

	#declared() {
		return this.#secret.declared?.(this.#change.news);
	}

	#exists(record: R): boolean {
		return this.#secret.exists(record) ?? this.#secret.exists(this.#change.news) === true;
	}

	#markerOf(record: R): unknown {
		return this.#secret.markerOf(record);
	}

	#isSame(record: R): boolean {
		return sameMarker(this.#markerOf(record), this.#markerOf(this.#change.start));
	}
}

function stateBefore<R extends object>(
	secret: Secret<R>,
	{ secret: before = lost, rotates, start, olds, news }: SecretChange<R>,
): SecretState {
	if (before.name === "known")
		return rotates && secret.rotate !== undefined ? { name: "rotating", value: before.value } : before;
	if (!isRenewable(secret, news)) return unknown;
	// A secret that this write itself adds to an adopted object isn't shared with anybody.
	return before.name === "unknown" && !rotates && (secret.exists(start) ?? secret.exists(olds)) ? before : lost;
}
