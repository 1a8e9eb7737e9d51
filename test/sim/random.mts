/** Chance that a seed fixes: the same choices each time. */
export interface Random {
	/** From 0 to 1. */
	next(): number;
	/** From `from` to `to`, both included. */
	int(from: number, to: number): number;
	chance(probability: number): boolean;
	pick<T>(from: readonly T[]): T;
	/** Each with the probability, and at least one. */
	some<T>(from: readonly T[], probability?: number): T[];
}

export function seeded(seed: number): Random {
	// mulberry32
	let state = seed >>> 0;
	const next = () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
	const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
	const pick = <T,>(from: readonly T[]): T => {
		const chosen = from[int(0, from.length - 1)];
		if (chosen === undefined) throw new RangeError("there is nothing to pick from");
		return chosen;
	};
	return {
		next,
		int,
		chance: (probability) => next() < probability,
		pick,
		some: (from, probability = 0.5) => {
			const chosen = from.filter(() => next() < probability);
			return chosen.length > 0 || from.length === 0 ? chosen : [pick(from)];
		},
	};
}
