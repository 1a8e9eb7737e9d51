/** The lists of files that `npm test` and `npm test -- --all` leave out. */
import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { files, read, repository } from "../helpers/repository";
import { longer, longSeeds, onlyAll, onlyNightly, takingTurns } from "../short.mts";

test("lists files that exist, each with its reason", () => {
	for (const [listed, why] of Object.entries({ ...onlyAll, ...onlyNightly })) {
		expect(globSync(listed, { cwd: repository }), listed).not.toEqual([]);
		expect(why.length, listed).toBeGreaterThan(20);
	}
	expect(Object.keys(onlyNightly)).toEqual(
		expect.arrayContaining(globSync("test/nightly/*.test.ts", { cwd: repository })),
	);
	// Each of these files reads one of the variables.
	const variables = new RegExp(`process\\.env\\.(${Object.keys(longSeeds).join("|")})\\b`, "g");
	const variants = longer.map((file) => read(file).match(variables) ?? []);
	expect(variants.every((uses) => uses.length > 0)).toBe(true);
	expect(new Set(variants.flat()).size).toBe(Object.keys(longSeeds).length);
	expect(files.filter((file) => file.startsWith("test/engine/") && read(file).includes("inTurn(")).sort()).toEqual(
		[...takingTurns].sort(),
	);
});

test("CI runs all files, and a nightly job the rest", () => {
	const runs = (file: string) => read(file).match(/npm test\b.*/g);
	expect(runs(".ci/run")).toEqual(["npm test -- --all"]);
	// The second is for Windows and macOS.
	expect(runs(".github/workflows/ci.yml")).toEqual(["npm test -- --all", "npm test"]);
	expect(runs(".github/workflows/nightly.yml")).toEqual(["npm test -- --nightly"]);
});
