/** Libraries that the plugin takes from the SDK, so that both use one copy. */
import { requireOfSdk } from "../session/progress";

const sdk = requireOfSdk();

export const grpc = sdk("@grpc/grpc-js") as typeof import("@grpc/grpc-js");
export const messages = sdk("@pulumi/pulumi/proto/provider_pb") as typeof import("@pulumi/pulumi/proto/provider_pb");
export const plugins = sdk("@pulumi/pulumi/proto/plugin_pb") as typeof import("@pulumi/pulumi/proto/plugin_pb");
export const { ResourceProviderService } = sdk(
	"@pulumi/pulumi/proto/provider_grpc_pb",
) as typeof import("@pulumi/pulumi/proto/provider_grpc_pb");
export const { Status } = sdk("@pulumi/pulumi/proto/status_pb") as typeof import("@pulumi/pulumi/proto/status_pb");
export const { Any } = sdk("google-protobuf/google/protobuf/any_pb") as {
	Any: new () => { pack(bytes: Uint8Array, name: string): void };
};
export const { Empty } = sdk("google-protobuf/google/protobuf/empty_pb") as { Empty: new () => object };
export const { Struct } = sdk("google-protobuf/google/protobuf/struct_pb") as {
	Struct: { fromJavaScript(values: object): Struct };
};

export type Message<Name extends keyof typeof messages> = (typeof messages)[Name] extends new () => infer Instance
	? Instance
	: never;
/** Values of a request or a response. */
export type SentStruct = ReturnType<Message<"CreateRequest">["getProperties"]>;
type Struct = NonNullable<SentStruct>;

type MessageFields<M> = {
	readonly [Setter in keyof M as Setter extends `set${infer Name}` ? Uncapitalize<Name> : never]?: M[Setter] extends (
		value: infer Value,
	) => unknown
		? Value
		: never;
};

/** Returns a message with these fields. */
export function filled<M extends object>(Message: new () => M, fields: MessageFields<M>): M {
	const message = new Message();
	const setters = message as unknown as Readonly<Record<string, (value: unknown) => unknown>>;
	for (const [name, value] of Object.entries(fields))
		if (value !== undefined) setters[`set${name[0]?.toUpperCase()}${name.slice(1)}`]?.call(message, value);
	return message;
}
