import type { CreatePortOrder, PatchPortOrder, PortOrderRecord } from "../contract";
import type { ServiceResponse } from "../response";
import {
	type Body,
	type CallOptions,
	Collection,
	type CreateOptions,
	creation,
	type ListOptions,
	type Removal,
} from "./collection";

export class PortOrders extends Collection<PortOrderRecord, ListOptions<"listPortOrders">> {
	protected readonly reads = { list: "listPortOrders", get: "getPortOrder" } as const;

	/** Creates a draft. Nothing happens until it is submitted. */
	create(body: Body<CreatePortOrder>, options: CreateOptions = {}): Promise<ServiceResponse<PortOrderRecord>> {
		return this.transport.send("createPortOrder", creation(body, options));
	}

	/** Changes a draft, or corrects an exception. `reference` may change at any time. */
	patch(id: string, body: Body<PatchPortOrder>, options: CallOptions = {}): Promise<PortOrderRecord> {
		return this.patched(id, body, options, "patchPortOrder");
	}

	submit(id: string, options: CreateOptions = {}): Promise<PortOrderRecord> {
		return this.acted(id, options, "submitPortOrder");
	}

	/** @throws TelephonyError Conflict shortly before the numbers change over */
	cancel(id: string, options: CreateOptions = {}): Promise<Removal> {
		return this.removed(id, creation(undefined, options), "cancelPortOrder");
	}
}
