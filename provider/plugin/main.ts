/** `pulumi-resource-telephony [ENGINE]`: the plugin as the engine starts it. Its first line of output is its port. */
import "../node-version";
import { resolve } from "node:path";
import { resources } from "../resources";
import { engineProgress, type Progress, stderrProgress } from "../session/progress";
import { Session } from "../session/session";
import { Shutdown, uncaught } from "../session/shutdown";
import { grpc } from "./sdk";
import { createServer } from "./server";

const packageFolder = resolve(__dirname, "../../..");

let engine: Progress = stderrProgress();
const attach = (address: string): void => {
	engine = engineProgress(address);
};
const address = process.argv.slice(2).find((argument) => /^[\w.[\]:-]+:\d+$/.test(argument));
if (address !== undefined) attach(address);

const env = { ...process.env };
const session = new Session({
	env,
	progress: {
		status: (urn, text) => engine.status(urn, text),
		warn: (urn, text) => engine.warn(urn, text),
		inform: (text) => engine.inform(text),
		debug: (text) => engine.debug(text),
		isEngineAlive: async () => (await engine.isEngineAlive?.()) ?? true,
		hasProgram: async () => (await engine.hasProgram?.()) ?? false,
	},
});
new Shutdown(session).takeProcess();
// Like the host of the dynamic provider: prints the error without its properties, and other calls continue.
for (const event of uncaught)
	process.on(event as "uncaughtException", (error: unknown) => {
		process.exitCode = 1;
		process.stderr.write(`${error instanceof Error ? error.stack : session.secrets.mask(String(error))}\n`);
	});
const handlers = Object.fromEntries(Object.entries(resources).map(([type, { handler }]) => [type, handler(session)]));

const server = createServer({ session, env, handlers, attach, packageFolder });
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
	if (error) throw error;
	process.stdout.write(`${port}\n`);
});
