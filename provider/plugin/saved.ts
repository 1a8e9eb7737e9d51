/** Errors with a state: the engine saves the object, and updates it in the next run. */
import { InitError, messageOf } from "../lifecycle/resource";
import type { Properties, Values } from "../properties/table";
import { Any, filled, grpc, messages, type SentStruct, Status } from "./sdk";

type Result = { readonly outs: Values };

/** Applies the option `customTimeouts` to one call. The state keeps the declared limit. */
export async function within<T extends Result>(
	seconds: number,
	news: Values,
	{ properties, given }: { readonly properties: Properties; given(values: Values): SentStruct },
	work: (news: Values) => Promise<T>,
): Promise<T> {
	const key = seconds > 0 ? Object.keys(properties).find((name) => properties[name]?.isWaitLimit) : undefined;
	const declared = (outs: Values): Values => (key === undefined ? outs : { ...outs, [key]: news[key] });
	try {
		const done = await work(key === undefined ? news : { ...news, [key]: seconds });
		return { ...done, outs: declared(done.outs) };
	} catch (error) {
		if (!(error instanceof InitError)) throw error;
		throw new Saved(error, given(declared(error.properties)));
	}
}

export class Saved extends Error {
	readonly error: InitError;
	readonly properties: SentStruct;

	constructor(error: InitError, properties: SentStruct) {
		super(error.message);
		this.error = error;
		this.properties = properties;
	}
}

export function asStatus(error: unknown): object {
	const { UNKNOWN } = grpc.status;
	if (!(error instanceof Saved)) return { code: UNKNOWN, details: messageOf(error) };
	const { id, reasons: reasonsList } = error.error;
	const detail = filled(messages.ErrorResourceInitFailed, { id, reasonsList, properties: error.properties });
	const packed = new Any();
	packed.pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
	const status = filled(Status, { code: UNKNOWN, message: error.message, detailsList: [packed as never] });
	const metadata = new grpc.Metadata();
	metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
	return { code: UNKNOWN, details: error.message, metadata };
}
