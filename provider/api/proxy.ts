/** The proxy between this machine and the service, as the environment names it. */
import { isLoopback } from "./address";
import { configError } from "./errors";

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

/** True if NO_PROXY has `*` or the host's domain, perhaps with the port. */
function isReachedDirectly({ hostname, port }: URL, { no_proxy, NO_PROXY }: NodeJS.ProcessEnv): boolean {
	const isCovered = (entry: string): boolean => {
		const [, name, entryPort] = /^\*?\.?(.*?)\.?(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
		const isSamePort = entryPort === undefined || entryPort === (port || "443");
		return isSamePort && `.${hostname.replace(/\.$/, "")}`.endsWith(`.${name}`);
	};
	const entries = (no_proxy ?? NO_PROXY ?? "").split(/[,\s]+/).filter((entry) => entry !== "" && entry !== ".");
	return isLoopback(hostname) || entries.some((entry) => entry === "*" || isCovered(entry));
}
