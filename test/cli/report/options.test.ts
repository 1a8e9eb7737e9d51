/** Options that commands share. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { telephony } from "../../helpers/drift-cli";
import { useEmulator } from "../../helpers/emulator";
import { createProject, run } from "../../helpers/engine";
import { createFolder } from "../../helpers/folders";

const emulator = useEmulator();

const commands = ["drift", "plan", "export", "bill", "orphans"];

/** Options and environment, with the exit code and the output. */
const places: readonly [Record<string, string | undefined>, readonly string[], number, RegExp][] = [
	[{}, [], 0, /stack dev|export: /],
	[{ PULUMI_STACK: "none" }, ["-s", "dev"], 0, /stack dev|export: /],
	[{}, ["--stack", "organization/telephony-test/dev"], 0, /stack (organization\/telephony-test\/)?dev|export: /],
	[{}, ["-s", "theirs/telephony-test/dev"], 1, /^telephony: .*: organization name must be 'organization' /m],
	[{}, ["-s", "none"], 6, /^telephony: there is no stack none: .*\[telephony:engine\]$/m],
	[{ PULUMI_STACK: undefined }, [], 1, /^telephony: no stack is selected: .*\[telephony:engine\]$/m],
];

test("finds the folder that -C names, and the stack of -s or of the folder", async () => {
	const stack = await createProject({ service: emulator });
	const started = stack.up();
	const runs = commands.map(async (command) => {
		// The engine refreshes only a state that it has written.
		if (command === "drift") await started;
		for (const [env, args, code, output] of places) {
			// Commands share what they read, so each of the others runs with a stack that exists and one that doesn't.
			if (command !== "drift" && !["dev", "none"].includes(args[1] ?? "")) continue;
			const all = [telephony, command, "-C", stack.folder, ...args];
			const done = await run("node", all, createFolder(), { ...stack.env, ...env });
			expect(done.output, all.join(" ")).toMatch(output);
			expect(done.code, done.output).toBe(code);
		}
	});
	await Promise.all(runs);
});

const document = "openapi.json";

const wrong: readonly [readonly string[], string][] = [
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
];

test("refuses wrong options in one sentence, and writes nothing", async () => {
	const folder = createFolder();
	writeFileSync(join(folder, document), JSON.stringify({ openapi: "3.1.0", info: {}, paths: {} }));
	writeFileSync(join(folder, "state.json"), JSON.stringify({ deployment: { resources: [] } }));
	const env = { ...process.env, TELEPHONY_API_KEY: emulator.apiKey, TELEPHONY_BASE_URL: emulator.url };
	const runs = wrong.map(async ([args, sentence]) => {
		const done = await run("node", [telephony, ...args], folder, env);
		expect(done.output, args.join(" ")).toMatch(/^telephony: .* \[telephony:usage\]\n$/);
		expect(done.output, args.join(" ")).toContain(sentence);
		expect(done.code, args.join(" ")).toBe(2);
	});
	await Promise.all(runs);
	expect(readdirSync(folder).sort()).toEqual([document, "state.json"]);
});
