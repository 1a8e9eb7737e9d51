/**
 * A typed method for each operation of the service, with pages, idempotency and errors. Wire names: the client is the
 * service as it is, camelCase begins in the resources.
 *
 * @example
 * const client = createClient({ baseUrl: "http://127.0.0.1:4010/v1", apiKey: "emulator-key" });
 * for await (const number of client.numbers.list()) console.log(number.id, number.number);
 */
import "../../node-version";
import { Billing } from "./client/billing";
import { Calls } from "./client/calls";
import { Kyc } from "./client/kyc";
import { Messages } from "./client/messages";
import { Numbers } from "./client/numbers";
import { PortOrders } from "./client/port-orders";
import { Trunks } from "./client/trunks";
import { Webhooks } from "./client/webhooks";
import type { Feature } from "./contract";
import { Transport, type TransportOptions } from "./transport";

export type { Body, CallOptions, CreateOptions } from "./client/collection";
export type { ListNumbersOptions, SearchNumbersOptions } from "./client/numbers";
export type { Clock } from "./clock";
export * from "./contract";
export { type ErrorKind, isGone, isTelephonyError, TelephonyError } from "./errors";
export { type Media, type ServiceResponse, type Unreadable, unreadableIn } from "./response";
export type { RetryPolicy } from "./retry";
export type { TransportOptions as ClientOptions } from "./transport";

export class Client {
	readonly #transport: Transport;
	readonly numbers: Numbers;
	readonly portOrders: PortOrders;
	readonly kyc: Kyc;
	readonly trunks: Trunks;
	readonly calls: Calls;
	readonly messages: Messages;
	readonly webhooks: Webhooks;
	readonly billing: Billing;

	constructor(options: TransportOptions) {
		this.#transport = new Transport(options);
		this.numbers = new Numbers(this.#transport);
		this.portOrders = new PortOrders(this.#transport);
		this.kyc = new Kyc(this.#transport);
		this.trunks = new Trunks(this.#transport);
		this.calls = new Calls(this.#transport);
		this.messages = new Messages(this.#transport);
		this.webhooks = new Webhooks(this.#transport);
		this.billing = new Billing(this.#transport);
	}

	/**
	 * True if the service offers the feature. In order of precedence: `features`, the service's header, its responses,
	 * the contract.
	 */
	offers(feature: Feature): boolean {
		return this.#transport.offers(feature);
	}

	/** True if the stack declares, or the service shows, whether it offers the feature. Otherwise the contract decides. */
	knows(feature: Feature): boolean {
		return this.#transport.knows(feature);
	}

	/** The time at the service, ms since 1970. */
	now(): number {
		return this.#transport.now();
	}

	/** Says why requests wait, for people; undefined if they don't wait. */
	waitingFor(): string | undefined {
		return this.#transport.waitingFor();
	}

	/** Ends open connections. */
	close(): Promise<void> {
		return this.#transport.close();
	}
}

export const createClient = (options: TransportOptions): Client => new Client(options);
