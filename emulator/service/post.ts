import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import type { buildConnector } from "undici";
import { fitsHost, type HostPattern } from "./hosts";

/** Where webhooks may be delivered: to programs on this machine, or also to any public address over https. */
export type Deliver = "loopback" | "any";

/** Where a POST may go. */
export interface Reach {
	readonly deliver: Deliver;
	/** Receivers that may be private, over plain http too. */
	readonly deliverTo: readonly HostPattern[];
}

/** Of every POST, so that a control API knows a webhook that was sent to it. */
export const userAgent = "telephony-emulator";

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

/** Where AWS, Google, Alibaba and Azure keep a machine's secrets, outside the link-local ranges. */
const metadata = ["fd00:ec2::/32", "fd20:ce::254/128", "100.100.100.200/32", "168.63.129.16/32"].map((cidr) =>
	ipaddr.parseCIDR(cidr),
);

/** An IPv4 address in IPv6 notation counts as IPv4. */
const rangeOf = (address: string): string => {
	const parsed = ipaddr.process(address);
	if (metadata.some(([its, length]) => parsed.kind() === its.kind() && parsed.match(its, length))) return "metadata";
	const range = parsed.range();
	return range === "unicast" && parsed instanceof ipaddr.IPv6 && !parsed.match(publicIPv6) ? "reserved" : range;
};

const isLoopbackHost = (host: string): boolean =>
	host === "localhost" || (ipaddr.isValid(host) && rangeOf(host) === "loopback");

/** Where named receivers may be. Elsewhere, such as at link-local addresses, clouds keep what is nobody's business. */
const namedRanges = ["loopback", "private", "uniqueLocal", "carrierGradeNat", "unicast"];

const isOwnAddress = (address: string): boolean => {
	const parsed = ipaddr.process(address);
	if (parsed.range() === "loopback" || parsed.range() === "unspecified") return true;
	const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
	return own.some((each) => ipaddr.process(each.address.replace(/%.*$/, "")).toString() === parsed.toString());
};

interface Target {
	/** As resolvers want it: IPv6 without its brackets. */
	readonly name: string;
	readonly port: number;
}

const targetOf = ({ hostname, port, protocol }: URL): Target => ({
	name: hostname.replace(/^\[|\]$/g, ""),
	port: Number(port || (protocol === "https:" ? 443 : 80)),
});

/**
 * A name of this machine must resolve to loopback, any other to a public address: DNS must not open private hosts. Only
 * a receiver named by `deliverTo` may be anywhere but at our own port: a POST to the control API could end the account.
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

/** Refuses a URL that may not be posted to. */
const checkUrl = (url: URL, rules: Rules): void => {
	const target = targetOf(url);
	const { name } = target;
	if (!isLoopbackHost(name) && !fitsHost(rules.deliverTo, target)) {
		if (rules.deliver === "loopback") {
			throw new Refusal(
				`not sent: ${name} is not this machine, and deliver is "loopback"; "any" lifts that for public addresses, deliverTo for the hosts that it names`,
			);
		}
		if (url.protocol !== "https:") throw new Refusal("not sent: only https goes beyond this machine");
	}
	// What is no address is checked when it is resolved.
	if (ipaddr.isValid(name)) checkAddress(target, name, rules);
	else if (name === "localhost" && target.port === rules.ownPort) checkAddress(target, "127.0.0.1", rules);
};

/** Resolves a name once per connection. The connection then uses only the addresses that were checked. */
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
	/** Whether it is the URL of a receiver that `deliverTo` names: plain http may lead there. */
	names(url: string): boolean;
	close(): Promise<void>;
}

export const createPost = (reach: Reach, resolve: Resolve = resolveAll): Post => {
	let ownPort: number | undefined;
	const rules = (): Rules => ({ ...reach, ownPort });
	// Commands that only name the emulator's options don't need it.
	const { Agent, buildConnector, request } = require("undici") as typeof import("undici");
	const connect: buildConnector.connector = (options, done) => {
		const port = Number(options.port || (options.protocol === "https:" ? 443 : 80));
		buildConnector({ allowH2: false, lookup: pinned(resolve, port, rules()) })(options, done);
	};
	// One connection for each POST: none outlives it, and none that was checked for one name serves another.
	const agent = new Agent({ connect, pipelining: 0, allowH2: false });

	return {
		refusePort: (port) => {
			ownPort = port;
		},
		names: (url) => URL.canParse(url) && fitsHost(reach.deliverTo, targetOf(new URL(url))),
		send: async ({ url, headers, body, readsAnswer = false }, timeout, signal) => {
			const late = AbortSignal.timeout(timeout);
			try {
				checkUrl(new URL(url), rules());
				const answer = await request(url, {
					method: "POST",
					headers: { ...headers, "user-agent": userAgent },
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
