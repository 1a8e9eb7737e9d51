import { defineConfig } from "vitest/config";

/** For mutation testing: tests of the provider that start no process. */
export default defineConfig({
	test: {
		include: process.env.MUTATION_TESTS?.split(",") ?? [
			"test/provider/{api,ownership,properties,lifecycle,reads,session,resources,functions,drift}/**/*.test.ts",
		],
		testTimeout: 60_000,
		silent: true,
	},
});
