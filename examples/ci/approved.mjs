// Finds the plan of the pull request (merge request) whose merge started this job. Copy to `ci/approved.mjs`.
//   node ci/approved.mjs FILE
// On GitHub it writes `run` and `artifact` to the outputs of the step, for actions/download-artifact; on GitLab it writes FILE.
// Without a plan (a push by hand, an expired artifact), it reports that and changes nothing.
import { appendFileSync, writeFileSync } from "node:fs";

const [file] = process.argv.slice(2);
const { env } = process;

const get = async (url) => {
	const headers = env.GITLAB_CI
		? { "private-token": env.GITLAB_TOKEN }
		: { authorization: `Bearer ${env.GITHUB_TOKEN}`, accept: "application/vnd.github+json" };
	const response = await fetch(url, { headers: { ...headers, "user-agent": "pulumi-telephony" } });
	if (response.status === 404) return undefined;
	if (!response.ok) throw new Error(`GET ${url} returned ${response.status}: ${(await response.text()).slice(0, 300)}`);
	return response;
};
const json = async (url) => (await get(url))?.json();

const github = async () => {
	const root = `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}`;
	const [pull] = (await json(`${root}/commits/${env.GITHUB_SHA}/pulls`)) ?? [];
	if (pull === undefined) return false;
	// The preview job names it after the head of the pull request.
	const name = `telephony-plan-${pull.head.sha}`;
	const found = await json(`${root}/actions/artifacts?name=${name}`);
	const artifact = found?.artifacts.find(({ expired }) => !expired);
	if (artifact === undefined) return false;
	appendFileSync(env.GITHUB_OUTPUT, `run=${artifact.workflow_run.id}\nartifact=${name}\n`);
	return true;
};

const gitlab = async () => {
	const root = `${env.CI_API_V4_URL}/projects/${env.CI_PROJECT_ID}`;
	const [request] = (await json(`${root}/repository/commits/${env.CI_COMMIT_SHA}/merge_requests`)) ?? [];
	if (request === undefined) return false;
	const pipelines = (await json(`${root}/merge_requests/${request.iid}/pipelines`)) ?? [];
	for (const { id } of pipelines.filter(({ sha }) => sha === request.sha)) {
		const jobs = (await json(`${root}/pipelines/${id}/jobs`)) ?? [];
		const job = jobs.find(({ name, status }) => name === "telephony preview" && status === "success");
		const plan = job && (await get(`${root}/jobs/${job.id}/artifacts/${file}`));
		if (plan === undefined) continue;
		writeFileSync(file, Buffer.from(await plan.arrayBuffer()));
		return true;
	}
	return false;
};

try {
	const found = await (env.GITLAB_CI ? gitlab() : github());
	console.log(
		found ? "up keeps to the plan of the pull request" : "no plan was kept with a pull request: up goes on without one",
	);
} catch (error) {
	console.error(`approved: ${error.message}`);
	process.exitCode = 1;
}
