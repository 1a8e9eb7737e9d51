import { createHash } from "node:crypto";
import type { Settings } from "./settings";

/** Spells values as the settings say, without a change of meaning. */
export interface Spelling {
	host(text: string): string;
	url<Text extends string | null>(text: Text): Text;
	sipUri(text: string): string;
	phone<Text extends string | null>(text: Text): Text;
	text<Text extends string | null>(text: Text): Text | null;
	cidr(text: string): string;
	/** A secret in responses after its creation; undefined to omit it. */
	secret(secret: string): string | undefined;
}

export const spellingOf = (settings: Settings): Spelling => {
	const cased = (text: string) => {
		if (settings.hostCase === "asGiven") return text;
		return settings.hostCase === "upper" ? text.toUpperCase() : text.toLowerCase();
	};
	return {
		host: cased,
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
		cidr: (text) => {
			const whole = text.includes(":") ? "/128" : "/32";
			if (settings.cidr === "strip32" && text.endsWith(whole)) return text.slice(0, -whole.length);
			return settings.cidr === "add32" && !text.includes("/") ? text + whole : text;
		},
		secret: (secret) => {
			if (settings.secretEcho === "omit") return undefined;
			if (settings.secretEcho === "mask") return "********";
			return `sha256:${createHash("sha256").update(secret).digest("hex")}`;
		},
	};
};
