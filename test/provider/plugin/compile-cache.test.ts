import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFolder } from "../../helpers/folders";
import { repository } from "../../helpers/repository";

const { NODE_COMPILE_CACHE: _cache, NODE_OPTIONS: _options, ...environment } = process.env;
const env = { ...environment, NODE_DEBUG_NATIVE: "COMPILE_CACHE" };

/** Runs a command, which a signal ends after its first output, and returns what Node reports about compiled code. */
async function cacheReport(args: readonly string[]): Promise<string> {
	const child = spawn(process.execPath, args, { cwd: join(repository, "bin"), env });
	let report = "";
	child.stderr.on("data", (text) => {
		report += text;
	});
	child.stdout.on("data", () => child.kill("SIGINT"));
	await once(child, "close");
	return report;
}

/** Returns a process that loads the provider with its name and its V8 flag, as Pulumi's dynamic provider does. */
function dynamicProvider(): string {
	const file = join(createFolder(), "dynamic-provider.cjs");
	const provider = JSON.stringify(join(repository, "dist/bundle/provider.js"));
	writeFileSync(file, `require("node:v8").setFlagsFromString("--allow-natives-syntax"); require(${provider});`);
	return file;
}

test("keeps the compiled code of each kind of process", async () => {
	const commands = [["pulumi-resource-telephony"], [dynamicProvider()], ["telephony", "no-command"]];
	for (const command of commands) await cacheReport(command);
	for (const command of commands) {
		const report = await cacheReport(command);
		expect(report, command[0]).toContain("was accepted");
		expect(report, command[0]).not.toContain("was rejected");
	}
});
