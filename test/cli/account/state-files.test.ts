/** States in files and of other projects: the commands use no other stack's account. */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { telephony } from "../../helpers/drift-cli";
import { useEmulator } from "../../helpers/emulator";
import { run } from "../../helpers/engine";
import { fakeEngine } from "../../helpers/fake-engine";
import { createFolder } from "../../helpers/folders";
import { aNumber, create, openProvider } from "../../helpers/provider";
import { useStates } from "../../helpers/states";

const emulator = useEmulator({ kyc: "immediate" });
const { state } = useStates("orphans", emulator);

const commands = [["orphans"], ["bill"], ["release", "--retained", "--yes"]];

describe.each(commands)("telephony %s", (...command) => {
	test("reads a state in a file without the engine, relative to --cwd", async () => {
		const held = await create(openProvider(emulator).number, aNumber());
		const file = state([held]);
		const { path, isUsed } = fakeEngine(emulator.url);
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
		const { path } = fakeEngine(emulator.url);
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

	test("takes no configuration of this folder for a stack of another project", async () => {
		const file = state([await create(openProvider(emulator).number, aNumber())]);
		const folder = dirname(file);
		writeFileSync(join(folder, "Pulumi.yaml"), "name: office\nruntime: nodejs\n");
		const { path } = fakeEngine(emulator.url, file);
		const env = { ...process.env, PATH: path, TELEPHONY_API_KEY: emulator.apiKey, TELEPHONY_BASE_URL: emulator.url };
		const runWith = (stack: string) => run("node", [telephony, ...command, "--stack", stack], folder, env);
		const names = ["organization/office/dev", "acme/dev", "organization/shop/dev"];
		const [here, ofOrganization, elsewhere] = await Promise.all(names.map(runWith));
		for (const done of [here, ofOrganization])
			expect(done).toMatchObject({ code: 1, output: expect.stringContaining("[telephony:wrong-account]") });
		expect(elsewhere?.code, elsewhere?.output).toBe(0);
	});
});

test("reads any number of stacks without a warning of Node.js", async () => {
	const file = state([await create(openProvider(emulator).number, aNumber())]);
	const { path } = fakeEngine(emulator.url, file);
	const { account } = emulator.control.state();
	const service = {
		TELEPHONY_API_KEY: emulator.apiKey,
		TELEPHONY_BASE_URL: emulator.url,
		TELEPHONY_ACCOUNT: account.id,
	};
	const stacks = Array.from({ length: 12 }, (_, index) => `dev${index}`);
	const args = [telephony, "orphans", "--stack", ...stacks];
	const done = await run("node", args, dirname(file), { ...process.env, ...service, PATH: path });
	expect(done.code, done.output).toBe(0);
	expect(done.output).not.toContain("MaxListeners");
});
