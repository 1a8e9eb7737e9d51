import { once } from "node:events";
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { mobile, newFolder, open, start } from "../folders";

describe("a folder that can hold nothing", () => {
	test.each([
		["has gone", (data: string) => rmSync(data, { recursive: true })],
		["was moved away", (data: string) => renameSync(data, `${data}-elsewhere`)],
		[
			"was replaced by a copy",
			(data: string) => {
				cpSync(data, `${data}-copy`, { recursive: true });
				rmSync(data, { recursive: true });
				renameSync(`${data}-copy`, data);
			},
		],
	])("that %s is an error to the next write, and to every later answer", async (_, lose) => {
		const data = newFolder();
		const emulator = await open({ data });
		expect((await emulator.call("POST", "/numbers", mobile("US"))).status).toBe(201);
		lose(data);
		expect(await emulator.call("POST", "/numbers", mobile("US"))).toMatchObject({
			status: 500,
			body: { message: expect.stringContaining("can't write to") },
		});
		expect((await emulator.call("GET", "/numbers")).status).toBe(500);
	});

	test.each([
		["is a file", (path: string) => writeFileSync(path, "")],
		["lies below a file", (path: string) => writeFileSync(dirname(path), "")],
		["has a folder in place of its file", (path: string) => mkdirSync(join(path, "state.sqlite"), { recursive: true })],
		["has a folder in place of its pid", (path: string) => mkdirSync(join(path, "pid"), { recursive: true })],
		["is a link to nothing", (path: string) => symlinkSync(`${path}-gone`, path)],
	])("whose path %s fails at once, and says what to do", async (_, make) => {
		const parent = newFolder();
		if (!String(make).includes("dirname")) mkdirSync(parent);
		const path = join(parent, "data");
		make(path);
		await expect(open({ data: path })).rejects.toThrow(/can't be used .*choose another folder/);
	});

	// In a process of its own, which a test can end.
	test
		.runIf(process.platform === "linux")
		.each(["/proc/telephony", "/proc/telephony/data", "/dev/null/data", "/sys/data"])(
		"at %s ends the command at once",
		async (data) => {
			const { child, told } = await start(["--data", data]);
			if (child.exitCode === null) await once(child, "close");
			expect(child.exitCode).toBe(1);
			expect(told()).toMatch(/^telephony: .*choose another folder .*\[telephony:emulator\]\n$/);
		},
		10_000,
	);
});
