// Posts comments and an issue on GitHub or GitLab, and updates them later. Copy to `ci/post.mjs`.
// - `node ci/post.mjs comment FILE` comments on the pull request (merge request) of this job.
// - `node ci/post.mjs plan FILE` posts the plan as a separate comment there.
// - `node ci/post.mjs issue FILE [--close]` opens an issue in this repository; `--close` closes it.
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const [kind, file, close] = process.argv.slice(2);
const { env } = process;
const stack = env.PULUMI_STACK ?? "";
// The next run finds its comment or issue by this marker.
const marker = `<!-- telephony ${kind} ${stack} -->`;
const text = readFileSync(file, "utf8").trim();
const longest = 60_000;
const plain = text.length > longest ? `${text.slice(0, longest)}\n… (cut: the job's log has all of it)` : text;
// The fence is longer than any fence in the output, so the output can't end it.
const fence = "`".repeat(Math.max(3, ...[...plain.matchAll(/`+/g)].map(([run]) => run.length + 1)));
const body = `${marker}\n${file.endsWith(".md") ? plain : `${fence}text\n${plain}\n${fence}`}\n`;
const isComment = kind !== "issue";
const title = `Telephony: ${basename(file).split(".")[0]} of stack ${stack}`;

const github = () => {
	const root = `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}`;
	const pull = /^refs\/pull\/(\d+)\//.exec(env.GITHUB_REF ?? "")?.[1];
	const list = isComment ? `${root}/issues/${pull}/comments?` : `${root}/issues?state=open&`;
	return {
		headers: { authorization: `Bearer ${env.GITHUB_TOKEN}`, accept: "application/vnd.github+json" },
		list,
		textOf: (item) => item.body,
		create: ["POST", list.split("?")[0], isComment ? { body } : { title, body }],
		edit: (item) =>
			isComment
				? ["PATCH", `${root}/issues/comments/${item.id}`, { body }]
				: ["PATCH", `${root}/issues/${item.number}`, close ? { body, state: "closed" } : { body }],
	};
};

const gitlab = () => {
	const root = `${env.CI_API_V4_URL}/projects/${env.CI_PROJECT_ID}`;
	const notes = `${root}/merge_requests/${env.CI_MERGE_REQUEST_IID}/notes`;
	const text = isComment ? { body } : { description: body };
	return {
		headers: { "private-token": env.GITLAB_TOKEN },
		list: isComment ? `${notes}?` : `${root}/issues?state=opened&`,
		textOf: (item) => item.body ?? item.description,
		create: isComment ? ["POST", notes, text] : ["POST", `${root}/issues`, { title, ...text }],
		edit: (item) =>
			isComment
				? ["PUT", `${notes}/${item.id}`, text]
				: ["PUT", `${root}/issues/${item.iid}`, close ? { ...text, state_event: "close" } : text],
	};
};

const forge = env.GITLAB_CI ? gitlab() : github();

const call = async (method, url, content) => {
	const headers = { ...forge.headers, "content-type": "application/json", "user-agent": "pulumi-telephony" };
	const response = await fetch(url, { method, headers, ...(content && { body: JSON.stringify(content) }) });
	if (!response.ok)
		throw new Error(`${method} ${url} returned ${response.status}: ${(await response.text()).slice(0, 300)}`);
	return response.json();
};

const find = async () => {
	for (let page = 1; ; page++) {
		const items = await call("GET", `${forge.list}per_page=100&page=${page}`);
		const found = items.find((item) => forge.textOf(item)?.startsWith(marker));
		if (found !== undefined || items.length === 0) return found;
	}
};

try {
	const found = await find();
	if (found !== undefined) await call(...forge.edit(found));
	else if (!close) await call(...forge.create);
} catch (error) {
	console.error(`post: ${error.message}`);
	process.exitCode = 1;
}
