import { expect, test } from "vitest";
import { createEmulator } from "../../../emulator";
import { start } from "../folders";

test("an empty --host is refused: Node would listen on every address", async () => {
	for (const host of ["", " "]) {
		const { line, stderr } = await start(["--memory", "--host", host]);
		expect([line, stderr()]).toEqual([expect.not.stringContaining("listening"), expect.stringContaining("--host")]);
	}
	await expect(createEmulator({ host: "" })).rejects.toThrow("host");
});
