import { createServer, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { replayedHeader } from "../../provider/api/contract";
import { listen } from "./servers";

export type Fault =
	/** The connection ends before the request reaches the service. */
	| { readonly kind: "lost" }
	/** A gateway responds instead of the service. */
	| { readonly kind: "refused"; readonly status: 429 | 500 | 503; readonly retryAfter?: string }
	/** The service carries it out, and its response is lost, cut short, or replaced by a gateway's. */
	| { readonly kind: "unanswered" }
	| { readonly kind: "cut" }
	| { readonly kind: "replaced"; readonly status: 408 | 500 | 503 | 504 }
	/** The service carries it out, and the response has an unexpected shape. */
	| { readonly kind: "garbled" }
	/** The service carries it out, and the response is 204 without a body. */
	| { readonly kind: "empty" }
	/** The request is refused, and the error repeats its texts in every encoding. */
	| { readonly kind: "echoed"; readonly status: 400 | 422 }
	/** A replay isn't marked as one. */
	| { readonly kind: "unmarked" };

export interface FaultProxy {
	readonly url: string;
	readonly apiKey: string;
	/** Returns the fault of the nth request (from 0). */
	plan: (request: number, method: string, path: string) => Fault | undefined;
	/** Rewrites the body of each response. */
	rewrite: (text: string, method: string, path: string) => string;
	/** Headers that responses lack, in lower case. */
	readonly hidden: Set<string>;
	/** The requests counted so far. */
	readonly count: number;
}

const gateway = (response: ServerResponse, status: number, retryAfter?: string) => {
	response.writeHead(status, retryAfter === undefined ? {} : { "retry-after": retryAfter });
	response.end("<html>gateway</html>");
};

/** Returns all texts in the JSON. */
const textsIn = (json: unknown): string[] =>
	typeof json === "string"
		? [json]
		: typeof json === "object" && json !== null
			? Object.values(json).flatMap(textsIn)
			: [];

const echo = (response: ServerResponse, status: number, body: string) => {
	const texts = textsIn(JSON.parse(body));
	const repeated = [
		body,
		...texts,
		...texts.map((text) => encodeURIComponent(text)),
		...texts.map((text) => Buffer.from(text).toString("base64")),
		Buffer.from(body).toString("base64"),
	].reverse();
	response.writeHead(status, { "content-type": "application/json" });
	response.end(
		JSON.stringify({ error: "validation_failed", message: repeated.join(" "), request_id: "req_1", details: repeated }),
	);
};

/** Forwards the service's response with its fault. */
function pass(
	response: ServerResponse,
	fault: Fault | undefined,
	{ status, headers }: Response,
	text: string,
	hidden: ReadonlySet<string>,
): unknown {
	const { "transfer-encoding": _, "content-length": __, ...kept } = Object.fromEntries(headers);
	for (const header of hidden) delete kept[header];
	switch (fault?.kind) {
		case "unanswered":
			return response.destroy();
		case "replaced":
			return gateway(response, fault.status);
		case "cut":
			response.writeHead(status, { ...kept, "content-length": String(text.length + 1) });
			return response.write(text.slice(0, text.length / 2), () => response.destroy());
		case "empty":
			return response.writeHead(204).end();
		case "unmarked":
			delete kept[replayedHeader];
	}
	return response.writeHead(status, kept).end(fault?.kind === "garbled" ? '{"id":{}}' : text);
}

const rewrite: FaultProxy["rewrite"] = (text) => text;

/** A proxy between provider and service that plans a fault for each request. */
export function useFaultProxy(service: { readonly url: string; readonly apiKey: string }): FaultProxy {
	const state = {
		url: "",
		apiKey: "",
		count: 0,
		plan: (() => undefined) as FaultProxy["plan"],
		rewrite,
		hidden: new Set<string>(),
	};
	const server = createServer(async (request, response) => {
		const { method = "GET", url = "" } = request;
		const body = await buffer(request);
		const fault = state.plan(state.count++, method, url);
		if (fault?.kind === "lost") return request.socket.destroy();
		if (fault?.kind === "refused") return gateway(response, fault.status, fault.retryAfter);
		if (fault?.kind === "echoed") return echo(response, fault.status, body.toString());
		const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
		const answer = await fetch(new URL(url, service.url), { method, headers, ...(body.length > 0 ? { body } : {}) });
		const text = state.rewrite(await answer.text(), method, url);
		return pass(response, fault, answer, text, state.hidden);
	});
	beforeAll(async () => {
		state.url = `${await listen(server)}/v1`;
	});
	beforeEach(() => {
		state.hidden.clear();
		Object.assign(state, { apiKey: service.apiKey, count: 0, plan: () => undefined, rewrite });
	});
	afterAll(() => {
		server.closeAllConnections();
		server.close();
	});
	return state;
}

/** A record, or a list of them. */
interface Shown {
	readonly data?: readonly Shown[];
	readonly [field: string]: unknown;
}

/** Changes the JSON of each response to a read. */
export function rewriteReads(proxy: FaultProxy, change: (json: Shown, path: string) => unknown): void {
	proxy.rewrite = (text, method, path) =>
		method !== "GET" || text === "" ? text : JSON.stringify(change(JSON.parse(text), path));
}

/** Changes each record, alone and in a list. */
export const eachRecord =
	(change: (record: Shown) => unknown) =>
	(json: Shown): unknown =>
		json.data === undefined ? change(json) : { ...json, data: json.data.map(change) };
