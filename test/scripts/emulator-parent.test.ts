/** `npm run emulator` leaves no process that holds its port. */
import { expect, onTestFinished, test } from "vitest";
import { start } from "../helpers/engine-running";
import { repository } from "../helpers/repository";

const ready = /listening on (\S+)\/v1 /;
const run = (...command: readonly string[]) => {
	const running = start(command, repository, process.env);
	onTestFinished(() => void running.end("SIGKILL"));
	return running;
};

const statusOf = async (url: string) =>
	(await fetch(`${url}/_emulator/clock`).catch(() => undefined))?.status ?? "gone";

test.each([
	["npm", ["npm", "run", "emulator", "--", "--memory", "--port", "0"]],
	["scripts/bootstrap.mjs", [process.execPath, "scripts/bootstrap.mjs", "emulator", "--memory", "--port", "0"]],
])("the emulator ends when %s is killed", async (_, command) => {
	const { child, printed } = run(...command);
	const url = await printed(ready);
	expect(await statusOf(url)).toBe(200);
	child.kill("SIGKILL");
	await expect.poll(() => statusOf(url)).toBe("gone");
});

test("an emulator started by `nohup` outlives its shell", async () => {
	const emulator = `nohup '${process.execPath}' bin/telephony emulator --memory --port 0 </dev/null & wait`;
	const { child, printed } = run("sh", "-c", emulator);
	const url = await printed(ready);
	const gone = new Promise((done) => child.once("exit", done));
	child.kill("SIGKILL");
	await gone;
	expect(await statusOf(url)).toBe(200);
});
