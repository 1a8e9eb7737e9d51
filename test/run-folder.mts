/** A folder for what the test files of one run share; gone after the run. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
	export interface ProvidedContext {
		runFolder: string;
	}
}

export function setup({ provide }: TestProject): () => void {
	const folder = mkdtempSync(join(tmpdir(), "telephony-run-"));
	provide("runFolder", folder);
	// Of what tests start, each engine command is two Node.js processes, which spend most of their start on compiling.
	process.env.NODE_COMPILE_CACHE = join(folder, "compiled");
	process.env.NODE_OPTIONS = `--require=${JSON.stringify(fileURLToPath(new URL("fixtures/program-flags.cjs", import.meta.url)))}`;
	return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
