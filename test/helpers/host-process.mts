/** The process of either provider, and an engine that only listens. */
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as grpc from "@grpc/grpc-js";
import { Empty, type FrontName, openClient, type Spoken } from "./protocol.mts";

export const repository = resolve(fileURLToPath(import.meta.url), "../../..");
const require = createRequire(import.meta.url);
// The SDK refuses messages of another copy of its libraries.
const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
const { EngineService } =
	require("@pulumi/pulumi/proto/engine_grpc_pb.js") as typeof import("@pulumi/pulumi/proto/engine_grpc_pb.js");

/** Programs that the engine starts. */
export const programs = {
	dynamic: sdk.resolve("@pulumi/pulumi/cmd/dynamic-provider"),
	plugin: resolve(repository, "bin/pulumi-resource-telephony"),
} as const;

/** The previews and further calls work with the plugin only. */
export interface HostProcess extends Spoken {
	readonly child: ChildProcess;
	/** Exit code. */
	readonly ended: Promise<number | null>;
	/** Standard error so far. */
	errors(): string;
	/** Sends a signal and waits for the end. */
	kill(signal?: NodeJS.Signals): Promise<void>;
}

export interface Engine {
	readonly address: string;
	/** Breaks all connections. */
	kill(): void;
}

/** Starts an engine that receives log lines. */
export async function openEngine(onLog: (line: string) => void): Promise<Engine> {
	const engine = new grpc.Server();
	engine.addService(EngineService, {
		log: (call: grpc.ServerUnaryCall<{ getMessage(): string }, object>, callback: grpc.sendUnaryData<object>) => {
			onLog(call.request.getMessage());
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

/** Compiling takes most of a start. */
const compiled = { NODE_COMPILE_CACHE: resolve(repository, "node_modules/.cache/compile") };

/** Starts the process as the engine does. */
export async function startHost(
	engine: Engine,
	env: Readonly<Record<string, string | undefined>>,
	front: FrontName = "dynamic",
	/** The program's folder. */
	folder = repository,
): Promise<HostProcess> {
	const child = spawn("node", [programs[front], engine.address], {
		cwd: folder,
		env: { ...process.env, ...compiled, PULUMI_BACKEND_URL: "file:///nowhere", ...env },
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
	const { close, ...calls } = openClient(port, front);
	return {
		...calls,
		child,
		ended,
		errors: () => errors,
		async kill(signal) {
			close();
			child.kill(signal);
			await ended;
		},
	};
}
