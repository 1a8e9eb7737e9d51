import fc from "fast-check";
import { expect, test } from "vitest";
import { patienceMs, pauses, until } from "../../../provider/api/until";
import { FakeClock } from "../../helpers/clock";

/** What one look finds: something credible, something doubtful, an error that may pass, or one that doesn't. */
type Seen = "credible" | "doubtful" | "passing" | "lasting";

/** Where the looks end: at the first that settles it, at the last there is, or at the one after the run has ended. */
const endOf = (seen: readonly Seen[], looks: number, ended: number) => {
	const settled = seen.findIndex((each) => each === "credible" || each === "lasting");
	return Math.min(settled === -1 ? Infinity : settled, looks - 1, ended);
};

const arbitrarySeen = fc.constantFrom<Seen>("credible", "doubtful", "doubtful", "passing", "passing", "lasting");

test("each pause has a look before it, and one follows the last: what that finds counts, an error too", async () => {
	const cases = fc.record({
		pauses: fc.array(fc.integer({ min: 1, max: 60_000 }), { maxLength: 8 }),
		seen: fc.array(arbitrarySeen, { minLength: 9, maxLength: 9 }),
		/** In this look the run ends, if it comes to that. */
		ending: fc.option(fc.nat(9), { nil: undefined }),
	});
	await fc.assert(
		fc.asyncProperty(cases, async ({ pauses, seen, ending }) => {
			const clock = new FakeClock(0);
			const run = new AbortController();
			let looks = 0;
			const look = async () => {
				const [nth, each] = [looks, seen[looks]];
				looks += 1;
				if (nth === ending) run.abort("the run was interrupted");
				if (each === "passing" || each === "lasting") throw new Error(`${each} ${nth}`);
				return `${each} ${nth}`;
			};
			const patience = { for: pauses, passes: (error: unknown) => String(error).includes("passing") };
			const answer = await until(
				{ clock, ending: run.signal },
				look,
				(found) => found.startsWith("credible"),
				patience,
			).catch((error: Error) => error.message);

			// The look after the end is the transport's to refuse, which says why.
			const last = endOf(seen, pauses.length + 1, ending === undefined ? Infinity : ending + 1);
			expect(answer).toBe(`${seen[last]} ${last}`);
			expect(looks).toBe(last + 1);
			expect(clock.slept).toEqual(pauses.slice(0, last));
		}),
	);
});

test("a run that has ended already looks once", async () => {
	const clock = new FakeClock(0);
	let looks = 0;
	const look = async () => ++looks;
	const run = { clock, ending: AbortSignal.abort("the run was interrupted") };
	expect(await until(run, look, () => false, { for: [1_000, 1_000] })).toBe(1);
	expect(clock.slept).toEqual([]);
});

test("without a word on errors, none passes", async () => {
	const clock = new FakeClock(0);
	const look = () => Promise.reject(new Error("Not found."));
	await expect(until({ clock }, look, () => true, { for: [1_000] })).rejects.toThrow("Not found.");
	expect(clock.slept).toEqual([]);
});

test("what lags behind the state is looked at for as long as anything is doubted, and not once more", () => {
	const total = pauses.known.reduce<number>((sum, pause) => sum + pause, 0);
	expect(total).toBeLessThanOrEqual(patienceMs);
	expect(total + Math.max(...pauses.known)).toBeGreaterThan(patienceMs);
});
