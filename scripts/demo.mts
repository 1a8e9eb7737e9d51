/** `npm run demo`: the main job from end to end on the real engine, against the emulator; exit 0 if all of it works. */
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import spawn from "cross-spawn";
import { createEmulator } from "../dist/emulator/index.js";
import { engineEnv, ensureEngine } from "./engine.mts";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const stack = "demo";
const started = Date.now();
const running = new Set<ChildProcess>();
let interrupted = false;

for (const signal of ["SIGINT", "SIGTERM"] as const) {
	process.on(signal, () => {
		// In a terminal, a Ctrl-C reaches the children by itself; the second one kills them.
		for (const child of running) {
			if (interrupted) child.kill("SIGKILL");
			else if (signal === "SIGTERM" || !process.stdin.isTTY) child.kill(signal);
		}
		interrupted = true;
	});
}

// A pipe that its reader closes, as in `npm run demo | head`, ends the demo like a signal.
process.stdout.on("error", () => interrupted || process.emit("SIGTERM"));

interface Run {
	readonly code: number;
	readonly output: string;
}

const backend = mkdtempSync(join(tmpdir(), "telephony-demo-"));
const emulator = await createEmulator();
try {
	await demo();
	console.log(`\nThe demo is complete (${seconds(started)}). Next: docs/quick-start.md.`);
} catch (error) {
	console.error(
		interrupted
			? "\nInterrupted: everything the demo started has been stopped."
			: `\nFAILED: ${(error as Error).message}`,
	);
	process.exitCode = interrupted ? 130 : 1;
} finally {
	for (const child of running) child.kill("SIGTERM");
	await Promise.all([...running].map((child) => new Promise((done) => child.once("close", done))));
	await emulator.close();
	rmSync(backend, { recursive: true, force: true });
	rmSync(join(root, `Pulumi.${stack}.yaml`), { force: true });
}

/** `pulumi` with these arguments against the emulator; `must` throws unless it exits with 0. */
function demoCommands() {
	const env = engineEnv({
		PULUMI_BACKEND_URL: `file://${backend}`,
		PULUMI_CONFIG_PASSPHRASE: "demo",
		// No job on another machine continues this stack, so the warning about that would mislead.
		CI: "false",
		TELEPHONY_BASE_URL: emulator.url,
		TELEPHONY_API_KEY: emulator.apiKey,
	});
	const pulumi = (args: string[], show: boolean) =>
		run(
			"pulumi",
			[...args, "--non-interactive", "--color", "never", ...(args[0] === "stack" ? [] : ["--stack", stack])],
			env,
			show,
		);
	const must = async (what: string, args: string[], show = true): Promise<string> => {
		const { code, output } = await pulumi(args, show);
		if (code !== 0) throw new Error(`${what}: \`pulumi ${args.join(" ")}\` exited ${code}\n${show ? "" : output}`);
		return output;
	};
	const telephony = (command: string) => run("node", ["bin/telephony", command, "--stack", stack], env, true);
	return { must, telephony };
}

async function demo(): Promise<void> {
	const engine = await ensureEngine((line) => console.log(`  ${line}`));
	say(`the engine (Pulumi CLI, ${engine.way})`);

	say(`the emulator listens on ${emulator.url}`);
	const { must, telephony } = demoCommands();

	await must("a stack", ["stack", "init", stack], false);
	step("telephony plan: says what a run would buy, and its price");
	const plan = await telephony("plan");
	if (plan.code !== 0 || !plan.output.includes("plan: buys 2, releases 0"))
		throw new Error(`the plan was not as expected (exit ${plan.code})`);

	step("pulumi up: buys two numbers, configures a trunk and a webhook");
	await must("up", ["up", "--yes", "--skip-preview"]);
	const outputs = JSON.parse(await must("outputs", ["stack", "output", "--json", "--stack", stack], false)) as Record<
		string,
		string
	>;
	const [amsterdam, support] = [outputs.officeNumber ?? "", outputs.supportNumber ?? ""];
	const { control } = emulator;
	const bought = control.state().numbers;
	if (bought.length !== 2 || !bought.some(({ number }) => number === amsterdam))
		throw new Error("the emulator did not sell the two numbers");
	say(`bought ${amsterdam} and ${support}; the webhook's secret is ${outputs.webhookSecret}`);

	step("outside Pulumi, someone changes the trunk's capacity and a number's routing");
	const [trunk] = control.state().trunks;
	const id = bought.find(({ number }) => number === support)?.id ?? "";
	control.patchTrunk(trunk?.id ?? "", { capacity: 7 });
	control.patchNumber(id, { routing: { type: "forward", to: "+3225550123" } });
	say("capacity 30 → 7, support → +3225550123");

	step("telephony drift: finds both changes (as `pulumi refresh` does)");
	const drift = await telephony("drift");
	const expected = [
		/drift: 2 of 4 resources/,
		/SipTrunk office .*capacity: 30 → 7$/m,
		/Number support .*"trunk" → "forward"/,
	];
	const isFound = expected.every((line) => line.test(drift.output));
	if (drift.code !== 7 || !isFound)
		throw new Error(`the drift was not found as it is (exit ${drift.code}, expected 7)`);
	say("exit 7: two resources changed, nothing else");

	step("pulumi up --refresh: restores both");
	await must("repair", ["up", "--yes", "--skip-preview", "--refresh"]);
	const { trunks, numbers } = control.state();
	const routing = numbers.find((row) => row.id === id)?.routing;
	if (trunks[0]?.capacity !== 30 || routing?.type !== "trunk" || routing.trunk_id !== trunk?.id)
		throw new Error("the service does not have what the program declares");
	await must("no drift", ["refresh", "--preview-only", "--expect-no-changes"], false);
	say("capacity 30, support → trunk; a refresh finds nothing");

	step("pulumi destroy: releases the numbers and removes the rest");
	await must("destroy", ["destroy", "--yes", "--skip-preview"]);
	const after = control.state();
	const held = after.numbers.filter(({ status }) => status !== "released" && status !== "releasing");
	const remaining = [...held, ...after.trunks, ...after.webhooks];
	if (remaining.length > 0) throw new Error(`${remaining.length} objects are left on the account`);
	say("the account is empty");
}

function run(command: string, args: string[], env: NodeJS.ProcessEnv, show: boolean): Promise<Run> {
	if (interrupted) return Promise.reject(new Error("interrupted"));
	return new Promise((resolve, reject) => {
		const child = spawn(command, args, {
			cwd: root,
			env: { ...process.env, ...env },
			stdio: ["ignore", "pipe", "pipe"],
		});
		running.add(child);
		child.once("close", () => running.delete(child));
		let output = "";
		// Output may arrive in the middle of a line.
		let isLineStart = true;
		const collect = (chunk: Buffer) => {
			const text = chunk.toString();
			output += text;
			if (!show) return;
			const indent = isLineStart && !text.startsWith("\n") ? "    " : "";
			process.stdout.write(indent + text.replaceAll(/\n(?=[^\n])/g, "\n    "));
			isLineStart = text.endsWith("\n");
		};
		child.stdout?.on("data", collect);
		child.stderr?.on("data", collect);
		child.once("error", reject);
		child.once("close", (code) =>
			interrupted ? reject(new Error("interrupted")) : resolve({ code: code ?? 1, output }),
		);
	});
}

function step(text: string): void {
	console.log(`\n▸ ${text}`);
}

function say(text: string): void {
	console.log(`  ✓ ${text} (${seconds(started)})`);
}

function seconds(since: number): string {
	return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
