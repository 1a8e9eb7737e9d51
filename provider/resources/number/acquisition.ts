/** What each step on the way to a number is told, and what comes of it. */
import type { BuyNumber, PurchaseRecord } from "../../api/contract";
import type { Claim } from "../../ownership/claim";
import type { Values } from "../../properties/table";
import type { Service, Session } from "../../session/session";

export interface Purchase {
	readonly session: Session;
	readonly service: Service;
	readonly claim: Claim;
	readonly urn: string;
	readonly criteria: BuyNumber;
	/** All that the program declares of the number. */
	readonly inputs: Values;
}

/** A number as an answer shows it, which may be little. */
export type Acquired = PurchaseRecord & { readonly id: string };

export interface Acquisition {
	readonly record: Acquired;
	/** Bought for this declaration by an earlier run. */
	readonly earlier: boolean;
}
