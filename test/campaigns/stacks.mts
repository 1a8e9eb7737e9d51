/**
 * `node test/campaigns/stacks.mts [--trials N] [--seed S] [--replay SEED]`: two to four stacks of one account go up at
 * once, and the service has fewer numbers than they ask for: none is in two stacks, none is bought for nobody, who gets
 * none says so, and gets one once there are more.
 */
import { must, runCampaign } from "./campaign.mts";
import { seeded } from "./random.mts";
import { bought, inRoom, mustBeShared, numbers, released } from "./room.mts";

await runCampaign({
	name: "stacks",
	trials: 100,
	trial: (trial) =>
		inRoom(trial, { kyc: "immediate" }, async ({ emulator, stack }) => {
			const random = seeded(trial.seed);
			const sameNames = random.chance(0.5);
			const stacks = Array.from({ length: random.int(2, 4) }, (_, index) => {
				const program = numbers(random.int(1, 4)).map((each) =>
					sameNames ? each : { ...each, name: `${each.name}of${index}` },
				);
				return { program, stack: stack(`stack${index}`) };
			});
			const wanted = stacks.reduce((sum, { program }) => sum + program.length, 0);
			const left = random.int(0, wanted + 1);
			const { control } = emulator;
			const steals = random.int(0, 2);
			control.settings({ inventoryLeft: left, stealOnBuy: steals });
			trial.say(`${stacks.length} stacks want ${wanted} numbers of ${left}`);
			const parallel = random.pick([1, 4]);
			const ups = async () =>
				(await Promise.all(stacks.map((each) => each.stack.up(each.program, { parallel })))).flatMap(
					({ errors }) => errors,
				);
			const states = () => Promise.all(stacks.map((each) => each.stack.state()));
			const exact = async () => {
				mustBeShared(emulator, await states());
				// Somebody else was faster at some.
				const { inventoryLeft, stealOnBuy } = control.settings();
				const sold = left - (inventoryLeft ?? 0) - (steals - stealOnBuy);
				must(sold === bought(emulator), () => `${bought(emulator)} bought, ${sold} fewer are left`);
			};
			const losers = await ups();
			for (const error of losers)
				must(/\[telephony:no-inventory\]/.test(error), () => `not what a loser says: ${error}`);
			await exact();
			const missing = wanted - bought(emulator);
			must(losers.length === missing, () => `${missing} numbers are missing, and ${losers.length} errors say so`);
			trial.count(missing > 0 ? "somebody got none" : "enough for all");
			// Who lost tries again.
			control.settings({ inventoryLeft: null, stealOnBuy: 0 });
			const errors = await ups();
			must(errors.length === 0, () => `there are enough now: ${errors.join("; ")}`);
			mustBeShared(emulator, await states());
			must(bought(emulator) === wanted && released(emulator) === 0, () => `${bought(emulator)} bought of ${wanted}`);
			for (const each of stacks) {
				const { changed } = await each.stack.refresh();
				const steps = await each.stack.preview(each.program);
				must(changed.length + steps.length === 0, () => `not settled: ${[...changed, ...steps].join("; ")}`);
			}
		}),
});
