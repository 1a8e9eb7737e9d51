import type { Answer } from "../answer";
import type { CreatePortOrder, PatchPortOrder, PortOrderRecord } from "../contract";
import { Area, type Body, type CallOptions, type CreateOptions, create, items, type ListOptions } from "./area";

export class PortOrders extends Area {
	pages({ signal, ...query }: ListOptions<"listPortOrders"> = {}): AsyncGenerator<readonly PortOrderRecord[]> {
		return this.listing<PortOrderRecord>("listPortOrders", { query, signal });
	}

	list(options: ListOptions<"listPortOrders"> = {}): AsyncGenerator<PortOrderRecord, void, undefined> {
		return items(this.pages(options));
	}

	/** A draft: nothing happens until it is submitted. */
	create(body: Body<CreatePortOrder>, options: CreateOptions = {}): Promise<Answer<PortOrderRecord>> {
		return this.transport.send("createPortOrder", create(body, options));
	}

	async get(id: string, { signal }: CallOptions = {}): Promise<PortOrderRecord> {
		return (await this.transport.send("getPortOrder", { segment: id, signal })).data;
	}

	/** Changes a draft, or what an exception asks for; `reference` alone at any time. */
	patch(id: string, body: Body<PatchPortOrder>, options: CallOptions = {}): Promise<PortOrderRecord> {
		return this.patched("patchPortOrder", { segment: id, body, signal: options.signal }, () => this.get(id, options));
	}

	async submit(id: string, options: CreateOptions = {}): Promise<PortOrderRecord> {
		return this.acted("submitPortOrder", { segment: id, ...create(undefined, options) }, () => this.get(id, options));
	}

	/** @throws TelephonyError Conflict once the change-over is too near */
	async cancel(id: string, options: CreateOptions = {}): Promise<PortOrderRecord> {
		return this.acted("cancelPortOrder", { segment: id, ...create(undefined, options) }, () => this.get(id, options));
	}
}
