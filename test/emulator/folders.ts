import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { createEmulator, type EmulatorOptions } from "../../emulator";
import { type TestEmulator, withCalls } from "../helpers/emulator";
import { repository } from "../helpers/repository";
import { mobile } from "./fixture";

/** A path in a folder that is removed after the test. */
export const newFolder = (): string => {
	const parent = mkdtempSync(join(tmpdir(), "telephony-durable-"));
	onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
	return join(parent, "data");
};

/** Closed at the end of the test, if not before. */
export const open = async (options: EmulatorOptions = {}): Promise<TestEmulator> => {
	const emulator = await createEmulator(options);
	const closing: { done?: Promise<void> } = {};
	const close = () => (closing.done ??= emulator.close());
	onTestFinished(close);
	return withCalls({ ...emulator, close });
};

/** The state and the ledger, without the time. */
export const everything = ({ control }: TestEmulator) => {
	const { now: _, ...state } = control.state();
	return { ...state, ledger: control.ledger() };
};

/** Runs the command in a process of its own. */
export const start = async (
	args: readonly string[],
	shell: readonly string[] = [],
): Promise<{ child: ChildProcess; line: string; url: string; stderr: () => string }> => {
	const [command = "", ...rest] = [...shell, process.execPath, "bin/telephony", "emulator", "--port", "0", ...args];
	const child = spawn(command, rest, { cwd: repository });
	onTestFinished(() => void child.kill("SIGKILL"));
	const output: string[] = [];
	child.stderr.on("data", (text) => output.push(String(text)));
	const first = await Promise.race([once(createInterface(child.stdout), "line"), once(child, "close")]);
	const line = String(first[0]);
	return { child, line, url: /listening on (\S+)/.exec(line)?.[1] ?? "", stderr: () => output.join("") };
};

export const buyAt = (url: string) =>
	fetch(`${url}/numbers`, {
		method: "POST",
		headers: { Authorization: "Bearer emulator-key", "Content-Type": "application/json" },
		body: JSON.stringify(mobile()),
	});
