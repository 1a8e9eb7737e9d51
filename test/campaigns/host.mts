/** Provider processes to be killed, one after the other. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { told } from "../helpers/dialect.mts";
import { openEngine, programs, repository, startHost } from "../helpers/host-process.mts";
import type { FrontName, Previews, Protocol } from "../helpers/protocol.mts";
import { papersFolder } from "./papers.mts";

export { repository } from "../helpers/host-process.mts";
export { InitFailed, type Values } from "../helpers/protocol.mts";

/** One provider process. Every method fails once it has been killed. */
export interface Host extends Omit<Protocol, "configure" | "cancel"> {
	readonly killed: boolean;
	/** The plugin's. */
	readonly previews?: Previews;
	/** SIGKILL, and the end of the process. */
	kill(): Promise<void>;
}

export interface Hosts {
	/** A new process; one is kept ready. Not for one with variables of its own. */
	start(env?: Readonly<Record<string, string>>): Promise<Host>;
	close(): Promise<void>;
}

/** Provider processes for one service; what they say to the engine goes to `heard`. */
export async function openHosts(
	service: { readonly url: string; readonly apiKey: string },
	heard: (line: string) => void = () => {},
	front: FrontName = "dynamic",
): Promise<Hosts> {
	const engine = await openEngine(heard);
	const cache = mkdtempSync(join(tmpdir(), "telephony-campaign-"));
	const env = {
		TELEPHONY_API_KEY: service.apiKey,
		TELEPHONY_BASE_URL: service.url,
		...told,
		NODE_COMPILE_CACHE: cache,
	};
	// A process that is killed leaves nothing in the cache of compiled code; this one does, and the others start faster.
	const warm = `process.argv[2] = "127.0.0.1:1"; require(${JSON.stringify(programs[front])}); require("pulumi-telephony/provider");
		require("node:module").flushCompileCache(); process.exit()`;
	execFileSync("node", ["-e", warm], { cwd: repository, env: { ...process.env, ...env } });

	const open = async (more?: Readonly<Record<string, string>>): Promise<Host> => {
		const { previews, ...host } = await startHost(engine, { ...env, ...more }, front, papersFolder());
		await host.configure({});
		let killed = false;
		return {
			...host,
			...(front === "plugin" ? { previews } : {}),
			get killed() {
				return killed;
			},
			async kill() {
				killed = true;
				await host.kill("SIGKILL");
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
		start(more) {
			if (more !== undefined) return open(more);
			const host = ready;
			ready = openAhead();
			return host;
		},
		async close() {
			await (await ready).kill();
			engine.kill();
			rmSync(cache, { recursive: true, force: true, maxRetries: 3 });
		},
	};
}
