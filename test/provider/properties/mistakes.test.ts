/** What check says of many mistakes at once: one sentence for each property, with its path and the way to mend it. */
import { expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { declaration, openProvider } from "../../helpers/provider";

const declare = {
	number: (args: Values) => declaration("Number", "bad", args),
	sipTrunk: (args: Values) => declaration("SipTrunk", "bad", args),
	webhook: (args: Values) => declaration("Webhook", "bad", args),
};
type Kind = keyof typeof declare;

const number = { country: "NL", type: "mobile" };
const acl = (allowedCidrs: unknown) => ({ auth: { mode: "ip_acl", allowedCidrs }, capacity: 1 });

test.each<[Kind, Values, string[]]>([
	[
		"number",
		{
			country: "Nederland",
			type: "landline",
			labl: "x",
			smsWebhookUrl: "http://hooks.example.com/sms",
			routing: {
				type: "forward",
				to: "020-1234567",
				ringTimeoutSeconds: 1.5,
				failovr: {},
				failover: { type: "webhook", url: "hooks" },
			},
			activationTimeoutSeconds: 0,
			onDelete: "keep",
			generation: -1,
		},
		[
			"labl: there is no such property. Did you mean label?",
			"country: must be a two-letter ISO 3166 code in upper case, such as NL",
			"type: must be one of geographic, mobile, toll_free, national",
			"routing.to: must be a phone number in E.164, with + and the country code",
			"routing.ringTimeoutSeconds: must be a whole number of seconds from 5 to 300",
			"routing.failover.url: must be an https URL",
			"routing.failovr: there is no such property. Did you mean failover?",
			"smsWebhookUrl: must be an https URL",
			"activationTimeoutSeconds: must be at least 1 second",
			"onDelete: must be release or retain",
			"generation: must not be negative",
		],
	],
	[
		"number",
		{ type: "mobile", routing: { type: "trnk", trunkId: "trk_1" } },
		["country: must be set", "routing.type: must be one of trunk, sip_uri"],
	],
	[
		"number",
		{ ...number, routing: { type: "forward", trunkId: "trk_1" } },
		["routing.to: ", "routing.trunkId: there is no such property"],
	],
	[
		"sipTrunk",
		{
			...acl([
				"198.51.100.1/24",
				"10.1.0.0/16",
				"0.0.0.0/0",
				"198.51.100.0/24",
				"300.1.1.1",
				"203.0.113.7",
				"2001:db8::/32",
				"::/0",
			]),
			capacity: 0,
			callsPerSecond: 1.5,
			targets: [{ host: "not a host", port: 0, weigth: 1 }],
			codecs: ["MP3"],
			mediaEncryption: "tls",
			passwordRotation: 1,
		},
		[
			"auth.allowedCidrs[0]: has host bits set: write 198.51.100.0/24",
			"auth.allowedCidrs[1]: 10.1.0.0/16 is not reachable from the internet (it overlaps 10.0.0.0/8): use public addresses",
			"auth.allowedCidrs[2]: 0.0.0.0/0 admits every address",
			"auth.allowedCidrs[4]: must be an IP address or CIDR",
			"auth.allowedCidrs[7]: ::/0 admits every address",
			"capacity: must be a whole number from 1 to 10000",
			"callsPerSecond: must be a whole number from 1 to 100",
			"targets[0].host: must be a host name or IP address",
			"targets[0].port: must be a whole number from 1 to 65535",
			"targets[0].weigth: there is no such property. Did you mean weight?",
			"codecs[0]: must be one of PCMU",
			"mediaEncryption: must be none or srtp",
			"passwordRotation: only a trunk with auth.mode digest has a password",
		],
	],
	[
		"sipTrunk",
		{ ...acl([]), capacity: 1.5 },
		["auth.allowedCidrs: must name at least one", "capacity: must be a whole number from 1 to 10000"],
	],
	[
		"webhook",
		{ url: "http://hooks.example.com", events: ["message.recieved"], enabled: true, secret: "x" },
		[
			"url: must be an https URL",
			"events[0]: must be one of *, number.activated",
			"secret: there is no such property. The properties are url, events",
		],
	],
])("each wrong property of a %s is told once: %j", async (kind, args, messages) => {
	const run = openProvider({ url: "http://127.0.0.1:1/v1", apiKey: "key" });
	const { failures } = await run[kind].check({}, declare[kind](args));
	const said = failures.map(({ reason }) => reason);
	for (const message of messages) expect(said.join("\n")).toContain(message);
	expect(said, "as many as bad properties").toHaveLength(messages.length);
});
