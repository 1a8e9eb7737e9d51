/**
 * `node test/campaigns/kyc.mts [--trials N] [--seed S] [--replay SEED]`: identity checks that take no time, a second, an
 * hour, ten days, that never end, are rejected, or come back. Waiting buys nothing twice and releases nothing; the end is
 * noticed within a tenth of the wait, at a cost that doesn't grow with the numbers.
 */
import { must, runCampaign, type Trial } from "./campaign.mts";
import { type Random, seeded } from "./random.mts";
import { bought, inRoom, mustBeShared, numbers, type Room, released } from "./room.mts";

const second = 1_000;
const hour = 3_600 * second;
const ends = {
	"at once": 0,
	"a second": second,
	"59 minutes": 59 * 60 * second,
	"ten days": 240 * hour,
	never: Number.POSITIVE_INFINITY,
	rejected: Number.POSITIVE_INFINITY,
	flapping: 2 * hour,
} as const;
type End = keyof typeof ends;

/** Looks of a wait of so many ms: every two seconds, then after a tenth of the time, then every minute. */
const looks = (waitMs: number) =>
	30 + Math.ceil(Math.log(1 + waitMs / (20 * second)) / Math.log(1.1)) + waitMs / (60 * second);

async function wait(room: Room, end: End, random: Random, trial: Trial): Promise<void> {
	const { emulator, clock } = room;
	const { control } = emulator;
	const count = random.chance(0.05) ? 90 : random.pick([1, 2, 3, 20]);
	const timeout = random.pick([1, 60, 600, 7_200]);
	const program = numbers(count, { country: "DE", activationTimeout: timeout });
	const started = clock.now();
	const clears = started + ends[end];
	const flapping = end === "flapping";
	trial.say(`${count} numbers, KYC ${end}, at most ${timeout} s`);
	const pending = () => control.state().numbers.filter(({ status }) => status === "pending");
	let [clearedAt, flaps] = [Number.NaN, 0];
	// The service's own doing, at its time: nobody looks between two pauses.
	const turn = () => {
		const now = clock.now();
		if (end === "rejected" && now >= started + 30 * second)
			for (const { id } of pending()) control.decide(id, "reject", [{ code: "bad_photo", message: "Blurred." }]);
		if (flapping && flaps < 3 && random.chance(0.2)) {
			flaps += 1;
			for (const { id } of pending().slice(0, 1))
				control.patchNumber(id, { kyc: { status: random.pick(["action_required", "in_review"]) } });
		}
		if (now < clears || pending().length === 0) return;
		clearedAt = Number.isNaN(clearedAt) ? now : clearedAt;
		for (const { id } of pending()) control.decide(id, "approve");
	};
	const stack = room.stack();
	let ids: string | undefined;
	for (let run = 1; run <= 40; run += 1) {
		const [before, began] = [control.requests().length, clock.now()];
		const { errors } = await stack.up(program, { parallel: 100, waiting: turn });
		const waited = clock.now() - began;
		const { entries } = await stack.state();
		const now = [...entries.values()].map(({ id }) => id).join();
		must(entries.size === count, () => `${entries.size} of ${count} are in the state: ${errors.join("; ")}`);
		must(ids === undefined || ids === now, () => `other numbers than before: ${now}`);
		ids = now;
		must(
			bought(emulator) === count && released(emulator) === 0,
			() => `${bought(emulator)} bought, ${released(emulator)} released`,
		);
		mustBeShared(emulator, [await stack.state()]);
		// A purchase and its configuration are three requests each.
		const asked = control.requests().length - before - (run === 1 ? 3 * count : count);
		// A few are read alone, each in its time; more of them together.
		must(
			asked <= Math.min(count, 3) * 1.2 * looks(waited),
			() => `${asked} requests for a wait of ${waited / second} s`,
		);
		// What precedes the wait takes time too, and the pauses of purchases side by side add up on this clock.
		must(waited <= (timeout + 15 + 0.3 * count) * second, () => `it waited ${waited / second} s of ${timeout}`);
		if (errors.length === 0) {
			const late = clock.now() - Math.max(began, Number.isNaN(clearedAt) ? started : clearedAt);
			// Two seconds, and more as the pauses of several at once add up in this time.
			must(
				late <= Math.max((5 + 0.3 * count) * second, 0.1 * waited) + 60,
				() => `noticed ${late / second} s late, of ${waited / second}`,
			);
			trial.count(`cleared: ${end}`);
			return;
		}
		const told = end === "rejected" && /will not become active/.test(errors[0] ?? "");
		must(
			errors.every((error) => (told ? /bad_photo|Blurred/ : /not active yet/).test(error)),
			() => `not why it waits: ${errors.join("; ")}`,
		);
		if (told) must(waited <= 60 * second, () => `rejected after 30 s, told after ${waited / second} s`);
		if (told || (end === "never" && run === 3)) {
			trial.count(told ? "rejected, and told" : "given up");
			return;
		}
		// Between two runs: not past the end, so that a run sees it.
		const toGo = clears - clock.now();
		stack.pass(Number.isFinite(toGo) ? Math.max(0, Math.min(toGo - second, 20 * hour)) : random.int(0, 20 * hour));
		turn();
	}
	must(false, () => "forty runs, and KYC has not cleared");
}

const order = Object.keys(ends) as End[];

await runCampaign({
	name: "kyc",
	trials: 7 * 50,
	workers: 1,
	open: async () => ({
		close: async () => {},
		trial: (trial) =>
			inRoom(trial, { kyc: "manual" }, (room) =>
				wait(room, order[trial.seed % order.length] ?? "never", seeded(trial.seed), trial),
			),
	}),
});
