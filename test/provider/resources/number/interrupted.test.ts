/** Runs that fail or are killed anywhere: what they sell is bought once, or the error names what may be it. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FaultRequest } from "../../../../emulator/faults/fault-rules";
import { useAccount } from "../../../helpers/account";
import { aNumber } from "../../../helpers/provider";
import { type State, up } from "../../../helpers/runs";

const { emulator, open, clock, live, off } = useAccount();

const fault: fc.Arbitrary<FaultRequest> = fc
	.record({
		operation: fc.constantFrom(
			"buyNumber" as const,
			"patchNumber" as const,
			"listNumbers" as const,
			"getNumber" as const,
		),
		nth: fc.integer({ min: 1, max: 4 }),
		what: fc.constantFrom(
			{ kind: "reset", phase: "before" },
			{ kind: "reset", phase: "after" },
			{ kind: "reset", phase: "mid" },
			{ kind: "truncated", phase: "mid" },
			{ kind: "status", phase: "before", status: 503 },
			{ kind: "status", phase: "after", status: 500 },
		),
	})
	.map(({ what, ...when }) => ({ ...when, ...what }) as FaultRequest);
const runs = fc.array(
	fc.record({
		faults: fc.array(fault, { maxLength: 4 }),
		killed: fc.boolean(),
		pause: fc.constantFrom(1_000, 600_000),
	}),
	{ maxLength: 5 },
);

describe.each([
	["keys", ["idempotencyKey"]],
	["references", ["reference"]],
	["keys and references", ["idempotencyKey", "reference"]],
	["keys and single reads", ["idempotencyKey", "getById"]],
	["keys, references, single reads and PATCH", ["idempotencyKey", "reference", "getById", "patchNumber"]],
	["nothing missing", []],
])("a service without %s", (_, missing) => {
	test.each([true, false])("never has more numbers than are declared, however runs end; ids named: %s", (purchaseId) =>
		fc.assert(
			fc.asyncProperty(runs, fc.integer({ min: 1, max: 3 }), async (planned, count) => {
				emulator.control.reset();
				off(...missing);
				emulator.control.settings({ purchaseId });
				const program = ["a", "b", "c"].slice(0, count).map((name) => aNumber({}, name));
				const state: State = new Map();
				for (const { faults, killed, pause } of [...planned, { faults: [], killed: false, pause: 1_000 }]) {
					emulator.control.faults.clear();
					for (const each of faults) emulator.control.faults.set(each);
					await up(open(), state, program, killed);
					expect(live().length).toBeLessThanOrEqual(count);
					await clock.sleep(pause);
				}
				const last = await up(open(), state, program);
				const held = new Set([...state.values()].map(({ id }) => id));
				const lost = live().filter(({ id }) => !held.has(id));
				const said = last.map((error) => error.message).join("\n");
				for (const { id } of lost) expect(said).toContain(id);
				expect(held.size).toBe(state.size);
				// With keys and references nothing stays unknown.
				if (last.length === 0 || (missing.length === 0 && purchaseId)) {
					expect({ said, lost: lost.length, held: held.size }).toEqual({ said: "", lost: 0, held: count });
				}
			}),
			{ numRuns: 40 },
		),
	);
});
