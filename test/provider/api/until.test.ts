import fc from "fast-check";
import { expect, test } from "vitest";
import { until } from "../../../provider/api/until";
import { FakeClock } from "../../helpers/clock";

/** The result of one read: credible, doubtful, an error that may pass, or one that doesn't. */
const verdicts = fc.constantFrom("credible", "doubtful", "doubtful", "passing", "passing", "lasting");
const cases = fc.record({
	between: fc.array(fc.integer({ min: 1, max: 60_000 }), { maxLength: 8 }),
	all: fc.array(verdicts, { minLength: 9, maxLength: 9 }),
	/** The run ends during this read; -1 is before the first. */
	ending: fc.option(fc.integer({ min: -1, max: 9 }), { nil: undefined }),
	/** Without a rule, no error passes. */
	hasRule: fc.boolean(),
});

test("reads around each pause, until a read settles it or the run ends", async () => {
	await fc.assert(
		fc.asyncProperty(cases, async ({ between, all, ending, hasRule }) => {
			const [clock, run] = [new FakeClock(0), new AbortController()];
			if (ending === -1) run.abort();
			let reads = 0;
			const read = async () => {
				const [nth, verdict = ""] = [reads, all[reads]];
				reads += 1;
				if (nth === ending) run.abort();
				if (verdict === "passing" || verdict === "lasting") throw new Error(`${verdict} ${nth}`);
				return `${verdict} ${nth}`;
			};
			const passes = (error: unknown) => String(error).includes("passing");
			const patience = { for: between, ...(hasRule ? { passes } : {}) };
			const isCredible = (found: string) => found.startsWith("credible");
			const work = until({ clock, ending: run.signal }, read, isCredible, patience);
			const outcome = await work.catch((error: Error) => error.message);
			const settled = all.findIndex((verdict) => verdict !== "doubtful" && (verdict !== "passing" || !hasRule));
			// The transport refuses the read after the end, and says why.
			const last = Math.min(settled === -1 ? Infinity : settled, between.length, (ending ?? Infinity) + 1);
			expect([outcome, reads]).toEqual([`${all[last]} ${last}`, last + 1]);
			expect(clock.slept).toEqual(between.slice(0, last));
		}),
	);
});
