/**
 * A process that runs programs one after the other, as the Automation API does for programs of its own process. A process
 * of its own for each program would take half of the processor time of an `up`.
 */
import { createRequire } from "node:module";
import * as grpc from "@grpc/grpc-js";

const require = createRequire(import.meta.url);
const { LanguageServer } = require("@pulumi/pulumi/automation/server") as {
	LanguageServer: new (program: () => Promise<unknown>) => grpc.UntypedServiceImplementation;
};
const { grpcChannelOptions } = require("@pulumi/pulumi/runtime") as { grpcChannelOptions: grpc.ServerOptions };
const { LanguageRuntimeService } = require("@pulumi/pulumi/proto/language_grpc_pb.js") as {
	LanguageRuntimeService: grpc.ServiceDefinition;
};

export interface Program {
	/** The program's file. */
	readonly file: string;
	/** The variables that it runs with. */
	readonly env: Readonly<Record<string, string | undefined>>;
}

let next: Program | undefined;
process.on("message", (program: Program) => {
	next = program;
	process.send?.("ready");
});
process.on("disconnect", () => process.exit());

const server = new grpc.Server(grpcChannelOptions);
const program = async () => {
	if (next === undefined) throw new Error("no program was named");
	process.env = { ...next.env };
	delete require.cache[require.resolve(next.file)];
	const main: unknown = require(next.file);
	return typeof main === "function" ? main() : main;
};
server.addService(LanguageRuntimeService, new LanguageServer(program));
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
	if (error) throw error;
	process.send?.(port);
});
