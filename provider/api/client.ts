/**
 * A typed method for each operation of the service, with pages, idempotency and errors. Wire names: the client is the
 * service as it is, camelCase begins in the resources.
 *
 * @example
 * const client = createClient({ baseUrl: "http://127.0.0.1:4010/v1", apiKey: "emulator-key" });
 * for await (const number of client.numbers.list()) console.log(number.id, number.number);
 */
import "../node-version";
import { Account } from "./client/account";
import { Billing } from "./client/billing";
import { Calls } from "./client/calls";
import { Kyc } from "./client/kyc";
import { Messages } from "./client/messages";
import { Numbers } from "./client/numbers";
import { PortOrders } from "./client/port-orders";
import { Trunks } from "./client/trunks";
import { Webhooks } from "./client/webhooks";
import { Transport, type TransportOptions } from "./transport";

export type { Body, CallOptions, CreateOptions, Removal } from "./client/collection";
export type { ListNumbersOptions, SearchNumbersOptions } from "./client/numbers";
export type { Clock } from "./clock";
export * from "./contract";
export { type ErrorKind, isNotFound, isTelephonyError, TelephonyError } from "./errors";
export { type Media, type ServiceResponse, type Unreadable, unreadableIn } from "./response";
export type { RetryPolicy } from "./retry";
export type { TransportOptions as ClientOptions } from "./transport";

export class Client extends Transport {
	readonly numbers = new Numbers(this);
	readonly portOrders = new PortOrders(this);
	readonly kyc = new Kyc(this);
	readonly trunks = new Trunks(this);
	readonly calls = new Calls(this);
	readonly messages = new Messages(this);
	readonly webhooks = new Webhooks(this);
	readonly billing = new Billing(this);
	readonly account = new Account(this);
}

export const createClient = (options: TransportOptions): Client => new Client(options);
