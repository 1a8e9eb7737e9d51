/** Ways to run the provider for our engine: its handlers in this process, or the processes that the real engine starts. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine, programs, repository, startHost } from "../helpers/host-process.mts";
import type { FrontName } from "../helpers/protocol.mts";
import type { Clock } from "./account.mts";
import { programFolder } from "./documents.mts";
import { openProvider } from "./provider.mts";
import type { Driver } from "./stack.mts";

const config = { "telephony:onDelete": "release" };

/** Handlers in this process, in virtual time. */
export const inProcess = (clock: Clock, stack = "dev"): Driver => ({
	killedBy: "reset",
	open: async (opening) => openProvider({ ...opening, config, clock, stack }),
	close: async () => {},
});

/** A process for each run, killed by SIGKILL. */
export async function asProcesses(front: FrontName): Promise<Driver> {
	let say: (line: string) => void = () => {};
	const engine = await openEngine((line) => say(`  [warning] ${line}`));
	const cache = mkdtempSync(join(tmpdir(), "telephony-sim-"));
	// A killed process leaves nothing in the compile cache, so one process fills it.
	const warm = `process.argv[2] = "127.0.0.1:1"; require(${JSON.stringify(programs[front])}); require("pulumi-telephony/provider");
		require("node:module").flushCompileCache(); process.exit()`;
	execFileSync("node", ["-e", warm], { cwd: repository, env: { ...process.env, NODE_COMPILE_CACHE: cache } });
	return {
		killedBy: "hold",
		async open({ service, env, say: onLine }) {
			say = onLine;
			const { previews, ...host } = await startHost(
				engine,
				{ ...env, TELEPHONY_API_KEY: service.apiKey, TELEPHONY_BASE_URL: service.url, NODE_COMPILE_CACHE: cache },
				front,
				programFolder(),
			);
			await host.configure(front === "plugin" ? { onDelete: "release" } : config);
			let isKilled = false;
			return {
				...host,
				...(front === "plugin" ? { previews } : {}),
				get isKilled() {
					return isKilled;
				},
				async kill() {
					if (isKilled) return;
					isKilled = true;
					await host.kill("SIGKILL");
				},
			};
		},
		async close() {
			engine.kill();
			rmSync(cache, { recursive: true, force: true, maxRetries: 3 });
		},
	};
}
