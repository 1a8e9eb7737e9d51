import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { patienceMs } from "./test/helpers/patience.mts";
import { included, leftOut } from "./test/short.mts";

const second = 1000;

/** Tests that take minutes run first: at the end, they would keep one worker busy and the others idle. */
const slowest = [
	"test/sim/",
	"test/nightly/",
	"test/package",
	"test/docs/",
	"test/scripts/",
	"test/engine/",
	"test/testing/",
	"test/cli/report/",
	"test/policy/",
	"test/carriers/",
	"test/emulator/console/",
	"test/emulator/time/",
];

class SlowestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const rank = ({ moduleId }: TestSpecification) => {
			const found = slowest.findIndex((part) => moduleId.includes(part));
			return found === -1 ? slowest.length : found;
		};
		return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
	}
}

export default defineConfig({
	test: {
		include: included(),
		exclude: [...configDefaults.exclude, ...leftOut()],
		globalSetup: "test/run-folder.mts",
		setupFiles: "test/short-messages.ts",
		// Processes, as tests start engines and change environments. Twice as many as CI has cores, as runs wait for the service.
		pool: "forks",
		maxWorkers: 4,
		// A process runs many files, as loading the code for each took a third of the time of the tests in process.
		isolate: false,
		sequence: { sequencer: SlowestFirst },
		// Generous, so that no test depends on the speed of the machine.
		testTimeout: 300 * second,
		hookTimeout: 600 * second,
		expect: { poll: { timeout: patienceMs, interval: 20 } },
		// One line per finished file everywhere, and what failed in full at the end.
		reporters: process.env.GITHUB_ACTIONS ? ["default", "github-actions"] : ["default"],
		silent: "passed-only",
	},
});
