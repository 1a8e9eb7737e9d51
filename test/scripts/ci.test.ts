/** Runs the shell steps of examples/ci against the emulator and a simulated forge. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { blocksOf, stepsOf } from "../docs/pages";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails, type Run, run, succeeds } from "../helpers/engine";
import { crash, start } from "../helpers/engine-running";
import { eventually } from "../helpers/eventually";
import { createFolder } from "../helpers/folders";
import { startForge } from "../helpers/forge";
import { read, repository } from "../helpers/repository";

const kit = join(repository, "examples/ci");
const emulator = useEmulator();
beforeEach(() => emulator.control.kyc("immediate"));

type Env = Record<string, string | undefined>;
type Job = "preview" | "up" | "drift";
const jobs: readonly Job[] = ["preview", "up", "drift"];
const token = "forge-token";
const number = (label: string, name = "desk") =>
	`new telephony.Number("${name}", { country: "SE", type: "mobile", label: "${label}" });\n`;

interface Workflow {
	readonly permissions: Record<string, string>;
	readonly concurrency: object;
	readonly jobs: Record<
		string,
		{
			readonly if?: string;
			readonly environment?: string;
			readonly env?: Record<string, string>;
			readonly steps?: readonly { readonly run?: string; readonly env?: Record<string, string> }[];
		}
	>;
}
const workflow = (name: Job) => parse(readFileSync(join(kit, `github/telephony-${name}.yml`), "utf8")) as Workflow;
const gitlabFile = join(kit, "gitlab/telephony.gitlab-ci.yml");
type Steps = readonly { readonly script: string; readonly env: Env }[];

/** Steps of GitHub, with each `${{ … }}` evaluated as JavaScript. */
function githubSteps(name: Job, secrets: Env): Steps {
	const { env = {}, steps = [] } = workflow(name).jobs[name] ?? {};
	const context = { github: { token }, secrets, vars: {} };
	const filled = (text: string) =>
		text.replace(/\$\{\{ *([^}]*?) *\}\}/g, (_, expression: string) => runInNewContext(expression, context) ?? "");
	return steps.flatMap(({ run: script, env: stepEnv }) => {
		const all = Object.entries({ ...env, ...stepEnv }).map(([key, text]) => [key, filled(text)]);
		return script === undefined ? [] : [{ script, env: Object.fromEntries(all) }];
	});
}

/** The one shell of a GitLab job. */
function gitlabSteps(name: Job, secrets: Env): Steps {
	const { script } = parse(readFileSync(gitlabFile, "utf8"))[`telephony ${name}`] as { script: string[] };
	return [{ script: script.join("\n"), env: { ...secrets, GITLAB_TOKEN: token } }];
}

const forges = {
	github: {
		stepsOf: githubSteps,
		comments: "/repos/acme/phones/issues/7/comments",
		issues: "/repos/acme/phones/issues",
		env: {
			GITHUB_REPOSITORY: "acme/phones",
			GITHUB_REF: "refs/pull/7/merge",
			GITHUB_SHA: "merged",
		},
		// actions/download-artifact downloads the plan.
		answersWith: (_plan: unknown) => ({
			"/repos/acme/phones/commits/merged/pulls": [{ head: { sha: "head" } }],
			"/repos/acme/phones/actions/artifacts": { artifacts: [{ expired: false, workflow_run: { id: 5 } }] },
		}),
	},
	gitlab: {
		stepsOf: gitlabSteps,
		comments: "/projects/42/merge_requests/7/notes",
		issues: "/projects/42/issues",
		env: { GITLAB_CI: "true", CI_PROJECT_ID: "42", CI_MERGE_REQUEST_IID: "7", CI_COMMIT_SHA: "merged" },
		answersWith: (plan: unknown) => ({
			"/projects/42/repository/commits/merged/merge_requests": [{ iid: 7, sha: "head" }],
			"/projects/42/merge_requests/7/pipelines": [
				{ id: 4, sha: "older" },
				{ id: 3, sha: "head" },
			],
			"/projects/42/pipelines/3/jobs": [{ id: 9, name: "telephony preview", status: "success" }],
			"/projects/42/jobs/9/artifacts/approved.json": plan,
		}),
	},
} as const;
const kinds = ["github", "gitlab"] as const;

/** Opens a runner with a program, in a checkout whose packages are installed. */
async function openRunner(kind: (typeof kinds)[number]) {
	const forge = await startForge(token);
	const { comments, issues, env: ofForge, stepsOf, answersWith } = forges[kind];
	const stack = await createProject({ service: emulator });
	const { folder, env: secrets } = stack;
	const [plan, outputs] = [join(folder, "approved.json"), join(folder, "outputs")];
	mkdirSync(join(folder, "ci"));
	for (const script of ["post.mjs", "approved.mjs"]) copyFileSync(join(kit, script), join(folder, "ci", script));
	const { PATH, HOME, NODE_COMPILE_CACHE, GOGC, VAULT_SERVER_URL } = process.env;
	const surroundings = {
		PATH,
		HOME,
		NODE_COMPILE_CACHE,
		GOGC,
		VAULT_SERVER_URL,
		CI: "true",
		...ofForge,
		GITHUB_OUTPUT: outputs,
	};
	const stepsOfJob = (name: Job) => {
		// A preview gets no key that buys. A schedule has both keys, and must use the one that reads.
		const keys = {
			preview: { TELEPHONY_READ_KEY: emulator.apiKey },
			up: { TELEPHONY_READ_KEY: "reads", TELEPHONY_API_KEY: emulator.apiKey },
			drift: { TELEPHONY_READ_KEY: emulator.apiKey, TELEPHONY_API_KEY: "buys" },
		}[name];
		const { PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE, PULUMI_STACK } = secrets;
		return stepsOf(name, { ...keys, PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE })
			.filter(({ script }) => script !== "npm ci")
			.map(({ script, env }) => ({
				script,
				env: {
					...surroundings,
					GITHUB_API_URL: forge.url,
					CI_API_V4_URL: forge.url,
					...env,
					PULUMI_STACK,
					TELEPHONY_BASE_URL: emulator.url,
				},
			}));
	};
	let kept = "";
	/** Restores the plan, as actions/download-artifact does. */
	const download = () => {
		const written = existsSync(outputs) ? readFileSync(outputs, "utf8") : "";
		if (written.includes("run=5\nartifact=telephony-plan-head\n")) writeFileSync(plan, kept);
		rmSync(outputs, { force: true });
	};
	/** Keeps the plan as the artifact of the pull request. */
	const upload = () => {
		kept = readFileSync(plan, "utf8");
		for (const [path, response] of Object.entries(answersWith(JSON.parse(kept)))) forge.answers.set(path, response);
	};
	/** Runs the shell steps of a job until one fails. */
	async function job(name: Job, more: Env = {}): Promise<Run> {
		let output = "";
		let code = 0;
		for (const { script, env } of stepsOfJob(name)) {
			if (code !== 0) break;
			const done = await run("bash", ["-eo", "pipefail", "-c", script], folder, { ...env, ...more });
			output += done.output;
			code = done.code;
			download();
		}
		if (name === "preview" && code === 0) upload();
		rmSync(plan, { force: true });
		return { code, output, stdout: "" };
	}
	/** Starts the last step of a job as GitHub does, from a file. */
	const startLastStep = (name: Job) => {
		const { script = "", env = {} } = stepsOfJob(name).at(-1) ?? {};
		writeFileSync(join(folder, "step.sh"), script);
		const running = start(["bash", "-e", join(folder, "step.sh")], folder, env);
		onTestFinished(() => crash(running));
		return running;
	};
	const others = ["a", "bb", "ccc"].map((text, id) => ({ id: 1_000 + id, text, open: true }));
	for (const list of [comments, issues]) forge.posts.set(list, [...others]);
	return {
		stack,
		forge,
		job,
		startLastStep,
		comments: () => forge.posts.get(comments)?.slice(others.length) ?? [],
		issues: () => forge.posts.get(issues)?.slice(others.length) ?? [],
	};
}

test.each(kinds)("%s: posts previews and drift once, and buys by the plan", { timeout: 300_000 }, async (kind) => {
	const { stack, job, comments, issues } = await openRunner(kind);
	stack.write(number("Desk"));
	await succeeds(job("preview"));
	stack.write(number("Desk", "main"));
	await succeeds(job("preview"));
	expect(comments().map(({ text }) => text)).toEqual([
		expect.stringMatching(/^<!-- telephony comment dev -->\n```text\n[\s\S]*Number main create[\s\S]*\+ 2 to create/),
		expect.stringMatching(/^<!-- telephony plan dev -->\nplan: buys 1, releases 0/),
	]);
	expect(emulator.control.ledger()).toEqual([]);
	const up = await succeeds(job("up"));
	expect(up.output).toContain("up keeps to the plan");
	const [bought, ...more] = emulator.control.state().numbers;
	expect(more).toEqual([]);

	await succeeds(job("drift"));
	expect(issues()).toEqual([]);
	for (const label of ["Lobby", "Kitchen"]) {
		emulator.control.patchNumber(bought?.id ?? "", { label });
		expect(await job("drift")).toMatchObject({ code: 7 });
	}
	const text = expect.stringMatching(
		/^<!-- telephony issue dev -->\ndrift: 1 of 1 resource \(1 changed\), stack dev\n[\s\S]*"Desk" → "Kitchen"/,
	);
	expect(issues()).toMatchObject([{ open: true, title: "Telephony: drift of stack dev", text }]);
	const wrong = { TELEPHONY_API_KEY: "wrong", TELEPHONY_READ_KEY: "wrong" };
	expect(await job("drift", wrong)).toMatchObject({ code: 3 });
	expect(issues()).toMatchObject([{ open: true, text }]);
	emulator.control.patchNumber(bought?.id ?? "", { label: "Desk" });
	await succeeds(job("drift"));
	expect(issues()).toMatchObject([{ open: false, text: expect.stringContaining("drift: 0 of 1 resource") }]);
});

test("reports refusals of the program, the plan and the forge", { timeout: 300_000 }, async () => {
	const { stack, job, comments } = await openRunner("github");
	stack.write(`${number("Desk")}new telephony.Number("more", { country: "SE", type: "mobile", labl: "x" });`);
	await fails(job("preview"));
	expect(comments()[0]?.text).toContain("Did you mean label?");
	stack.write(number("Desk"));
	expect(await fails(job("preview", { GITHUB_TOKEN: "wrong" }))).toMatch(
		/post: GET \S+comments\S* returned 401: .*Bad credentials/,
	);
	await succeeds(job("preview"));
	expect(emulator.control.ledger()).toEqual([]);
	// A merge does only what the approved plan allows.
	stack.write(number("Desk") + number("Two", "two"));
	expect(await fails(job("up"))).toContain("create is not allowed by the plan");
	expect(emulator.control.state().numbers.length).toBeLessThanOrEqual(1);
});

test("a cancelled `up` saves its numbers and leaves no lock", async () => {
	emulator.control.kyc("manual");
	const { stack, job, startLastStep } = await openRunner("github");
	stack.write('new telephony.Number("desk", { country: "DE", type: "geographic", area: "30" });');
	const running = startLastStep("up");
	await eventually(() => expect(running.output()).toMatch(/KYC action required/));
	// GitHub signals only the first process of a step.
	running.child.kill("SIGINT");
	expect(await running.code, running.output()).toBe(1);
	const [bought] = emulator.control.state().numbers;
	expect((await stack.deployment()).pending_operations ?? []).toEqual([]);
	expect(await stack.ids()).toEqual({ desk: bought?.id });
	emulator.control.decide(bought?.id ?? "", "approve");
	await succeeds(job("up"));
	expect(emulator.control.ledger().map(({ kind }) => kind)).toEqual(["purchase"]);
});

test("the minimal workflow plans a pull request and applies a merge", async () => {
	const title = ".github/workflows/telephony.yml";
	const block = blocksOf("docs/guides/ci.md").find(({ attributes }) => attributes.title === title);
	const { steps } = parse(block?.text ?? "").jobs.telephony as {
		readonly steps: readonly { readonly if?: string; readonly run?: string }[];
	};
	const stack = await createProject({ service: emulator });
	stack.write(number("Desk"));
	const runStepsOf = async (event: string) => {
		for (const { if: condition = "true", run: script = "npm ci" } of steps) {
			const isRun = script !== "npm ci" && runInNewContext(condition, { github: { event_name: event } });
			if (isRun) await succeeds(run("bash", ["-e", "-c", script], stack.folder, stack.env));
		}
	};
	await runStepsOf("pull_request");
	expect(emulator.control.ledger()).toEqual([]);
	await runStepsOf("push");
	expect(emulator.control.ledger().map(({ kind }) => kind)).toEqual(["purchase"]);
});

test("makes a repository with the jobs, as docs/guides/ci.md says", async () => {
	const { folder, env } = await createProject({ service: emulator });
	const home = createFolder();
	symlinkSync(repository, join(home, "checkout"));
	writeFileSync(join(folder, "pulumi-telephony-0.1.0.tgz"), "");
	const page = read("docs/guides/ci.md").replace(/ not-typed="test.scripts.ci\.test\.ts types it[^"]*"/, "");
	const typed = stepsOf("docs/guides/ci.md", page).filter(({ heading }) =>
		["Set up the repository", "The safe jobs"].includes(heading),
	);
	const commands = typed.flatMap((step) => (step.kind === "type" ? step.commands.map(({ text }) => text) : []));
	const git = ["AUTHOR", "COMMITTER"].flatMap((who) => [
		[`GIT_${who}_NAME`, "me"],
		[`GIT_${who}_EMAIL`, "me@example.com"],
	]);
	const reader = {
		...env,
		...Object.fromEntries(git),
		HOME: home,
		PULUMI_HOME: join(process.env.HOME ?? "", ".pulumi"),
	};
	await succeeds(run("bash", ["-e", "-c", commands.join("\n")], folder, reader));
	const { stdout } = await succeeds(run("git", ["ls-files"], folder, reader));
	const workflows = jobs.map((name) => `.github/workflows/telephony-${name}.yml`);
	const expected = [
		".gitignore",
		"Pulumi.prod.yaml",
		"ci/approved.mjs",
		"ci/post.mjs",
		"pulumi-telephony-0.1.0.tgz",
		...workflows,
	];
	expect(stdout.split("\n")).toEqual(expect.arrayContaining(expected));
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
