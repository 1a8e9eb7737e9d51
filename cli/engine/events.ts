/** Events and resources as the engine writes them. */
import { masked } from "../../provider/properties/display";

/** A resource of the state, or the result of a read. The engine masks secrets. */
export interface ResourceState {
	readonly id?: string;
	/** Replaced, but not deleted yet. */
	readonly delete?: boolean;
	/** Read by a program's `.get`, and never written. */
	readonly external?: boolean;
	readonly retainOnDelete?: boolean;
	readonly urn?: string;
	readonly parent?: string;
	readonly inputs?: Readonly<Record<string, unknown>>;
	readonly outputs?: Readonly<Record<string, unknown>>;
}

export interface Step {
	readonly op: string;
	readonly urn: string;
	readonly type: string;
	readonly old?: ResourceState | null;
	readonly new?: ResourceState | null;
	/** The properties that make it a replacement. */
	readonly keys?: readonly string[];
	/** The provider's URN and id. */
	readonly provider?: string;
}

/** The events that the commands read. */
export interface EngineEvent {
	/** Before a step. */
	readonly resourcePreEvent?: { readonly metadata: Step };
	readonly resOutputsEvent?: { readonly metadata: Step };
	readonly diagnosticEvent?: { readonly urn?: string; readonly message: string; readonly severity: string };
	readonly summaryEvent?: { readonly result?: string };
}

export const nameIn = (urn: string): string => urn.split("::").slice(3).join("::");

/** Returns the name of a resource's stack. */
export const stackIn = (urn: string): string => urn.split("::")[0]?.replace("urn:pulumi:", "") ?? "";

const telephonyType = /(?:^pulumi-nodejs:dynamic\/telephony:|^telephony:index:)(\w+)$/;

/** Returns the last part of a telephony type, such as `Number`; undefined for any other type. */
export const findTelephonyType = (token: string): string | undefined => telephonyType.exec(token)?.[1];

/** Returns the last part of a telephony type; any other type unchanged. */
export const shortType = (token: string): string => findTelephonyType(token) ?? token;

/** True for a provider that the program declares; the engine makes `default` from the stack's configuration. */
export const isExplicitProvider = (type: string, urn: string): boolean =>
	type === "pulumi:providers:telephony" && !/^default(_|$)/.test(nameIn(urn));

/** The engine's protocol marks a secret with this key. */
const secretKey = "4dabf18193072939515e22adb298388d";

/** Replaces each secret by a word. */
export function withoutSecrets(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutSecrets);
	if (typeof value !== "object" || value === null) return value;
	if (secretKey in value) return masked;
	return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutSecrets(item)]));
}
