import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../../helpers/repository";

const { NODE_COMPILE_CACHE: _cache, NODE_OPTIONS: _options, ...environment } = process.env;
const env = { ...environment, NODE_DEBUG_NATIVE: "COMPILE_CACHE" };

/** Runs a command to its end, which for the plugin is a signal, and returns what Node reports about compiled code. */
async function cacheReport(...args: string[]): Promise<string> {
	const child = spawn(process.execPath, args, { cwd: join(repository, "bin"), env });
	let report = "";
	child.stderr.on("data", (text) => {
		report += text;
	});
	child.stdout.on("data", () => args.length === 1 && child.kill("SIGINT"));
	await once(child, "close");
	return report;
}

test("the plugin and the CLI keep each other's compiled code", async () => {
	let report = "";
	for (let run = 0; run < 2; run += 1) {
		report = await cacheReport("pulumi-resource-telephony");
		await cacheReport("telephony", "--help");
	}
	expect(report).toContain("was accepted");
	expect(report).not.toContain("was rejected");
});
