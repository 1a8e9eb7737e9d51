import ipaddr from "ipaddr.js";

type Block = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, length: number];

const blockOf = (cidr: string): Block =>
	cidr.includes("/") ? ipaddr.parseCIDR(cidr) : [ipaddr.parse(cidr), cidr.includes(":") ? 128 : 32];

/** Private, shared, local and multicast ranges, and IPv4 in IPv6. Ranges for documentation are allowed. */
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
].map((cidr) => [cidr, blockOf(cidr)] as const);

/** Shortest prefixes. */
const widest = { ipv4: 8, ipv6: 16 };

const overlap = ([a, aLength]: Block, [b, bLength]: Block): boolean =>
	a.kind() === b.kind() && (a as ipaddr.IPv6).match(b as ipaddr.IPv6, Math.min(aLength, bLength));

/** Explains why an allow list can't have this address or CIDR; undefined if it can. */
export const openTo = (cidr: string): string | undefined => {
	const block = blockOf(cidr);
	const [address, length] = block;
	if (length < widest[address.kind()]) return "is too wide: use the addresses of your own equipment";
	const found = unroutable.find(([, range]) => overlap(block, range));
	return found && `overlaps ${found[0]}, which is not public: use public addresses`;
};
