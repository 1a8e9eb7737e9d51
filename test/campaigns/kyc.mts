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

/** What becomes of the papers, at its time: nobody looks between two pauses. */
class Papers {
	/** When KYC has cleared, NaN until then. */
	clearedAt = Number.NaN;
	readonly started: number;
	readonly #room: Room;
	readonly #end: End;
	readonly #random: Random;
	#flaps = 0;

	constructor(room: Room, end: End, random: Random) {
		[this.#room, this.#end, this.#random, this.started] = [room, end, random, room.clock.now()];
	}

	get clears(): number {
		return this.started + ends[this.#end];
	}

	readonly turn = (): void => {
		const { control } = this.#room.emulator;
		const now = this.#room.clock.now();
		const pending = () => control.state().numbers.filter(({ status }) => status === "pending");
		if (this.#end === "rejected" && now >= this.started + 30 * second)
			for (const { id } of pending()) control.decide(id, "reject", [{ code: "bad_photo", message: "Blurred." }]);
		if (this.#end === "flapping") this.#flap(pending()[0]?.id);
		if (now < this.clears || pending().length === 0) return;
		if (Number.isNaN(this.clearedAt)) this.clearedAt = now;
		for (const { id } of pending()) control.decide(id, "approve");
	};

	#flap(id: string | undefined): void {
		if (this.#flaps >= 3 || !this.#random.chance(0.2)) return;
		this.#flaps += 1;
		const status = (): "action_required" | "in_review" => this.#random.pick(["action_required", "in_review"]);
		if (id !== undefined) this.#room.emulator.control.patchNumber(id, { kyc: { status: status() } });
	}
}

/** A program whose numbers wait, at most `timeout` seconds a run. */
interface Wait {
	readonly room: Room;
	readonly stack: ReturnType<Room["stack"]>;
	readonly papers: Papers;
	readonly end: End;
	readonly count: number;
	readonly timeout: number;
}

async function wait(room: Room, end: End, random: Random, trial: Trial): Promise<void> {
	const count = random.chance(0.05) ? 90 : random.pick([1, 2, 3, 20]);
	const timeout = random.pick([1, 60, 600, 7_200]);
	const papers = new Papers(room, end, random);
	trial.say(`${count} numbers, KYC ${end}, at most ${timeout} s`);
	const stack = room.stack();
	let before: string | undefined;
	for (let run = 1; run <= 40; run += 1) {
		const { ids, outcome } = await once({ room, stack, papers, end, count, timeout }, run);
		must(before === undefined || before === ids, () => `other numbers than before: ${ids}`);
		before = ids;
		if (outcome !== undefined) return trial.count(outcome);
		// Between two runs: not past the end, so that a run sees it.
		const toGo = papers.clears - room.clock.now();
		stack.pass(Number.isFinite(toGo) ? Math.max(0, Math.min(toGo - second, 20 * hour)) : random.int(0, 20 * hour));
		papers.turn();
	}
	must(false, () => "forty runs, and KYC has not cleared");
}

/** One run, and what came of the wait once it has an end. */
async function once(
	{ room: { emulator, clock }, stack, papers, end, count, timeout }: Wait,
	run: number,
): Promise<{ ids: string; outcome?: string }> {
	const { control } = emulator;
	const [before, began] = [control.requests().length, clock.now()];
	const program = numbers(count, { country: "DE", activationTimeoutSeconds: timeout });
	const { errors } = await stack.up(program, { parallel: 100, waiting: papers.turn });
	const waited = clock.now() - began;
	const state = await stack.state();
	const { size } = state.entries;
	must(size === count, () => `${size} of ${count} are in the state: ${errors.join("; ")}`);
	mustBeShared(emulator, [state]);
	// A purchase and its configuration are three requests each.
	const asked = control.requests().length - before - (run === 1 ? 3 * count : count);
	mustCostLittle(emulator, { count, asked, waited, timeout });
	const ids = [...state.entries.values()].map(({ id }) => id).join();
	if (errors.length === 0) {
		const cleared = Number.isNaN(papers.clearedAt) ? papers.started : papers.clearedAt;
		mustBeInTime(clock.now() - Math.max(began, cleared), waited, count);
		return { ids, outcome: `cleared: ${end}` };
	}
	if (mustSayWhy(errors, end, waited)) return { ids, outcome: "rejected, and told" };
	return end === "never" && run === 3 ? { ids, outcome: "given up" } : { ids };
}

/** Each number is bought once, a wait asks no more than its pauses allow, and lasts no longer than it may. */
function mustCostLittle(
	emulator: Room["emulator"],
	{ count, asked, waited, timeout }: Readonly<Record<"count" | "asked" | "waited" | "timeout", number>>,
): void {
	must(
		bought(emulator) === count && released(emulator) === 0,
		() => `${bought(emulator)} bought, ${released(emulator)} released`,
	);
	// A few are read alone, each in its time; more of them together.
	must(asked <= Math.min(count, 3) * 1.2 * looks(waited), () => `${asked} requests for a wait of ${waited / second} s`);
	// What precedes the wait takes time too, and the pauses of purchases side by side add up on this clock.
	must(waited <= (timeout + 15 + 0.3 * count) * second, () => `it waited ${waited / second} s of ${timeout}`);
}

/** Two seconds, and more as the pauses of several at once add up in this time. */
function mustBeInTime(late: number, waited: number, count: number): void {
	must(
		late <= Math.max((5 + 0.3 * count) * second, 0.1 * waited) + 60,
		() => `noticed ${late / second} s late, of ${waited / second}`,
	);
}

/** Whether the errors tell of a rejection; each says why it waits or no longer does. */
function mustSayWhy(errors: readonly string[], end: End, waited: number): boolean {
	const told = end === "rejected" && /will not become active/.test(errors[0] ?? "");
	must(
		errors.every((error) => (told ? /bad_photo|Blurred/ : /not active yet/).test(error)),
		() => `not why it waits: ${errors.join("; ")}`,
	);
	if (told) must(waited <= 60 * second, () => `rejected after 30 s, told after ${waited / second} s`);
	return told;
}

const order = Object.keys(ends) as End[];

await runCampaign({
	name: "kyc",
	trials: 7 * 50,
	trial: (trial) =>
		inRoom(trial, { kyc: "manual" }, (room) =>
			wait(room, order[trial.seed % order.length] ?? "never", seeded(trial.seed), trial),
		),
});
