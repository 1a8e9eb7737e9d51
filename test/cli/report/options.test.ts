/** Options that commands share. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { telephony } from "../../helpers/drift-cli";
import { useEmulator } from "../../helpers/emulator";
import { createProject, run } from "../../helpers/engine";
import { createFolder } from "../../helpers/folders";

const emulator = useEmulator();

describe.each(["drift", "plan", "export", "bill", "orphans"])("telephony %s", (command) => {
	const from = async (env: Record<string, string | undefined>, ...args: string[]) => {
		const stack = await createProject({ service: emulator });
		// The engine refreshes only a state that it has written.
		if (command === "drift") await stack.up();
		const folder = createFolder();
		return run("node", [telephony, command, "-C", stack.folder, ...args], folder, { ...stack.env, ...env });
	};

	test("takes the selected stack of the folder that -C names", async () => {
		const done = await from({});
		expect(done.code, done.output).toBe(0);
		expect(done.output.includes("stack dev") || command === "export").toBe(true);
	});

	test("takes the stack that -s names", async () => {
		const done = await from({ PULUMI_STACK: "none" }, "-s", "dev");
		expect(done.code, done.output).toBe(0);
	});

	test("fails with a sentence if the stack doesn't exist", async () => {
		const done = await from({}, "-s", "none");
		expect(done.code).toBe(6);
		expect(done.output).toMatch(/^telephony: there is no stack none: .*\[telephony:engine\]$/m);
	});

	test.runIf(command !== "export")("fails with a sentence if no stack is selected", async () => {
		const done = await from({ PULUMI_STACK: undefined });
		expect(done.code).toBe(1);
		expect(done.output).toMatch(/^telephony: no stack is selected: .*\[telephony:engine\]$/m);
	});
});

const document = "openapi.json";

test.each([
	[["service", "check", "--output", ""], "--output is empty"],
	[["bill", "--stack", "state.json", "--output", "a.md", "--output", "./a.md"], "./a.md is named twice"],
	[["bill", "--stack", "state.json", "--output", "a.txt"], "end the file's name in .json or .md"],
	[["service", "init", "--openapi", document, "--output", ""], "--output is empty"],
	[["export", "--output", ""], "--output is empty"],
	[["export", "--output", "/proc/telephony.json"], "/proc/telephony.json can't be written"],
	[["service", "init", "--openapi", document, "--output", "/proc/telephony.md"], "/proc/telephony.md can't be written"],
	[["bill", "--stack", "state.json", "--output", "/proc/telephony.md"], "/proc/telephony.md can't be written"],
	[["plan", "--max-purchases=-1"], '"-1" is negative'],
	[["plan", "--max-releases=some"], '"some" isn\'t a whole number'],
	[["plan", "--max-setup=500"], '"500" has no currency'],
	[["plan", "--max-monthly=5.00.1EUR"], "isn't an amount"],
	[["plan", "--max-monthly=5XYZ"], "unknown currency XYZ"],
	[["plan", "--save-plan="], "--save-plan is empty"],
	[["plan", "--save-plan=nowhere/plan.json"], "can't be written"],
])("%j is refused in one sentence", async (args, sentence) => {
	const folder = createFolder();
	writeFileSync(join(folder, document), JSON.stringify({ openapi: "3.1.0", info: {}, paths: {} }));
	writeFileSync(join(folder, "state.json"), JSON.stringify({ deployment: { resources: [] } }));
	const env = { ...process.env, TELEPHONY_API_KEY: emulator.apiKey, TELEPHONY_BASE_URL: emulator.url };
	const done = await run("node", [telephony, ...args], folder, env);
	expect(done.output).toMatch(/^telephony: .* \[telephony:usage\]\n$/);
	expect(done.output).toContain(sentence);
	expect(done.code).toBe(2);
	expect(existsSync(join(folder, "import.json"))).toBe(false);
});
