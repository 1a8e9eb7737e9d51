/** The real dynamic-provider process, driven by the engine's protocol without an engine. */
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import {
	CheckRequest,
	type CheckResponse,
	ConfigureRequest,
	type ConfigureResponse,
	CreateRequest,
	type CreateResponse,
	DeleteRequest,
	DiffRequest,
	DiffResponse,
	ErrorResourceInitFailed,
	ReadRequest,
	type ReadResponse,
	UpdateRequest,
	type UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { afterAll, beforeAll, beforeEach, onTestFinished } from "vitest";

const repository = resolve(__dirname, "../..");
const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));

type Struct = NonNullable<ReturnType<CreateRequest["getProperties"]>>;
export type Values = ReturnType<Struct["toJavaScript"]>;
// The SDK's own copy, as messages of another one are refused.
const { Struct } = sdk("google-protobuf/google/protobuf/struct_pb") as {
	Struct: { fromJavaScript(values: Values): Struct };
};
const { Empty } = sdk("google-protobuf/google/protobuf/empty_pb") as {
	Empty: new () => Parameters<ResourceProviderClient["cancel"]>[0];
};

/** One of the protocol's calls, as a promise. */
const answer = <Response>(
	call: (callback: (error: grpc.ServiceError | null, response: Response) => void) => unknown,
): Promise<Response> => new Promise((done, fail) => call((error, response) => (error ? fail(error) : done(response))));

export interface Host {
	readonly child: ChildProcess;
	/** Its exit code. */
	readonly ended: Promise<number | null>;
	/** What it wrote to stderr. */
	errors(): string;
	cancel(): Promise<void>;
	configure(config: Values): Promise<void>;
	check(news: Values, olds?: Values): Promise<{ inputs: Values; failures: string[] }>;
	diff(id: string, olds: Values, news: Values): Promise<boolean>;
	create(inputs: Values): Promise<{ id: string; props: Values }>;
	read(id: string, props: Values): Promise<{ id: string; props: Values; inputs: Values }>;
	update(id: string, olds: Values, news: Values): Promise<Values>;
	delete(id: string, props: Values): Promise<void>;
}

const struct = (values: Values) => Struct.fromJavaScript(values);
const values = (sent: Struct | undefined): Values => sent?.toJavaScript() ?? {};

export interface InitFailure {
	readonly code: number;
	readonly message: string;
	readonly id: string;
	readonly reasons: string[];
	readonly props: Values;
}

/** The failure that says: created, but not as wanted. */
export async function initFailureOf(work: Promise<unknown>): Promise<InitFailure> {
	const error = await work.then(
		() => undefined,
		(reason: grpc.ServiceError) => reason,
	);
	const [packed] = error?.metadata.get("grpc-status-details-bin") ?? [];
	if (error === undefined || packed === undefined) throw new Error("expected an InitFailed", { cause: error });
	const [any] = Status.deserializeBinary(packed as Buffer).getDetailsList();
	const detail = any?.unpack(ErrorResourceInitFailed.deserializeBinary, "pulumirpc.ErrorResourceInitFailed");
	return {
		code: error.code,
		message: error.details,
		id: detail?.getId() ?? "",
		reasons: detail?.getReasonsList() ?? [],
		props: values(detail?.getProperties()),
	};
}

/** An engine that only listens, and how to start a host for it. */
export function useHost() {
	const log: string[] = [];
	let engine = new grpc.Server();
	let address = "";
	beforeEach(() => void log.splice(0));
	beforeAll(() => startEngine());
	afterAll(() => engine.forceShutdown());

	async function startEngine(): Promise<void> {
		engine = new grpc.Server();
		// It hears what the provider has to say.
		engine.addService(EngineService, {
			log: (call: grpc.ServerUnaryCall<LogRequest, object>, callback: grpc.sendUnaryData<object>) => {
				log.push(call.request.getMessage());
				callback(null, new Empty());
			},
		});
		const port = await new Promise<number>((done, fail) =>
			engine.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
				error ? fail(error) : done(bound),
			),
		);
		address = `127.0.0.1:${port}`;
	}

	/** The host process as the engine starts it. */
	async function start(): Promise<Host> {
		const env: Record<string, string | undefined> = {
			...process.env,
			PULUMI_BACKEND_URL: "file:///nowhere",
			TELEPHONY_API_KEY: undefined,
			TELEPHONY_BASE_URL: undefined,
		};
		const program = sdk.resolve("@pulumi/pulumi/cmd/dynamic-provider");
		const child = spawn("node", [program, address], { cwd: repository, env, stdio: ["ignore", "pipe", "pipe"] });
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
		onTestFinished(async () => {
			client.close();
			child.kill();
			await ended;
		});
		return {
			child,
			ended,
			errors: () => errors,
			async cancel() {
				await answer<unknown>((done) => client.cancel(new Empty(), done));
			},
			async configure(config) {
				const request = new ConfigureRequest();
				request.setArgs(struct(config));
				await answer<ConfigureResponse>((done) => client.configure(request, done));
			},
			async check(news, olds = {}) {
				const request = new CheckRequest();
				request.setOlds(struct(olds));
				request.setNews(struct(news));
				const response = await answer<CheckResponse>((done) => client.check(request, done));
				const failures = response.getFailuresList().map((failure) => failure.getReason());
				return { inputs: values(response.getInputs()), failures };
			},
			async diff(id, olds, news) {
				const request = new DiffRequest();
				request.setId(id);
				request.setOlds(struct(olds));
				request.setNews(struct(news));
				const response = await answer<DiffResponse>((done) => client.diff(request, done));
				return response.getChanges() === DiffResponse.DiffChanges.DIFF_SOME;
			},
			async create(inputs) {
				const request = new CreateRequest();
				request.setProperties(struct(inputs));
				const response = await answer<CreateResponse>((done) => client.create(request, done));
				return { id: response.getId(), props: values(response.getProperties()) };
			},
			async read(id, props) {
				const request = new ReadRequest();
				request.setId(id);
				request.setProperties(struct(props));
				const response = await answer<ReadResponse>((done) => client.read(request, done));
				return {
					id: response.getId(),
					props: values(response.getProperties()),
					inputs: values(response.getInputs()),
				};
			},
			async update(id, olds, news) {
				const request = new UpdateRequest();
				request.setId(id);
				request.setOlds(struct(olds));
				request.setNews(struct(news));
				return values((await answer<UpdateResponse>((done) => client.update(request, done))).getProperties());
			},
			async delete(id, props) {
				const request = new DeleteRequest();
				request.setId(id);
				request.setProperties(struct(props));
				await answer<unknown>((done) => client.delete(request, done));
			},
		};
	}

	/** As if the engine were killed: every connection breaks. The next one has another address. */
	async function killEngine(): Promise<void> {
		engine.forceShutdown();
		await startEngine();
	}

	return { log, start, killEngine };
}
