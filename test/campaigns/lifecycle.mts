/**
 * `node test/campaigns/lifecycle.mts [--sequences N] [--seed S] [--replay SEED] [--cli] [--service S] [--dialect D]`:
 * random lives of a program against a pure model: changes, replacements, edits behind Pulumi's back, KYC, crashes. In process and in virtual time, or, some
 * thousand times slower and so with shorter lives, through the real CLI.
 */
import fc from "fast-check";
import { createEmulator, features, inTime, type VirtualClock } from "./account.mts";
import { runCampaign, type Trial, Violation } from "./campaign.mts";
import { createProject } from "./cli.mts";
import { throughCli } from "./commands.mts";
import { CliStack } from "./stack-cli.mts";
import { InProcessStack } from "./stack-in-process.mts";
import { lives } from "./stories.mts";
import { type Model, World } from "./world.mts";

async function sequence(trial: Trial, clock: InstanceType<typeof VirtualClock>): Promise<void> {
	const emulator = await createEmulator({ ...(throughCli ? {} : { clock }), seed: trial.seed });
	// Another account: its ids are its own.
	const wrong = await createEmulator({ ...(throughCli ? {} : { clock }), seed: trial.seed + 1 });
	// A replay makes what failed as short as it can be, and tells that life only.
	const isReplay = process.argv.includes("--replay") && !throughCli;
	const story: string[] = [];
	let last: string[] = [];
	const told = isReplay ? { ...trial, say: (line: string) => void story.push(line) } : trial;
	const open = async () => {
		if (!throughCli) return { stack: new InProcessStack(emulator, clock, told, { wrong }), close: () => {} };
		const project = await createProject(emulator);
		return { stack: new CliStack(emulator, project, told), close: project.remove };
	};
	try {
		const property = fc.asyncProperty(lives, async (cmds) => {
			story.length = 0;
			emulator.control.reset();
			wrong.control.reset();
			// No service but ours has such a header; there, the stack states what is offered.
			const featuresHeader = throughCli || trial.service !== "full" || trial.seed % 2 === 0;
			for (const { control } of [emulator, wrong])
				control.settings({ features: features[trial.service], featuresHeader });
			const { stack, close } = await open();
			try {
				const world = new World(emulator, stack, told, wrong);
				const model: Model = { program: [], count: 0, renamed: new Set(), former: new Map() };
				await fc.asyncModelRun(() => ({ model, real: world }), cmds);
				await world.finish(model);
			} catch (error) {
				last = [...story];
				throw error;
			} finally {
				close();
			}
		});
		const limit = { interruptAfterTimeLimit: throughCli ? 900_000 : 120_000, endOnFailure: !isReplay };
		const result = await fc.check(property, { seed: trial.seed, numRuns: 1, ...limit });
		for (const line of last) trial.say(line);
		if (!result.failed) return;
		const reason = result.errorInstance instanceof Error ? result.errorInstance : undefined;
		const after = `\n  after: ${String(result.counterexample)}`;
		if (reason instanceof Violation) throw new Violation(`${reason.message}${after}`);
		// No promise is broken: the campaign itself has failed.
		throw new Error(`${reason?.stack ?? "ran out of time"}${after}`);
	} finally {
		await Promise.all([emulator.close(), wrong.close()]);
	}
}

await runCampaign({
	name: "lifecycle",
	trials: 100,
	trial: (trial) => inTime((clock) => sequence(trial, clock)),
});
