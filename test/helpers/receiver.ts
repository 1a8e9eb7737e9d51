import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { listen } from "./servers";

export interface Post {
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	/** The bytes that the signature covers. */
	readonly body: string;
	readonly event: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
}

export interface Receiver {
	readonly url: string;
	/** Posts in this test. */
	readonly posts: Post[];
	/** Default: 204. */
	respond: (response: ServerResponse, count: number) => unknown;
}

export const ok = (response: ServerResponse) => response.writeHead(204).end();

export const say =
	(status: number, headers: Record<string, string> = {}) =>
	(response: ServerResponse) =>
		response.writeHead(status, headers).end();

/** A server that receives webhook deliveries. */
export const useReceiver = (): Receiver => {
	const receiver = { url: "", posts: [] as Post[], respond: ok as Receiver["respond"] };
	const server = createServer(async (request, response) => {
		const body = await text(request);
		receiver.posts.push({ path: request.url ?? "", headers: request.headers, body, event: JSON.parse(body) });
		receiver.respond(response, receiver.posts.length);
	});
	beforeAll(async () => {
		receiver.url = await listen(server);
	});
	beforeEach(() => {
		receiver.posts.length = 0;
		receiver.respond = ok;
	});
	afterAll(() => {
		server.closeAllConnections();
		server.close();
	});
	return receiver;
};
