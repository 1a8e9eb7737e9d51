import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { start } from "../helpers/engine-running";
import { descendants } from "../helpers/process-tree.mts";

const root = resolve(__dirname, "../..");

const demo = () => start(["node", "scripts/demo.mts"], root, process.env);

// Both tests use the checkout's stack "demo".
describe("the demo", () => {
	it("finds and repairs drift from end to end", async () => {
		const { code, output } = demo();
		expect(await code, output()).toBe(0);
		expect(output()).toContain("exit 7: two resources changed, nothing else");
		expect(output()).toContain("the account is empty");
	});

	it.skipIf(process.platform !== "linux")("leaves nothing running after Ctrl-C in the middle of up", async () => {
		const { child, end, output, printed } = demo();
		await printed(/Number \w+ creating/);
		const pids = descendants(child.pid ?? 0).map(({ pid }) => pid);
		expect(await end("SIGINT"), output()).toBe(130);
		expect(output()).toContain("Interrupted");
		expect(pids.length).toBeGreaterThan(2);
		// The provider ends a moment after the engine.
		await expect.poll(() => pids.filter((pid) => existsSync(`/proc/${pid}`)), { timeout: 15_000 }).toEqual([]);
		expect(readdirSync(tmpdir()).filter((name) => name.startsWith("telephony-demo-"))).toEqual([]);
		expect(existsSync(resolve(root, "Pulumi.demo.yaml"))).toBe(false);
	});
});
