/** The failures of check: one for each wrong property, with its path, the limit or the values that it takes. */
import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { signature, type Values } from "../../../provider/properties/table";
import {
	aNumber,
	aPool,
	aPortOrder,
	aTrunk,
	aWebhook,
	checked,
	declaration,
	openProvider,
} from "../../helpers/provider";

const declare = {
	number: aNumber,
	numberPool: aPool,
	sipTrunk: aTrunk,
	webhook: aWebhook,
	portOrder: aPortOrder,
	activation: (args: Values) => declaration("Activation", "fleet", args),
};
type Name = keyof typeof declare;

/** Check sends no request, so nothing needs to listen. */
const open = () => openProvider({ url: "http://127.0.0.1:1/v1", apiKey: "key" });
const reasons = async (name: Name, news: Values, olds: Values = {}) => {
	const { failures } = await open()[name].check(olds, news);
	// The engine prints the value of a property that a failure names, and it may be a secret.
	for (const { property } of failures) expect(property).toBe("");
	return failures.map(({ reason }) => reason);
};
const pathsOf = (paths: readonly string[]) => paths.map((reason) => reason.split(": ")[0]);

const agent = (more: Values) => ({ routing: { type: "agent", agentId: "a", ...more } });
const forward = (to: string) => ({ routing: { type: "forward", to } });
const acl = (...allowedCidrs: string[]) => ({ auth: { mode: "ip_acl", allowedCidrs } });
const targets = (...hosts: string[]) => ({ targets: hosts.map((host) => ({ host })) });
const american = { country: "US", type: "geographic" };
const routes = "trunk, sip_uri, forward, webhook, agent";
const urlOf = (length: number) => "https://a.example/".padEnd(length, "x");
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, "v"]));
const phrase = "correct horse battery";

test.each<[Name, Values, string, string | number | RegExp]>([
	["number", { country: "XX" }, "country", "NL"],
	["number", { country: "UK" }, "country", "GB"],
	["number", { type: "satellite" }, "type", "geographic, mobile, toll_free, national"],
	["number", { area: "" }, "area", "empty"],
	["number", { area: 20 }, "area", "string"],
	["number", { metadata: { a: 1 } }, "metadata.a", "string"],
	["number", { metadata: { "": "a" } }, "metadata.", "key"],
	["number", { metadata: keys(21) }, "metadata", 20],
	["number", { metadata: { a: "x".repeat(501) } }, "metadata.a", 500],
	["number", { releaseProtection: "yes" }, "releaseProtection", "true or false"],
	["number", { generation: -1 }, "generation", "negative"],
	["number", { activationTimeoutSeconds: 0 }, "activationTimeoutSeconds", 1],
	["number", { onDelete: "delete" }, "onDelete", "release or retain"],
	["number", { smsWebhookUrl: "https://u:p@a.example" }, "smsWebhookUrl", "credentials"],
	["number", { smsWebhookUrl: "http://u@localhost/sms" }, "smsWebhookUrl", "credentials"],
	["number", { routing: "x" }, "routing", routes],
	["number", { routing: { type: "trunk" } }, "routing.trunkId", "must be set"],
	["number", { routing: { type: "webhook", url: "http://localhost/calls" } }, "routing.url", "https"],
	["number", { routing: { type: "webhook", url: urlOf(2049) } }, "routing.url", 2048],
	["number", { routing: { type: "sip_uri", uri: "sip:a:password@b.example" } }, "routing.uri", "password"],
	["number", agent({ ringTimeoutSeconds: 4 }), "routing.ringTimeoutSeconds", 5],
	["number", { ...american, ...forward("2025550123") }, "routing.to", "Did you mean +12025550123?"],
	["number", forward("2025550123"), "routing.to", "such as +31201234567"],
	["number", { ...american, ...agent({ failover: forward("2025550123").routing }) }, "routing.failover.to", "+1202"],
	["number", { ...american, adopt: "2025550123" }, "adopt", "+12025550123"],
	["sipTrunk", { adopt: " " }, "adopt", "the id of a trunk"],
	["number", forward("+4930123456O"), "routing.to", "such as +31201234567"],
	["number", forward("+49 30/1234567"), "routing.to", "such as +31201234567"],
	["number", forward("+31 020 1234567"), "routing.to", "+31201234567"],
	["number", forward("+31 20 1234567".repeat(2)), "routing.to", "such as"],
	["number", forward("+49 110"), "routing.to", "7 to 15 digits"],
	["number", forward("+22507123456"), "routing.to", "TELEPHONY_ACCEPT_UNKNOWN_NUMBERS=yes"],
	["number", forward("+5215512345678"), "routing.to", "TELEPHONY_ACCEPT_UNKNOWN_NUMBERS=yes"],
	["number", forward("+9991234567"), "routing.to", "TELEPHONY_ACCEPT_UNKNOWN_NUMBERS=yes"],
	["number", agent({ failover: forward("+43 1 58858 ext").routing }), "routing.failover.to", "such as"],
	["numberPool", agent({ failover: forward("+4930123456O").routing }), "routing.failover.to", "such as"],
	["numberPool", { adopt: ["num_1", "+49 30 1234567 / 8"] }, "adopt[1]", "such as"],
	["number", { adopt: "+4930123456O" }, "adopt", "such as"],
	["number", { adopt: "+31201234567, +31201234568" }, "adopt", "such as"],
	["number", { adopt: "\u202a+31201234567x5\u202c" }, "adopt", "such as"],
	["number", { adopt: "＋３１２０１２３４５６７" }, "adopt", "E.164"],
	["portOrder", { numbers: ["+31201234567", "+31 20 1234568 / 9"] }, "numbers[1]", "such as"],
	["portOrder", { numbers: ["+22507123456"] }, "numbers[0]", "TELEPHONY_ACCEPT_UNKNOWN_NUMBERS=yes"],
	["activation", { numberIds: ["+43 1 58858 ext"] }, "numberIds[0]", "such as"],
	["number", { adopt: "020-1234567" }, "adopt", "+31201234567"],
	["number", { adopt: "tel:+31201234567" }, "adopt", "+31201234567"],
	["number", { adopt: "+0031201234567" }, "adopt", "+31201234567"],
	["number", { adopt: " " }, "adopt", "the id of a number"],
	["numberPool", { ...american, adopt: ["num_1", "2025550123"] }, "adopt[1]", "+12025550123"],
	["numberPool", { count: 10_001 }, "count", 10_000],
	["numberPool", { label: "desk {i}" }, "label", "{index}"],
	["sipTrunk", acl("198.51.100.1", "10.0.0.1"), "auth.allowedCidrs[1]", "10.0.0.0/8"],
	["sipTrunk", acl("0.0.0.0/0"), "auth.allowedCidrs[0]", "every address"],
	["sipTrunk", acl("12.0.0.0/7"), "auth.allowedCidrs[0]", "wide"],
	["sipTrunk", acl("198.51.100.7/24"), "auth.allowedCidrs[0]", "198.51.100.0/24"],
	["sipTrunk", acl("pbx.example.com"), "auth.allowedCidrs[0]", "CIDR"],
	["sipTrunk", acl(), "auth.allowedCidrs", "at least one"],
	["sipTrunk", { auth: { mode: "digest", username: "a:b" } }, "auth.username", "colon"],
	["sipTrunk", { auth: { mode: "digest", username: " pbx" } }, "auth.username", "space"],
	["sipTrunk", { auth: { mode: "digest", username: "" } }, "auth.username", "1 to 64"],
	["sipTrunk", { auth: { mode: "digest", username: "a\u0000b" } }, "auth.username", "control"],
	["sipTrunk", { auth: { mode: "digest", username: "pbx-1", password: "too short" } }, "auth.password", 12],
	["sipTrunk", { auth: { ...acl("192.0.2.1").auth, password: phrase } }, "auth.password", "no such property"],
	["sipTrunk", { auth: phrase }, "auth", "ip_acl or digest"],
	["sipTrunk", { auth: { mode: phrase } }, "auth.mode", "ip_acl or digest"],
	["sipTrunk", { capacity: 0 }, "capacity", 1],
	["sipTrunk", { codecs: ["PCMU", "PCMU"] }, "codecs", "once"],
	["sipTrunk", { codecs: ["M P3"] }, "codecs[0]", "PCMU"],
	["sipTrunk", { passwordRotation: "1" }, "passwordRotation", "digest"],
	["sipTrunk", { onDelete: "release" }, "onDelete", "delete or retain"],
	["sipTrunk", { targets: [{ host: "b", port: 0 }] }, "targets[0].port", 65_535],
	["sipTrunk", { targets: [{ host: "a" }, { host: "b", prot: 1 }] }, "targets[1].prot", "port"],
	["sipTrunk", targets("a.example:5060"), "targets[0].host", "without scheme, user, `port`"],
	["sipTrunk", targets(""), "targets[0].host", "host name"],
	["webhook", { url: "http://127.evil.example" }, "url", "https"],
	["webhook", { events: [] }, "events", "at least one"],
	["webhook", { events: ["number exploded"] }, "events[0]", "number.activated"],
	["webhook", { secretRotation: ["x"] }, "secretRotation", "a string, a number"],
	["portOrder", { numbers: ["+31201234567", "0612345678"] }, "numbers[1]", "+31612345678"],
	["portOrder", { numbers: Array.from({ length: 51 }, (_, n) => `+312012345${10 + n}`) }, "numbers", 50],
	["portOrder", { numbers: [null] }, "numbers[0]", "unknown until the carrier assigns it"],
	["numberPool", { adopt: [null] }, "adopt[0]", "unknown until the carrier assigns it"],
	["portOrder", { requestedDate: "soon" }, "requestedDate", "2026-01-31T00:00:00Z"],
	["activation", {}, "numberIds", "must be set"],
	["activation", { numberIds: ["a", "0031201234567"] }, "numberIds[1]", "+31201234567"],
	["activation", { numberIds: ["a"], timeoutSeconds: 0 }, "timeoutSeconds", 1],
])("names one mistake in a %s with %j: %s, %s", async (name, args, path, limit) => {
	const [reason = "", ...more] = await reasons(name, declare[name](args));
	expect({ path: reason.split(": ")[0], more }).toEqual({ path, more: [] });
	if (limit instanceof RegExp) expect(reason).toMatch(limit);
	else expect(reason).toContain(String(limit));
	// Neither a secret nor the validator's own message.
	expect(reason).not.toMatch(/correct horse|too short|Too (small|big)|Invalid|expected/);
});

test.each<[Name, Values]>([
	["number", { label: "x".repeat(64), metadata: keys(20), generation: 0, activationTimeoutSeconds: 1 }],
	["number", { ...agent({ ringTimeoutSeconds: 5 }), adopt: "1000234" }],
	["number", { ...american, ...agent({ ringTimeoutSeconds: 300 }), adopt: "1293384261075731499" }],
	["number", { routing: { type: "webhook", url: urlOf(2048) }, smsWebhookUrl: urlOf(2048) }],
	["number", { smsWebhookUrl: "http://localhost:3000/sms", adopt: "+1 202 555 0123" }],
	["webhook", { url: "http://127.0.0.1/", secretRotation: 2 }],
	["webhook", { url: "https://a.example/sms?token=x", secretRotation: true }],
	["activation", { numberIds: ["a", "b", "a"] }],
	["sipTrunk", { capacity: 1, callsPerSecond: 1, targets: [{ host: "a", port: 1 }] }],
	["sipTrunk", { capacity: 10_000, callsPerSecond: 100, targets: [{ host: "a", port: 65_535 }] }],
	["sipTrunk", acl("198.51.100.0/24", "203.0.113.7", "192.0.2.1/32", "2001:db8::/32", "8.8.8.8")],
	["sipTrunk", targets("pbx.example", "PBX.example.", "203.0.113.9", "2001:db8::1", "[2001:DB8::1]")],
	["sipTrunk", targets("_sip._tcp.example.com", "pbx_1.example.com", "münchen.example", "xn--mnchen-3ya.example")],
	["sipTrunk", targets("ПРИМЕР.рф.", "bücher_1.example", "localhost", "a--b.example")],
	...["+31201234567", "100", "desk@example.com", "Front desk", "büro", "1", "a".repeat(64), "a%b;c"].map(
		(username): [Name, Values] => ["sipTrunk", { auth: { mode: "digest", username } }],
	),
	...["https://münchen.example/x", "https://pbx_1.example.com/x", "https://_dmarc.example.com."].map(
		(url): [Name, Values] => ["webhook", { url }],
	),
	["number", { routing: { type: "webhook", url: "https://münchen.example/calls" } }],
	...["sip:desk%40example.com@pbx_1.example.com", "sip:+3120@münchen.example", "sips:a%3Bb@_sip._tcp.example:5061"].map(
		(uri): [Name, Values] => ["number", { routing: { type: "sip_uri", uri } }],
	),
])("accepts the limits of a %s: %j", async (name, args) => {
	expect(await reasons(name, declare[name](args))).toEqual([]);
});

test.each<[Name, Values, string[]]>([
	[
		"number",
		{
			...{ country: "Nederland", type: "landline", labl: "x", smsWebhookUrl: "http://hooks.example.com/sms" },
			routing: {
				...{ type: "forward", to: "020-1234567", ringTimeoutSeconds: 1.5, failovr: {} },
				failover: { type: "webhook", url: "hooks" },
			},
			...{ activationTimeoutSeconds: 0, onDelete: "keep", generation: -1 },
		},
		[
			...["labl", "country", "type", "routing.to", "routing.ringTimeoutSeconds", "routing.failover.url"],
			...["routing.failovr", "smsWebhookUrl", "activationTimeoutSeconds", "onDelete", "generation"],
		],
	],
	[
		"sipTrunk",
		{
			...acl("198.51.100.1/24", "10.1.0.0/16", "198.51.100.0/24", "300.1.1.1"),
			...{ capacity: 0, callsPerSecond: 1.5, targets: [{ host: "not a host", port: 0, weigth: 1 }] },
			...{ codecs: ["M P3"], mediaEncryption: "t ls", passwordRotation: 1 },
		},
		[
			...["auth.allowedCidrs[0]", "auth.allowedCidrs[1]", "auth.allowedCidrs[3]", "capacity", "callsPerSecond"],
			...["targets[0].host", "targets[0].port", "targets[0].weigth", "codecs[0]", "mediaEncryption"],
			"passwordRotation",
		],
	],
	["sipTrunk", { targets: [{ hots: "a" }] }, ["targets[0].host", "targets[0].hots"]],
	["number", { routing: { type: "forward", trunkId: "t" } }, ["routing.to", "routing.trunkId"]],
])("names each wrong property of a %s once: %j", async (name, args, paths) => {
	const problems = pathsOf(await reasons(name, declare[name](args)));
	expect(problems.toSorted()).toEqual(paths.toSorted());
});

test.each<[Values, string[]]>([
	[{ country: "nl", area: 20 }, ["country", "area"]],
	[{ type: undefined }, ["type"]],
	[{ type: "geo" }, ["type"]],
	[{ country: "nl", adopt: "num_1" }, ["country"]],
	[{ generation: "1", releaseProtection: true }, ["generation"]],
	[{ country: "DE", area: 20 }, ["area"]],
])("reports no follow-up mistake: %j", async (change, paths) => {
	const desk = { country: "NL", type: "geographic", area: "20", releaseProtection: "generation" in change };
	const olds = await checked(open().number, aNumber({ ...desk, ...("adopt" in change && { adopt: "num_1" }) }));
	expect(pathsOf(await reasons("number", aNumber({ ...desk, ...change }), olds))).toEqual(paths);
	const pool = { ...desk, count: 3 };
	const grown = await reasons("numberPool", aPool({ ...pool, ...change, count: 0, adopt: undefined }), aPool(pool));
	expect(pathsOf(grown)).toContain("count");
});

test.each<[Values, string, string]>([
	[agent({ failver: {} }), "routing.failver", "Did you mean failover?"],
	[agent({ to: "+31201234567" }), "routing.to", "are type, agentId, ringTimeoutSeconds, failover."],
	[
		agent({ failover: { ...forward("+31201234567").routing, trunkId: "t" } }),
		"routing.failover.trunkId",
		"are type, to, ringTimeoutSeconds.",
	],
	// Three letters away are too many for a name of five, and not for one of nine.
	[{ lblxy: 1 }, "lblxy", "The properties are country, "],
	[{ genertoin: 1 }, "genertoin", "Did you mean generation?"],
])("suggests properties for an unknown name: %j", async (args, path, names) => {
	const [reason, ...more] = await reasons("number", aNumber(args));
	expect(more).toEqual([]);
	expect(reason).toMatch(new RegExp(`^${path.replaceAll(".", "\\.")}: there is no such property`));
	expect(reason).toContain(names);
});

const marked = { [signature]: "asset", text: "secret" };
test.each<[Name, Values, string]>([
	["number", { label: marked }, "label"],
	["number", agent({ agentId: marked }), "routing.agentId"],
	["number", { routing: marked }, "routing"],
	["sipTrunk", { targets: [{ host: "a" }, marked] }, "targets[1]"],
	["number", { metadata: { a: marked } }, "metadata.a"],
])("refuses an asset or a resource in a %s: %j", async (name, args, path) => {
	expect(await reasons(name, declare[name](args))).toEqual([expect.stringMatching(/: must be a plain value, not /)]);
	expect(pathsOf(await reasons(name, declare[name](args)))).toEqual([path]);
});

test.each([
	["label", { label: "" }],
	["area", { area: "" }],
	["routing.trunkId", { routing: { type: "trunk", trunkId: "" } }],
	["routing.uri", { routing: { type: "sip_uri", uri: "sip:desk@" } }],
	["metadata.trunk", { metadata: { trunk: "of " } }],
])("finds an Output inside the string %s", async (path, args) => {
	for (const lost of [String(pulumi.output("x")), JSON.stringify({ x: pulumi.output("x") })]) {
		const within = JSON.parse(JSON.stringify(args), (_, value) =>
			typeof value === "string" && value !== "trunk" && value !== "sip_uri" ? value + lost : value,
		);
		const problems = await reasons("number", aNumber(within));
		expect(problems).toEqual([expect.stringContaining("this string was built from an Output")]);
		expect(pathsOf(problems)).toEqual([path]);
	}
});

test.each<[Name, Values]>([
	["number", forward("+22507123456")],
	["number", agent({ failover: forward("+9991234567").routing })],
	["numberPool", forward("+5215512345678")],
	["portOrder", { numbers: ["+22507123456"] }],
])("takes digits that no plan has if the run accepts them: %s, %j", async (name, args) => {
	const env = { TELEPHONY_ACCEPT_UNKNOWN_NUMBERS: "yes" };
	const run = openProvider({ url: "http://127.0.0.1:1/v1", apiKey: "key" }, { env });
	expect((await run[name].check({}, declare[name](args))).failures).toEqual([]);
	const text = JSON.parse(JSON.stringify(args).replace(/(\+\d+)/, "$1 ext"));
	expect((await run[name].check({}, declare[name](text))).failures).toHaveLength(1);
	expect(run.warnings).toEqual([]);
});
