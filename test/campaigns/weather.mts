/** What a service, or a gateway before it, may do to a run: which of its requests go wrong, and how far its reads lag. */
import { createRequire } from "node:module";
import fc from "fast-check";
import type { Control, FaultReport, FaultRequest } from "./account.mts";
import type { Trial } from "./campaign.mts";
import { factsOf, isRemoval, kindNames, kinds, type Operation } from "./kinds.mts";

const require = createRequire(import.meta.url);
const { errorCodes } =
	require("../../dist/provider/api/contract/errors.js") as typeof import("../../provider/api/contract/errors.ts");

export interface Weather {
	readonly faults: readonly FaultRequest[];
	readonly readLagMs: number;
	readonly listLagMs: number;
	/** Somebody is faster at each purchase. */
	readonly soldOut?: true;
}

export const fair: Weather = { faults: [], readLagMs: 0, listLagMs: 0 };

const lists = kindNames.map((kind) => kinds[kind].operations.list);
/** What numbers are asked comes more often. */
const weights = { create: 3, patch: 4, remove: 3, get: 2 } as const;
const others = kindNames.flatMap((kind) => {
	const { operations, rotate, besides = [] } = factsOf(kind);
	const all = (Object.keys(weights) as (keyof typeof weights)[]).flatMap((what) =>
		Array<Operation>(kind === "number" ? weights[what] : 1).fill(operations[what]),
	);
	return [...all, ...(rotate === undefined ? [] : [rotate]), ...besides];
});

/** An answer that is the service's own word for "it is not there" or "I don't offer that" is no fault but a lie. */
const lies = new Set(["not_found", "operation_not_offered", "method_not_allowed", "gone"]);
const codes = Object.keys(errorCodes).filter((code) => !lies.has(code));
const phase = fc.constantFrom("before", "after");
const nth = fc.constantFrom<number | number[]>(1, 1, 1, 2, 3, [1, 2], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);

type Shape = Record<string, unknown>;
const failing: fc.Arbitrary<Shape> = fc.oneof(
	fc.record<Shape>({ kind: fc.constant("status"), phase, error: fc.constantFrom(...codes) }),
	fc.record<Shape>({ kind: fc.constant("html"), phase, status: fc.constantFrom(403, 404, 500, 502, 503, 504) }),
	fc.record<Shape>({ kind: fc.constant("reset"), phase }),
);
const broken: fc.Arbitrary<Shape> = fc.record<Shape>({
	kind: fc.constantFrom("truncated", "truncated", "drip"),
	phase: fc.constant("mid"),
});
const paged: fc.Arbitrary<Shape> = fc.constantFrom<Shape>(
	{ kind: "duplicate", phase: "after" },
	{ kind: "empty_page", phase: "after" },
);

const fault: fc.Arbitrary<FaultRequest> = fc
	.tuple(
		fc.oneof(
			{
				weight: 4,
				arbitrary: fc.tuple(fc.constantFrom(...others), fc.oneof({ weight: 4, arbitrary: failing }, broken)),
			},
			{ weight: 1, arbitrary: fc.tuple(fc.constantFrom(...lists), fc.oneof(failing, broken, paged)) },
		),
		nth,
	)
	.filter(([[operation, { phase }]]) => phase !== "mid" || !isRemoval(operation))
	.map(([[operation, shape], which]) => ({ operation, nth: which, ...shape }) as FaultRequest);

const lag = fc.constantFrom(0, 0, 0, 0, 2_000, 15_000, 60_000);

export const weather: fc.Arbitrary<Weather> = fc.oneof(
	{ weight: 1, arbitrary: fc.constant(fair) },
	{
		weight: 2,
		arbitrary: fc.record({
			faults: fc.array(fault, { minLength: 1, maxLength: 3, size: "max" }),
			readLagMs: lag,
			listLagMs: lag,
		}),
	},
);

export const described = ({ faults, readLagMs, listLagMs }: Weather): string =>
	[
		...faults.map((rule) => JSON.stringify(rule)),
		...(readLagMs > 0 ? [`reads lag ${readLagMs}`] : []),
		...(listLagMs > 0 ? [`lists lag ${listLagMs}`] : []),
	].join(" ");

const nameOf = (rule: FaultReport) =>
	["fault", rule.kind, "error" in rule ? rule.error : "status" in rule ? rule.status : "", rule.phase]
		.filter((part) => part !== "" && part !== undefined)
		.join(" ");

/** A run looks for so long at answers that can't be true yet, ms; some of it is left to the looks themselves. */
const longestDoubt = 8_000;

/**
 * Sets it for one run. The function that it answers ends it, and says what of it has struck: operations, `reads` where
 * they lagged, `late reads` and `late single reads` where that was for longer than a run doubts them, `purchases` where
 * nothing was sold.
 */
export function strike(
	control: Control,
	{ faults, readLagMs, listLagMs, soldOut }: Weather,
	trial: Trial,
): () => ReadonlySet<string> {
	// Without keys only lists tell what was bought: they are looked at twice, ten seconds apart, and guarantees ends there.
	const most = control.settings().features.idempotencyKey ? Number.POSITIVE_INFINITY : 8_000;
	const stealOnBuy = soldOut ? 1_000 : 0;
	control.settings({ readLagMs: Math.min(readLagMs, most), listLagMs: Math.min(listLagMs, most), stealOnBuy });
	const ids = faults.map((rule) => control.faults.set(rule).id);
	const lags = { "reads lagged": readLagMs > 0, "lists lagged": listLagMs > 0, "nothing to buy": soldOut === true };
	return () => {
		const struck = control.faults.list().filter(({ id, fired }) => ids.includes(id) && fired > 0);
		for (const rule of struck) {
			for (let times = 0; times < rule.fired; times++) trial.count(nameOf(rule));
			trial.count(`struck ${rule.operation}`);
		}
		for (const each of namesIn(lags)) trial.count(each);
		for (const id of ids) control.faults.clear(id);
		control.settings({ readLagMs: 0, listLagMs: 0, stealOnBuy: 0 });
		const besides = {
			reads: readLagMs > 0 || listLagMs > 0,
			"late reads": Math.max(readLagMs, listLagMs) > longestDoubt,
			"late single reads": readLagMs > longestDoubt,
			purchases: soldOut === true,
		};
		return new Set([...struck.map(({ operation }) => operation), ...namesIn(besides)]);
	};
}

/** The names of those that hold. */
const namesIn = (facts: Readonly<Record<string, boolean>>): string[] =>
	Object.keys(facts).filter((name) => facts[name]);
