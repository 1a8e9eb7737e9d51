/** The input and the result of the steps that acquire a number. */
import type { BuyNumber, PurchaseRecord } from "../../api/contract";
import type { Identity } from "../../ownership/claim";
import type { Values } from "../../properties/table";
import type { Service, Session } from "../../session/session";

export interface Purchase {
	readonly session: Session;
	readonly service: Service;
	readonly claim: Identity;
	readonly urn: string;
	readonly criteria: BuyNumber;
	/** Everything that the program declares about the number. */
	readonly inputs: Values;
}

/** A number as an answer shows it. Any field but the id may be missing. */
export type ShownNumber = PurchaseRecord & { readonly id: string };

export interface Acquisition {
	readonly record: ShownNumber;
	/** True if an earlier run bought it for this declaration. */
	readonly earlier: boolean;
}
