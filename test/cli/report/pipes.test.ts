/** Commands whose reader closes the pipe, or whose output can't be written. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { createConnection } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { telephony } from "../../helpers/drift-cli";
import { useEmulator } from "../../helpers/emulator";
import { run } from "../../helpers/engine";
import { repository } from "../../helpers/repository";
import { useStates } from "../../helpers/states";

const emulator = useEmulator({ kyc: "immediate" });
const states = useStates("orphans", emulator);
const env = () => ({ ...process.env, TELEPHONY_API_KEY: emulator.apiKey, TELEPHONY_BASE_URL: emulator.url });

const buy = () => emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
const shell = (command: string) => run("bash", ["-c", command], repository, env());
const orphans = () => `node ${telephony} orphans --stack ${states.state([])}`;

describe("a report", () => {
	test.each([
		["--json", "head -c 1"],
		["--json", "true"],
		["", "true"],
		["--json 2>&1", "head -c 1"],
	])("with %s ends quietly with its exit code if its reader is %s", async (options, reader) => {
		for (let count = 0; count < 200; count += 1) await buy();
		const { output } = await shell(`${orphans()} ${options} | ${reader} >/dev/null; echo "exit \${PIPESTATUS[0]}" >&2`);
		expect(output).not.toMatch(/^\s+at |EPIPE/m);
		expect(output).toMatch(/exit 7\n$/);
	});

	test.each([["--json"], [""]])("with %s says in one line that the disk is full", async (options) => {
		await buy();
		const { code, output } = await shell(`${orphans()} ${options} > /dev/full`);
		expect(code).toBe(1);
		expect(output).not.toMatch(/^\s+at /m);
		expect(output.match(/\[telephony:usage\]/g)).toHaveLength(1);
	});
});

/** Starts an emulator whose output is a full disk, or a pipe without a reader after its first line. */
async function startEmulator(target: "pipe" | "full") {
	const full = openSync("/dev/full", "w");
	const stderr = target === "full" ? full : "pipe";
	const args = [telephony, "emulator", "--memory", "--log", "--port", "0"];
	const child = spawn("node", args, { cwd: repository, stdio: ["ignore", "pipe", stderr] });
	closeSync(full);
	onTestFinished(() => void child.kill("SIGKILL"));
	const { stdout } = child;
	if (stdout === null) throw new Error("expected a pipe");
	const [line] = (await once(stdout, "data")) as [Buffer];
	stdout.destroy();
	child.stderr?.destroy();
	const url = new URL(/http:\S+/.exec(String(line))?.[0] ?? "");
	return { child, url };
}

test.each(["pipe", "full"] as const)("keeps the emulator running without a reader of its log: %s", async (target) => {
	const { child, url } = await startEmulator(target);
	for (let count = 0; count < 3; count += 1)
		expect((await fetch(`${url}/numbers`, { headers: { authorization: "Bearer emulator-key" } })).status).toBe(200);
	// The log of a broken connection is written later.
	createConnection(Number(url.port), url.hostname).end();
	expect((await fetch(`${url}/numbers`, { headers: { authorization: "Bearer emulator-key" } })).status).toBe(200);
	const ended = once(child, "close");
	child.kill("SIGTERM");
	expect((await ended)[0]).toBe(0);
});
