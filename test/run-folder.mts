/** The files of a run share a folder, which is deleted after the run, and a Vault. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { startVault } from "./helpers/vault.mts";

declare module "vitest" {
	export interface ProvidedContext {
		runFolder: string;
	}
}

export async function setup({ provide }: TestProject): Promise<() => void> {
	const folder = mkdtempSync(join(tmpdir(), "telephony-run-"));
	provide("runFolder", folder);
	// Of what tests start, each engine command is two Node.js processes, which spend most of their start on compiling.
	process.env.NODE_COMPILE_CACHE = join(folder, "compiled");
	process.env.NODE_OPTIONS = `--require=${JSON.stringify(fileURLToPath(new URL("fixtures/preload.cjs", import.meta.url)))}`;
	// The engine's processes are short, and would spend a tenth of their time on collecting garbage.
	process.env.GOGC = "400";
	// Of the two names of this variable, the engine prefers this one.
	process.env.VAULT_SERVER_URL = await startVault();
	return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
