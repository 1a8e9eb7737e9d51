/** Runs each shell step of examples/ci against the emulator and a simulated forge. */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { runInNewContext } from "node:vm";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { blocksOf, stepsOf } from "../docs/pages";
import { clone, createReader } from "../docs/reader";
import { useEmulator } from "../helpers/emulator";
import { createProject, type Deployment, type Run, run } from "../helpers/engine";
import { crash, type Running, start } from "../helpers/engine-running";
import { eventually } from "../helpers/eventually";
import { createFolder } from "../helpers/folders";
import { type Forge, startForge } from "../helpers/forge";
import { pack } from "../helpers/packed";

const repository = resolve(__dirname, "../..");
const kit = join(repository, "examples/ci");
const page = "docs/guides/ci.md";
const emulator = useEmulator();
beforeEach(() => emulator.control.kyc("immediate"));

type Env = Record<string, string | undefined>;
type Job = "preview" | "up" | "drift";
const jobs: readonly Job[] = ["preview", "up", "drift"];
type Kind = "github" | "gitlab";
interface Runner {
	readonly forge: Forge;
	/** Runs the shell steps of a job until one fails. */
	job(name: Job, env?: Env): Promise<Run>;
	/** Starts the last step of a job as GitHub does, from a file. */
	lastStep(name: Job): Running;
	/** Replaces the program that the next jobs check out. */
	write(program: string): void;
	readonly pulumi: (...args: string[]) => Promise<Run>;
	/** Paths of the pull request's comments, and of the issues. */
	readonly lists: { readonly comments: string; readonly issues: string };
}

const token = "forge-token";
const head = 'const telephony = require("pulumi-telephony");\n';
const number = (label: string) =>
	`${head}new telephony.Number("desk", { country: "SE", type: "mobile", label: "${label}" });`;

/** Contexts of a repository. Only its environment has the key that buys. */
const contexts = (secrets: Env, environment: boolean) => ({
	github: { token },
	secrets: {
		PULUMI_CONFIG_PASSPHRASE: secrets.PULUMI_CONFIG_PASSPHRASE,
		TELEPHONY_READ_KEY: secrets.TELEPHONY_API_KEY,
		...(environment && { TELEPHONY_API_KEY: secrets.TELEPHONY_API_KEY }),
	},
	vars: { PULUMI_BACKEND_URL: secrets.PULUMI_BACKEND_URL, TELEPHONY_BASE_URL: secrets.TELEPHONY_BASE_URL },
});

/** Evaluates each `\${{ … }}`, which must have a value, as JavaScript. */
const filled = (env: Record<string, string>, context: object): Env =>
	Object.fromEntries(
		Object.entries(env).map(([name, text]) => [
			name,
			text.replace(/\$\{\{ *([^}]*?) *\}\}/g, (_, expression: string) => {
				const value = runInNewContext(expression, context);
				if (typeof value !== "string") throw new Error(`${expression} has no value`);
				return value;
			}),
		]),
	);

interface GitHubStep {
	readonly uses?: string;
	readonly run?: string;
	readonly env?: Record<string, string>;
}
interface GitHubJob {
	readonly name?: string;
	readonly if?: string;
	readonly environment?: string;
	readonly env?: Record<string, string>;
	readonly steps?: readonly GitHubStep[];
}
interface Workflow {
	readonly permissions: Record<string, string>;
	readonly concurrency: object;
	readonly jobs: Record<string, GitHubJob>;
}
type Steps = readonly { readonly script: string; readonly env: Env }[];

const workflow = (name: Job) => parse(readFileSync(join(kit, `github/telephony-${name}.yml`), "utf8")) as Workflow;
const gitlabFile = join(kit, "gitlab/telephony.gitlab-ci.yml");

function github(name: Job, secrets: Env): Steps {
	const { env = {}, steps = [], environment } = workflow(name).jobs[name] ?? {};
	const artifact = { preview: ["actions/upload-artifact@v4"], up: ["actions/download-artifact@v4"], drift: [] };
	expect(steps.flatMap(({ uses }) => uses ?? [])).toEqual([
		"actions/checkout@v4",
		"actions/setup-node@v4",
		"pulumi/auth-actions@v1",
		"aws-actions/configure-aws-credentials@v4",
		...artifact[name],
	]);
	const context = contexts(secrets, environment !== undefined);
	return steps.flatMap(({ run: script, env: stepEnv }) =>
		script ? [{ script, env: filled({ ...env, ...stepEnv }, context) }] : [],
	);
}

function gitlab(name: Job, secrets: Env): Steps {
	const file = parse(readFileSync(gitlabFile, "utf8")) as Record<
		string,
		{ variables?: Record<string, string>; before_script?: string[]; script?: string[]; extends?: string }
	>;
	const job = file[`telephony ${name}`] ?? {};
	const base = file[job.extends ?? ""] ?? {};
	// GitLab runs a job in one shell.
	const script = [...(base.before_script ?? []), ...(job.script ?? [])].join("\n");
	const { TELEPHONY_API_KEY: key, ...others } = secrets;
	// A merge request gets no protected variable. A schedule has both keys, and must use the one that reads.
	const keys = {
		preview: { TELEPHONY_READ_KEY: key },
		up: { TELEPHONY_READ_KEY: "reads", TELEPHONY_API_KEY: key },
		drift: { TELEPHONY_READ_KEY: key, TELEPHONY_API_KEY: "buys" },
	}[name];
	return [{ script, env: { ...base.variables, ...job.variables, ...others, ...keys, GITLAB_TOKEN: token } }];
}

/** Makes a program below the packages of this checkout. */
async function openProgram(): Promise<{ folder: string; secrets: Env }> {
	const temporary = createFolder();
	const folder = join(temporary, "program");
	mkdirSync(join(folder, "ci"), { recursive: true });
	// `npm ci` empties the program's own node_modules.
	symlinkSync(join(repository, "node_modules"), join(temporary, "node_modules"));
	expect(existsSync(join(folder, "node_modules"))).toBe(false);
	for (const script of ["post.mjs", "approved.mjs"]) copyFileSync(join(kit, script), join(folder, "ci", script));
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
	const project = await createProject({ folder, service: emulator });
	const init = await project.pulumi("stack", "init", "prod", "--no-select");
	expect(init.code, init.output).toBe(0);
	return { folder, secrets: project.env };
}

async function openRunner(kind: Kind, program = openProgram()): Promise<Runner> {
	const { folder, secrets } = await program;
	const forge = await startForge(token);
	const { PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE, TELEPHONY_API_KEY, TELEPHONY_BASE_URL } = secrets;
	const passed = { PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE, TELEPHONY_API_KEY, TELEPHONY_BASE_URL };
	const surroundings =
		kind === "github"
			? {
					GITHUB_API_URL: forge.url,
					GITHUB_REPOSITORY: "acme/phones",
					GITHUB_REF: "refs/pull/7/merge",
					GITHUB_SHA: "merged",
					GITHUB_OUTPUT: join(folder, "..", "outputs"),
				}
			: {
					GITLAB_CI: "true",
					CI_API_V4_URL: forge.url,
					CI_PROJECT_ID: "42",
					CI_MERGE_REQUEST_IID: "7",
					CI_COMMIT_SHA: "merged",
				};
	const plan = join(folder, "approved.json");
	/** Keeps the plan as the artifact of the pull request that `merged` merges. */
	const keepPlan = () => {
		const text = readFileSync(plan, "utf8");
		rmSync(plan);
		const [head, project] = ["head", "/projects/42"];
		const answers = {
			"/repos/acme/phones/commits/merged/pulls": [{ head: { sha: head } }],
			"/repos/acme/phones/actions/artifacts": { artifacts: [{ expired: false, workflow_run: { id: 5 } }] },
			[`${project}/repository/commits/merged/merge_requests`]: [{ iid: 7, sha: head }],
			[`${project}/merge_requests/7/pipelines`]: [
				{ id: 4, sha: "older" },
				{ id: 3, sha: head },
			],
			[`${project}/pipelines/3/jobs`]: [{ id: 9, name: "telephony preview", status: "success" }],
			[`${project}/jobs/9/artifacts/approved.json`]: JSON.parse(text),
		};
		for (const [path, answer] of Object.entries(answers)) forge.answers.set(path, answer);
		return text;
	};
	let kept = "";
	/** Restores the plan, as actions/download-artifact does. */
	const download = () => {
		const outputs = surroundings.GITHUB_OUTPUT;
		if (outputs === undefined || !existsSync(outputs)) return;
		if (readFileSync(outputs, "utf8").includes("run=5\nartifact=telephony-plan-head\n")) writeFileSync(plan, kept);
	};
	// A runner has none of this project's variables.
	const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
	const quiet = {
		NODE_COMPILE_CACHE,
		npm_config_update_notifier: "false",
		npm_config_audit: "false",
		npm_config_fund: "false",
		npm_config_prefer_offline: "true",
	};
	const stepsOfJob = (name: Job) =>
		(kind === "github" ? github(name, passed) : gitlab(name, passed)).map(({ script, env }) => ({
			script,
			env: { PATH, HOME, ...quiet, CI: "true", ...surroundings, ...env },
		}));
	return {
		forge,
		write: (text) => writeFileSync(join(folder, "index.js"), text),
		pulumi: (...args) => run("pulumi", [...args, "--non-interactive"], folder, { ...secrets, PULUMI_STACK: "prod" }),
		lists:
			kind === "github"
				? { comments: "/repos/acme/phones/issues/7/comments", issues: "/repos/acme/phones/issues" }
				: { comments: "/projects/42/merge_requests/7/notes", issues: "/projects/42/issues" },
		async job(name, env = {}) {
			const steps = stepsOfJob(name);
			expect(steps.length).toBeGreaterThan(0);
			let [output, stdout] = ["", ""];
			for (const { script, env: all } of steps) {
				const done = await run("bash", ["-eo", "pipefail", "-c", script], folder, { ...all, ...env });
				output += done.output;
				stdout += done.stdout;
				if (done.code !== 0) return { code: done.code, output, stdout };
				if (name === "up" && script.includes("ci/approved.mjs")) download();
			}
			if (name === "preview") kept = keepPlan();
			rmSync(plan, { force: true });
			return { code: 0, output, stdout };
		},
		lastStep(name) {
			const { script = "", env = {} } = stepsOfJob(name).at(-1) ?? {};
			const file = join(folder, "step.sh");
			writeFileSync(file, script);
			const running = start(["bash", "-e", file], folder, env);
			onTestFinished(() => crash(running));
			return running;
		},
	};
}

const somebodyElses = (text: string) => ({ id: 1_000 + text.length, text, open: true });

test.each(["github", "gitlab"] as const)(
	"%s: posts previews and drift once, and keeps to the approved plan",
	{ timeout: 300_000 },
	async (kind) => {
		const runner = await openRunner(kind);
		const { forge, lists } = runner;
		forge.posts.set(lists.comments, ["a", "bb", "ccc"].map(somebodyElses));
		forge.posts.set(lists.issues, ["a", "bb", "ccc"].map(somebodyElses));
		const ours = (list: string) => (forge.posts.get(list) ?? []).slice(3);

		// A pull request has one comment, which the second push edits. Nothing is bought.
		runner.write(number("Desk"));
		const preview = await runner.job("preview");
		expect(preview.code, preview.output).toBe(0);
		expect(ours(lists.comments)).toHaveLength(2);
		expect(ours(lists.comments)[0]?.text).toMatch(/^<!-- telephony comment prod -->\n```text\n[\s\S]*\+ 2 to create/);
		expect(ours(lists.comments)[1]?.text).toMatch(/^<!-- telephony plan prod -->\nplan: buys 1, releases 0/);
		// Both forges run the same scripts, so one tries the refusals.
		const isFull = kind === "github";
		if (isFull) {
			runner.write(`${number("Desk")}\nnew telephony.Number("more", { country: "SE", type: "mobile", labl: "x" });`);
			const refused = await runner.job("preview");
			expect(refused.code, refused.output).not.toBe(0);
			expect(ours(lists.comments)).toHaveLength(2);
			expect(ours(lists.comments)[0]?.text).toContain("Did you mean label?");
			expect(emulator.control.ledger()).toEqual([]);

			// A merge does only what the approved plan allows.
			const more = number("Two").replace(head, "").replace("desk", "two");
			runner.write(`${number("Desk")}\n${more}`);
			const unplanned = await runner.job("up");
			expect(unplanned.code, unplanned.output).not.toBe(0);
			expect(unplanned.output).toContain("create is not allowed by the plan");
			expect(emulator.control.state().numbers.length).toBeLessThanOrEqual(1);
			runner.write(number("Desk"));
		}
		const up = await runner.job("up");
		expect(up.code, up.output).toBe(0);
		expect(up.output).toContain("up keeps to the plan");
		const [bought] = emulator.control.state().numbers;
		expect(emulator.control.state().numbers).toHaveLength(1);

		// A schedule opens one issue at drift, edits it, and closes it after the repair.
		if (isFull) expect((await runner.job("drift")).code).toBe(0);
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
		// An error leaves the issue as it is.
		const asked = forge.requests.length;
		const wrong = { TELEPHONY_API_KEY: "wrong", TELEPHONY_READ_KEY: "wrong" };
		if (isFull) expect((await runner.job("drift", wrong)).code).toBe(3);
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

test("reports the refusal of a forge", async () => {
	const runner = await openRunner("github");
	runner.write(number("Desk"));
	const done = await runner.job("preview", { GITHUB_TOKEN: "wrong" });
	expect(done.code).toBe(1);
	expect(done.output).toMatch(/post: GET \S+comments\S* returned 401: .*Bad credentials/);
});

test("a cancelled `up` saves its numbers and leaves no lock", async () => {
	emulator.control.kyc("manual");
	const runner = await openRunner("github");
	runner.write(`${head}new telephony.Number("desk", { country: "DE", type: "geographic", area: "30" });`);
	const running = runner.lastStep("up");
	await eventually(() => expect(running.output()).toMatch(/KYC action required/));
	// GitHub signals only the first process of a step.
	running.child.kill("SIGINT");
	expect(await running.code, running.output()).toBe(1);
	const { stdout } = await runner.pulumi("stack", "export");
	const { resources = [], pending_operations: pending = [] } = JSON.parse(stdout).deployment as Deployment;
	const [bought] = emulator.control.state().numbers;
	expect(pending).toEqual([]);
	expect(resources.map(({ id }) => id)).toContain(bought?.id);
	emulator.control.decide(bought?.id ?? "", "approve");
	const next = await runner.job("up");
	expect(next.code, next.output).toBe(0);
	expect(emulator.control.ledger().map(({ kind }) => kind)).toEqual(["purchase"]);
});

interface MinimalStep {
	readonly if?: string;
	readonly run?: string;
}

test("the minimal workflow plans a pull request, and applies a merge", async () => {
	const [block] = blocksOf(page).filter(({ attributes }) => attributes.title === ".github/workflows/telephony.yml");
	const { env, steps } = parse(block?.text ?? "").jobs.telephony as {
		readonly env: Record<string, string>;
		readonly steps: readonly MinimalStep[];
	};
	const program = openProgram();
	const { folder, secrets } = await program;
	const runner = await openRunner("github", program);
	runner.write(number("Desk"));
	const context = {
		secrets: { ...secrets },
		vars: { TELEPHONY_BASE_URL: secrets.TELEPHONY_BASE_URL },
	};
	const { PATH, HOME } = process.env;
	for (const [event, purchases] of [
		["pull_request", 0],
		["push", 1],
	] as const) {
		const github = { event_name: event };
		for (const { if: condition = "true", run: script } of steps) {
			if (script === undefined || !runInNewContext(condition, { github })) continue;
			const done = await run("bash", ["-e", "-c", script], folder, { PATH, HOME, CI: "true", ...filled(env, context) });
			expect(done.code, done.output).toBe(0);
		}
		expect(emulator.control.ledger()).toHaveLength(purchases);
	}
});

test("runs the jobs in a repository set up as docs/guides/ci.md says", { timeout: 300_000 }, async (context) => {
	const tarball = await pack();
	const reader = createReader((home) => {
		clone(join(home, "checkout"));
		copyFileSync(tarball.file, join(home, "checkout", basename(tarball.file)));
		return join(home, "checkout");
	});
	onTestFinished(() => reader.leave());
	const secrets = {
		PULUMI_BACKEND_URL: `file://${reader.home}`,
		PULUMI_CONFIG_PASSPHRASE: "ci",
		TELEPHONY_API_KEY: emulator.apiKey,
		TELEPHONY_BASE_URL: emulator.url,
	};
	const asked = await run("npm", ["view", "@pulumi/pulumi", "version", "--fetch-retries=0"], repository, process.env);
	if (asked.code !== 0) context.skip("the package registry can't be reached");
	// The steps of quick-start.md up to its files, without the packing, and then the section of this page.
	const [installation, ...files] = stepsOf("docs/quick-start.md").slice(0, 3);
	if (installation?.kind !== "type") throw new Error("the page must begin with an installation");
	const [packing, ...commands] = installation.commands;
	expect(packing?.text).toBe("npm pack");
	const section = stepsOf(
		page,
		readFileSync(join(repository, page), "utf8").replace(/ not-typed="[^"]*ci\.test\.ts types it[^"]*"/, ""),
	);
	const git = ["AUTHOR", "COMMITTER"].map((who) => `GIT_${who}_NAME=me GIT_${who}_EMAIL=me@example.com`).join(" ");
	const { PULUMI_BACKEND_URL: backend, PULUMI_CONFIG_PASSPHRASE: passphrase } = secrets;
	const text = `export PULUMI_BACKEND_URL=${backend} PULUMI_CONFIG_PASSPHRASE=${passphrase} ${git}`;
	await reader.follow([
		{ page, line: 0, heading: "", kind: "type", commands: [{ text, exit: 0 }], prints: [] },
		{ ...installation, commands },
		...files,
		...section.filter(({ heading }) => ["Set up the repository", "The safe jobs"].includes(heading)),
	]);
	// Each job has another checkout.
	const checkout = (name: string) => {
		const folder = join(reader.home, name);
		execFileSync("git", ["clone", "--quiet", join(reader.home, "desk"), folder]);
		return openRunner("github", Promise.resolve({ folder, secrets }));
	};
	for (const name of ["preview", "up"] as const) {
		const runner = await checkout(name);
		const done = await runner.job(name);
		expect(done.code, done.output).toBe(0);
		if (name === "preview") expect(runner.forge.posts.get(runner.lists.comments)?.[0]?.text).toMatch(/\+ 3 to create/);
		expect(emulator.control.state().numbers).toHaveLength(name === "preview" ? 0 : 1);
	}
	for (const name of jobs) {
		const copied = readFileSync(join(reader.home, "desk/.github/workflows", `telephony-${name}.yml`), "utf8");
		expect(copied).toBe(readFileSync(join(kit, "github", `telephony-${name}.yml`), "utf8"));
	}
});

test("runs of one stack wait for each other, and an `up` isn't cancelled", () => {
	expect(workflow("up").concurrency).toEqual({ group: "telephony-up-prod", "cancel-in-progress": false });
	const file = parse(readFileSync(gitlabFile, "utf8"));
	expect(file["telephony up"]).toMatchObject({ resource_group: "telephony-prod", interruptible: false });
});

test("only the environment of GitHub's `up` has the key that buys", () => {
	for (const name of jobs) {
		const { jobs: all, permissions } = workflow(name);
		expect(permissions["id-token"]).toBe("write");
		const buying = Object.values(all).filter((job) => JSON.stringify(job).includes("secrets.TELEPHONY_API_KEY"));
		expect(buying.map(({ environment }) => environment)).toEqual(name === "up" ? ["telephony-prod"] : []);
	}
});

const ours = { full_name: "acme/phones", fork: false };
const fork = { full_name: "mallory/phones", fork: true };
test.each([
	["a pull request", ["preview"], "jo", ours, ours, ["preview"]],
	["a pull request of a fork", ["preview"], "jo", ours, fork, ["no-preview"]],
	["a pull request of Dependabot", ["preview"], "dependabot[bot]", ours, ours, ["no-preview"]],
	["a push and a schedule", ["up", "drift"], "jo", ours, {}, ["up", "drift"]],
	["a push and a schedule of a fork", ["up", "drift"], "jo", fork, {}, ["no-up", "no-drift"]],
] as const)("starts GitHub's jobs with secrets only: %s", (_, names, actor, at, from, expected) => {
	const event = { repository: at, pull_request: { head: { repo: from } } };
	const context = { github: { actor, repository: at.full_name, event } };
	const all = names.flatMap((name) => Object.entries(workflow(name).jobs));
	const runs = all.filter(([, job]) => runInNewContext((job.if ?? "true").replace(/^\$\{\{|\}\}$/g, ""), context));
	expect(runs.map(([name]) => name)).toEqual(expected);
});

test.each([
	["a merge request", { CI_PIPELINE_SOURCE: "merge_request_event", TELEPHONY_READ_KEY: "k" }, "preview"],
	["a merge request of a fork", { CI_PIPELINE_SOURCE: "merge_request_event" }, "skipped"],
	["a push", { CI_PIPELINE_SOURCE: "push", TELEPHONY_API_KEY: "k", TELEPHONY_READ_KEY: "k" }, "up"],
	["a push without the key that buys", { CI_PIPELINE_SOURCE: "push", TELEPHONY_READ_KEY: "k" }, "skipped"],
	["a schedule", { CI_PIPELINE_SOURCE: "schedule", TELEPHONY_READ_KEY: "k" }, "drift"],
])("starts GitLab's jobs with secrets only: %s", async (_, variables, expected) => {
	const folder = createFolder();
	copyFileSync(gitlabFile, join(folder, ".gitlab-ci.yml"));
	const all = { ...variables, CI_COMMIT_BRANCH: "main", CI_DEFAULT_BRANCH: "main" };
	const given = Object.entries(all).flatMap(([name, value]) => ["--variable", `${name}=${value}`]);
	const bin = join(repository, "node_modules/.bin/gitlab-ci-local");
	const listed = await run(bin, ["--list-csv", ...given], folder, { PATH: process.env.PATH, HOME: folder });
	expect(listed.output.match(/^telephony \w+/gm)).toEqual([`telephony ${expected}`]);
});
