/** The product's own rules, which the model runs: a caller brings them, from the sources or as they are built. */

export interface Rules {
	readonly account: typeof import("../../provider/ownership/account.ts");
	readonly beside: typeof import("../../provider/ownership/beside.ts");
	readonly claim: typeof import("../../provider/ownership/claim.ts");
	readonly memory: typeof import("../../provider/ownership/memory.ts");
	readonly ownership: typeof import("../../provider/ownership/ownership.ts");
	readonly reference: typeof import("../../provider/ownership/reference.ts");
	readonly claimed: typeof import("../../provider/lifecycle/claimed.ts");
}

const parts = {
	account: "ownership/account",
	beside: "ownership/beside",
	claim: "ownership/claim",
	memory: "ownership/memory",
	ownership: "ownership/ownership",
	reference: "ownership/reference",
	claimed: "lifecycle/claimed",
} as const;

/** `load` answers a module of `provider/`. */
export async function rulesFrom(load: (path: string) => unknown): Promise<Rules> {
	const loaded = await Promise.all(Object.entries(parts).map(async ([name, path]) => [name, await load(path)]));
	return remembering(Object.fromEntries(loaded) as Rules);
}

/** Hashes are most of the work, and the same ones come again and again. */
function remembering(rules: Rules): Rules {
	const kept = <A extends readonly unknown[], R>(work: (...args: A) => R, keyOf: (...args: A) => string) => {
		const known = new Map<string, R>();
		return (...args: A): R => {
			const key = keyOf(...args);
			let found = known.get(key);
			if (found === undefined) {
				found = work(...args);
				known.set(key, found);
			}
			return found;
		};
	};
	const { claim, reference, beside } = rules;
	const marksOf = (numbers: Parameters<typeof beside.marksOf>[0], others: readonly string[] = []) =>
		beside.marksOf(numbers, others);
	return {
		...rules,
		claim: {
			...claim,
			identityOf: kept(claim.identityOf, (source) => JSON.stringify(source)),
			purchaseKey: kept(claim.purchaseKey, ({ token, state }, counter) => `${token} ${state} ${counter}`),
		},
		reference: { ...reference, parseReference: kept(reference.parseReference, (text) => text ?? "") },
		beside: {
			...beside,
			marksOf: kept(marksOf, (...args) => JSON.stringify(args)) as typeof beside.marksOf,
			isMarked: kept(beside.isMarked, (marks, { id, lease }, isOlder) => `${marks} ${id} ${lease} ${isOlder}`),
		},
	};
}
