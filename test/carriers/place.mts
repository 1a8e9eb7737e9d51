/** A service with two accounts, as a story needs it: the emulator or a carrier. Its log is the oracle. */
import type { Args } from "../sim/kinds/index.mts";

export interface PlacedNumber {
	readonly id: string;
	readonly label: string | undefined;
	/** The trunk that its calls go to. */
	readonly trunkId: string | undefined;
	readonly isPending: boolean;
}

/** A change that the service carried out. */
export interface PlacedEntry {
	readonly what: "purchase" | "release" | "create" | "remove" | "change";
	readonly kind: "number" | "trunk" | "webhook";
	readonly id: string;
	/** True for the account of the stranger. */
	readonly isStrangers: boolean;
}

export interface PlaceClock extends Pick<DateConstructor, "now"> {
	/** Does nothing in real time. */
	advance(ms: number): void;
}

export const realTime: PlaceClock = { now: () => Date.now(), advance() {} };

export interface Place {
	readonly name: string;
	/** With the version segment. */
	readonly url: string;
	readonly apiKey: string;
	/** Another account, whose objects have the same ids. */
	readonly stranger: { readonly url: string; readonly apiKey: string };
	readonly clock: PlaceClock;
	/** `telephony:` configuration of a stack. */
	readonly config: Readonly<Record<string, string>>;
	/** True if the service keeps a reference of 64 characters. */
	readonly hasReferences: boolean;
	/** True if the service honors idempotency keys, and neither marks a repeated response nor names its number. */
	readonly hasSilentKeys: boolean;
	/** True if a stack can declare webhooks, and change them. */
	readonly hasWebhookUpdates: boolean;
	/** Criteria of numbers that are active at once, and of those that wait for identity checks. */
	readonly open: Args;
	readonly regulated: Args;
	log(): readonly PlacedEntry[];
	/** Live numbers of the stack's account. */
	numbers(): readonly PlacedNumber[];
	/** Ids of live trunks and webhooks of the stack's account. */
	ids(kind: "trunk" | "webhook"): readonly string[];
	/** Changes the label, as a user of the dashboard does. */
	label(id: string, text: string): void;
	/** Changes a trunk's capacity, as a user of the dashboard does. */
	capacity(id: string, capacity: number): void;
	/** The identity checks of all pending numbers clear. */
	approveAll(): void;
	close(): Promise<void>;
}
