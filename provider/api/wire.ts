/** Sends one request over HTTP, within its timeouts. */
import type { Dispatcher } from "undici";
import { decoded, largestBody } from "./encoding";
import { findProxy } from "./proxy";

/** Milliseconds; defaults: connect 10 s, headers 30 s, each part of the body 30 s, in total 120 s. */
export interface Timeouts {
	readonly connect?: number;
	readonly headers?: number;
	readonly body?: number;
	readonly total?: number;
}

export interface Call {
	/** The `{id}` of the path. */
	readonly segment?: string;
	readonly query?: Readonly<Record<string, string | number | undefined>>;
	/** A function makes the body of each try, so that no two tries send the same lease. */
	readonly body?: unknown | (() => unknown);
	readonly idempotencyKey?: string;
	readonly signal?: AbortSignal | undefined;
	/** One of many reads that look for a change: other requests go first. */
	readonly isPoll?: boolean | undefined;
}

/** A request in the service's names. */
export interface Outgoing {
	readonly method: string;
	/** Relative to the base URL, with the id. */
	readonly path: string;
	readonly query: NonNullable<Call["query"]>;
	readonly headers: Readonly<Record<string, string>>;
	/** Sent as JSON. */
	readonly body: unknown;
}

/** With header names in lower case. Content-Encoding is that of the body, so it is undefined once the body is decoded. */
export interface RawResponse {
	readonly status: number;
	readonly body: Buffer;
	readonly headers: Record<string, string | undefined>;
}

/** All headers of a response, bytes: gateways set long cookies, and Node's own limit is 16 KiB. */
export const largestHeaders = 256 * 1024;

export class Wire {
	readonly #baseUrl: string;
	readonly #apiKey: string;
	readonly #totalMs: number;
	readonly #dispatcher: Dispatcher;
	/** The address of the proxy, without credentials; undefined for direct connections. */
	readonly proxy: string | undefined;

	constructor(baseUrl: string, apiKey: string, timeouts: Timeouts = {}) {
		this.#baseUrl = baseUrl;
		this.#apiKey = apiKey;
		this.#totalMs = timeouts.total ?? 120_000;
		const options = {
			connect: { timeout: timeouts.connect ?? 10_000 },
			headersTimeout: timeouts.headers ?? 30_000,
			bodyTimeout: timeouts.body ?? 30_000,
			maxResponseSize: largestBody,
			maxHeaderSize: largestHeaders,
			allowH2: false,
		};
		const proxy = findProxy(new URL(baseUrl));
		this.proxy = proxy && `${proxy.protocol}//${proxy.host}`;
		// Loaded late: `telephony --help` and a check of inputs need no HTTP, and undici loads slower than all of our code.
		const { Agent, ProxyAgent } = require("undici") as typeof import("undici");
		this.#dispatcher = proxy === undefined ? new Agent(options) : new ProxyAgent({ ...options, uri: proxy.href });
	}

	/** Reads the whole response within a deadline: one that comes byte by byte would take up a slot for ever. */
	async send(request: Outgoing, signal: AbortSignal | undefined): Promise<RawResponse> {
		const deadline = AbortSignal.timeout(this.#totalMs);
		try {
			const either = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
			return await this.#exchange(request, either);
		} catch (error) {
			if (!deadline.aborted || signal?.aborted) throw error;
			throw Object.assign(new Error(`no complete response within ${this.#totalMs / 1000} s`), {
				code: "ERR_TOTAL_TIMEOUT",
			});
		}
	}

	/** Ends open connections. */
	close(): Promise<void> {
		return this.#dispatcher.close();
	}

	async #exchange(
		{ method, path, query, headers: ownHeaders, body }: Outgoing,
		signal: AbortSignal,
	): Promise<RawResponse> {
		const url = new URL(this.#baseUrl + path);
		for (const [key, value] of Object.entries(query)) {
			if (value !== undefined) url.searchParams.set(key, String(value));
		}
		const response = await this.#dispatcher.request({
			origin: url.origin,
			path: url.pathname + url.search,
			method: method as Dispatcher.HttpMethod,
			signal,
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
			headers: {
				authorization: `Bearer ${this.#apiKey}`,
				"accept-encoding": "identity",
				...(body === undefined ? {} : { "content-type": "application/json" }),
				...ownHeaders,
			},
		});
		const headers = Object.fromEntries(
			Object.entries(response.headers).map(([key, value]) => [key, String(value)]),
		) as Record<string, string | undefined>;
		const bytes = Buffer.from(await response.body.arrayBuffer());
		const plain = decoded(bytes, headers["content-encoding"]);
		if (plain !== bytes) headers["content-encoding"] = undefined;
		return { status: response.statusCode, headers, body: plain };
	}
}
