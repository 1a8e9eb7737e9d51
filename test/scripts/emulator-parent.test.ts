/** `npm run emulator` leaves nothing behind that holds its port, however the terminal or npm ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = resolve(__dirname, "../..");
const patient = { timeout: 60_000 };

interface Started {
	readonly child: ChildProcess;
	readonly url: string;
}

/** Starts a command that ends in an emulator, and waits for its line. */
async function started(command: string, args: readonly string[]): Promise<Started> {
	const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
	onTestFinished(() => void child.kill("SIGKILL"));
	let output = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream.on("data", (text) => {
			output += text;
		});
	}
	await expect.poll(() => output, patient).toMatch(/listening on \S+\/v1 /);
	const [, url = ""] = /listening on (\S+)\/v1 /.exec(output) ?? [];
	return { child, url };
}

const answers = (url: string) =>
	fetch(`${url}/_emulator/clock`).then(
		({ status }) => status,
		() => "nobody",
	);

test.each([
	["npm", "npm", ["run", "emulator", "--", "--memory", "--port", "0"]],
	["scripts/bootstrap.mjs", process.execPath, ["scripts/bootstrap.mjs", "emulator", "--memory", "--port", "0"]],
])("an emulator ends when %s is killed", patient, async (_, command, args) => {
	const { child, url } = await started(command, args);
	expect(await answers(url)).toBe(200);
	child.kill("SIGKILL");
	await expect.poll(() => answers(url), patient).toBe("nobody");
});

test("an emulator that was started by hand outlives its shell", patient, async () => {
	const folder = mkdtempSync(join(tmpdir(), "telephony-parent-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	const emulator = `nohup '${process.execPath}' bin/telephony emulator --memory --port 0 </dev/null & echo pid $!; wait`;
	const child = spawn("sh", ["-c", emulator], { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
	let output = "";
	child.stdout.on("data", (text) => {
		output += text;
	});
	await expect.poll(() => output, patient).toMatch(/listening on \S+\/v1 /);
	const [, pid = ""] = /^pid (\d+)$/m.exec(output) ?? [];
	onTestFinished(() => void process.kill(Number(pid), "SIGKILL"));
	const gone = new Promise((done) => child.once("exit", done));
	child.kill("SIGKILL");
	await gone;
	expect(await answers(/listening on (\S+)\/v1 /.exec(output)?.[1] ?? "")).toBe(200);
});
