import type { AccountRecord } from "../contract";
import { Area, type CallOptions } from "./collection";

/** The account that the key belongs to. */
export class Account extends Area {
	async get({ signal }: CallOptions = {}): Promise<AccountRecord> {
		return (await this.transport.send("getAccount", { signal })).data;
	}
}
