/** A folder for what the test files of one run share; gone after the run. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
	export interface ProvidedContext {
		runFolder: string;
	}
}

export function setup({ provide }: TestProject): () => void {
	const folder = mkdtempSync(join(tmpdir(), "telephony-run-"));
	provide("runFolder", folder);
	return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
