/**
 * Canonical forms, in which two spellings of one value are equal. Each function returns the canonical form, or undefined
 * for an invalid text. Each is idempotent.
 */
import ipaddr from "ipaddr.js";
import type { CountryCode } from "libphonenumber-js/min";
import { dnsName } from "../api/host";
import { digitsOf, numberingPlans } from "../api/phone";

/** ISO 3166-1 alpha-2 of a country that has a numbering plan. */
export const isCountry = (code: string): boolean => numberingPlans().isSupportedCountry(code);

/** The code of a country that is written in lower case, with dots, or as UK, which Unicode knows as an alias. */
export function meantCountry(text: string): string | undefined {
	const letters = text.replace(/[^a-z]/gi, "");
	const code = letters.length === 2 ? new Intl.Locale(`und-${letters}`).region : undefined;
	return code !== undefined && isCountry(code) ? code : undefined;
}

/**
 * E.164 with its plus. Removes separators, and adds the plus that some services leave out in responses. A service may have
 * numbers of an old or a coming numbering plan, so any digits are a number.
 */
export function canonicalE164(text: string): string | undefined {
	const digits = digitsOf(text) ?? "";
	if (/^[1-9]\d{6,14}$/.test(digits)) return `+${digits}`;
	return /^\+[1-9]\d*$/.test(digits) ? digits : undefined;
}

/** The canonical form of a number that the service shows, or the text unchanged if it isn't a number. */
export const canonicalNumber = (text: string): string => canonicalE164(text) ?? text;

/** The number that a user writes. The plus is required: without it, a national number would name another country. */
export const writtenE164 = (text: string): string | undefined =>
	digitsOf(text)?.startsWith("+") ? canonicalE164(text) : undefined;

/** True if a numbering plan has numbers of this length, and none of the digits is only dialed within the country. */
export function isPossibleE164(number: string): boolean {
	const parsed = numberingPlans().parsePhoneNumberFromString(number);
	return parsed?.number === number && parsed.isPossible();
}

/** A prefix of mobile numbers that Mexico has dropped, and that Argentina has for calls from abroad only. */
const mobilePrefix = /^\+(521|549)(?=\d{10}$)/;

/**
 * True if both numbers lead to one subscriber, in two forms of the country's plan, such as with and without trunk prefix. A
 * slash may stand between area code and number.
 */
export function isSameSubscriber(first: string, second: string): boolean {
	const subscriberOf = (text: string) => {
		const number = canonicalE164(text.replace("/", ""));
		const parsed: string | undefined = number && numberingPlans().parsePhoneNumberFromString(number)?.number;
		return (parsed ?? number)?.replace(mobilePrefix, (prefix) => prefix.slice(0, -1));
	};
	const subscriber = subscriberOf(first);
	return subscriber !== undefined && subscriber === subscriberOf(second);
}

/** Returns the E.164 of a number that lacks only the country code or the plus, or that has the trunk prefix. */
export function suggestedE164(text: string, country: unknown): string | undefined {
	const place = typeof country === "string" && isCountry(country) ? (country as CountryCode) : undefined;
	// The library would find a number within any text.
	const digits = digitsOf(text.replace(/^\s*\++/, "+"));
	if (digits === undefined) return undefined;
	// Not every country dials 00 before a country code.
	return [digits, digits.replace(/^\+?00/, "+")]
		.map((number) => numberingPlans().parsePhoneNumberFromString(number, place))
		.find((number) => number?.isValid())?.number;
}

/** The methods of a numbering plan that the library has but doesn't type. */
interface NumberingPlan {
	/** A pattern, such as `0|80?`. */
	nationalPrefixForParsing(): string | undefined;
	nationalNumberPattern(): string;
	possibleLengths(): readonly number[];
}

/**
 * Area code without the trunk prefix that people dial before it: `020` and `20` are one area in the Netherlands. The
 * prefix stays if a number of the country may begin with it, as in Italy.
 */
export function canonicalArea(text: string, country: unknown): string {
	const digits = text.replace(/[\s()./-]/g, "");
	const area = /^\d+$/.test(digits) ? digits : text.trim();
	if (area !== digits || typeof country !== "string" || !isCountry(country)) return area;
	const metadata = new (numberingPlans().Metadata)();
	metadata.selectNumberingPlan(country as CountryCode);
	const plan = metadata.numberingPlan as unknown as NumberingPlan;
	const prefix = new RegExp(`^(${plan.nationalPrefixForParsing() ?? ""})`).exec(area)?.[0] ?? "";
	const rest = area.slice(prefix.length);
	if (prefix === "" || rest === "") return area;
	const number = new RegExp(`^(?:${plan.nationalNumberPattern()})$`);
	const begins = (start: string) =>
		plan
			.possibleLengths()
			.some((length) => [..."0123456789"].some((digit) => number.test(start.padEnd(length, digit))));
	return !begins(area) && begins(rest) ? rest : area;
}

/** The digits of a phone number after the country's code; undefined for another country's. */
export function nationalOf(number: string, country: unknown): string | undefined {
	if (typeof country !== "string" || !isCountry(country)) return undefined;
	const prefix = `+${numberingPlans().getCountryCallingCode(country as CountryCode)}`;
	const e164 = canonicalE164(number);
	return e164?.startsWith(prefix) ? e164.slice(prefix.length) : undefined;
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
	// ipaddr.js also reads octal, hexadecimal and short forms, which a service may read as another address.
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
// Parsed when first needed.
let unroutableBlocks: readonly CidrBlock[] | undefined;

/** The unroutable range that the block lies in or covers, if any. */
export function unroutablePart(block: CidrBlock): string | undefined {
	const inside = (address: Address, { network, length }: CidrBlock) =>
		address.kind() === network.kind() && (address as ipaddr.IPv6).match(network as ipaddr.IPv6, length);
	unroutableBlocks ??= unroutable.map((text) => parseCidr(text) as CidrBlock);
	const found = unroutableBlocks.find((range) => inside(block.network, range) || inside(range.network, block));
	return found && `${found.network.toString()}/${found.length}`;
}

/** URL with scheme and host in lower case, without default port and the host's last dot; a bare host has no slash. */
export function canonicalUrl(text: string): string | undefined {
	let url: URL;
	try {
		url = new URL(text.trim());
	} catch {
		return undefined;
	}
	if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
	const path = url.pathname === "/" ? "" : url.pathname;
	const host = url.hostname.replace(/\.$/, "") + (url.port && `:${url.port}`);
	return `${url.protocol}//${url.username}${url.password && `:${url.password}`}${url.username && "@"}${host}${path}${url.search}${url.hash}`;
}

/** The URL for comparing: services add a slash at the end of a path, or remove it. */
export const withoutSlash = (url: string): string => url.replace(/^([^?#]*?)\/+(?=[?#]|$)/, "$1");

// RFC 3261 §19.1.1, without headers and a password in clear: a route can't use them. `canonicalHost` checks the host.
const sipUri =
	/^(sips?):(?!\/\/)(?:((?:[A-Za-z0-9\-_.!~*'()&=+$,;?/]|%[0-9a-f]{2})+)@)?(\[[0-9a-f:.]+\]|[^\s@:;?%/[\]]+)(?::(\d{1,5}))?((?:;[A-Za-z0-9\-_.!~*'()%:[\]/&+$]+(?:=[A-Za-z0-9\-_.!~*'()%:[\]/&+$]+)?)*)$/i;

/** Parameters whose values RFC 3261 compares without case. */
const caselessParameters = new Set(["transport", "user", "ttl", "maddr", "lr"]);

/** Names of RFC 3261 in lower case; other names and their values keep their case, as they may be tokens. */
function canonicalParameter(parameter: string): string {
	const [name = "", value] = parameter.split("=", 2);
	const lower = name.toLowerCase();
	if (caselessParameters.has(lower)) return parameter.toLowerCase();
	return lower === "method" && value !== undefined ? `${lower}=${value}` : parameter;
}

/** The user of a SIP URI: RFC 3261 §19.1.4 compares an escaped letter as the letter, and hexadecimal digits without case. */
const canonicalUser = (user: string): string =>
	user.replace(/%[0-9a-f]{2}/gi, (escaped) => {
		const sign = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
		return /[A-Za-z0-9\-_.!~*'()]/.test(sign) ? sign : escaped.toUpperCase();
	});

/** SIP URI with scheme, host and parameters of RFC 3261 in lower case; the rest keeps its case. */
export function canonicalSipUri(text: string): string | undefined {
	const match = sipUri.exec(text.trim());
	if (match === null) return undefined;
	const [, scheme = "", user, spelledHost = "", port, parameters = ""] = match;
	const host = canonicalHost(spelledHost);
	if (host === undefined || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return undefined;
	return `${scheme.toLowerCase()}:${user === undefined ? "" : `${canonicalUser(user)}@`}${host.includes(":") ? `[${host}]` : host}${port === undefined ? "" : `:${Number.parseInt(port, 10)}`}${parameters.split(";").map(canonicalParameter).join(";")}`;
}

/** The SIP URI for comparing live values: services may respell the names of parameters. */
export function withCaselessNames(uri: string): string {
	const at = uri.lastIndexOf("@") + 1;
	return uri.slice(0, at) + uri.slice(at).replace(/;[^;=]+/g, (name) => name.toLowerCase());
}

/** A name that ends like this is an address to a resolver, in decimal or hexadecimal parts. */
const addressEnd = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;
const longestName = 253;
const hostLabel = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/**
 * Host name in lower case without a dot at its end, in punycode; IPv4 address; or IPv6 address in short form without
 * brackets. Names of services have underscores.
 */
export function canonicalHost(text: string): string | undefined {
	const host = text.trim().toLowerCase();
	const address = host.replace(/^\[(.*)\]$/, "$1");
	if (address.includes(":")) {
		return ipaddr.IPv6.isValid(address) && !address.includes("%") ? ipaddr.parse(address).toString() : undefined;
	}
	const name = dnsName(host)?.replace(/\.$/, "");
	if (name === undefined || name.length > longestName) return undefined;
	if (addressEnd.test(name)) return ipaddr.IPv4.isValidFourPartDecimal(name) ? name : undefined;
	return name.split(".").every((label) => hostLabel.test(label)) ? name : undefined;
}

/** The instant of an RFC 3339 time, or of a date at 0:00 UTC. NaN for a text of another form, which may lack its zone. */
export const instantOf = (time: unknown): number =>
	/^\d{4}-\d\d-\d\d(T.*(Z|[+-]\d\d:?\d\d))?$/i.test(String(time)) ? Date.parse(String(time)) : Number.NaN;

/** The unit of the last digit of an RFC 3339 time, ms. */
const unitOf = (time: string): number => 10 ** (3 - Math.min(3, /\.(\d+)/.exec(time)?.[1]?.length ?? 0));

/**
 * Compares two RFC 3339 times as instants, to the coarser precision of the two, as either may have been cut off or
 * rounded. Negative if the first is earlier, 0 if they are the same, NaN if one is not a time.
 */
export function compareTimes(first: unknown, second: unknown): number {
	const times = [String(first), String(second)];
	const [a = Number.NaN, b = Number.NaN] = times.map((time) => (/T/i.test(time) ? instantOf(time) : Number.NaN));
	const unit = Math.max(...times.map(unitOf));
	const isSame = [Math.floor, Math.round].some((whole) => whole(a / unit) === whole(b / unit));
	return isSame ? 0 : a - b;
}

/** True for the same value, or the same time in another precision. */
export const sameMarker = (first: unknown, second: unknown): boolean =>
	first === second || compareTimes(first, second) === 0;

/** Text without surrounding whitespace; undefined if nothing is left. */
export const canonicalText = (text: string): string | undefined => text.trim() || undefined;
