import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { descendants } from "../helpers/process-tree.mts";

const root = resolve(__dirname, "../..");

/** Runs the demo, with a Ctrl-C once it prints `interruptAt`. */
function demo(interruptAt?: RegExp): Promise<{ code: number | null; output: string; pids: number[] }> {
	return new Promise((done) => {
		// A Ctrl-C reaches the whole process group.
		const child = spawn("node", ["scripts/demo.mts"], { cwd: root, detached: true, stdio: ["ignore", "pipe", "pipe"] });
		let output = "";
		let pids: number[] = [];
		const collect = (text: Buffer) => {
			output += text;
			if (interruptAt === undefined || pids.length > 0 || !interruptAt.test(output)) return;
			pids = descendants(child.pid ?? 0).map(({ pid }) => pid);
			process.kill(-(child.pid ?? 0), "SIGINT");
		};
		child.stdout.on("data", collect);
		child.stderr.on("data", collect);
		child.once("close", (code) => done({ code, output, pids }));
	});
}

// Both tests use the checkout's stack "demo".
describe("the demo", () => {
	it("finds and repairs drift from end to end", async () => {
		const { code, output } = await demo();
		expect(code, output).toBe(0);
		expect(output).toContain("exit 7: two resources changed, nothing else");
		expect(output).toContain("the account is empty");
	});

	it.skipIf(process.platform !== "linux")("leaves nothing running after Ctrl-C in the middle of up", async () => {
		const { code, output, pids } = await demo(/Number \w+ creating/);
		expect(code, output).toBe(130);
		expect(output).toContain("Interrupted");
		expect(pids.length).toBeGreaterThan(2);
		// The provider ends a moment after the engine.
		await expect.poll(() => pids.filter((pid) => existsSync(`/proc/${pid}`)), { timeout: 15_000 }).toEqual([]);
		expect(readdirSync(tmpdir()).filter((name) => name.startsWith("telephony-demo-"))).toEqual([]);
		expect(existsSync(resolve(root, "Pulumi.demo.yaml"))).toBe(false);
	});
});
