/**
 * `npm run mutation -- [--folder NAME]… [--tests GLOB]`: Stryker over folders of `provider/`, with the tests that start no
 * process, or some of them. The scores go to `reports/mutation-scores.json`, and from there to docs/reliability.md. Ends with
 * 1 where one that must reach 80 % doesn't.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repository } from "./host.mts";
import { commitOf } from "./page.mts";
import { type Score, scoresIn, scoresOf } from "./scores.mts";

/** By which a number would be lost, if it were wrong. */
const strict = ["ownership", "properties", "lifecycle"];
const least = 80;

const { values } = parseArgs({
	options: {
		folder: { type: "string", multiple: true, default: strict },
		tests: { type: "string" },
		/** Takes a report that is there already. */
		"from-report": { type: "boolean", default: false },
	},
});
if (!values["from-report"]) {
	const mutate = values.folder.map((name) => `provider/${name}/**/*.ts`).join(",");
	const { status } = spawnSync(join(repository, "node_modules/.bin/stryker"), ["run", "--mutate", mutate], {
		cwd: repository,
		stdio: "inherit",
		env: { ...process.env, ...(values.tests === undefined ? {} : { MUTATION_TESTS: values.tests }) },
	});
	if (status !== 0) process.exit(status ?? 1);
}
const report = JSON.parse(readFileSync(join(repository, "reports/mutation.json"), "utf8"));
const measured = scoresOf(report, values.tests ?? "all that start no process", commitOf(repository));
const others = scoresIn(repository).filter(({ folder }) => !measured.some((each) => each.folder === folder));
const scores: Score[] = [...others, ...measured].sort((one, other) => (one.folder < other.folder ? -1 : 1));
writeFileSync(join(repository, "reports/mutation-scores.json"), `${JSON.stringify(scores, null, "\t")}\n`);
for (const { folder, score, mutants } of measured) console.log(`${folder}: ${score.toFixed(1)} % of ${mutants}`);
const low = measured.filter(({ folder, score }) => strict.includes(folder.split("/")[1] ?? "") && score < least);
for (const { folder, score } of low) console.error(`${folder} must reach ${least} %, and has ${score.toFixed(1)} %.`);
process.exitCode = low.length > 0 ? 1 : 0;
