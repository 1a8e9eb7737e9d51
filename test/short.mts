/**
 * The parts of the tests. `npm test` ends within ten minutes on two cores, and CI runs `--all`. `--nightly` adds languages,
 * package managers, backends and longer seeds. A file named on the command line always runs, with all of its variations.
 */

/** The variable that scripts/test.mts sets for the processes that run tests. */
export const partVariable = "TELEPHONY_TESTS";
type Part = "short" | "all" | "nightly" | "named";

/** Files that `npm test` leaves out, with the tests that it runs instead, or why it can do without. */
export const onlyAll: Readonly<Record<string, string>> = {
	"test/package.test.ts": "packs and installs with npm; it changes only with package.json and the package's exports",
	"test/docs/typed.test.ts": "types the quick start and every guide on the engine, with npm installs",
	"test/docs/containers.test.ts": "the tools around containers; test/docs/emulator.test.ts runs what the image runs",
	"test/emulator/console/{buttons,layout}.test.ts": "a browser; pages.test.ts reads the same pages",
	"test/scripts/ci.test.ts": "each job of both forges on the engine, a dozen runs each",
	"test/scripts/release-plugin.test.ts": "packs and installs the plugin; it changes only with the release",
	"test/scripts/demo.test.ts": "the main job once more; test/engine/first-run.test.ts tells it",
	"test/testing/example.test.ts": "test/testing/account.test.ts and mocks.test.ts",

	// Stories on the engine that take the longest, and whose rules the short run tests in process.
	"test/engine/interrupted.test.ts": "crashes: the profile kill of test/sim/, and test/provider/session/dying.test.ts",
	"test/engine/claims.test.ts": "renamed and moved stacks: test/provider/ownership/ has the rules",
	"test/engine/wrong-key.test.ts": "the profile account of test/sim/, and test/provider/reads/account-check.test.ts",
	"test/engine/parity.test.ts": "test/provider/fronts.test.ts compares the processes of both providers",
	"test/engine/plan.test.ts": "the plan of steps: test/cli/plan/",
	"test/engine/drift-cli.test.ts": "the report: test/cli/drift/",
	"test/engine/options.test.ts": "each row of the table in docs/limits.md, most of which the engine does by itself",
	"test/engine/confirm.test.ts":
		"what counts as done: test/provider/lifecycle/confirm.test.ts and confirm-reads.test.ts",
	"test/engine/carriers.test.ts": "services of other makes: test/carriers/ has every promise in process",
	"test/engine/limits.test.ts": "test/provider/session/limits.test.ts",
	"test/engine/export.test.ts": "the program: test/cli/export/; the adoption: test/provider/lifecycle/adopt.test.ts",
	"test/engine/plugin.test.ts": "accounts and functions: test/provider/plugin/; import.test.ts runs the plugin",
	"test/engine/services.test.ts": "test/provider/dialects.test.ts and test/provider/api/features.test.ts",
};

/** Files that only `--nightly` runs, with what they need. */
export const onlyNightly: Readonly<Record<string, string>> = {
	"test/nightly/languages.test.ts": "YAML, JavaScript, TypeScript, Python and Go with their compilers",
	"test/nightly/export.test.ts": "the same; test/engine/import.test.ts imports one exported program",
	"test/nightly/templates.test.ts": "the same, with npm, pip and pytest; test/testing/ has what their tests use",
	"test/nightly/proxy.test.ts":
		"Go and Python; engine.test.ts and dying.test.ts in test/provider/session/ have the rule",
	"test/nightly/prose.test.ts": "Vale, which Go builds; `npm run check` applies it to every page",
	"test/nightly/backends.test.ts": "PostgreSQL and a server of S3; test/engine/interrupted.test.ts changes machines",
	"test/site/site.test.ts": "a browser, and packages of its own; test/docs/examples.test.ts walks the same links",
	"test/docs/contributing.test.ts": "compiles two copies of the sources twice, and generates everything",
	"test/nightly/versions.test.ts": "the oldest and the newest Node.js, Pulumi and TypeScript, each installed",
	"test/nightly/pnpm.test.ts": "another package manager; test/package.test.ts installs with npm",
	"test/emulator/http/clients.test.ts":
		"other projects' generators with their compilers; openapi.test.ts checks the document",
};

/** Files that `--nightly` runs too, with longer seeds. */
export const longer: readonly string[] = [
	"test/cli/plan/agreement.test.ts",
	"test/provider/api/description/mapping.test.ts",
];
/** Files that use `inTurn`, of which `--nightly` runs all cases. */
export const takingTurns = ["carriers", "combinations", "commands", "confirm", "wrong-key"].map(
	(name) => `test/engine/${name}.test.ts`,
);
export const longSeeds = { FC_RUNS: "3000" } as const;

const part = (): Part => (process.env[partVariable] ?? "named") as Part;

/** Returns all cases of a test, or the first alone in the short run. */
export const variations = <const T extends readonly unknown[]>(all: T): T =>
	(part() === "short" ? all.slice(0, 1) : all) as unknown as T;

let turn = 0;
/** Returns all cases of a test at night, and otherwise one: the next one for each test of a file. */
export function inTurn<T>(all: readonly T[]): readonly T[] {
	if (part() === "named" || part() === "nightly") return all;
	turn += 1;
	return all.slice((turn - 1) % all.length).slice(0, 1);
}

export const included = (): string[] =>
	part() === "nightly" ? [...Object.keys(onlyNightly), ...longer, ...takingTurns] : ["test/**/*.test.ts"];

export const leftOut = (): string[] => {
	const lists = { short: { ...onlyAll, ...onlyNightly }, all: onlyNightly, nightly: {}, named: {} };
	return Object.keys(lists[part()]);
};
