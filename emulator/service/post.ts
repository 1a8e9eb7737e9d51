import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import type { buildConnector } from "undici";
import { fitsHost, type HostPattern } from "./hosts";

/** Allowed receivers: programs on this machine, or also public https addresses. */
export type Deliver = "loopback" | "any";

export interface Reach {
	readonly deliver: Deliver;
	/** Receivers that may be private and use plain http. */
	readonly deliverTo: readonly HostPattern[];
}

/** Marks every POST, so that a control API refuses webhooks. */
export const userAgent = "telephony-emulator";

/** The result of one POST: a status, or an error without a response. */
export interface Outcome {
	readonly status: number | null;
	readonly error: string | null;
	/** Milliseconds of the response's Retry-After. */
	readonly retryAfter: number;
	/** True if the target is not allowed. */
	readonly refused: boolean;
	/** True after a time-out. */
	readonly hung: boolean;
	/** The beginning of the response's body, with `readsResponse`. */
	readonly body: string;
}

/** The outcome of a POST without a response. */
export const unsent: Outcome = { status: null, error: null, retryAfter: 0, refused: false, hung: false, body: "" };

export type Resolve = (host: string, done: (error: Error | null, addresses: LookupAddress[]) => void) => void;

class Refusal extends Error {}

const maxResponseBytes = 64 * 1024;

const readText = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of body) {
		chunks.push(chunk);
		size += chunk.byteLength;
		if (size > maxResponseBytes) break;
	}
	return Buffer.concat(chunks).toString();
};

/** Public IPv6 addresses; other ranges can hide an IPv4 address. */
const publicIPv6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** Metadata services of AWS, Google, Alibaba and Azure outside the link-local ranges. */
const metadata = ["fd00:ec2::/32", "fd20:ce::254/128", "100.100.100.200/32", "168.63.129.16/32"].map((cidr) =>
	ipaddr.parseCIDR(cidr),
);

/** An IPv4 address in IPv6 notation counts as IPv4. */
const rangeOf = (address: string): string => {
	const parsed = ipaddr.process(address);
	if (metadata.some(([range, length]) => parsed.kind() === range.kind() && parsed.match(range, length)))
		return "metadata";
	const range = parsed.range();
	return range === "unicast" && parsed instanceof ipaddr.IPv6 && !parsed.match(publicIPv6) ? "reserved" : range;
};

const isLoopbackHost = (host: string): boolean =>
	host === "localhost" || (ipaddr.isValid(host) && rangeOf(host) === "loopback");

/** Ranges of named receivers. Link-local addresses are excluded, because of metadata services. */
const namedRanges = ["loopback", "private", "uniqueLocal", "carrierGradeNat", "unicast"];

const isOwnAddress = (address: string): boolean => {
	const parsed = ipaddr.process(address);
	if (parsed.range() === "loopback" || parsed.range() === "unspecified") return true;
	const ownAddresses = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
	return ownAddresses.some(
		(local) => ipaddr.process(local.address.replace(/%.*$/, "")).toString() === parsed.toString(),
	);
};

interface Target {
	/** IPv6 without its brackets. */
	readonly name: string;
	readonly port: number;
}

const targetOf = ({ hostname, port, protocol }: URL): Target => ({
	name: hostname.replace(/^\[|\]$/g, ""),
	port: Number(port || (protocol === "https:" ? 443 : 80)),
});

/**
 * Refuses private addresses: a name of this machine must resolve to loopback, any other to a public address. A receiver
 * in `deliverTo` may be private, but never at our own port: a POST to the control API could reset the account.
 */
const checkAddress = (target: Target, address: string, { deliverTo, ownPort }: Rules): void => {
	const { name, port } = target;
	if (port === ownPort && isOwnAddress(address)) throw new Refusal("not sent: this is the emulator's own port");
	const usual = isLoopbackHost(name) ? "loopback" : "unicast";
	const range = rangeOf(address);
	if (fitsHost(deliverTo, target) ? namedRanges.includes(range) : range === usual) return;
	throw new Refusal(`not sent: ${name === address ? name : `${name} (${address})`} is a ${range} address`);
};

interface Rules extends Reach {
	readonly ownPort: number | undefined;
}

/** @throws Refusal if the URL is not allowed */
const checkUrl = (url: URL, rules: Rules): void => {
	const target = targetOf(url);
	const { name } = target;
	if (!isLoopbackHost(name) && !fitsHost(rules.deliverTo, target)) {
		if (rules.deliver === "loopback") {
			throw new Refusal(
				`not sent: ${name} is another machine, and deliver is "loopback". Set deliver to "any" for public addresses, or name the host in deliverTo`,
			);
		}
		if (url.protocol !== "https:") throw new Refusal("not sent: other machines are reached by https only");
	}
	// A name is checked when it is resolved.
	if (ipaddr.isValid(name)) checkAddress(target, name, rules);
	else if (name === "localhost" && target.port === rules.ownPort) checkAddress(target, "127.0.0.1", rules);
};

/** Resolves a name once per connection, which uses only the checked addresses. */
const pinned =
	(resolve: Resolve, port: number, rules: Rules): LookupFunction =>
	(host, options, done) => {
		resolve(host, (error, addresses) => {
			try {
				if (error) throw error;
				for (const { address } of addresses) checkAddress({ name: host, port }, address, rules);
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
	if (timedOut !== undefined) return `no response within ${timedOut} ms`;
	const { message, code } = error as NodeJS.ErrnoException;
	return message || code || "the connection failed";
};

/** Reads seconds, rounded up; a date would follow another clock. */
const retryAfterOf = (header: unknown): number =>
	typeof header === "string" && /^\s*\d{1,6}(\.\d+)?\s*$/.test(header) ? Math.ceil(Number(header)) * 1000 : 0;

export interface Posting {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** True to read the response's body. */
	readonly readsResponse?: boolean;
}

export type Post = ReturnType<typeof createPost>;

export const createPost = (reach: Reach, resolve: Resolve = resolveAll) => {
	let ownPort: number | undefined;
	const rules = (): Rules => ({ ...reach, ownPort });
	// Loaded when needed: it would slow down the start of every command.
	const { Agent, buildConnector } = require("undici") as typeof import("undici");
	const connect: buildConnector.connector = (options, done) => {
		const port = Number(options.port || (options.protocol === "https:" ? 443 : 80));
		buildConnector({ allowH2: false, lookup: pinned(resolve, port, rules()) })(options, done);
	};
	// One connection for each POST, so that a checked connection never serves another name.
	const agent = new Agent({ connect, pipelining: 0, allowH2: false });

	return {
		/** Sets our own port, to which nothing is sent. */
		refusePort: (port: number): void => {
			ownPort = port;
		},
		/** True if `deliverTo` has the URL's host. */
		names: (url: string): boolean => URL.canParse(url) && fitsHost(reach.deliverTo, targetOf(new URL(url))),
		/** True for a port of this machine. */
		isLoopback: (url: string): boolean => URL.canParse(url) && isLoopbackHost(targetOf(new URL(url)).name),
		/** Waits at most `timeout` ms of real time. Follows no redirects, and never throws. */
		send: async (
			{ url, headers, body, readsResponse = false }: Posting,
			timeout: number,
			signal: AbortSignal,
		): Promise<Outcome> => {
			const late = AbortSignal.timeout(timeout);
			try {
				const target = new URL(url);
				checkUrl(target, rules());
				const response = await agent.request({
					origin: target.origin,
					path: target.pathname + target.search,
					method: "POST",
					headers: { ...headers, "user-agent": userAgent },
					body,
					signal: AbortSignal.any([signal, late]),
				});
				const text = readsResponse ? await readText(response.body) : "";
				if (!readsResponse) await response.body.dump({ limit: maxResponseBytes });
				const retryAfter = retryAfterOf(response.headers["retry-after"]);
				return { ...unsent, status: response.statusCode, retryAfter, body: text };
			} catch (error) {
				const message = describe(error, late.aborted ? timeout : undefined);
				return { ...unsent, error: message, refused: error instanceof Refusal, hung: late.aborted };
			}
		},
		close: (): Promise<void> => agent.destroy(),
	};
};
