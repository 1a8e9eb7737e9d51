import type { AccountRecord } from "../contract";
import type { Transport } from "../transport";
import type { CallOptions } from "./collection";

/** The account that the key belongs to. */
export class Account {
	readonly #transport: Transport;

	constructor(transport: Transport) {
		this.#transport = transport;
	}

	async get({ signal }: CallOptions = {}): Promise<AccountRecord> {
		return (await this.#transport.send("getAccount", { signal })).data;
	}
}
