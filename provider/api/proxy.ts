/** The proxy between this machine and the service, as the environment names it. */
import type { Dispatcher } from "undici";
import { configError } from "./errors";
import { dnsName } from "./host";

/** The proxy has not opened a tunnel, so no byte of the request has reached the service. */
export class ProxyError extends Error {
	readonly code = "ERR_PROXY";
	/** The proxy's response to CONNECT; absent if there was none. */
	readonly status: number | undefined;

	constructor(status: number | undefined, cause?: unknown) {
		super(status === undefined ? "no tunnel" : `HTTP ${status}`, { cause });
		this.status = status;
	}
}

const variables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"] as const;

/**
 * Returns the proxy for an https URL; undefined if it is reached directly.
 *
 * @throws TelephonyError of kind Config, which names the variable and not its value
 */
export function findProxy(service: URL, env: NodeJS.ProcessEnv = process.env): URL | undefined {
	const name = variables.find((variable) => env[variable]);
	// Over plain http, a proxy would see the key.
	if (name === undefined || service.protocol !== "https:" || isReachedDirectly(service, env)) return undefined;
	const text = (env[name] ?? "").trim();
	const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text.replace(/^socks(5h)?:/i, "socks5:") : `http://${text}`;
	const url = URL.canParse(address) ? new URL(address) : undefined;
	if (url !== undefined && isProxy(url)) return url;
	throw configError(
		`${name} isn't a proxy address. Write http://HOST:PORT, or http://USER:PASSWORD@HOST:PORT with special characters percent-encoded.`,
	);
}

/** False for a URL with a path, as an unencoded `/`, `?` or `#` in a password cuts off the host. */
function isProxy({ protocol, hostname, pathname, search, hash, username, password }: URL): boolean {
	if (!["http:", "https:", "socks5:"].includes(protocol) || hostname === "") return false;
	try {
		decodeURIComponent(username + password);
	} catch {
		return false;
	}
	return ["", "/"].includes(pathname) && search === "" && hash === "";
}

type IpAddresses = typeof import("ipaddr.js");

function isReachedDirectly({ hostname, port }: URL, env: NodeJS.ProcessEnv): boolean {
	const ip = require("ipaddr.js") as IpAddresses;
	const host = hostname.replace(/^\[|\]$|\.$/g, "");
	const address = ip.isValid(host) ? ip.process(host) : undefined;
	if (/(^|\.)localhost$/.test(host) || address?.range() === "loopback") return true;
	return (env.no_proxy ?? env.NO_PROXY ?? "").split(/[,\s]+/).some((entry) => {
		const [, name = entry, entryPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
		if (name === "" || (entryPort ?? (port || "443")) !== (port || "443")) return false;
		const bare = name.replace(/[[\]]|\.$/g, "");
		if (address === undefined) return isLike(host, inAscii(bare.replace(/^\*?\./, "")), "(.*\\.)?");
		return isInNetwork(ip, address, bare) || isLike(host, bare);
	});
}

/** URLs have host names in ASCII. */
const inAscii = (name: string): string => dnsName(name) ?? name;

/** True if the host fits the pattern, in which `*` stands for any text. */
const isLike = (host: string, pattern: string, start = ""): boolean =>
	new RegExp(`^${start}${pattern.replace(/[^\w*]/g, "\\$&").replaceAll("*", ".*")}$`, "i").test(host);

function isInNetwork(ip: IpAddresses, address: ReturnType<IpAddresses["process"]>, entry: string): boolean {
	const network = entry.includes("/") ? entry : `${entry}/${entry.includes(":") ? 128 : 32}`;
	if (!ip.isValidCIDR(network)) return false;
	const [start, bits] = ip.parseCIDR(network);
	return start.kind() === address.kind() && address.match(start, bits);
}

/** The requests of a service behind this proxy. */
export function proxied(proxy: URL, options: object): Dispatcher {
	const { Pool, ProxyAgent } = require("undici") as typeof import("undici");
	const clientFactory = (origin: URL, connection: object): Dispatcher => {
		const pool = new Pool(origin, { ...options, ...connection });
		const connect = pool.connect.bind(pool);
		const open = async (request: Parameters<typeof connect>[0]) => {
			const tunnel = await connect(request).catch((error: unknown) => {
				throw new ProxyError(undefined, error);
			});
			if (tunnel.statusCode === 200) return tunnel;
			tunnel.socket.on("error", () => {}).destroy();
			throw new ProxyError(tunnel.statusCode);
		};
		return Object.assign(pool, { connect: open });
	};
	return new ProxyAgent({ ...options, uri: proxy.href, clientFactory });
}
