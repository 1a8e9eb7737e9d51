/** The requests of a refresh and of a wait don't grow with the resources, and a wait notices the end of KYC soon. */
import type { ResourceState } from "../engine.mts";
import { type Checker, type Happening, must, type Ran } from "./check.mts";

/** A wait of one second: reads after 2 and 4 seconds, with time for a purchase. */
const longestQuickWaitMs = 15_000;

const isPending = ({ outputs }: ResourceState) => outputs.status === "pending" || outputs.status === "porting";

export class FewRequests implements Checker {
	#policy = "";

	happened(happening: Happening): void {
		if (happening.what === "policy") this.#policy = happening.policy;
	}

	end({ kind, isFair, requests, before, changed }: Ran): void {
		if (kind !== "refresh" || !isFair) return;
		const count = before.state.resources.size;
		// The pages of each list, and single reads of what the lists don't show.
		const most = 40 + 2 * Math.ceil(count / 100) + 2 * changed.size;
		must(requests.length <= most, () => `a refresh of ${count} resources sent ${requests.length} requests`);
	}

	settled({ before, state, excuses, elapsedMs, requests }: Ran): void {
		if (excuses.size > 0 || this.#policy !== "1s") return;
		if ([...before.state.resources.values(), ...state.resources.values()].some(isPending)) return;
		// The run re-reads a deleted object for ten seconds if it replays the request that created it.
		const isReplayed = requests.some(({ status }) => status === 404);
		must(isReplayed || elapsedMs <= longestQuickWaitMs, () => `KYC took a second, and up ${elapsedMs} ms`);
		const reads = requests.filter(({ method, path }) => method === "GET" && path.includes("/numbers/")).length;
		must(reads <= 10, () => `up sent ${reads} single reads of numbers`);
	}
}
