/** States in files: the commands need no engine, and use no other stack's account. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { telephony } from "../../helpers/drift-cli";
import { useEmulator } from "../../helpers/emulator";
import { run } from "../../helpers/engine";
import { createFolder } from "../../helpers/folders";
import { aNumber, create, openProvider } from "../../helpers/provider";
import { useStates } from "../../helpers/states";

const emulator = useEmulator({ kyc: "immediate" });
const { state } = useStates("orphans", emulator);

/** A stack whose selected configuration has another account. */
function fakeEngine() {
	const folder = createFolder();
	const used = join(folder, "used");
	const config = { "telephony:apiKey": { value: "of-another-account" }, "telephony:baseUrl": { value: emulator.url } };
	const program = `require("fs").writeFileSync(${JSON.stringify(used)}, ""); console.log(${JSON.stringify(JSON.stringify(config))});`;
	writeFileSync(join(folder, "pulumi"), `#!${process.execPath}\n${program}\n`);
	chmodSync(join(folder, "pulumi"), 0o755);
	return { path: `${folder}:${process.env.PATH}`, isUsed: () => existsSync(used) };
}

const commands = [["orphans"], ["bill"], ["release", "--retained", "--yes"]];

describe.each(commands)("telephony %s", (...command) => {
	test("reads a state in a file without the engine, relative to --cwd", async () => {
		const held = await create(openProvider(emulator).number, aNumber());
		const file = state([held]);
		const { path, isUsed } = fakeEngine();
		const env = { ...process.env, PATH: path, TELEPHONY_API_KEY: emulator.apiKey, TELEPHONY_BASE_URL: emulator.url };
		const elsewhere = join(createFolder(), "elsewhere");
		mkdirSync(elsewhere);
		const args = [telephony, ...command, "--cwd", dirname(file), "--stack", basename(file)];
		const done = await run("node", args, elsewhere, env);
		expect(done.code, done.output).toBe(0);
		expect(isUsed()).toBe(false);
	});

	test("takes no key of the selected stack for a state in a file", async () => {
		const file = state([await create(openProvider(emulator).number, aNumber())]);
		const { path } = fakeEngine();
		const env = { ...process.env, PATH: path, TELEPHONY_API_KEY: "", TELEPHONY_BASE_URL: "" };
		const requests = emulator.requests().length;
		const done = await run(
			"node",
			[telephony, ...command, "--cwd", dirname(file), "--stack", file],
			dirname(file),
			env,
		);
		expect(done).toMatchObject({ code: 1, output: expect.stringContaining("[telephony:config]") });
		expect(emulator.requests()).toHaveLength(requests);
	});
});
