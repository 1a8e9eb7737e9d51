/** A client of either provider's process over the engine's protocol. */
import { createRequire } from "node:module";
import * as grpc from "@grpc/grpc-js";

const require = createRequire(import.meta.url);
// The SDK refuses messages of another copy of its libraries.
const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
const { ResourceProviderClient } =
	require("@pulumi/pulumi/proto/provider_grpc_pb.js") as typeof import("@pulumi/pulumi/proto/provider_grpc_pb.js");
const messages = require("@pulumi/pulumi/proto/provider_pb.js") as typeof import("@pulumi/pulumi/proto/provider_pb.js");
const { Status } = require("@pulumi/pulumi/proto/status_pb.js") as typeof import("@pulumi/pulumi/proto/status_pb.js");
type Messages = typeof messages;
type Message<Name extends keyof Messages> = Messages[Name] extends new () => infer Instance ? Instance : never;
type Struct = NonNullable<ReturnType<Message<"CreateRequest">["getProperties"]>>;
export type Values = ReturnType<Struct["toJavaScript"]>;
const { Struct } = sdk("google-protobuf/google/protobuf/struct_pb") as {
	Struct: { fromJavaScript(values: Values): Struct };
};
export const { Empty } = sdk("google-protobuf/google/protobuf/empty_pb") as {
	Empty: new () => Parameters<InstanceType<typeof ResourceProviderClient>["cancel"]>[0];
};
const struct = (values: Values) => Struct.fromJavaScript(values);
const values = (message: Struct | undefined): Values => message?.toJavaScript() ?? {};

export type FrontName = "dynamic" | "plugin";

/** Translates values of the dynamic provider, which tests use, for a process. */
interface Translation {
	/** Returns the values that the engine sends. */
	encode(values: Values): Struct;
	/** Returns the values that the engine saves. */
	decode(message: Struct | undefined, about: Values): Values;
	urnOf(values: Values): string;
}

/** Marks a value as a secret, as the protocol carries it. */
const signature = "4dabf18193072939515e22adb298388d";
const secretMark = "1b47061264138c4ac30d75fd1eb44270";
export const asSecret = (value: unknown): Values => ({ [signature]: secretMark, value }) as Values;

const opened = (value: unknown): unknown => {
	if (Array.isArray(value)) return value.map(opened);
	if (typeof value !== "object" || value === null) return value;
	const marked = value as Record<string, unknown>;
	if (marked[signature] === secretMark) return opened(marked.value);
	return Object.fromEntries(Object.entries(marked).map(([key, item]) => [key, opened(item)]));
};

const translations: Readonly<Record<FrontName, Translation>> = {
	dynamic: { encode: struct, decode: values, urnOf: () => "" },
	plugin: {
		// The engine knows the URN, and has no text to run.
		encode: ({ __provider: _text, __resourceUrn: _urn, ...rest }) => struct(rest as Values),
		decode: (message, { __provider, __resourceUrn }) =>
			({
				...(opened(values(message)) as Values),
				...(__provider === undefined ? {} : { __provider }),
				...(__resourceUrn === undefined ? {} : { __resourceUrn }),
			}) as Values,
		urnOf: ({ __resourceUrn }) => String(__resourceUrn).replace("pulumi-nodejs:dynamic/telephony:", "telephony:index:"),
	},
};

/** A partial failure: the engine saves the object. */
export class InitFailed extends Error {
	readonly code: number;
	readonly id: string;
	readonly reasons: readonly string[];
	readonly props: Values;
	/** True if the engine reads the object before its next update. */
	readonly refreshesBeforeUpdate: boolean;

	constructor(message: string, failure: Omit<InitFailed, "name" | "message" | "stack" | "cause">) {
		super(message);
		this.refreshesBeforeUpdate = failure.refreshesBeforeUpdate;
		this.code = failure.code;
		this.id = failure.id;
		this.reasons = failure.reasons;
		this.props = failure.props;
	}
}

export interface Diff {
	readonly changes: boolean;
	readonly replaces: boolean;
	/** Kinds of changes by path, such as `ADD_REPLACE`. */
	readonly detail: Readonly<Record<string, string>>;
}

/** The protocol's calls. */
export interface Protocol {
	/** `provider` is the name of an explicit provider. */
	configure(config: Values, provider?: string): Promise<void>;
	cancel(): Promise<void>;
	check(news: Values, olds?: Values): Promise<{ inputs: Values; failures: string[] }>;
	diff(id: string, olds: Values, news: Values): Promise<Diff>;
	create(inputs: Values): Promise<{ id: string; props: Values }>;
	/** The id is empty if the object is not found. `inputs` are those of the state. */
	read(id: string, props: Values, inputs?: Values): Promise<{ id: string; props: Values; inputs: Values }>;
	update(id: string, olds: Values, news: Values): Promise<Values>;
	delete(id: string, props: Values): Promise<void>;
}

const unpacked = (error: grpc.ServiceError, decode: (message: Struct | undefined) => Values): Error => {
	const [packed] = error.metadata?.get("grpc-status-details-bin") ?? [];
	const [any] = packed === undefined ? [] : Status.deserializeBinary(packed as Buffer).getDetailsList();
	const detail = any?.unpack(messages.ErrorResourceInitFailed.deserializeBinary, "pulumirpc.ErrorResourceInitFailed");
	if (!detail) return new Error(error.details);
	return new InitFailed(error.details, {
		code: error.code,
		id: detail.getId(),
		reasons: detail.getReasonsList(),
		props: decode(detail.getProperties()),
		refreshesBeforeUpdate: detail.getRefreshBeforeUpdate(),
	});
};

/** Turns a call of the protocol into a promise. */
const promiseOf = <Response,>(
	call: (callback: (error: grpc.ServiceError | null, response: Response) => void) => unknown,
	decode: (message: Struct | undefined) => Values = values,
): Promise<Response> =>
	new Promise((done, fail) => call((error, response) => (error ? fail(unpacked(error, decode)) : done(response))));

/** Previews, whose values may be unknown. */
export interface Previews {
	create(inputs: Values): Promise<Values>;
	update(id: string, olds: Values, news: Values): Promise<Values>;
}

/** Calls that only the plugin has. */
export interface PluginCalls {
	checkConfig(news: Values, provider?: string): Promise<{ inputs: Values; failures: string[] }>;
	diffConfig(olds: Values, news: Values, provider?: string): Promise<{ changes: boolean; replaces: boolean }>;
	/** `values` have the `__resourceUrn` of the new resource. */
	import(id: string, values: Values): Promise<{ id: string; props: Values; inputs: Values }>;
	/** `ignored` are paths. */
	diffBeside(olds: Values, news: Values, ignored: readonly string[]): Promise<Diff>;
	/** `customTimeouts`, in seconds. */
	createWithin(seconds: number, inputs: Values): Promise<{ id: string; props: Values }>;
}

const kindNames = Object.fromEntries(
	Object.entries(messages.PropertyDiff.Kind).map(([name, number]) => [number, name]),
) as Readonly<Record<number, string>>;

type Client = InstanceType<typeof ResourceProviderClient>;

export type Spoken = Protocol & { readonly previews: Previews; readonly plugin: PluginCalls };

/** The fields of a request that have a setter. */
type Fields<Request> = {
	[Setter in keyof Request as Setter extends `set${infer Field}`
		? Uncapitalize<Field>
		: never]?: Request[Setter] extends (value: infer Value) => unknown ? Value : never;
};

const filled = <Request extends object>(request: Request, fields: Fields<Request>): Request => {
	const setters = request as Record<string, (value: unknown) => void>;
	for (const [field, value] of Object.entries(fields))
		setters[field.replace(/^./, (first) => `set${first.toUpperCase()}`)]?.(value);
	return request;
};

const speak = (client: Client, { encode, decode, urnOf }: Translation): Spoken => {
	const providerUrn = (name: string) => `urn:pulumi:dev::protocol::pulumi:providers:telephony::${name}`;
	const created = async (inputs: Values, preview: boolean, timeout = 0) => {
		const fields = { urn: urnOf(inputs), properties: encode(inputs), preview, timeout };
		const request = filled(new messages.CreateRequest(), fields);
		const valuesOf = (message: Struct | undefined) => decode(message, inputs);
		const response = await promiseOf<Message<"CreateResponse">>((done) => client.create(request, done), valuesOf);
		return { id: response.getId(), props: valuesOf(response.getProperties()) };
	};
	const updated = async (id: string, olds: Values, news: Values, preview: boolean) => {
		const fields = { id, urn: urnOf(news), olds: encode(olds), news: encode(news), preview };
		const request = filled(new messages.UpdateRequest(), fields);
		const valuesOf = (message: Struct | undefined) => decode(message, news);
		const response = await promiseOf<Message<"UpdateResponse">>((done) => client.update(request, done), valuesOf);
		return valuesOf(response.getProperties());
	};
	const compared = async (id: string, olds: Values, news: Values, ignored: readonly string[]) => {
		const fields = { id, urn: urnOf(news), olds: encode(olds), news: encode(news), ignorechangesList: [...ignored] };
		const request = filled(new messages.DiffRequest(), fields);
		const response = await promiseOf<Message<"DiffResponse">>((done) => client.diff(request, done));
		const detail: Record<string, string> = {};
		response.getDetaileddiffMap().forEach((difference, path) => {
			detail[path] = kindNames[difference.getKind()] ?? "";
		});
		return { ...differenceIn(response), detail };
	};
	const differenceIn = (response: Message<"DiffResponse">) => ({
		changes: response.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME,
		replaces: response.getReplacesList().length > 0,
	});
	const failuresIn = (response: Message<"CheckResponse">) =>
		response.getFailuresList().map((failure) => failure.getReason());
	const found = async (about: Values, fields: Fields<Message<"ReadRequest">>) => {
		const request = filled(new messages.ReadRequest(), { urn: urnOf(about), ...fields });
		const valuesOf = (message: Struct | undefined) => decode(message, about);
		const response = await promiseOf<Message<"ReadResponse">>((done) => client.read(request, done), valuesOf);
		if (response.getId() === "") return { id: "", props: {}, inputs: {} };
		return { id: response.getId(), props: valuesOf(response.getProperties()), inputs: valuesOf(response.getInputs()) };
	};
	return {
		async configure(config, provider = "default") {
			const fields = { args: struct(config), urn: providerUrn(provider) };
			const request = filled(new messages.ConfigureRequest(), fields);
			await promiseOf<unknown>((done) => client.configure(request, done));
		},
		async cancel() {
			await promiseOf<unknown>((done) => client.cancel(new Empty(), done));
		},
		async check(news, olds = {}) {
			const fields = { urn: urnOf(news), olds: encode(olds), news: encode(news) };
			const request = filled(new messages.CheckRequest(), fields);
			const response = await promiseOf<Message<"CheckResponse">>((done) => client.check(request, done));
			return { inputs: decode(response.getInputs(), news), failures: failuresIn(response) };
		},
		diff: (id, olds, news) => compared(id, olds, news, []),
		create: (inputs) => created(inputs, false),
		read: (id, props, inputs) =>
			found(props, { id, properties: encode(props), ...(inputs && { inputs: encode(inputs) }) }),
		update: (id, olds, news) => updated(id, olds, news, false),
		async delete(id, props) {
			const request = filled(new messages.DeleteRequest(), { id, urn: urnOf(props), properties: encode(props) });
			await promiseOf<unknown>((done) => client.delete(request, done));
		},
		plugin: {
			async checkConfig(news, provider = "default") {
				const request = filled(new messages.CheckRequest(), { urn: providerUrn(provider), news: struct(news) });
				const response = await promiseOf<Message<"CheckResponse">>((done) => client.checkConfig(request, done));
				return { inputs: values(response.getInputs()), failures: failuresIn(response) };
			},
			async diffConfig(olds, news, provider = "default") {
				const fields = { urn: providerUrn(provider), olds: struct(olds), news: struct(news) };
				const request = filled(new messages.DiffRequest(), fields);
				return differenceIn(await promiseOf<Message<"DiffResponse">>((done) => client.diffConfig(request, done)));
			},
			import: (id, about) => found(about, { id }),
			diffBeside: (olds, news, ignored) => compared("any", olds, news, ignored),
			createWithin: (seconds, inputs) => created(inputs, false, seconds),
		},
		previews: {
			create: async (inputs) => (await created(inputs, true)).props,
			update: (id, olds, news) => updated(id, olds, news, true),
		},
	};
};

/** Opens a client of the process at this port. */
export function openClient(port: string, front: FrontName): Spoken & { close(): void } {
	const client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
	return { ...speak(client, translations[front]), close: () => client.close() };
}
