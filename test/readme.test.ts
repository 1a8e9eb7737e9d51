import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { useEmulator } from "./helpers/emulator";
import { run } from "./helpers/engine";

const root = resolve(__dirname, "..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const emulator = useEmulator();

/** The commands of the shell blocks under a heading. */
const commandsUnder = (heading: string): string[] => {
	const section = readme.split(/^#+ /m).find((text) => text.startsWith(heading)) ?? "";
	return [...section.matchAll(/```sh\n(.*?)```/gs)]
		.flatMap(([, block]) => (block ?? "").split("\n"))
		.map((line) => line.replace(/\s+#.*$/, "").trim())
		.filter((line) => line !== "");
};

it("the quick start's commands do what the README says, typed one after the other", async () => {
	const temporary = mkdtempSync(join(tmpdir(), "telephony-readme-"));
	onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
	const checkout = join(temporary, "checkout");
	mkdirSync(checkout);
	for (const name of ["Pulumi.yaml", "package.json"]) cpSync(join(root, name), join(checkout, name));
	cpSync(join(root, "examples/quickstart"), join(checkout, "examples/quickstart"), { recursive: true });
	symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"));
	// The emulator of this test stands for the one in the reader's other terminal.
	const project = join(checkout, "Pulumi.yaml");
	writeFileSync(project, readFileSync(project, "utf8").replace("http://127.0.0.1:4010/v1", emulator.url));

	const [startEmulator, engine, ...commands] = commandsUnder("Quick start");
	expect(startEmulator).toBe("npm run emulator -- --memory");
	expect(engine).toBe("npm run engine");
	expect(commands.length).toBeGreaterThan(4);
	// The reader's state goes to the home folder, ours to a temporary one.
	const script = `set -ex\n${commands.join("\n")}\n`.replace("file://~", `file://${temporary}`);
	const result = await run("bash", ["-c", script], checkout, { ...process.env, PULUMI_BACKEND_URL: undefined });
	expect(result.code, result.output).toBe(0);
	expect(result.output).toContain("+ 5 created");
	expect(emulator.control.ledger().map(({ kind }) => kind)).toEqual(["purchase", "purchase", "release", "release"]);
});

it("the two commands are npm scripts, and so is every other one that the docs name", () => {
	const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
	const named = ["README.md", "CONTRIBUTING.md"].flatMap((file) =>
		[...readFileSync(join(root, file), "utf8").matchAll(/`npm (?:run )?(\w+)[^`]*`/g)].map(
			([, script]) => script ?? "",
		),
	);
	expect(named.filter((script) => !["install", "ci", "run"].includes(script) && !(script in scripts))).toEqual([]);
	expect(commandsUnder("Two commands")).toEqual(["npm run demo", "npm test"]);
});

it("the emulator starts as the README says, and a Ctrl-C ends it", async () => {
	const child = spawn("npm", ["run", "emulator", "--", "--memory", "--port", "0"], { cwd: root, detached: true });
	const ended = new Promise<number | null>((done) => child.once("close", done));
	onTestFinished(() => void child.kill("SIGKILL"));
	let output = "";
	child.stdout.on("data", (text) => {
		output += text;
	});
	await expect.poll(() => output, { timeout: 60_000 }).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+\/v1/m);
	process.kill(-(child.pid ?? 0), "SIGINT");
	expect(await ended).not.toBe(1);
});
