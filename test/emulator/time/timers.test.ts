import fc from "fast-check";
import { expect, test } from "vitest";
import { VirtualClock } from "../../../emulator";

test("what is due runs by its time, then in the order it was set, and never once it is cancelled", () => {
	const timer = fc.record({ time: fc.integer({ min: 1, max: 20 }), cancelled: fc.boolean() });
	fc.assert(
		fc.property(fc.array(timer, { maxLength: 60 }), fc.array(fc.integer({ min: 1, max: 5 })), (timers, steps) => {
			const clock = new VirtualClock(0);
			const ran: [number, number][] = [];
			const cancels = timers.map(({ time }, index) => clock.at(time, () => ran.push([clock.now(), index])));
			for (const [index, { cancelled }] of timers.entries()) if (cancelled) cancels[index]?.();
			for (const step of steps) clock.advance(step);
			const due = timers
				.map(({ time, cancelled }, index) => ({ time, cancelled, index }))
				.filter(({ time, cancelled }) => !cancelled && time <= clock.now())
				.sort((one, other) => one.time - other.time || one.index - other.index);
			expect(ran).toEqual(due.map(({ time, index }) => [time, index]));
			// A late cancel takes nobody else's timer out.
			for (const cancel of cancels) cancel();
			clock.advance(100);
			expect(ran).toHaveLength(due.length);
		}),
		{ numRuns: 200 },
	);
});
