/**
 * Canonical forms: two spellings of one thing compare equal, no matter who wrote them. Each function returns the
 * canonical form, or undefined for text that isn't one. Each is idempotent.
 */
import ipaddr from "ipaddr.js";
import { isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js/min";

/** ISO 3166-1 alpha-2 of a country that has a numbering plan. */
export const isCountry = (code: string): boolean => isSupportedCountry(code);

/** E.164 with its plus. Spaces and punctuation are removed, a missing plus is added (services answer digits only). */
export function canonicalE164(text: string): string | undefined {
	const spelled = text.trim();
	const international = /^\d/.test(spelled) ? `+${spelled}` : spelled;
	if (!international.startsWith("+")) return undefined;
	const parsed = parsePhoneNumberFromString(international);
	// Some countries' plans allow more or fewer digits than the service accepts.
	const fits = parsed?.isPossible() === true && !parsed.ext && /^\+[1-9]\d{6,14}$/.test(parsed.number);
	return fits ? parsed.number : undefined;
}

/** CIDR with its length. A bare address is its /32 or /128, IPv6 is in lower case and short, host bits are masked. */
export function canonicalCidr(text: string): string | undefined {
	const block = parseCidr(text);
	return block === undefined ? undefined : `${block.network.toString()}/${block.length}`;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

export interface CidrBlock {
	readonly network: Address;
	readonly length: number;
	/** True if the address had bits beyond its length. */
	readonly hostBits: boolean;
}

export function parseCidr(text: string): CidrBlock | undefined {
	const spelled = text.trim();
	// ipaddr.js also reads octal, hexadecimal and short forms, which a service would take for something else.
	const [host = "", suffix] = spelled.split("/");
	if (
		!(ipaddr.IPv4.isValidFourPartDecimal(host) || (host.includes(":") && ipaddr.IPv6.isValid(host))) ||
		host.includes("%")
	) {
		return undefined;
	}
	const address = ipaddr.parse(host);
	const bits = address.kind() === "ipv4" ? 32 : 128;
	if (suffix !== undefined && !/^\d{1,3}$/.test(suffix)) return undefined;
	const length = suffix === undefined ? bits : Number.parseInt(suffix, 10);
	if (length > bits || spelled.split("/").length > 2) return undefined;
	const cidr = `${address.toString()}/${length}`;
	const network: Address =
		address.kind() === "ipv4" ? ipaddr.IPv4.networkAddressFromCIDR(cidr) : ipaddr.IPv6.networkAddressFromCIDR(cidr);
	return { network, length, hostBits: network.toString() !== address.toString() };
}

// RFC 1918, 6598, 4193, loopback, link-local, multicast, unspecified, IPv4 in IPv6. The documentation ranges may pass.
const unroutable = [
	"0.0.0.0/8",
	"10.0.0.0/8",
	"100.64.0.0/10",
	"127.0.0.0/8",
	"169.254.0.0/16",
	"172.16.0.0/12",
	"192.168.0.0/16",
	"224.0.0.0/4",
	"255.255.255.255/32",
	"::/127",
	"::ffff:0:0/96",
	"fc00::/7",
	"fe80::/10",
	"ff00::/8",
];
// Most processes never ask.
let unroutableBlocks: readonly CidrBlock[] | undefined;

/** The unroutable range that the block lies in or covers, if any. */
export function unroutablePart(block: CidrBlock): string | undefined {
	const inside = (address: Address, { network, length }: CidrBlock) =>
		address.kind() === network.kind() && (address as ipaddr.IPv6).match(network as ipaddr.IPv6, length);
	unroutableBlocks ??= unroutable.map((text) => parseCidr(text) as CidrBlock);
	const range = unroutableBlocks.find((each) => inside(block.network, each) || inside(each.network, block));
	return range && `${range.network.toString()}/${range.length}`;
}

/** URL with scheme and host in lower case, without default port; a bare host has no slash. */
export function canonicalUrl(text: string): string | undefined {
	let url: URL;
	try {
		url = new URL(text.trim());
	} catch {
		return undefined;
	}
	if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
	const path = url.pathname === "/" ? "" : url.pathname;
	return `${url.protocol}//${url.username}${url.password && `:${url.password}`}${url.username && "@"}${url.host}${path}${url.search}${url.hash}`;
}

/** The URL for comparing: services add a slash at the end of a path, or remove it. */
export const withoutSlash = (url: string): string => url.replace(/^([^?#]*?)\/+(?=[?#]|$)/, "$1");

// RFC 3261 §19.1.1, without what a route can't use: headers and a password in clear.
const sipUri =
	/^(sips?):(?:([A-Za-z0-9\-_.!~*'()%&=+$,;?/]+)@)?(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::(\d{1,5}))?((?:;[A-Za-z0-9\-_.!~*'()%]+(?:=[A-Za-z0-9\-_.!~*'()%:[\]/&+$]+)?)*)$/i;

/** SIP URI with scheme, host and parameters in lower case; the user part keeps its case (RFC 3261 §19.1.4). */
export function canonicalSipUri(text: string): string | undefined {
	const match = sipUri.exec(text.trim());
	if (match === null) return undefined;
	const [, scheme = "", user, host = "", port, parameters = ""] = match;
	if (port !== undefined && (Number.parseInt(port, 10) < 1 || Number.parseInt(port, 10) > 65_535)) return undefined;
	return `${scheme.toLowerCase()}:${user === undefined ? "" : `${user}@`}${host.toLowerCase()}${port === undefined ? "" : `:${Number.parseInt(port, 10)}`}${parameters.toLowerCase()}`;
}

/** The unit of the last digit of an RFC 3339 time, ms. */
const unitOf = (time: string): number => 10 ** (3 - Math.min(3, /\.(\d+)/.exec(time)?.[1]?.length ?? 0));

/**
 * Compares two RFC 3339 times as instants, to the coarser precision of the two, as either may have been cut off or
 * rounded. Negative if the first is earlier, 0 if they are the same, NaN if one is not a time.
 */
export function compareTimes(one: unknown, other: unknown): number {
	const times = [String(one), String(other)];
	// Date.parse also takes a version such as 7 for a time.
	const [a = Number.NaN, b = Number.NaN] = times.map((time) =>
		/^\d{4}-\d\d-\d\dT/i.test(time) ? Date.parse(time) : Number.NaN,
	);
	const unit = Math.max(...times.map(unitOf));
	const isSame = [Math.floor, Math.round].some((whole) => whole(a / unit) === whole(b / unit));
	return isSame ? 0 : a - b;
}

/** True for the same value, or the same time in another precision. */
export const sameMarker = (one: unknown, other: unknown): boolean => one === other || compareTimes(one, other) === 0;

/** Text without surrounding whitespace; undefined if nothing is left. */
export const canonicalText = (text: string): string | undefined => text.trim() || undefined;
