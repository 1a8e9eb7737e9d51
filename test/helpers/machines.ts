/** Runs on several machines that share a state. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { TestEmulator } from "./emulator";
import type { Project } from "./engine";
import { crash, startUp } from "./engine-running";
import { eventually } from "./eventually";
import { createFolder } from "./folders";

/** Moves the next runs to another machine and user. */
export function moveTo(machine: string, stack: Project): void {
	const home = createFolder();
	const preload = join(home, "machine.cjs");
	writeFileSync(preload, `require("node:os").hostname = () => ${JSON.stringify(machine)};\n`);
	const user = `user-of-${machine}`;
	Object.assign(stack.env, {
		NODE_OPTIONS: `--require=${preload}`,
		HOME: home,
		PULUMI_HOME: join(home, ".pulumi"),
		USER: user,
		LOGNAME: user,
	});
}

/** Crashes the machine before or after the service writes a new claim, and once the run has printed `says`. */
export async function crashAtClaim(
	{ control }: TestEmulator,
	stack: Project,
	when: "before" | "after",
	says = "",
): Promise<{ id: string; output: string }> {
	control.faults.set({ operation: "patchNumber", every: true, kind: "hold", phase: when });
	const before = new Set(control.state().numbers.map(({ id }) => id));
	const running = startUp(stack);
	try {
		return await eventually(() => {
			const { id = "", reference } = control.state().numbers.find((candidate) => !before.has(candidate.id)) ?? {};
			const { method, path } = control.requests().at(-1) ?? {};
			expect([method, path], running.output()).toEqual(["PATCH", `/v1/numbers/${id}`]);
			expect(Boolean(reference)).toBe(when === "after");
			expect(running.output()).toContain(says);
			return { id, output: running.output() };
		});
	} finally {
		await crash(running);
		control.faults.clear();
	}
}
