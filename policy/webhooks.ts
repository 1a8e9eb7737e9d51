/** Where the service sends events, and asks what to do with calls. */
import { domainToASCII } from "node:url";
import { knownText, knownValue, resourcePolicy, textsOf } from "./define";

const places: readonly (readonly string[])[] = [
	["url"],
	["smsWebhookUrl"],
	["routing", "url"],
	["routing", "failover", "url"],
];

export const httpsAddresses = resourcePolicy(
	{
		name: "https-addresses",
		description: "Events, messages and calls go to https addresses of your own hosts.",
		settings: {
			hosts: {
				type: "array",
				items: { type: "string" },
				default: [],
				description:
					"Names of hosts. With a dot in front, as in .example.com, all hosts of that domain. Empty allows all.",
			},
			loopback: {
				type: "boolean",
				default: false,
				description: "True if plain http to loopback may be used, as with an emulator.",
			},
		},
	},
	["Webhook", "Number", "NumberPool"],
	({ props }, { hosts, loopback }) =>
		places.flatMap((place) => {
			const url = knownText(props, ...place);
			const problem = url === undefined ? undefined : addressProblem(url, textsOf(hosts), loopback === true);
			return problem === undefined ? [] : [`\`${place.join(".")}\` ${problem}.`];
		}),
);

/** Says nothing of the address's path and query, which may be secret. */
function addressProblem(text: string, hosts: readonly string[], loopback: boolean): string | undefined {
	if (!URL.canParse(text)) return "isn't a URL";
	const { protocol, hostname } = new URL(text);
	const name = hostname.replace(/\.$/, "");
	const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
	if (isLoopback && loopback) return undefined;
	if (protocol !== "https:") return `must be https, and is ${protocol.slice(0, -1)}`;
	const isOurs = hosts.map(inUrl).some((host) => (host.startsWith(".") ? name.endsWith(host) : name === host));
	return hosts.length === 0 || isOurs
		? undefined
		: `names the host ${hostname}, and only ${hosts.join(", ")} may be used`;
}

/** A URL has a host in lower case, and in punycode if it has letters outside ASCII. */
const inUrl = (host: string): string => host.replace(/[^.]+/g, (label) => domainToASCII(label) || label.toLowerCase());

export const signedWebhooks = resourcePolicy(
	{
		name: "signed-webhooks",
		description: "The program knows the secret of each webhook, so that its receiver can check signatures.",
	},
	["Webhook"],
	({ props }) =>
		// The service signs for every webhook, and shows the secret of those alone that the program made or rotated.
		knownValue(props, "adopt") === undefined || knownValue(props, "secretRotation") !== undefined
			? []
			: ["It is adopted, so its secret is unknown: set `secretRotation` to get one."],
);
