/** The service's address, its paths, and the key. */
import { configError, TelephonyError } from "./errors";
import { dnsName } from "./host";

export const isLoopback = (hostname: string) =>
	hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);

/**
 * Returns the URL without slashes at its end.
 *
 * @param allowHttp exact names of hosts that plain http may reach, besides loopback; a pattern matches nothing
 * @throws TelephonyError of kind Config, in one sentence, without echoing an address that may hold credentials
 */
export function checkedBaseUrl(text: string, allowHttp: readonly string[] = []): string {
	const problem = problemOf(text, allowHttp);
	if (problem === undefined) return new URL(text).href.replace(/\/+$/, "");
	throw configError(
		`The service's address ${problem}: set telephony:baseUrl (or TELEPHONY_BASE_URL) to the address with its version at the end, such as https://api.example.com/v1.`,
	);
}

function problemOf(text: string, httpHosts: readonly string[]): string | undefined {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	// `localhost:4010/v1` is a URL too, with a scheme `localhost:`.
	if (url === undefined || url.host === "") return "is not a URL";
	if (url.username !== "" || url.password !== "")
		return "contains credentials, but the key belongs in TELEPHONY_API_KEY";
	const mayBePlain = isLoopback(url.hostname) || httpHosts.some((host) => dnsName(host) === dnsName(url.hostname));
	if (url.protocol !== "https:" && !(url.protocol === "http:" && mayBePlain))
		return `${url.origin} is not https (plain http is allowed only for loopback and the hosts in telephony:allowHttp or TELEPHONY_ALLOW_HTTP)`;
	if (url.search !== "" || url.hash !== "") return "has a query or fragment";
	if (!/\/v\d[\w.-]*\/*$/.test(url.pathname)) return `at ${url.host} doesn't end in a version such as /v1`;
	return undefined;
}

/** Returns the path with the id as one segment. An empty or dotted id could name the collection, or something else. */
export function pathOf(operation: { readonly method: string; readonly path: string }, id = ""): string {
	if (!operation.path.includes("{id}")) return operation.path;
	if (id.trim() === "" || id === "." || id === "..") {
		throw new TelephonyError(
			"Invalid",
			`${operation.method} ${operation.path} needs an id, but got ${JSON.stringify(id)}. Run \`pulumi refresh\`, then try again.`,
		);
	}
	return operation.path.replace("{id}", encodeURIComponent(id));
}

/** @throws TelephonyError of kind Config, without echoing the key. */
export function checkedApiKey(key: string): string {
	if (!/^[\x21-\x7e]+$/.test(key)) {
		throw configError(
			"The API key is empty or contains spaces or control characters: set TELEPHONY_API_KEY, or `pulumi config set --secret telephony:apiKey …`.",
		);
	}
	return key;
}
