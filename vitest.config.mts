import { defineConfig } from "vitest/config";

const second = 1000;

export default defineConfig({
	test: {
		include: ["test/**/*.test.ts"],
		// Processes, as tests start engines and change environments; one more than cores, as they mostly wait.
		pool: "forks",
		maxWorkers: 3,
		testTimeout: 120 * second,
		hookTimeout: 300 * second,
		// One line per finished file everywhere, and what failed in full at the end.
		reporters: process.env.GITHUB_ACTIONS ? ["default", "github-actions"] : ["default"],
		silent: "passed-only",
	},
});
