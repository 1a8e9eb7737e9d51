import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The first test that fails ends a run, so what takes long comes last. */
class ShortestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const took = (file: TestSpecification) => this.ctx.cache.getTestSpecificationResult(file)?.duration ?? 0;
		return [...files].sort((a, b) => took(a) - took(b));
	}
}

/** For mutation testing: tests of the provider that start no process. */
export default defineConfig({
	test: {
		include: process.env.MUTATION_TESTS?.split(" ") ?? [
			"test/provider/{api,ownership,properties,lifecycle,reads,session,resources,functions,drift,documents}/**/*.test.ts",
		],
		// Modules are read once in a run, not once for each file: that takes most of a mutant's time.
		isolate: false,
		sequence: { sequencer: ShortestFirst },
		setupFiles: ["./test/sim/mutation-setup.mts"],
		testTimeout: 30_000,
		silent: true,
	},
});
