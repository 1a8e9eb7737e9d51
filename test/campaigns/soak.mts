/**
 * `node test/campaigns/soak.mts [--trials N] [--seed S] [--replay SEED] [--numbers 10000]`: a fleet for 24 hours of a time
 * that is turned, with each twentieth request failing: each hour somebody changes the program or the account, or a run only
 * looks. The ledger is exact at any hour, each run costs what its pages cost, and memory doesn't grow.
 */
import { must, runCampaign, type Trial } from "./campaign.mts";
import { Oracle } from "./oracle.mts";
import type { Program } from "./program.mts";
import { seeded } from "./random.mts";
import { bought, inRoom, numbers, type Room, released } from "./room.mts";

const flag = process.argv.indexOf("--numbers");
const size = flag === -1 ? 10_000 : Number(process.argv.splice(flag, 2)[1]);
const hours = 24;

async function day({ emulator, clock, stack: open }: Room, trial: Trial): Promise<void> {
	const random = seeded(trial.seed);
	const { control } = emulator;
	const stack = open();
	const oracle = new Oracle(control);
	let program: Program = numbers(size);
	const perform = async (): Promise<readonly string[]> => {
		const state = await stack.state();
		oracle.expect(state, program);
		const { errors } = await stack.up(program, { parallel: 16 });
		oracle.look(state, program);
		return errors;
	};
	const settle = async () => {
		for (let run = 1; (await perform()).length > 0; run += 1) must(run < 20, () => "twenty runs, and not settled");
	};
	control.faults.set({
		operation: "*",
		probability: 0.05,
		seed: trial.seed,
		kind: "status",
		status: 503,
		phase: "before",
	});
	control.faults.set({ operation: "*", probability: 0.01, seed: trial.seed + 1, kind: "reset", phase: "after" });
	await settle();
	let [releases, generation] = [0, 0];
	const memory: number[] = [];
	for (let hour = 0; hour < hours; hour += 1) {
		stack.pass(3_600_000);
		const what = random.pick(["look", "labels", "edits", "generations"]);
		const chosen = new Set(random.some(program, 0.01).map(({ name }) => name));
		const change = (more: object) => {
			program = program.map((each) => (chosen.has(each.name) ? { ...each, args: { ...each.args, ...more } } : each));
		};
		if (what === "labels") change({ label: `label ${hour}` });
		if (what === "generations") {
			generation += 1;
			releases += chosen.size;
			change({ generation });
		}
		const { entries } = await stack.state();
		const edited = what === "edits" ? [...chosen] : [];
		for (const name of edited) control.patchNumber(entries.get(name)?.id ?? "", { label: "by hand" });
		const before = control.requests().length;
		const { changed, errors } = await stack.refresh();
		const asked = control.requests().length - before;
		trial.say(
			`${new Date(clock.now()).toISOString()} ${what} ${chosen.size}: ${changed.length} changed, ${asked} requests, ${errors.length} errors`,
		);
		// Pages, and what is repeated after a failure.
		must(asked <= Math.ceil(size / 100) * 1.5 + 30, () => `a refresh of ${size} cost ${asked} requests`);
		const expected = edited.length;
		const isToldInPart = errors.length > 0 && changed.length <= expected;
		must(
			isToldInPart || changed.length === expected,
			() => `${expected} were edited, and ${changed.length} are told: ${changed.slice(0, 3).join("; ")}`,
		);
		await settle();
		must(
			bought(emulator) === size + releases && released(emulator) === releases,
			() =>
				`${bought(emulator)} bought and ${released(emulator)} released, for ${size} numbers and ${releases} replacements`,
		);
		trial.count(`hours: ${what}`);
		memory.push(process.memoryUsage().heapUsed / 2 ** 20);
	}
	control.faults.clear();
	const { changed } = await stack.refresh();
	const steps = await stack.preview(program);
	must(changed.length + steps.length === 0, () => `not settled: ${[...changed, ...steps].slice(0, 5).join("; ")}`);
	const [early, late] = [memory.slice(2, 6), memory.slice(-4)].map((each) => Math.min(...each)) as [number, number];
	trial.say(`heap ${Math.round(early)} MB early, ${Math.round(late)} MB late`);
	// The emulator keeps the journal of the whole day.
	const journal = control.requests().length * 0.001;
	must(late < early + journal + 60, () => `heap grew from ${Math.round(early)} to ${Math.round(late)} MB`);
}

await runCampaign({
	name: "soak",
	trials: 1,
	trial: (trial) => inRoom(trial, { kyc: "immediate" }, (room) => day(room, trial)),
});
