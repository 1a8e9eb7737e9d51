/** Who may use a trunk, and how much of it. */
import ipaddr from "ipaddr.js";
import { knownItems, knownNumber, knownValue, resourcePolicy } from "./define";

export const narrowIpLists = resourcePolicy(
	{
		name: "narrow-ip-lists",
		description: "A trunk admits the addresses of your own equipment, and no wide range.",
		settings: {
			ipv4Length: {
				type: "integer",
				minimum: 0,
				maximum: 32,
				default: 24,
				description: "The shortest prefix of IPv4: 24 allows ranges of at most 256 addresses.",
			},
			ipv6Length: {
				type: "integer",
				minimum: 0,
				maximum: 128,
				default: 56,
				description: "The shortest prefix of IPv6.",
			},
		},
	},
	["SipTrunk"],
	({ props }, { ipv4Length, ipv6Length }) =>
		knownItems(props, "auth", "allowedCidrs").flatMap((cidr) => {
			const block = blockOf(String(cidr));
			// The provider's own check reports text that isn't an address.
			if (block === undefined) return [];
			const least = Number(block.kind === "ipv4" ? ipv4Length : ipv6Length);
			if (block.length >= least) return [];
			return [
				`\`auth.allowedCidrs\` has ${cidr}, which is wider than /${least}: name the addresses of your own equipment.`,
			];
		}),
);

function blockOf(cidr: string): { readonly kind: "ipv4" | "ipv6"; readonly length: number } | undefined {
	const text = cidr.trim();
	if (ipaddr.isValid(text)) return { kind: ipaddr.parse(text).kind(), length: 128 };
	if (!ipaddr.isValidCIDR(text)) return undefined;
	const [address, length] = ipaddr.parseCIDR(text);
	// ::ffff:0.0.0.0/96 is all of IPv4.
	const mapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && length >= 96;
	return mapped ? { kind: "ipv4", length: length - 96 } : { kind: address.kind(), length };
}

export const noDigestPassword = resourcePolicy(
	{
		name: "no-digest-password",
		description:
			"Programs contain no digest password. The service generates one, and the secret output `password` has it.",
	},
	["SipTrunk"],
	({ props }) =>
		// Policies get secrets in clear, so they can't tell a configured secret from a password in the code.
		knownValue(props, "auth", "password") === undefined
			? []
			: [
					"`auth.password` is in the program: leave it out. The service then generates one, and the output `password` has it.",
				],
);

export const trunkCapacity = resourcePolicy(
	{
		name: "trunk-capacity",
		description: "A trunk has at most the allowed channels and calls per second.",
		settings: {
			capacity: { type: "integer", minimum: 1, description: "The highest `capacity` of a trunk; unset allows any." },
			callsPerSecond: {
				type: "integer",
				minimum: 1,
				description: "The highest `callsPerSecond` of a trunk; unset allows any.",
			},
		},
	},
	["SipTrunk"],
	({ props }, most) =>
		(["capacity", "callsPerSecond"] as const).flatMap((property) => {
			const [value, limit] = [knownNumber(props, property), knownNumber(most, property)];
			if (value === undefined || limit === undefined || value <= limit) return [];
			return [`\`${property}\` is ${value}, and a trunk may have at most ${limit}.`];
		}),
);
