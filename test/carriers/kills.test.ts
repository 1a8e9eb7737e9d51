/** 100 kills at each service, spread over buying, configuring and waiting. */
import { expect, test, vi } from "vitest";
import { noKills, playKills } from "./kills.mts";
import { places } from "./places.mts";

vi.setConfig({ testTimeout: 600_000 });

const wanted = 100;

test.each(Object.entries(places))("%s: buys one number for each declaration in 100 kills", async (_, open) => {
	const kills = noKills();
	const total = () => kills.unsent + kills.unanswered + kills.waiting;
	for (let seed = 1; total() < wanted; seed++) {
		const place = await open();
		try {
			await playKills(place, seed, kills);
		} catch (error) {
			throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
		} finally {
			await place.close();
		}
	}
	for (const phase of ["unsent", "unanswered", "waiting"] as const) expect(kills[phase]).toBeGreaterThan(10);
});
