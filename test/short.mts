/**
 * What only `npm test -- --all` runs, and why; plain `npm test` is to end within ten minutes on two cores. A file that is
 * named on the command line runs in any case, and all of it.
 */

/** Set by scripts/test.mts, and read by the processes that run tests. */
export const shortRun = "TESTS_IN_SHORT";

/** The files, and where the short run proves what they are about, or why it can do without. */
export const onlyAll: Readonly<Record<string, string>> = {
	"test/package.test.ts": "packs and installs with npm and pnpm; it changes with package.json and the doors alone",
	"test/docs/typed.test.ts": "types the quick start and every guide on the engine, with npm installs",
	"test/site/site.test.ts": "a browser, and packages of its own; test/docs/examples.test.ts walks the same links",
	"test/docs/containers.test.ts": "the tools around containers; test/docs/emulator.test.ts runs what the image runs",
	"test/docs/contributing.test.ts": "compiles a copy of the sources three times",
	"test/emulator/console/{buttons,layout}.test.ts": "a browser; pages.test.ts reads the same pages",
	"test/emulator/http/clients.test.ts":
		"strangers' generators and their compilers; openapi.test.ts checks the document",
	"test/scripts/ci.test.ts": "each job of both forges on the engine, a dozen runs each",
	"test/scripts/demo.test.ts": "the main job once more; test/engine/lifecycle.test.ts tells it",

	// Of the stories on the engine, those that cost the most and whose rules the short run tests in process.
	"test/engine/languages.test.ts":
		"needs five languages' compilers; test/engine/plugin.test.ts tells the plugin's story",
	"test/engine/proxy.test.ts": "compiles Go; engine.test.ts and dying.test.ts in test/provider/session/ have the rule",
	"test/engine/export.test.ts": "the same compilers; test/cli/export/ reads the programs that are written",
	"test/engine/backends.test.ts": "PostgreSQL and other stores of states",
	"test/engine/container-address.test.ts": "addresses of containers; test/provider/api/address.test.ts has the rule",
	"test/engine/canaries.test.ts": "all that the engine can log; test/engine/secrets.test.ts looks where people look",
	"test/engine/refactors.test.ts":
		"each refactoring, both entry points; rename.test.ts, changes.test.ts and ownership.test.ts have the usual ones",
	"test/engine/wrong-account.test.ts": "every command; test/provider/reads/account-check.test.ts has the rule",
	"test/engine/moving.test.ts": "all resources, both ways; plugin.test.ts moves a stack",
	"test/engine/drift-false.test.ts": "what is no drift; test/provider/drift/ has the rules",
	"test/engine/drift-none.test.ts": "services that respell or lag: canonical.test.ts and lag.test.ts in test/provider/",
	"test/engine/drift-keys.test.ts": "another key; test/provider/reads/account-check.test.ts has another account",
	"test/engine/writes.test.ts": "test/provider/lifecycle/write.test.ts has writes that fail",
	"test/engine/activation.test.ts": "test/provider/resources/activation.test.ts; kyc.test.ts waits on the engine",
	"test/engine/functions.test.ts": "test/sdk/functions.test.ts, test/provider/functions/",
	"test/engine/plugin-accounts.test.ts":
		"two accounts in one program; plugin.test.ts has one, account.test.ts the rule",
	"test/engine/drift-cli.test.ts": "test/cli/ has the report; number-pool.test.ts runs the command on the engine",
	"test/engine/interrupt.test.ts": "number-pool.test.ts has Ctrl-C and a crash; test/provider/session/dying.test.ts",
	"test/engine/errors.test.ts": "test/provider/properties/mistakes.test.ts; plugin.test.ts has a refused preview",
	"test/engine/dialects.test.ts": "test/provider/dialects.test.ts",
	"test/engine/outage.test.ts":
		"lists and keys that are wrong: test/provider/reads/account-check.test.ts and reads.test.ts",
	"test/engine/options.test.ts": "each row of the table in docs/limits.md, most of which the engine does by itself",
	"test/engine/limits.test.ts": "test/provider/resources/number/limits.test.ts has the limits",
	"test/engine/plan.test.ts": "the plan of steps: test/cli/plan.test.ts",
	"test/engine/preview.test.ts": "previews of secrets: test/provider/plugin/protocol.test.ts",
	"test/engine/claims.test.ts": "what another tool has claimed: test/provider/ownership/ has the rules",
	"test/engine/machines.test.ts": "test/provider/lifecycle/claimed.test.ts; number-pool.test.ts goes on after a crash",
	"test/engine/stack-rename.test.ts": "test/provider/ownership/names.test.ts; rename.test.ts renames a resource",
	"test/engine/waiting.test.ts": "how drift tells a wait: test/cli/drift/, test/provider/drift/waiting.test.ts",
	"test/engine/templates.test.ts": "npm, pip and compilers; test/testing/ has what the templates' tests use",
	"test/testing/example.test.ts": "test/testing/account.test.ts and mocks.test.ts",
	"test/engine/seed.test.ts": "a service that offers little: test/provider/api/features.test.ts",
};

const isShort = process.env[shortRun] === "yes";

/** What a story is told about: all of them, and of the fronts and other variations the first alone in the short run. */
export const variations = <const T extends readonly unknown[]>(all: T): T =>
	(isShort ? all.slice(0, 1) : all) as unknown as T;

/** The files that this run leaves out. */
export const leftOut = (): string[] => (isShort ? Object.keys(onlyAll) : []);
