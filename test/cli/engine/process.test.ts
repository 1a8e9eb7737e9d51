/** The engine as a child process: its text, and how Windows starts it. */
import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { stackConfig } from "../../../cli/engine/config";
import { outputOf } from "../../../cli/engine/process";
import { windowsCommand } from "../../../cli/engine/windows";
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

const on =
	(...files: string[]) =>
	(path: string) =>
		files.includes(path);
const env = { Path: "C:\\tools;C:\\Program Files\\npm", ComSpec: "C:\\Windows\\cmd.exe" };

test("starts npm's script on Windows with each argument quoted", () => {
	const script = on("C:\\Program Files\\npm\\pulumi.cmd");
	const started = windowsCommand("pulumi", ["--target", "**dynamic/a:*::**", 'a "b" & c\\'], env, script);
	expect(started?.file).toBe("C:\\Windows\\cmd.exe");
	const [line] = started?.args.slice(-1) ?? [];
	expect(line).toContain('"C:\\Program^ Files\\npm\\pulumi.cmd');
	// Without its escapes, for both command lines, each argument is as given.
	expect(line?.replace(/\^(.)/g, "$1").replace(/\^(.)/g, "$1")).toContain(
		'"--target" "**dynamic/a:*::**" "a \\"b\\" & c\\\\"',
	);
	expect(line).not.toMatch(/[^^]&/);
});

test.each([
	["the program", on("C:\\tools\\pulumi.exe", "C:\\Program Files\\npm\\pulumi.cmd")],
	["nothing", on()],
])("starts the engine directly on Windows if the PATH has %s first", (_, isFile) => {
	expect(windowsCommand("pulumi", [], env, isFile)).toBeUndefined();
});
