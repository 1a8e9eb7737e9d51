import type { CreateTrunk, PatchTrunk, TrunkRecord } from "../contract";
import type { ServiceResponse } from "../response";
import { type Body, type CallOptions, Collection, type CreateOptions, creation, type Removal } from "./collection";

export class Trunks extends Collection<TrunkRecord, object> {
	protected readonly reads = { list: "listTrunks", get: "getTrunk" } as const;

	create(body: Body<CreateTrunk>, options: CreateOptions = {}): Promise<ServiceResponse<TrunkRecord>> {
		return this.transport.send("createTrunk", creation(body, options));
	}

	patch(id: string, body: Body<PatchTrunk>, options: CallOptions = {}): Promise<TrunkRecord> {
		return this.patched(id, body, options, "patchTrunk");
	}

	delete(id: string, options: CallOptions = {}): Promise<Removal> {
		return this.removed(id, options, "deleteTrunk");
	}

	/** Only this response shows the new password. */
	async rotatePassword(id: string, options: CreateOptions = {}): Promise<TrunkRecord> {
		return (await this.transport.send("rotatePassword", { segment: id, ...creation(undefined, options) })).data;
	}
}
