/**
 * `npm run mutation -- [--folder NAME]… [--tests "GLOB …"]` runs Stryker over folders of `provider/`, each with the tests that
 * concern it, and writes the scores to `reports/mutation-scores.json`. The exit code is 1 if a folder misses its 85 %.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repository } from "../helpers/host-process.mts";
import { commitOf, type Score, scoresIn, scoresOf } from "./scores.mts";

/** Folders that must reach the least score. */
const strict = ["ownership", "properties", "lifecycle"];
const least = 85;

/** Tests in other folders that concern this one. Further tests could only raise the score. */
const also: Readonly<Record<string, readonly string[]>> = {
	ownership: [
		"test/provider/resources/number/purchase.test.ts",
		"test/provider/lifecycle/{adopt,claimed,created-once,kinds,reference-cut}.test.ts",
	],
	properties: ["test/provider/drift/drift.test.ts", "test/provider/lifecycle/write.test.ts"],
	lifecycle: [
		"test/provider/resources/{sip-trunk,kyc-profile/profile,port-order/port-order}.test.ts",
		"test/provider/resources/number/{kyc,limits,purchase,release}.test.ts",
		"test/provider/drift/waiting.test.ts",
		"test/provider/reads/slim-lists.test.ts",
		"test/provider/services/*.test.ts",
		"test/provider/ownership/names.test.ts",
		"test/provider/dialects{,-unsaid}.test.ts",
	],
};
const testsOf = (folder: string) => [`test/provider/${folder}/**/*.test.ts`, ...(also[folder] ?? [])];

const { values } = parseArgs({
	options: { folder: { type: "string", multiple: true, default: strict }, tests: { type: "string" } },
});

/** Measures a folder, and keeps the scores of others. */
function measure(folder: string): Score[] {
	const tests = values.tests ?? testsOf(folder).join(" ");
	const { status } = spawnSync(
		join(repository, "node_modules/.bin/stryker"),
		["run", "test/sim/stryker.config.json", "--mutate", `provider/${folder}/**/*.ts`],
		{ cwd: repository, stdio: "inherit", env: { ...process.env, MUTATION_TESTS: tests } },
	);
	if (status !== 0) process.exit(status ?? 1);
	const report = JSON.parse(readFileSync(join(repository, "reports/mutation.json"), "utf8"));
	const measured = scoresOf(report, tests, commitOf(repository));
	const others = scoresIn(repository).filter((score) => !measured.some(({ folder }) => folder === score.folder));
	const scores = [...others, ...measured].sort((first, second) => (first.folder < second.folder ? -1 : 1));
	writeFileSync(join(repository, "reports/mutation-scores.json"), `${JSON.stringify(scores, null, "\t")}\n`);
	return measured;
}

const measured = values.folder.flatMap(measure);
for (const { folder, score, mutants } of measured) console.log(`${folder}: ${score.toFixed(1)} % of ${mutants}`);
const low = measured.filter(({ folder, score }) => strict.includes(folder.split("/")[1] ?? "") && score < least);
for (const { folder, score } of low) console.error(`${folder} must reach ${least} %, and has ${score.toFixed(1)} %.`);
process.exitCode = low.length > 0 ? 1 : 0;
