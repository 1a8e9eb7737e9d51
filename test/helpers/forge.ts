/** Simulates the comments and issues of GitHub's and GitLab's APIs. */
import { createServer, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { listen } from "./servers";

export interface Post {
	readonly id: number;
	text: string;
	title?: string | undefined;
	open: boolean;
}

export interface Forge {
	readonly url: string;
	/** Posts by the path of their list, such as `/repos/o/r/issues`. */
	readonly posts: Map<string, Post[]>;
	/** Responses to other reads, by path. */
	readonly answers: Map<string, unknown>;
	/** Requests, such as `PATCH /repos/o/r/issues/1`. */
	readonly requests: string[];
}

const perPage = 2;

/** A post as GitHub or GitLab shows it. */
const wire = ({ pathname }: URL, { id, text }: Post) =>
	pathname.startsWith("/projects/") ? { id, iid: id, body: text, description: text } : { id, number: id, body: text };

function pageOf(list: readonly Post[], url: URL) {
	const visible = url.searchParams.has("state") ? list.filter(({ open }) => open) : list;
	const from = (Number(url.searchParams.get("page")) - 1) * perPage;
	return visible.slice(from, from + perPage).map((post) => wire(url, post));
}

/** Starts a forge that requires the token. Its pages are small, so a search needs several. */
export async function startForge(token: string): Promise<Forge> {
	const posts = new Map<string, Post[]>();
	const answers = new Map<string, unknown>();
	const requests: string[] = [];
	const respond = async (request: IncomingMessage): Promise<[number, unknown]> => {
		const url = new URL(request.url ?? "", "http://forge");
		requests.push(`${request.method} ${url.pathname}`);
		const presented = request.headers["private-token"] ?? request.headers.authorization?.replace("Bearer ", "");
		if (presented !== token) return [401, { message: "Bad credentials" }];
		if (answers.has(url.pathname)) return [200, answers.get(url.pathname)];
		const list = posts.get(url.pathname) ?? [];
		if (request.method === "GET") return [200, pageOf(list, url)];
		const sent = (await json(request)) as Record<string, string>;
		const text = sent.body ?? sent.description ?? "";
		if (request.method === "POST") {
			const post = { id: requests.length, text, title: sent.title, open: true };
			posts.set(url.pathname, [...list, post]);
			return [201, wire(url, post)];
		}
		const post = [...posts.values()].flat().find(({ id }) => url.pathname.endsWith(`/${id}`));
		if (post === undefined) return [404, { message: "Not Found" }];
		Object.assign(post, { text, open: sent.state !== "closed" && sent.state_event !== "close" });
		return [200, wire(url, post)];
	};
	const server = createServer((request, response) => {
		void respond(request).then(([status, content]) => {
			response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(content));
		});
	});
	onTestFinished(() => void server.close());
	return { url: await listen(server), posts, answers, requests };
}
