/**
 * `node scripts/test.mts [--all | --nightly] [files and options of vitest…]`: gets the engine, runs the tests, ends with
 * their count. Without the name of a file or a test, test/short.mts decides which files run.
 */
import { parseCLI, startVitest, type TestModule, type TestSuite } from "vitest/node";
import { longSeeds, partVariable } from "../test/short.mts";
import { engineEnv, ensureEngine } from "./engine.mts";

const counts = { passed: 0, failed: 0, skipped: 0 };
const notRun: Readonly<Record<string, string>> = {
	short: "Not every test ran: `npm test -- --all` runs more files, and every variation (test/short.mts).",
	all: "Not every test ran: `npm test -- --nightly` runs other languages and longer seeds (test/short.mts).",
};
/** The tests that didn't run, for the last lines. */
let leftOut: string | undefined;

try {
	const engine = await ensureEngine((line) => console.error(line));
	// The workers inherit the environment; PULUMI_BIN tells tests where the engine is.
	Object.assign(process.env, engineEnv({ PULUMI_BIN: engine.bin }));

	const given = process.argv.slice(2);
	const parts = ["--all", "--nightly"];
	const args = given.filter((arg) => !parts.includes(arg));
	const { filter, options } = parseCLI(["vitest", "run", ...args]);
	// Named files or tests always run.
	const isNamed = filter.length > 0 || options.testNamePattern !== undefined;
	const part = isNamed ? "named" : given.includes("--nightly") ? "nightly" : given.includes("--all") ? "all" : "short";
	process.env[partVariable] = part;
	if (part === "nightly") Object.assign(process.env, longSeeds);
	leftOut = notRun[part];
	const vitest = await startVitest(filter, { ...options, watch: false });
	vitest.state.getTestModules().forEach(count);
	counts.failed += vitest.state.getUnhandledErrors().length;
	await vitest.close();
} catch (error) {
	console.error((error as Error).message);
	counts.failed += 1;
}

function count(module: TestModule): void {
	for (const test of module.children.allTests()) {
		const { state } = test.result();
		counts[state === "pending" ? "failed" : state] += 1;
	}
	// A file that doesn't load, and a hook that fails, have errors of their own; their tests count as skipped.
	const groups: (TestModule | TestSuite)[] = [module, ...module.children.allSuites()];
	counts.failed += groups.filter((group) => group.errors().length > 0).length;
}

const { passed, failed, skipped } = counts;
if (leftOut !== undefined) console.log(leftOut);
console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ""}`);
process.exit(failed || !passed ? 1 : 0);
