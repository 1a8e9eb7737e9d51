import type { Clock } from "../time/clock";
import { Collection } from "./collection";
import type { Rows } from "./rows";

export type { Collection, Stored } from "./collection";
export type * from "./rows";

export type Store = { readonly [Name in keyof Rows]: Collection<Rows[Name]> };

/** Names of the rows in messages. */
export const nouns: Readonly<Record<keyof Rows, string>> = {
	numbers: "number",
	trunks: "trunk",
	webhooks: "webhook",
	deliveries: "delivery",
	kycProfiles: "KYC profile",
	kycDocuments: "document",
	calls: "call",
	recordings: "recording",
	messages: "message",
	portOrders: "port order",
	invoices: "invoice",
};

export const createStore = (clock: Clock): Store =>
	Object.fromEntries(Object.keys(nouns).map((name) => [name, new Collection(clock)])) as unknown as Store;
