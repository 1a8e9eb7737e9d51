/** Where the service is and who asks it: its address, its paths, and the key. */
import type { Operation } from "./contract";
import { TelephonyError } from "./errors";

export const isLoopback = (hostname: string) =>
	hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);

/** @throws TelephonyError of kind Config, without echoing an address that may hold credentials. */
export function checkedBaseUrl(text: string): string {
	const advice =
		"set telephony:baseUrl (or TELEPHONY_BASE_URL) to the service's address with its version, such as https://api.example.com/v1";
	let url: URL;
	try {
		url = new URL(text);
	} catch {
		throw new TelephonyError("Config", `The service's address is not a URL: ${advice}.`);
	}
	if (url.username !== "" || url.password !== "") {
		throw new TelephonyError(
			"Config",
			`The service's address contains credentials: ${advice}, and the key in TELEPHONY_API_KEY.`,
		);
	}
	if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
		throw new TelephonyError(
			"Config",
			`The service's address ${url.origin} is not https (plain http is for loopback only): ${advice}.`,
		);
	}
	if (url.search !== "" || url.hash !== "") {
		throw new TelephonyError("Config", `The service's address has a query or fragment: ${advice}.`);
	}
	return url.href.replace(/\/+$/, "");
}

/** An id as one path id; an empty or dotted one could hit the collection, or something else altogether. */
export function pathOf(operation: Operation, id = ""): string {
	if (!operation.path.includes("{id}")) return operation.path;
	if (id.trim() === "" || id === "." || id === "..") {
		throw new TelephonyError(
			"Invalid",
			`${operation.method} ${operation.path} needs an id, and got ${JSON.stringify(id)}. Run \`pulumi refresh\`, then try again.`,
		);
	}
	return operation.path.replace("{id}", encodeURIComponent(id));
}

/** @throws TelephonyError of kind Config, without echoing the key. */
export function checkedApiKey(key: string): string {
	if (!/^[\x21-\x7e]+$/.test(key)) {
		throw new TelephonyError(
			"Config",
			"The API key is empty or holds spaces or control characters: set TELEPHONY_API_KEY, or `pulumi config set --secret telephony:apiKey …`.",
		);
	}
	return key;
}
