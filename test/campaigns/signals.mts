/**
 * `node test/campaigns/signals.mts [--trials N] [--seed S] [--replay SEED]`: the real CLI is asked to stop, by Ctrl-C or
 * SIGTERM, at any moment of an up whose numbers wait for their papers. Asked once, it ends with nothing pending; asked
 * twice, as after a kill. The next up buys nothing again, and waits for the rest.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createEmulator, type Emulator } from "./account.mts";
import { must, runCampaign, type Trial } from "./campaign.mts";
import { createProject, descendants, gone, type Project } from "./cli.mts";
import { Oracle } from "./oracle.mts";
import { firstProgram } from "./program.mts";
import { seeded } from "./random.mts";

const unattended = ["--yes", "--skip-preview"];
/** Far more than it may take, as the machine may be busy. */
const longestMs = 60_000;

const pendingIn = ({ folder }: Project): readonly unknown[] => {
	const file = join(folder, "backend/.pulumi/stacks/campaign/dev.json");
	const { checkpoint } = JSON.parse(readFileSync(file, "utf8")) as {
		checkpoint: { latest?: { pending_operations?: unknown[] } };
	};
	return checkpoint.latest?.pending_operations ?? [];
};

async function life({ control }: Emulator, project: Project, trial: Trial): Promise<void> {
	const random = seeded(trial.seed);
	const program = firstProgram({ numbers: 4, trunks: 1, webhooks: 1 }, random);
	const oracle = new Oracle(control);
	const done = async (...args: string[]) => {
		const run = await project.start(...args).ended;
		trial.say(` pulumi ${args.join(" ")}: ${run.code}\n${run.output}`);
		return run;
	};
	project.write(program);
	oracle.expect(await project.state(), program);
	const run = project.start("up", ...unattended);
	const requests = random.int(0, 14);
	const more = random.int(0, 1_500);
	const ended = () => run.over;
	for (const from = Date.now(); !ended() && control.requests().length < requests && Date.now() - from < longestMs; )
		await sleep(5);
	await sleep(more);
	const twice = random.chance(0.3);
	const signal = random.pick(["SIGINT", "SIGINT", "SIGTERM"] as const);
	// A terminal sends it to all; a supervisor to the CLI alone.
	const target = signal === "SIGINT" && random.chance(0.5) ? -run.pid : run.pid;
	const all = descendants(run.pid);
	const send = () => {
		try {
			process.kill(target, signal);
		} catch {
			// It has ended by itself.
		}
	};
	const hit = !ended();
	trial.say(
		`${signal} ${twice ? "twice" : "once"} to ${target < 0 ? "all" : "the CLI"} after ${requests} requests and ${more} ms`,
	);
	send();
	if (twice) {
		await sleep(random.int(50, 800));
		send();
	}
	// Nobody hands in papers: what waits would wait for ten minutes.
	const last = await Promise.race([run.ended, sleep(longestMs)]);
	must(last !== undefined, () => `it still runs ${longestMs / 1_000} s after ${signal}`);
	trial.say(last.output);
	for (const { pid } of all) must(await gone(pid, longestMs), () => "a process outlives the CLI");
	oracle.look(await project.state(), program);
	trial.count(`${hit ? "" : "missed by "}${signal} ${twice ? "twice" : "once"}`);
	if (!twice)
		must(
			pendingIn(project).length === 0,
			() => `pending after ${signal}: ${JSON.stringify(pendingIn(project))}\n${last.output}`,
		);
	else {
		project.mend();
		await done("cancel", "--yes");
		await done("refresh", "--clear-pending-creates", ...unattended);
	}
	control.kyc("immediate");
	for (const { id, status } of control.state().numbers) if (status === "pending") control.decide(id, "approve");
	const up = await done("up", ...unattended);
	must(up.code === 0, () => `up ended with ${up.code}:\n${up.output}`);
	const state = await project.state();
	oracle.look(state, program);
	oracle.settled(state, program);
}

await runCampaign({
	name: "signals",
	trials: 5,
	async open() {
		const emulator = await createEmulator({ kyc: "manual" });
		return {
			async trial(trial) {
				emulator.control.reset();
				emulator.control.kyc("manual");
				const project = await createProject(emulator);
				try {
					await life(emulator, project, trial);
				} finally {
					project.remove();
				}
			},
			close: () => emulator.close(),
		};
	},
});
