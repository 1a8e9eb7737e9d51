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
	| { readonly kind: "unmarked" }
	/** The test chooses the response. */
	| ChosenResponse
	/** The service carries out another body. */
	| { readonly kind: "altered"; alter(body: unknown): unknown };

export interface ChosenResponse {
	readonly kind: "chosen";
	readonly status: number;
	readonly type: string;
	readonly body: string;
	/** True if the service carries the request out. */
	readonly isCarriedOut: boolean;
}

/** The service's error object, which some services send with a status of 2xx. The request has no effect. */
export const refusalOf = (error: string, message: string, status = 200): Fault => ({
	kind: "chosen",
	status,
	type: "application/json",
	body: JSON.stringify({ error, message, request_id: "req_x" }),
	isCarriedOut: false,
});

/** A sign-in page with a status of 2xx, in place of the service's response. */
export const page = ({ isCarriedOut }: Pick<ChosenResponse, "isCarriedOut">): Fault => ({
	kind: "chosen",
	status: 200,
	type: "text/html; charset=utf-8",
	body: "<!doctype html><title>Please sign in</title>",
	isCarriedOut,
});

export interface FaultProxy {
	readonly url: string;
	readonly apiKey: string;
	/** Returns the fault of the nth request (from 0). */
	plan: (request: number, method: string, path: string) => Fault | undefined;
	/** Rewrites the path of each request. */
	reroute: (path: string) => string;
	/** Rewrites the body of each response. */
	rewrite: (text: string, method: string, path: string) => string;
	/** Headers that responses lack, in lower case. */
	readonly hidden: Set<string>;
	/** The requests counted so far. */
	readonly count: number;
}

/** Returns the plan of faults by the beginning of a request, such as `DELETE /numbers/`. */
export const faultsAt =
	(faults: Readonly<Record<string, Fault>>): FaultProxy["plan"] =>
	(_, method, path) => {
		const request = `${method} ${path.replace(/^\/v1/, "")}`;
		return Object.entries(faults).find(([beginning]) => request.startsWith(beginning))?.[1];
	};

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

const choose = (response: ServerResponse, { status, type, body }: ChosenResponse) =>
	response.writeHead(status, { "content-type": type }).end(body);

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
		case "chosen":
			return choose(response, fault);
		case "unmarked":
			delete kept[replayedHeader];
	}
	return response.writeHead(status, kept).end(fault?.kind === "garbled" ? '{"id":{}}' : text);
}

const reroute: FaultProxy["reroute"] = (path) => path;
const rewrite: FaultProxy["rewrite"] = (text) => text;

/** A proxy between provider and service that plans a fault for each request. */
export function useFaultProxy(service: { readonly url: string; readonly apiKey: string }): FaultProxy {
	const state = {
		url: "",
		apiKey: "",
		count: 0,
		plan: (() => undefined) as FaultProxy["plan"],
		reroute,
		rewrite,
		hidden: new Set<string>(),
	};
	const server = createServer(async (request, response) => {
		const { method = "GET", url = "" } = request;
		const received = (await buffer(request)).toString();
		const fault = state.plan(state.count++, method, url);
		if (fault?.kind === "lost") return request.socket.destroy();
		if (fault?.kind === "refused") return gateway(response, fault.status, fault.retryAfter);
		if (fault?.kind === "echoed") return echo(response, fault.status, received);
		if (fault?.kind === "chosen" && !fault.isCarriedOut) return choose(response, fault);
		const body = fault?.kind === "altered" ? JSON.stringify(fault.alter(JSON.parse(received))) : received;
		const sent = request.headers as Record<string, string>;
		const { host: _, connection: __, "content-length": ___, ...headers } = sent;
		const address = new URL(state.reroute(url), service.url);
		const upstream = await fetch(address, { method, headers, ...(body.length > 0 ? { body } : {}) });
		const text = state.rewrite(await upstream.text(), method, url);
		return pass(response, fault, upstream, text, state.hidden);
	});
	beforeAll(async () => {
		state.url = `${await listen(server)}/v1`;
	});
	beforeEach(() => {
		state.hidden.clear();
		Object.assign(state, { apiKey: service.apiKey, count: 0, plan: () => undefined, reroute, rewrite });
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

const prefixes: Readonly<Record<string, string>> = { numbers: "num", trunks: "trk", webhooks: "whk" };

/** Shows the ids of numbers, trunks and webhooks as 1, 2, …, which are unique only within an account. */
export function showSmallIds(proxy: FaultProxy): void {
	const ids = new Map<string, string[]>();
	const idsOf = (prefix = ""): string[] => {
		const list = ids.get(prefix) ?? [];
		ids.set(prefix, list);
		return list;
	};
	proxy.rewrite = (text) =>
		text.replaceAll(/"((num|trk|whk)_\w+)"/g, (_, id: string, prefix: string) => {
			const list = idsOf(prefix);
			if (!list.includes(id)) list.push(id);
			return String(list.indexOf(id) + 1);
		});
	proxy.reroute = (path) =>
		path.replace(/^(\/v1\/(\w+)\/)(\d+)/, (_, start: string, collection: string, id: string) => {
			const original = idsOf(prefixes[collection])[Number(id) - 1];
			return start + (original ?? "unknown");
		});
}
