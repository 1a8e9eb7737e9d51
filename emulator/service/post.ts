import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { Agent, request } from "undici";

/** Where webhooks may be delivered: to programs on this machine, or also to any public address over https. */
export type Deliver = "loopback" | "any";

/** The result of one POST: the status of the answer, or why there is none. */
export interface Outcome {
	readonly status: number | null;
	readonly error: string | null;
	/** Milliseconds that the receiver asks us to wait. */
	readonly retryAfter: number;
	/** Not sent, because that is not allowed. Trying again would not help. */
	readonly refused: boolean;
	/** The receiver let its time run out. */
	readonly hung: boolean;
	/** The beginning of the answer's body, if it is wanted. */
	readonly body: string;
}

/** The outcome of a POST without an answer, until somebody says why. */
export const unsent: Outcome = { status: null, error: null, retryAfter: 0, refused: false, hung: false, body: "" };

export type Resolve = (host: string, done: (error: Error | null, addresses: LookupAddress[]) => void) => void;

class Refusal extends Error {}

const mostOfAnswer = 64 * 1024;

const readText = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of body) {
		chunks.push(chunk);
		size += chunk.byteLength;
		if (size > mostOfAnswer) break;
	}
	return Buffer.concat(chunks).toString();
};

/** All public IPv6 addresses; other ranges can hide an IPv4 address. */
const publicIPv6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** An IPv4 address in IPv6 notation counts as IPv4. */
const rangeOf = (address: string): string => {
	const parsed = ipaddr.process(address);
	const range = parsed.range();
	return range === "unicast" && parsed instanceof ipaddr.IPv6 && !parsed.match(publicIPv6) ? "reserved" : range;
};

const isLoopbackHost = (host: string): boolean =>
	host === "localhost" || (ipaddr.isValid(host) && rangeOf(host) === "loopback");

/** A name of this machine must resolve to loopback, any other to a public address: DNS must not open private hosts. */
const checkAddress = (host: string, address: string): void => {
	const wanted = isLoopbackHost(host) ? "loopback" : "unicast";
	const range = rangeOf(address);
	if (range === wanted) return;
	throw new Refusal(`not sent: ${host === address ? host : `${host} (${address})`} is a ${range} address`);
};

/** Refuses a URL that may not be posted to. The host is checked as resolvers want it: IPv6 without its brackets. */
const checkUrl = (url: URL, deliver: Deliver, ownPort: number | undefined): void => {
	const host = url.hostname.replace(/^\[|\]$/g, "");
	if (isLoopbackHost(host)) {
		// A POST to the control plane could delete the whole account.
		if (Number(url.port || (url.protocol === "https:" ? 443 : 80)) !== ownPort) return;
		throw new Refusal("not sent: this is the emulator's own port");
	}
	if (deliver === "loopback") {
		throw new Refusal(`not sent: ${host} is not this machine, and deliver is "loopback"; "any" lifts that`);
	}
	if (url.protocol !== "https:") throw new Refusal("not sent: only https goes beyond this machine");
	if (ipaddr.isValid(host)) checkAddress(host, host);
};

/** Resolves a name once per connection. The connection then uses only the addresses that were checked. */
const pinned =
	(resolve: Resolve): LookupFunction =>
	(host, options, done) => {
		resolve(host, (error, addresses) => {
			try {
				if (error) throw error;
				for (const { address } of addresses) checkAddress(host, address);
				const [first] = addresses;
				if (first === undefined) throw new Error(`${host} has no address`);
				if (options.all) done(null, addresses);
				else done(null, first.address, first.family);
			} catch (problem) {
				done(problem as Error, "", 4);
			}
		});
	};

const resolveAll: Resolve = (host, done) => lookup(host, { all: true }, done);

const describe = (error: unknown, timedOut: number | undefined): string => {
	if (timedOut !== undefined) return `no answer within ${timedOut} ms`;
	const { message, code } = error as NodeJS.ErrnoException;
	return message || code || "the connection failed";
};

/** In seconds, as most servers send it; a date would follow another clock. */
const retryAfterOf = (header: unknown): number =>
	typeof header === "string" && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : 0;

export interface Posting {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** Whether the body of the answer is wanted. */
	readonly readsAnswer?: boolean;
}

export interface Post {
	/** Never throws, and waits at most `timeout` ms of real time. Redirects are not followed. */
	send(posting: Posting, timeout: number, signal: AbortSignal): Promise<Outcome>;
	/** Nothing is sent to this port of this machine: it is our own. */
	refusePort(port: number): void;
	close(): Promise<void>;
}

export const createPost = (deliver: Deliver, resolve: Resolve = resolveAll): Post => {
	// One connection for each POST: none outlives it, and none that was checked for one name serves another.
	const agent = new Agent({ connect: { lookup: pinned(resolve) }, pipelining: 0, allowH2: false });

	let ownPort: number | undefined;
	return {
		refusePort: (port) => {
			ownPort = port;
		},
		send: async ({ url, headers, body, readsAnswer = false }, timeout, signal) => {
			const late = AbortSignal.timeout(timeout);
			try {
				checkUrl(new URL(url), deliver, ownPort);
				const answer = await request(url, {
					method: "POST",
					headers,
					body,
					dispatcher: agent,
					signal: AbortSignal.any([signal, late]),
				});
				const text = readsAnswer ? await readText(answer.body) : "";
				if (!readsAnswer) await answer.body.dump({ limit: mostOfAnswer });
				const retryAfter = retryAfterOf(answer.headers["retry-after"]);
				return { ...unsent, status: answer.statusCode, retryAfter, body: text };
			} catch (error) {
				const told = describe(error, late.aborted ? timeout : undefined);
				return { ...unsent, error: told, refused: error instanceof Refusal, hung: late.aborted };
			}
		},
		close: () => agent.destroy(),
	};
};
