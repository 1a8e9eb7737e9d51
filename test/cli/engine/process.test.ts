/** The engine as a child process. */
import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { stackConfig } from "../../../cli/engine/config";
import { outputOf } from "../../../cli/engine/process";
import { createFolder } from "../../helpers/folders";

afterEach(() => void vi.unstubAllEnvs());

/** Puts a program named `pulumi` first on the PATH. */
function fakeEngine(program: string): string {
	const folder = createFolder();
	const file = join(folder, "pulumi");
	writeFileSync(file, `#!${process.execPath}\n${program}\n`);
	chmodSync(file, 0o755);
	vi.stubEnv("PATH", `${folder}${delimiter}${process.env.PATH}`);
	return folder;
}

test.each(["é", "漢", "😀"])(
	"keeps a character that two chunks of the engine's errors share: %s",
	async (character) => {
		// A pipe ends each chunk after a power of two, so inside a character.
		const text = `x${character.repeat(100_000)}`;
		const cwd = fakeEngine(`process.stderr.write("x" + ${JSON.stringify(character)}.repeat(100000))`);
		expect((await outputOf([], { cwd })).stderr === text).toBe(true);
	},
);

test("confirms nothing for a user whose environment confirms everything", async () => {
	vi.stubEnv("PULUMI_SKIP_CONFIRMATIONS", "true");
	const cwd = fakeEngine("console.log(process.env.PULUMI_SKIP_CONFIRMATIONS)");
	expect((await outputOf([], { cwd })).text).toBe("false");
});

test.each([
	["limits.maxPurchases", "telephony:limits.maxPurchases 1"],
	["maxPurchases", "telephony:limits.maxPurchases 1"],
	["onDelte", "telephony:onDelete"],
])("refuses telephony:%s before a command uses the stack's configuration", async (name, command) => {
	const config = { [`telephony:${name}`]: { value: "1", secret: false } };
	const cwd = fakeEngine(`console.log(${JSON.stringify(JSON.stringify(config))})`);
	const refused = expect.objectContaining({ message: expect.stringContaining(command), exitCode: 1 });
	await expect(stackConfig({ cwd }, {})).rejects.toEqual(refused);
});

test.each([
	["telephony", true],
	["shop", false],
])("takes other keys of a project named %s for its own: %s", async (project, isOwn) => {
	const cwd = fakeEngine(`console.log('{"telephony:greeting":{"value":"hi"}}')`);
	writeFileSync(join(cwd, "Pulumi.yaml"), `name: ${project}\nruntime: nodejs\n`);
	const read = stackConfig({ cwd }, {});
	if (isOwn) await expect(read).resolves.toMatchObject({ settings: {} });
	else await expect(read).rejects.toThrow("[telephony:config]");
});
