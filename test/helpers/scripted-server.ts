import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { Client, type ClientOptions } from "../../provider/api/client";
import { FakeClock } from "./clock";
import { listen } from "./servers";

export interface Received {
	readonly method: string;
	readonly path: string;
	readonly headers: IncomingMessage["headers"];
	readonly body: string;
}

/** Responds to the last of the test's requests. */
export type Script = (response: ServerResponse, received: readonly Received[]) => unknown;

export interface ScriptedServer {
	/** Differs in each test, as the client remembers services by address. */
	readonly url: string;
	readonly received: Received[];
	script: Script;
	/** Returns a client whose pauses take no time. */
	client(options?: Partial<ClientOptions>): Client;
}

/** Body of an error response. */
export const refusal = (error: string, more: object = {}) => ({ error, message: "No.", request_id: "req_1", ...more });

export const reply = (
	response: ServerResponse,
	status: number,
	body: unknown = { id: "x", data: [], next_cursor: null },
	headers: Record<string, string> = {},
) => {
	response.writeHead(status, { "content-type": "application/json", "x-request-id": "req_7", ...headers });
	response.end(typeof body === "string" ? body : JSON.stringify(body));
};

/** A service that each test scripts. */
export function useScriptedServer(): ScriptedServer {
	let origin = "";
	let test = 0;
	const scripted: { url: string; received: Received[]; script: Script } & ScriptedServer = {
		url: "",
		received: [],
		script: answer200,
		client: (options = {}) =>
			new Client({ baseUrl: scripted.url, apiKey: "key", clock: new FakeClock(), random: () => 0.5, ...options }),
	};
	const server = createServer(async (request, response) => {
		const { method = "", url = "", headers } = request;
		const prefix = `/${test}/v1`;
		scripted.received.push({ method, path: url.replace(prefix, ""), headers, body: await text(request) });
		await scripted.script(response, scripted.received);
	});
	beforeAll(async () => {
		origin = await listen(server);
	});
	beforeEach(() => {
		test += 1;
		Object.assign(scripted, { url: `${origin}/${test}/v1`, received: [], script: answer200 });
	});
	afterAll(() => {
		server.closeAllConnections();
		server.close();
	});
	return scripted;
}

const answer200: Script = (response) => reply(response, 200);
