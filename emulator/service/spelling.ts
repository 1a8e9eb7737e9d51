import { createHash } from "node:crypto";
import ipaddr from "ipaddr.js";
import type { Settings } from "./settings";

/** How the service spells values; the meaning stays the same. */
export interface Spelling {
	host(text: string): string;
	url<Text extends string | null>(text: Text): Text;
	sipUri(text: string): string;
	phone<Text extends string | null>(text: Text): Text;
	text<Text extends string | null>(text: Text): Text | null;
	cidrs(texts: readonly string[]): string[];
	/** With `mergeDuplicates`, each item once. */
	set<Item>(items: readonly Item[]): Item[];
	/** A secret in responses after its creation; undefined to omit it. */
	secret(secret: string): string | undefined;
}

const wholeOf = (cidr: string): string => (cidr.includes(":") ? "/128" : "/32");

const masked = (cidr: string): string => {
	const [address = "", length] = cidr.split("/");
	if (length === undefined) return cidr;
	const { IPv4, IPv6 } = ipaddr;
	return `${(address.includes(":") ? IPv6 : IPv4).networkAddressFromCIDR(cidr).toString()}/${length}`;
};

export const spellingOf = (settings: Settings): Spelling => {
	const cased = (text: string) => {
		if (settings.hostCase === "asGiven") return text;
		return settings.hostCase === "upper" ? text.toUpperCase() : text.toLowerCase();
	};
	const respelled = (cidr: string): string => {
		const given = settings.maskHostBits ? masked(cidr) : cidr;
		const whole = wholeOf(given);
		if (settings.cidr === "strip32" && given.endsWith(whole)) return given.slice(0, -whole.length);
		if (settings.cidr === "add32" && !given.includes("/")) return given + whole;
		return given;
	};
	const set = <Item>(items: readonly Item[]): Item[] =>
		settings.mergeDuplicates
			? [...new Map(items.map((item) => [JSON.stringify(item).toLowerCase(), item])).values()]
			: [...items];
	return {
		host: cased,
		set,
		url: (text) => {
			if (text === null) return text;
			const url = /^([a-z]+:\/\/[^/?#]*)([^?#]*)(.*)$/i.exec(text);
			if (url === null) return text;
			const [, origin = "", path = "", rest = ""] = url;
			const bare = settings.urlSlash === "asGiven" ? path : path.replace(/\/+$/, "");
			return `${cased(origin)}${bare}${settings.urlSlash === "add" ? "/" : ""}${rest}` as typeof text;
		},
		sipUri: (text) => {
			const [, scheme = "", user = "", host = "", rest = ""] = /^(sips?:)(.*@)?([^;@]*)(.*)$/i.exec(text) ?? [];
			return scheme === "" ? text : `${scheme}${user}${cased(host)}${rest}`;
		},
		phone: (text) => (settings.phonePlus || text === null ? text : (text.replace(/^\+/, "") as typeof text)),
		text: (text) => (settings.trimText && text !== null ? (text.trim() as typeof text) || null : text),
		cidrs: (texts) => {
			const spelled = texts.map(respelled);
			if (!settings.mergeDuplicates) return spelled;
			const canonical = (cidr: string) => (cidr.includes("/") ? cidr : cidr + wholeOf(cidr)).toLowerCase();
			return [...new Map(spelled.map((cidr) => [canonical(cidr), cidr])).values()];
		},
		secret: (secret) => {
			if (settings.secretEcho === "omit") return undefined;
			if (settings.secretEcho === "mask") return "********";
			return `sha256:${createHash("sha256").update(secret).digest("hex")}`;
		},
	};
};
