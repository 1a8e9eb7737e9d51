/** A host in an option: `app`, `app:3000`, `10.0.0.5`, `[fd00::1]:8080`, `*.internal`. */
export interface HostPattern {
	/** In lower case, IPv6 without brackets. A leading dot matches every name with this ending. */
	readonly name: string;
	/** Undefined matches any port. */
	readonly port: number | undefined;
}

export const hostHint = "must be a host such as app, app:3000, 10.0.0.5 or *.internal";

const written = /^(\*\.)?(\[[0-9a-f:.]+\]|[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?)\.?(?::(\d{1,5}))?$/i;

/** Returns undefined for text that isn't a host, and for `*`. */
export const parsePattern = (text: string): HostPattern | undefined => {
	const [, wild = "", host = "", , port] = written.exec(text.trim()) ?? [];
	if (!URL.canParse(`http://${host}`) || (wild !== "" && host.startsWith("[")) || Number(port) > 65_535)
		return undefined;
	const name = wild.slice(1) + bare(new URL(`http://${host}`).hostname);
	return { name, port: port === undefined ? undefined : Number(port) };
};

/** Without the brackets of IPv6 and the dot at the end of a full name. */
const bare = (host: string): string => host.replace(/^\[|\]$/g, "").replace(/\.$/, "");

export const hostOf = (header: string): HostPattern | undefined =>
	header.startsWith("*") ? undefined : parsePattern(header);

export const fitsHost = (patterns: readonly HostPattern[], { name, port }: HostPattern): boolean => {
	const host = bare(name).toLowerCase();
	return patterns.some(
		(pattern) =>
			(pattern.name.startsWith(".") ? host.endsWith(pattern.name) : host === pattern.name) &&
			(pattern.port === undefined || pattern.port === port),
	);
};
