import { expect, test } from "vitest";
import { mutants } from "./campaigns/mutants/faults.mts";
import { planted } from "./campaigns/mutants/tree.mts";

test("each fault that the campaigns are tested with can be planted", () => {
	expect(mutants.length).toBeGreaterThanOrEqual(25);
	expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
	for (const mutant of mutants) expect(() => planted(mutant)).not.toThrow();
});
