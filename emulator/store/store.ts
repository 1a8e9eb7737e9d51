import type { Clock } from "../time/clock";
import { Collection } from "./collection";
import type { Rows } from "./rows";

export type { Collection, Stored } from "./collection";
export type * from "./rows";

export type Store = { readonly [Name in keyof Rows]: Collection<Rows[Name]> };

export const createStore = (clock: Clock): Store => ({
	numbers: new Collection(clock),
	trunks: new Collection(clock),
	webhooks: new Collection(clock),
	deliveries: new Collection(clock),
	kycProfiles: new Collection(clock),
	kycDocuments: new Collection(clock),
	calls: new Collection(clock),
	recordings: new Collection(clock),
	messages: new Collection(clock),
	portOrders: new Collection(clock),
	invoices: new Collection(clock),
});
