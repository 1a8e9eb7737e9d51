/**
 * The service as its public description shows it, with our assumptions for the rest: every wire shape, operation, error
 * code and feature, one file per area. The client parses responses with it, the emulator validates requests and its own
 * responses with it, and the OpenAPI document is made from it.
 *
 * Each property and operation carries `x-origin`: `seed` (the public description shows it) or `assumed` (our choice, to
 * be replaced when the real description comes). Responses are open (unknown fields and enum values pass), requests are
 * closed.
 */
import { accountOperations } from "./contract/account";
import { billingOperations } from "./contract/billing";
import { callOperations } from "./contract/calls";
import { inventoryOperations } from "./contract/inventory";
import { kycOperations } from "./contract/kyc";
import { messageOperations } from "./contract/messages";
import { numberOperations } from "./contract/numbers";
import { portOrderOperations } from "./contract/port-orders";
import { trunkOperations } from "./contract/trunks";
import { webhookOperations } from "./contract/webhooks";

export * from "./contract/account";
export * from "./contract/billing";
export * from "./contract/calls";
export * from "./contract/errors";
export * from "./contract/features";
export * from "./contract/inventory";
export * from "./contract/kinds";
export * from "./contract/kyc";
export * from "./contract/messages";
export * from "./contract/numbers";
export type { Operation } from "./contract/operation";
export * from "./contract/port-orders";
export {
	itemOf,
	type Money,
	markUnread,
	namesIds,
	type Origin,
	parseRecord,
	secretFields,
	tidy,
	unreadFieldsOf,
} from "./contract/schema";
export * from "./contract/trunks";
export * from "./contract/webhooks";

/** Named rather than spelled out, or the declarations of this file would be the largest of the package. */
type Operations = typeof numberOperations &
	typeof inventoryOperations &
	typeof portOrderOperations &
	typeof kycOperations &
	typeof trunkOperations &
	typeof callOperations &
	typeof messageOperations &
	typeof webhookOperations &
	typeof billingOperations &
	typeof accountOperations;

export const operations: Operations = {
	...numberOperations,
	...inventoryOperations,
	...portOrderOperations,
	...kycOperations,
	...trunkOperations,
	...callOperations,
	...messageOperations,
	...webhookOperations,
	...billingOperations,
	...accountOperations,
};
export type OperationName = keyof Operations;
