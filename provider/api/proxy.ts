/** The proxy between this machine and the service, as the environment names it. */
import type { Dispatcher } from "undici";
import { TelephonyError } from "./errors";

/** The proxy has not opened a tunnel, so no byte of the request has reached the service. */
export class ProxyError extends Error {
	readonly code = "ERR_PROXY";
	/** Without credentials. */
	readonly proxy: string;
	/** The proxy's response to CONNECT; absent if there was none. */
	readonly status: number | undefined;

	constructor(proxy: string, status: number | undefined, cause: unknown) {
		super(status === undefined ? "no tunnel" : `HTTP ${status}`, { cause });
		this.proxy = proxy;
		this.status = status;
	}
}

const variables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"] as const;

/**
 * Returns the proxy for an https URL; undefined if it is reached directly. Other entries of NO_PROXY than networks are
 * undici's work.
 *
 * @throws TelephonyError of kind Config, which names the variable and not its value
 */
export function findProxy({ hostname, protocol }: URL, env: NodeJS.ProcessEnv = process.env): URL | undefined {
	const name = variables.find((each) => env[each]);
	// Over plain http, a proxy would see the key.
	if (name === undefined || protocol !== "https:" || isReachedDirectly(hostname, env)) return undefined;
	const text = env[name] ?? "";
	const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
	const url = URL.canParse(address) ? new URL(address) : undefined;
	if (
		url !== undefined &&
		["http:", "https:", "socks5:"].includes(url.protocol) &&
		url.hostname !== "" &&
		hasReadableUser(url)
	)
		return url;
	throw new TelephonyError(
		"Config",
		`${name} isn't a proxy address. Write http://HOST:PORT, or http://USER:PASSWORD@HOST:PORT with special characters percent-encoded.`,
	);
}

function hasReadableUser({ username, password }: URL): boolean {
	try {
		decodeURIComponent(username + password);
		return true;
	} catch {
		return false;
	}
}

type IpAddresses = typeof import("ipaddr.js");

function isReachedDirectly(hostname: string, env: NodeJS.ProcessEnv): boolean {
	if (/(^|\.)localhost\.?$/.test(hostname)) return true;
	const ip = require("ipaddr.js") as IpAddresses;
	const host = hostname.replace(/^\[|\]$/g, "");
	if (!ip.isValid(host)) return false;
	const address = ip.process(host);
	const entries = (env.no_proxy ?? env.NO_PROXY ?? "").split(/[,\s]+/);
	return address.range() === "loopback" || entries.some((entry) => isInNetwork(ip, address, entry));
}

function isInNetwork(ip: IpAddresses, address: ReturnType<IpAddresses["process"]>, entry: string): boolean {
	const network = entry.includes("/") ? entry : `${entry}/${entry.includes(":") ? 128 : 32}`;
	if (!ip.isValidCIDR(network)) return false;
	const [start, bits] = ip.parseCIDR(network);
	return start.kind() === address.kind() && address.match(start, bits);
}

/** The requests of a service behind this proxy. */
export function proxied(proxy: URL, options: object): Dispatcher {
	const { EnvHttpProxyAgent, Pool } = require("undici") as typeof import("undici");
	const clientFactory = (origin: URL, connection: object): Dispatcher => {
		const pool = new Pool(origin, { ...options, ...connection });
		const connect = pool.connect.bind(pool);
		const open = async (request: Parameters<typeof connect>[0]) => {
			const tunnel = await connect(request).catch((error: unknown) => {
				throw new ProxyError(proxy.origin, undefined, error);
			});
			if (tunnel.statusCode === 200) return tunnel;
			tunnel.socket.on("error", () => {}).destroy();
			throw new ProxyError(proxy.origin, tunnel.statusCode, undefined);
		};
		return Object.assign(pool, { connect: open });
	};
	const uri = proxy.href;
	return new EnvHttpProxyAgent({ ...options, httpProxy: uri, httpsProxy: uri, clientFactory });
}
