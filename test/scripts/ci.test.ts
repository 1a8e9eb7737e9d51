/** The CI kit in examples/ci: every shell step of its files, run against the emulator; only the forge is made up. */
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { useEmulator } from "../helpers/emulator";
import { createProject, type Run, run } from "../helpers/engine";
import { type Forge, startForge } from "../helpers/forge";

const repository = resolve(__dirname, "../..");
const kit = join(repository, "examples/ci");
const emulator = useEmulator();
beforeEach(() => emulator.control.kyc("immediate"));

type Env = Record<string, string | undefined>;
type Job = "preview" | "up" | "drift";
interface Runner {
	readonly forge: Forge;
	/** All shell steps of a job, one after the other, until one fails. */
	job(name: Job, env?: Env): Promise<Run>;
	/** What the next jobs check out. */
	write(program: string): void;
	readonly pulumi: (...args: string[]) => Promise<Run>;
	/** The comments of the pull request, and the issues. */
	readonly lists: { readonly comments: string; readonly issues: string };
}

const token = "forge-token";
const head = 'const telephony = require("pulumi-telephony");\n';
const number = (label: string) =>
	`${head}new telephony.Number("desk", { country: "SE", type: "mobile", label: "${label}" });`;

/** What stands in `\${{ … }}`; an expression that isn't here fails the test. */
const expressions = (secrets: Env): Env => ({
	"secrets.PULUMI_CONFIG_PASSPHRASE": secrets.PULUMI_CONFIG_PASSPHRASE,
	"secrets.TELEPHONY_API_KEY": secrets.TELEPHONY_API_KEY,
	"vars.PULUMI_BACKEND_URL": secrets.PULUMI_BACKEND_URL,
	"vars.TELEPHONY_BASE_URL": secrets.TELEPHONY_BASE_URL,
	"github.token": token,
});

interface GitHubStep {
	readonly uses?: string;
	readonly run?: string;
	readonly env?: Record<string, string>;
}
interface Steps {
	readonly env: Record<string, string>;
	readonly scripts: readonly { readonly script: string; readonly env: Record<string, string> }[];
}

function github(name: Job): Steps {
	const { jobs } = parse(readFileSync(join(kit, `github/telephony-${name}.yml`), "utf8")) as {
		jobs: Record<string, { env: Record<string, string>; steps: GitHubStep[] }>;
	};
	const { env = {}, steps = [] } = jobs[name] ?? {};
	const actions = steps.flatMap(({ uses }) => uses ?? []);
	expect(actions).toEqual(["actions/checkout@v4", "actions/setup-node@v4"]);
	return { env, scripts: steps.flatMap(({ run: script, env: own = {} }) => (script ? [{ script, env: own }] : [])) };
}

function gitlab(name: Job): Steps {
	const file = parse(readFileSync(join(kit, "gitlab/telephony.gitlab-ci.yml"), "utf8")) as Record<
		string,
		{ variables?: Record<string, string>; before_script?: string[]; script?: string[]; extends?: string }
	>;
	const job = file[`telephony ${name}`] ?? {};
	const base = file[job.extends ?? ""] ?? {};
	// One shell for all of a job.
	const script = [...(base.before_script ?? []), ...(job.script ?? [])].join("\n");
	return { env: { ...base.variables, ...job.variables }, scripts: [{ script, env: {} }] };
}

async function openRunner(kind: "github" | "gitlab"): Promise<Runner> {
	const temporary = mkdtempSync(join(tmpdir(), "telephony-ci-"));
	onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
	const folder = join(temporary, "program");
	mkdirSync(join(folder, "ci"), { recursive: true });
	// Above the program, whose own `node_modules` the step `npm ci` empties.
	symlinkSync(join(repository, "node_modules"), join(temporary, "node_modules"));
	expect(existsSync(join(folder, "node_modules"))).toBe(false);
	copyFileSync(join(kit, "post.mjs"), join(folder, "ci/post.mjs"));
	writeFileSync(
		join(folder, "Pulumi.yaml"),
		"name: ci-test\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n",
	);
	const root = { name: "ci-test", version: "1.0.0" };
	writeFileSync(join(folder, "package.json"), JSON.stringify({ ...root, main: "index.js" }));
	writeFileSync(
		join(folder, "package-lock.json"),
		JSON.stringify({ ...root, lockfileVersion: 3, requires: true, packages: { "": root } }),
	);
	const write = (program: string) => writeFileSync(join(folder, "index.js"), program);
	const project = await createProject({ folder, service: emulator });
	const init = await project.pulumi("stack", "init", "prod", "--no-select");
	expect(init.code, init.output).toBe(0);
	const forge = await startForge(token);
	const surroundings =
		kind === "github"
			? { GITHUB_API_URL: forge.url, GITHUB_REPOSITORY: "acme/phones", GITHUB_REF: "refs/pull/7/merge" }
			: {
					GITLAB_CI: "true",
					CI_API_V4_URL: forge.url,
					CI_PROJECT_ID: "42",
					CI_MERGE_REQUEST_IID: "7",
					GITLAB_TOKEN: token,
					PULUMI_CONFIG_PASSPHRASE: project.env.PULUMI_CONFIG_PASSPHRASE,
					PULUMI_BACKEND_URL: project.env.PULUMI_BACKEND_URL,
					TELEPHONY_API_KEY: emulator.apiKey,
					TELEPHONY_BASE_URL: emulator.url,
				};
	const known = expressions(project.env);
	const filled = (env: Record<string, string>): Env =>
		Object.fromEntries(
			Object.entries(env).map(([name, text]) => [
				name,
				text.replace(/\$\{\{ *([^}]*?) *\}\}/g, (_, expression: string) => {
					const value = known[expression];
					if (value === undefined) throw new Error(`nothing stands for ${expression}`);
					return value;
				}),
			]),
		);
	// As on a runner: nothing of the project's own environment.
	const { PATH, HOME } = process.env;
	const quiet = { npm_config_update_notifier: "false", npm_config_audit: "false", npm_config_fund: "false" };
	return {
		forge,
		write,
		pulumi: (...args) =>
			run("pulumi", [...args, "--non-interactive"], folder, { ...project.env, PULUMI_STACK: "prod" }),
		lists:
			kind === "github"
				? { comments: "/repos/acme/phones/issues/7/comments", issues: "/repos/acme/phones/issues" }
				: { comments: "/projects/42/merge_requests/7/notes", issues: "/projects/42/issues" },
		async job(name, env = {}) {
			const { env: common, scripts } = kind === "github" ? github(name) : gitlab(name);
			expect(scripts.length).toBeGreaterThan(0);
			let [output, stdout] = ["", ""];
			for (const { script, env: own } of scripts) {
				const all = { PATH, HOME, ...quiet, CI: "true", ...surroundings, ...filled({ ...common, ...own }), ...env };
				const done = await run("bash", ["-eo", "pipefail", "-c", script], folder, all);
				output += done.output;
				stdout += done.stdout;
				if (done.code !== 0) return { code: done.code, output, stdout };
			}
			return { code: 0, output, stdout };
		},
	};
}

const somebodyElses = (text: string) => ({ id: 1_000 + text.length, text, open: true });

test.each(["github", "gitlab"] as const)(
	"%s: preview, up and drift, each told in one place that is edited",
	async (kind) => {
		const runner = await openRunner(kind);
		const { forge, lists } = runner;
		forge.posts.set(lists.comments, ["a", "bb", "ccc"].map(somebodyElses));
		forge.posts.set(lists.issues, ["a", "bb", "ccc"].map(somebodyElses));
		const ours = (list: string) => (forge.posts.get(list) ?? []).slice(3);

		// A pull request: one comment, edited by the second push; nothing is bought.
		runner.write(number("Desk"));
		const preview = await runner.job("preview");
		expect(preview.code, preview.output).toBe(0);
		expect(ours(lists.comments)).toHaveLength(1);
		expect(ours(lists.comments)[0]?.text).toMatch(/^<!-- telephony comment prod -->\n```text\n[\s\S]*\+ 2 to create/);
		runner.write(`${number("Desk")}\nnew telephony.Number("more", { country: "SE", type: "mobile", labl: "x" });`);
		const refused = await runner.job("preview");
		expect(refused.code, refused.output).not.toBe(0);
		expect(ours(lists.comments)).toHaveLength(1);
		expect(ours(lists.comments)[0]?.text).toContain("Did you mean label?");
		expect(emulator.control.ledger()).toEqual([]);

		// A merge.
		runner.write(number("Desk"));
		const up = await runner.job("up");
		expect(up.code, up.output).toBe(0);
		const [bought] = emulator.control.state().numbers;
		expect(emulator.control.state().numbers).toHaveLength(1);

		// The schedule: nothing to tell, then one issue, edited, and closed once all is well.
		const clean = await runner.job("drift");
		expect(clean.code, clean.output).toBe(0);
		expect(ours(lists.issues)).toEqual([]);
		emulator.control.patchNumber(bought?.id ?? "", { label: "Lobby" });
		const drifted = await runner.job("drift");
		expect(drifted.code, drifted.output).toBe(7);
		emulator.control.patchNumber(bought?.id ?? "", { label: "Kitchen" });
		expect((await runner.job("drift")).code).toBe(7);
		expect(ours(lists.issues)).toMatchObject([{ open: true, title: "Telephony: drift of stack prod" }]);
		expect(ours(lists.issues)[0]?.text).toMatch(
			/^<!-- telephony issue prod -->\ndrift: 1 of 1 resource \(1 changed\), stack prod\n[\s\S]*"Desk" → "Kitchen"/,
		);
		// An error tells nothing, and leaves the issue as it is.
		const asked = forge.requests.length;
		expect((await runner.job("drift", { TELEPHONY_API_KEY: "wrong" })).code).toBe(3);
		expect(forge.requests).toHaveLength(asked);
		const repair = await runner.pulumi("up", "--refresh", "--yes", "--skip-preview");
		expect(repair.code, repair.output).toBe(0);
		expect((await runner.job("drift")).code).toBe(0);
		expect(ours(lists.issues)).toMatchObject([
			{ open: false, text: expect.stringContaining("drift: 0 of 1 resource") },
		]);
		expect(forge.posts.get(lists.issues)?.slice(0, 3)).toEqual(["a", "bb", "ccc"].map(somebodyElses));
	},
);

test("a forge that refuses fails the job with its words", async () => {
	const runner = await openRunner("github");
	runner.write(number("Desk"));
	const done = await runner.job("preview", { GITHUB_TOKEN: "wrong" });
	expect(done.code).toBe(1);
	expect(done.output).toMatch(/post: GET \S+comments\S* answered 401: .*Bad credentials/);
});

test("runs of one stack wait for each other, and no up is cancelled half-way", () => {
	const up = parse(readFileSync(join(kit, "github/telephony-up.yml"), "utf8"));
	expect(up.concurrency).toEqual({ group: "telephony-up-prod", "cancel-in-progress": false });
	const jobs = parse(readFileSync(join(kit, "gitlab/telephony.gitlab-ci.yml"), "utf8"));
	expect(jobs["telephony up"]).toMatchObject({ resource_group: "telephony-prod", interruptible: false });
});
