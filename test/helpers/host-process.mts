/** The real dynamic-provider process, driven by the engine's protocol, and an engine that only listens. */
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as grpc from "@grpc/grpc-js";

export const repository = resolve(fileURLToPath(import.meta.url), "../../..");
const require = createRequire(import.meta.url);
// The SDK's own copy of its libraries, as messages of another one are refused.
const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
const { EngineService } =
	require("@pulumi/pulumi/proto/engine_grpc_pb.js") as typeof import("@pulumi/pulumi/proto/engine_grpc_pb.js");
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
const { Empty } = sdk("google-protobuf/google/protobuf/empty_pb") as {
	Empty: new () => Parameters<InstanceType<typeof ResourceProviderClient>["cancel"]>[0];
};
export const program = sdk.resolve("@pulumi/pulumi/cmd/dynamic-provider");

const struct = (values: Values) => Struct.fromJavaScript(values);
const values = (sent: Struct | undefined): Values => sent?.toJavaScript() ?? {};

/** An object that exists but isn't as wanted: the engine keeps it. */
export class InitFailed extends Error {
	readonly code: number;
	readonly id: string;
	readonly reasons: readonly string[];
	readonly props: Values;

	constructor(message: string, failure: { code: number; id: string; reasons: readonly string[]; props: Values }) {
		super(message);
		this.code = failure.code;
		this.id = failure.id;
		this.reasons = failure.reasons;
		this.props = failure.props;
	}
}

/** The protocol's calls. */
export interface Protocol {
	configure(config: Values): Promise<void>;
	cancel(): Promise<void>;
	check(news: Values, olds?: Values): Promise<{ inputs: Values; failures: string[] }>;
	diff(id: string, olds: Values, news: Values): Promise<{ changes: boolean; replaces: boolean }>;
	create(inputs: Values): Promise<{ id: string; props: Values }>;
	/** An empty id: it is gone. */
	read(id: string, props: Values): Promise<{ id: string; props: Values; inputs: Values }>;
	update(id: string, olds: Values, news: Values): Promise<Values>;
	delete(id: string, props: Values): Promise<void>;
}

export interface HostProcess extends Protocol {
	readonly child: ChildProcess;
	/** Its exit code. */
	readonly ended: Promise<number | null>;
	/** What it wrote to stderr. */
	errors(): string;
	/** Ends it by that signal, and waits for its end. */
	kill(signal?: NodeJS.Signals): Promise<void>;
}

const unpacked = (error: grpc.ServiceError): Error => {
	const [packed] = error.metadata?.get("grpc-status-details-bin") ?? [];
	const [any] = packed === undefined ? [] : Status.deserializeBinary(packed as Buffer).getDetailsList();
	const detail = any?.unpack(messages.ErrorResourceInitFailed.deserializeBinary, "pulumirpc.ErrorResourceInitFailed");
	if (!detail) return new Error(error.details);
	return new InitFailed(error.details, {
		code: error.code,
		id: detail.getId(),
		reasons: detail.getReasonsList(),
		props: values(detail.getProperties()),
	});
};

/** One of the protocol's calls, as a promise. */
const answer = <Response,>(
	call: (callback: (error: grpc.ServiceError | null, response: Response) => void) => unknown,
): Promise<Response> =>
	new Promise((done, fail) => call((error, response) => (error ? fail(unpacked(error)) : done(response))));

export interface Engine {
	readonly address: string;
	/** Every connection breaks. */
	kill(): void;
}

/** It hears what the provider has to say. */
export async function openEngine(heard: (line: string) => void): Promise<Engine> {
	const engine = new grpc.Server();
	engine.addService(EngineService, {
		log: (call: grpc.ServerUnaryCall<{ getMessage(): string }, object>, callback: grpc.sendUnaryData<object>) => {
			heard(call.request.getMessage());
			callback(null, new Empty());
		},
	});
	const port = await new Promise<number>((done, fail) =>
		engine.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
			error ? fail(error) : done(bound),
		),
	);
	return { address: `127.0.0.1:${port}`, kill: () => engine.forceShutdown() };
}

const speak = (client: InstanceType<typeof ResourceProviderClient>): Protocol => ({
	async configure(config) {
		const request = new messages.ConfigureRequest();
		request.setArgs(struct(config));
		await answer<unknown>((done) => client.configure(request, done));
	},
	async cancel() {
		await answer<unknown>((done) => client.cancel(new Empty(), done));
	},
	async check(news, olds = {}) {
		const request = new messages.CheckRequest();
		request.setOlds(struct(olds));
		request.setNews(struct(news));
		const response = await answer<Message<"CheckResponse">>((done) => client.check(request, done));
		const failures = response.getFailuresList().map((failure) => failure.getReason());
		return { inputs: values(response.getInputs()), failures };
	},
	async diff(id, olds, news) {
		const request = new messages.DiffRequest();
		request.setId(id);
		request.setOlds(struct(olds));
		request.setNews(struct(news));
		const response = await answer<Message<"DiffResponse">>((done) => client.diff(request, done));
		return {
			changes: response.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME,
			replaces: response.getReplacesList().length > 0,
		};
	},
	async create(inputs) {
		const request = new messages.CreateRequest();
		request.setProperties(struct(inputs));
		const response = await answer<Message<"CreateResponse">>((done) => client.create(request, done));
		return { id: response.getId(), props: values(response.getProperties()) };
	},
	async read(id, props) {
		const request = new messages.ReadRequest();
		request.setId(id);
		request.setProperties(struct(props));
		const response = await answer<Message<"ReadResponse">>((done) => client.read(request, done));
		const [read, inputs] = [values(response.getProperties()), values(response.getInputs())];
		return { id: response.getId(), props: read, inputs };
	},
	async update(id, olds, news) {
		const request = new messages.UpdateRequest();
		request.setId(id);
		request.setOlds(struct(olds));
		request.setNews(struct(news));
		const response = await answer<Message<"UpdateResponse">>((done) => client.update(request, done));
		return values(response.getProperties());
	},
	async delete(id, props) {
		const request = new messages.DeleteRequest();
		request.setId(id);
		request.setProperties(struct(props));
		await answer<unknown>((done) => client.delete(request, done));
	},
});

/** The process as the engine starts it. */
export async function startHost(
	engine: Engine,
	env: Readonly<Record<string, string | undefined>>,
): Promise<HostProcess> {
	const child = spawn("node", [program, engine.address], {
		cwd: repository,
		env: { ...process.env, PULUMI_BACKEND_URL: "file:///nowhere", ...env },
		stdio: ["ignore", "pipe", "pipe"],
	});
	const ended = new Promise<number | null>((done) => child.once("close", (code) => done(code)));
	let errors = "";
	const port = await new Promise<string>((done, fail) => {
		child.stdout.once("data", (line) => done(String(line).trim()));
		child.stderr.on("data", (text) => {
			errors += text;
		});
		child.once("close", (code) => fail(new Error(`the host ended with ${code}: ${errors}`)));
	});
	const client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
	return {
		...speak(client),
		child,
		ended,
		errors: () => errors,
		async kill(signal) {
			client.close();
			child.kill(signal);
			await ended;
		},
	};
}
