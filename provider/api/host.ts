/** Names of hosts. */
import { domainToASCII } from "node:url";

/**
 * Returns the name of a host as DNS has it: in lower case, with letters outside ASCII in punycode. Undefined if
 * no name can have such letters.
 */
export function dnsName(name: string): string | undefined {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with control characters.
	const isAscii = /^[\x00-\x7f]*$/.test(name);
	// A browser would also read `%2e`, and `/` as the end of a name.
	const ascii = isAscii ? name : /[%/?#@:\\\s]/.test(name) ? "" : domainToASCII(name);
	return ascii === "" && name !== "" ? undefined : ascii.toLowerCase();
}
