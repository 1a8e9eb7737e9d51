/** The real dynamic-provider process and an engine that it can speak to, without the CLI. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
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
const { Empty } = sdk("google-protobuf/google/protobuf/empty_pb") as { Empty: new () => object };

const struct = (values: Values) => Struct.fromJavaScript(values);
const values = (sent: Struct | undefined): Values => sent?.toJavaScript() ?? {};

/** An object that exists but isn't as wanted: the engine keeps it. */
export class InitFailed extends Error {
	readonly id: string;
	readonly props: Values;

	constructor(message: string, id: string, props: Values) {
		super(message);
		this.id = id;
		this.props = props;
	}
}

/** One provider process. Every method fails once it has been killed. */
export interface Host {
	readonly killed: boolean;
	check(news: Values, olds?: Values): Promise<{ inputs: Values; failures: string[] }>;
	diff(id: string, olds: Values, news: Values): Promise<{ changes: boolean; replaces: boolean }>;
	create(inputs: Values): Promise<{ id: string; props: Values }>;
	/** An empty id: it is gone. */
	read(id: string, props: Values): Promise<{ id: string; props: Values; inputs: Values }>;
	update(id: string, olds: Values, news: Values): Promise<Values>;
	delete(id: string, props: Values): Promise<void>;
	/** SIGKILL, and the end of the process. */
	kill(): Promise<void>;
}

export interface Hosts {
	/** A new process; one is kept ready. */
	start(): Promise<Host>;
	close(): Promise<void>;
}

const unpacked = (error: grpc.ServiceError): Error => {
	const [packed] = error.metadata?.get("grpc-status-details-bin") ?? [];
	const [any] = packed === undefined ? [] : Status.deserializeBinary(packed as Buffer).getDetailsList();
	const detail = any?.unpack(messages.ErrorResourceInitFailed.deserializeBinary, "pulumirpc.ErrorResourceInitFailed");
	if (!detail) return new Error(error.details);
	return new InitFailed(error.details, detail.getId(), values(detail.getProperties()));
};

/** One of the protocol's calls, as a promise. */
const answer = <Response,>(
	call: (callback: (error: grpc.ServiceError | null, response: Response) => void) => unknown,
): Promise<Response> =>
	new Promise((done, fail) => call((error, response) => (error ? fail(unpacked(error)) : done(response))));

const exit = (child: ChildProcess) => new Promise<void>((done) => void child.once("close", () => done()));

/** Provider processes for one service; what they say to the engine goes to `heard`. */
export async function openHosts(
	service: { readonly url: string; readonly apiKey: string },
	heard: (line: string) => void = () => {},
): Promise<Hosts> {
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
	const program = sdk.resolve("@pulumi/pulumi/cmd/dynamic-provider");
	const cache = mkdtempSync(join(tmpdir(), "telephony-campaign-"));
	const env = {
		...process.env,
		PULUMI_BACKEND_URL: "file:///nowhere",
		TELEPHONY_API_KEY: service.apiKey,
		TELEPHONY_BASE_URL: service.url,
		NODE_COMPILE_CACHE: cache,
	};
	// A process that is killed leaves nothing in the cache of compiled code; this one does, and the others start faster.
	const warm = `process.argv[2] = "127.0.0.1:1"; require(${JSON.stringify(program)}); require("pulumi-telephony/provider");
		require("node:module").flushCompileCache(); process.exit()`;
	execFileSync(process.execPath, ["-e", warm], { cwd: repository, env });

	const open = async (): Promise<Host> => {
		const child = spawn(process.execPath, [program, `127.0.0.1:${port}`], {
			cwd: repository,
			env,
			stdio: ["ignore", "pipe", "pipe"],
		});
		const ended = exit(child);
		const bound = await new Promise<string>((done, fail) => {
			let errors = "";
			child.stdout.once("data", (line) => done(String(line).trim()));
			child.stderr.on("data", (text) => {
				errors += text;
			});
			child.once("close", (code) => fail(new Error(`the host ended with ${code}: ${errors}`)));
		});
		const client = new ResourceProviderClient(`127.0.0.1:${bound}`, grpc.credentials.createInsecure());
		const configure = new messages.ConfigureRequest();
		configure.setArgs(struct({}));
		await answer<unknown>((done) => client.configure(configure, done));
		let killed = false;
		return {
			get killed() {
				return killed;
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
			async kill() {
				killed = true;
				child.kill("SIGKILL");
				await ended;
				client.close();
			},
		};
	};

	const openAhead = () => {
		const host = open();
		// Whoever takes it hears of it.
		host.catch(() => {});
		return host;
	};
	let ready = openAhead();
	return {
		start() {
			const host = ready;
			ready = openAhead();
			return host;
		},
		async close() {
			await (await ready).kill();
			engine.forceShutdown();
			rmSync(cache, { recursive: true, force: true, maxRetries: 3 });
		},
	};
}
