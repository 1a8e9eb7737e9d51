import type { Answer } from "../answer";
import type { CreateTrunk, PatchTrunk, TrunkRecord } from "../contract";
import { Area, type Body, type CallOptions, type CreateOptions, create, items } from "./area";

export class Trunks extends Area {
	pages({ signal }: CallOptions = {}): AsyncGenerator<readonly TrunkRecord[], void, undefined> {
		return this.listing<TrunkRecord>("listTrunks", { signal });
	}

	list(options: CallOptions = {}): AsyncGenerator<TrunkRecord, void, undefined> {
		return items(this.pages(options));
	}

	create(body: Body<CreateTrunk>, options: CreateOptions = {}): Promise<Answer<TrunkRecord>> {
		return this.transport.send("createTrunk", create(body, options));
	}

	async get(id: string, { signal }: CallOptions = {}): Promise<TrunkRecord> {
		return (await this.transport.send("getTrunk", { segment: id, signal })).data;
	}

	patch(id: string, body: Body<PatchTrunk>, options: CallOptions = {}): Promise<TrunkRecord> {
		return this.patched("patchTrunk", { segment: id, body, signal: options.signal }, () => this.get(id, options));
	}

	delete(id: string, options: CallOptions = {}): Promise<void> {
		return this.removed("deleteTrunk", { segment: id, ...options }, () => this.get(id, options));
	}

	/** The answer is the only one that shows the new password. */
	async rotatePassword(id: string, options: CreateOptions = {}): Promise<TrunkRecord> {
		return (await this.transport.send("rotatePassword", { segment: id, ...create(undefined, options) })).data;
	}
}
