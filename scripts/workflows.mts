/** `node scripts/workflows.mts`: checks the workflows with actionlint, and GitLab's file with GitLab's JSON schema. */
import { globSync } from "node:fs";
import { resolve } from "node:path";
import spawn from "cross-spawn";

const root = resolve(import.meta.dirname, "..");
const run = (program: string, args: readonly string[], stdio: "inherit" | "pipe" = "inherit") =>
	spawn.sync(program, [...args], { cwd: root, stdio, encoding: "utf8" });

const actionlint = ["-C", "tools/actionlint", "tool", "actionlint"];
const { status, stderr, error } = run("go", [...actionlint, "-version"], "pipe");
if (status === 0) {
	const workflows = globSync("{.github/workflows,examples/ci/github}/*", { cwd: root });
	// The other checkers that it would start are not on every machine.
	const options = ["-shellcheck=", "-pyflakes="];
	process.exitCode =
		run("go", [...actionlint, ...options, ...workflows.map((file) => resolve(root, file))]).status ?? 1;
} else {
	const reason = error?.message ?? stderr.trim().split("\n").at(-1);
	console.error(`skipping actionlint, which takes Go 1.24 or newer: ${reason}`);
}
// The package has GitLab's own JSON schema.
const gitlab = ["--file", "examples/ci/gitlab/telephony.gitlab-ci.yml", "--state-dir", "node_modules/.cache/gitlab-ci"];
const listed = run("gitlab-ci-local", ["--list", ...gitlab], "pipe");
if (listed.status !== 0) {
	console.error(listed.stdout, listed.stderr);
	process.exitCode = 1;
}
