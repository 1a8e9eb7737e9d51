/**
 * Progress that the engine shows: its status column and its warnings. Outside plugin/, only this file imports Pulumi.
 */
import { createRequire } from "node:module";
import { connect } from "node:net";
import { coded, type MessageCode } from "../api/message-codes";

export interface Progress {
	/** Replaces the status of the resource: `creating (12s) KYC in review, 9 min left`. */
	status(urn: string, text: string): void;
	/** Stays on the screen, and appears in the summary. */
	warn(urn: string, text: string): void;
	/** Stays on the screen, and isn't a problem. */
	inform(text: string): void;
	/** For `TELEPHONY_LOG=debug`. */
	debug(text: string): void;
	/** True unless the engine's port refuses connections; absent if there is no engine. */
	isEngineAlive?(): Promise<boolean>;
	/** True if the run is known to run a program. `destroy` runs none, and not every language shows it. */
	hasProgram?(): Promise<boolean>;
}

/** Progress for handlers: each lasting message has a code. */
export interface Reports extends Omit<Progress, "warn" | "inform"> {
	warn(urn: string, code: MessageCode, text: string): void;
	inform(code: MessageCode, text: string): void;
}

/** Masks secrets in progress. A service may repeat them in its messages. */
export const redacting = (progress: Progress, mask: (text: string) => string): Reports => ({
	...progress,
	status: (urn, text) => progress.status(urn, mask(text)),
	warn: (urn, code, text) => progress.warn(urn, coded(mask(text), code)),
	inform: (code, text) => progress.inform(coded(mask(text), code)),
	debug: (text) => progress.debug(mask(text)),
});

/** For use without an engine: in a script that calls the handlers itself. */
export function stderrProgress(): Progress {
	const print = (text: string) => process.stderr.write(`${text}\n`);
	return { status: () => {}, warn: (_, text) => print(`warning: ${text}`), inform: print, debug: print };
}

/**
 * Returns the engine's address, an argument of the SDK's host for dynamic providers. Undefined if this process is any
 * other program.
 */
export function engineOfHost([, program = "", ...args]: readonly string[] = process.argv): string | undefined {
	const isHost = /[\\/]@pulumi[\\/]pulumi[\\/]cmd[\\/]dynamic-provider([\\/]index(\.js)?)?$/.test(program);
	return isHost ? args.find((argument) => /^[\w.[\]:-]+:\d+$/.test(argument)) : undefined;
}

export function engineProgress(address: string): Progress {
	const sdk = requireOfSdk();
	const grpc = sdk("@grpc/grpc-js") as typeof import("@grpc/grpc-js");
	const { EngineClient } = sdk(
		"@pulumi/pulumi/proto/engine_grpc_pb",
	) as typeof import("@pulumi/pulumi/proto/engine_grpc_pb");
	const { GetRootResourceRequest, LogRequest, LogSeverity } = sdk(
		"@pulumi/pulumi/proto/engine_pb",
	) as typeof import("@pulumi/pulumi/proto/engine_pb");
	// A proxy can't reach the engine on this machine, and grpc-js doesn't match every spelling in `no_proxy`.
	const engine = new EngineClient(address, grpc.credentials.createInsecure(), { "grpc.enable_http_proxy": 0 });
	const send = (severity: "INFO" | "WARNING", urn: string, text: string, isEphemeral: boolean): void => {
		const line = new LogRequest();
		line.setSeverity(LogSeverity[severity]);
		line.setMessage(text);
		line.setUrn(urn);
		line.setEphemeral(isEphemeral);
		// The engine may have exited, which ends the run elsewhere.
		engine.log(line, () => {});
	};
	return {
		status: (urn, text) => send("INFO", urn, text, true),
		warn: (urn, text) => send("WARNING", urn, text, false),
		inform: (text) => send("INFO", "", text, false),
		debug: (text) => send("INFO", "", text, false),
		// A slow engine is alive. The port refuses connections as soon as the engine's process has ended.
		isEngineAlive: async () =>
			engine.getChannel().getConnectivityState(true) === grpc.connectivityState.READY || !(await isRefused(address)),
		// A program registers its stack before anything else.
		hasProgram: () =>
			new Promise((resolve) =>
				engine.getRootResource(new GetRootResourceRequest(), (error, root) => resolve(!error && root?.getUrn() !== "")),
			),
	};
}

/** Loads the SDK's own copies of its libraries, as they refuse messages and credentials of another copy. */
export const requireOfSdk = (): NodeJS.Require => createRequire(require.resolve("@pulumi/pulumi/package.json"));

/** Returns true if nothing listens at the address. Waits until the connection succeeds or fails. */
function isRefused(address: string): Promise<boolean> {
	const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
	return new Promise((resolve) => {
		const socket = connect({ host, port: Number(port) });
		const settle = (refused: boolean) => {
			socket.destroy();
			resolve(refused);
		};
		socket.unref();
		socket.once("connect", () => settle(false));
		socket.once("error", ({ code }: NodeJS.ErrnoException) => settle(code === "ECONNREFUSED"));
	});
}
