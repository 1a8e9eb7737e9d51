/** What check says of a mistake: where it is, and what would be right. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { aNumber, aPool, aTrunk, aWebhook, declaration, openProvider } from "../../helpers/provider";

const declare = {
	number: aNumber,
	numberPool: aPool,
	sipTrunk: aTrunk,
	webhook: aWebhook,
	activation: (args: Values) => declaration("Activation", "fleet", args),
};
type Kind = keyof typeof declare;

/** Nothing listens there: check asks nobody. */
const reasons = async (kind: Kind, args: Values) => {
	const run = openProvider({ url: "http://127.0.0.1:1/v1", apiKey: "key" });
	const { failures } = await run[kind].check({}, declare[kind](args));
	// The engine prints the value of a property that is named.
	for (const { property } of failures) expect(property).toBe("");
	return failures.map(({ reason }) => reason);
};
const agent = (more: Values) => ({ routing: { type: "agent", agentId: "a", ...more } });
const routes = "trunk, sip_uri, forward, webhook, agent";
const urlOf = (length: number) => "https://a.example/".padEnd(length, "x");
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, "v"]));
/** How the engine's protocol marks an asset, an archive or a resource. */
const marked = { "4dabf18193072939515e22adb298388d": "asset", text: "secret" };

const phrase = "correct horse battery";

// Limits are named, and what may be chosen.
test.each<[Kind, Values, string, string | number]>([
	["number", { country: 5 }, "country", "string"],
	["number", { country: "XX" }, "country", ""],
	["number", { area: "" }, "area", ""],
	["number", { routing: { type: "forward", to: "12" } }, "routing.to", ""],
	["number", agent({ failover: { type: "sip_uri", uri: "x" } }), "routing.failover.uri", ""],
	["number", { smsWebhookUrl: "http://a.example" }, "smsWebhookUrl", "https"],
	["number", { smsWebhookUrl: "https://u:p@a.example" }, "smsWebhookUrl", ""],
	["number", { smsWebhookUrl: "https://a.example/#sms" }, "smsWebhookUrl", ""],
	["number", { smsWebhookUrl: "http://u@localhost/sms" }, "smsWebhookUrl", ""],
	["number", { routing: { type: "webhook", url: "http://localhost/calls" } }, "routing.url", ""],
	["number", { metadata: { a: 1 } }, "metadata.a", ""],
	["number", { metadata: { "": "a" } }, "metadata.", ""],
	["number", { metadata: ["a"] }, "metadata", ""],
	["number", { releaseProtection: "yes" }, "releaseProtection", "true or false"],
	["number", { routing: "x" }, "routing", ""],
	["number", { routing: { type: "trunk" } }, "routing.trunkId", "must be set"],
	["number", { generation: -1 }, "generation", ""],
	["number", { activationTimeoutSeconds: 0.5 }, "activationTimeoutSeconds", ""],
	["sipTrunk", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.1", "10.0.0.1"] } }, "auth.allowedCidrs[1]", ""],
	["sipTrunk", { auth: { mode: "ip_acl", allowedCidrs: [] } }, "auth.allowedCidrs", ""],
	["sipTrunk", { auth: { mode: "digest", username: "a" } }, "auth.username", ""],
	["sipTrunk", { auth: { mode: "digest", username: "pbx-1", password: "too short" } }, "auth.password", ""],
	["sipTrunk", { auth: { mode: "ip_acl", allowedCidrs: ["192.0.2.1"], password: phrase } }, "auth.password", ""],
	["sipTrunk", { auth: phrase }, "auth", ""],
	["sipTrunk", { auth: { mode: phrase } }, "auth.mode", ""],
	["sipTrunk", { auth: [phrase] }, "auth", ""],
	["sipTrunk", { capacity: 0 }, "capacity", 1],
	["sipTrunk", { codecs: ["PCMU", "PCMU"] }, "codecs", ""],
	["sipTrunk", { passwordRotation: "1" }, "passwordRotation", ""],
	["webhook", { url: "http://a.example" }, "url", "https"],
	["webhook", { url: "http://127.evil.example" }, "url", ""],
	["webhook", { url: "https://a.example/#x" }, "url", ""],
	["webhook", { events: [] }, "events", ""],
	["webhook", { events: ["number.exploded"] }, "events[0]", ""],
	["webhook", { enabled: "yes" }, "enabled", "true or false"],
	["numberPool", { label: "desk {i}" }, "label", "{i}"],
	["numberPool", { exclude: ["sales[1]"] }, "exclude", "sales[1]"],
	["numberPool", { releaseFirst: ["1"] }, "releaseFirst[0]", ""],
	["numberPool", { exclude: ["support[1]"], releaseFirst: ["support[1]"] }, "releaseFirst", "`exclude`"],
	["numberPool", { count: 10_001 }, "count", 10_000],
	["activation", {}, "numberIds", "must be set"],
	["activation", { numberIds: [] }, "numberIds", "at least one"],
	["activation", { numberIds: "num_1" }, "numberIds", "list"],
	["activation", { numberIds: ["a", "b", "a"] }, "numberIds[2]", "numberIds[0]"],
	["activation", { numberIds: ["a", ""] }, "numberIds[1]", "num_01"],
	["activation", { numberIds: ["a"], timeoutSeconds: 0 }, "timeoutSeconds", 1],
	["activation", { numberIds: ["a"], timeoutSeconds: -5 }, "timeoutSeconds", 1],
	["number", { type: "satellite" }, "type", "geographic, mobile, toll_free, national"],
	["number", { label: "x".repeat(65) }, "label", 64],
	["number", { metadata: keys(21) }, "metadata", 20],
	["number", { metadata: { a: "x".repeat(501) } }, "metadata.a", 500],
	["number", { generation: 0.5 }, "generation", "whole number"],
	["number", { activationTimeoutSeconds: 0 }, "activationTimeoutSeconds", 1],
	["number", { routing: {} }, "routing.type", routes],
	["number", { routing: { type: "pigeon" } }, "routing.type", routes],
	["number", { routing: { type: "trunk", trunkId: "" } }, "routing.trunkId", "empty"],
	["number", agent({ ringTimeoutSeconds: 4 }), "routing.ringTimeoutSeconds", 5],
	["number", agent({ ringTimeoutSeconds: 301 }), "routing.ringTimeoutSeconds", 300],
	["number", agent({ ringTimeoutSeconds: 5.5 }), "routing.ringTimeoutSeconds", "whole number"],
	["number", { routing: { type: "sip_uri", uri: "sip:a:password@b.example" } }, "routing.uri", "password"],
	["number", { routing: { type: "webhook", url: urlOf(2049) } }, "routing.url", 2048],
	["numberPool", { count: 0 }, "count", 1],
	["sipTrunk", { capacity: 10_001 }, "capacity", 10_000],
	["sipTrunk", { capacity: "5" }, "capacity", 10_000],
	["sipTrunk", { callsPerSecond: 101 }, "callsPerSecond", 100],
	["sipTrunk", { targets: [{ host: "b", port: 0 }] }, "targets[0].port", 65_535],
	["sipTrunk", { mediaEncryption: "x" }, "mediaEncryption", "none or srtp"],
	["sipTrunk", { auth: { mode: "ip_acl", allowedCidrs: "x" } }, "auth.allowedCidrs", "list"],
	["sipTrunk", { auth: { mode: "x" } }, "auth.mode", "ip_acl or digest"],
])("%s %j is one mistake at %s, which names %s", async (kind, args, path, named) => {
	const [reason, ...more] = await reasons(kind, args);
	expect(more).toEqual([]);
	expect(reason?.split(": ")[0]).toBe(path);
	expect(reason).toContain(String(named));
	// Neither a secret nor the validator's own words.
	expect(reason).not.toMatch(/correct horse|too short|Too (small|big)|Invalid|expected/);
});

test.each<[Kind, Values]>([
	["number", { label: "x".repeat(64), metadata: keys(20) }],
	["number", { generation: 0, activationTimeoutSeconds: 1 }],
	["number", agent({ ringTimeoutSeconds: 5 })],
	["number", agent({ ringTimeoutSeconds: 300 })],
	["number", { routing: { type: "webhook", url: urlOf(2048) }, smsWebhookUrl: urlOf(2048) }],
	["sipTrunk", { capacity: 1, callsPerSecond: 1, targets: [{ host: "a", port: 1 }] }],
	["sipTrunk", { capacity: 10_000, callsPerSecond: 100, targets: [{ host: "a", port: 65_535 }] }],
])("%s takes what just fits: %j", async (kind, args) => expect(await reasons(kind, args)).toEqual([]));

describe("a property that doesn't exist", () => {
	const none = "there is no such property.";

	test("is named with what was meant, in the object that it stands in", async () => {
		expect(await reasons("sipTrunk", { targets: [{ hots: "a" }] })).toEqual([
			"targets[0].host: must be set",
			`targets[0].hots: ${none} Did you mean host?`,
		]);
		expect(await reasons("sipTrunk", { targets: [{ host: "a" }, { host: "b", prot: 1 }] })).toEqual([
			`targets[1].prot: ${none} Did you mean port?`,
		]);
	});

	test("is told what its own kind of route takes, and not what another kind would", async () => {
		expect(await reasons("number", agent({ to: "+31201234567", failver: {} }))).toEqual([
			`routing.to: ${none} The properties are type, agentId, ringTimeoutSeconds, failover.`,
			`routing.failver: ${none} Did you mean failover?`,
		]);
		const failover = { type: "forward", to: "+31201234567", trunkId: "t" };
		expect(await reasons("number", agent({ failover }))).toEqual([
			`routing.failover.trunkId: ${none} The properties are type, to, ringTimeoutSeconds.`,
		]);
	});

	test("is not guessed at from afar", async () => {
		// Three letters away are too many for a name of five, and not for one of nine.
		expect(await reasons("number", { lblxy: 1 })).toEqual([expect.stringContaining("The properties are country, ")]);
		expect(await reasons("number", { genration: 1 })).toEqual([`genration: ${none} Did you mean generation?`]);
		expect(await reasons("number", { genertoin: 1 })).toEqual([`genertoin: ${none} Did you mean generation?`]);
	});
});

test.each<[Kind, Values, string]>([
	["number", { label: marked }, "label"],
	["number", agent({ agentId: marked }), "routing.agentId"],
	["number", { routing: marked }, "routing"],
	["sipTrunk", { targets: [{ host: "a" }, marked] }, "targets[1]"],
	["number", { metadata: { a: marked } }, "metadata.a"],
])("an asset or resource in place of a value, in %s %j, is one mistake at %s", async (kind, args, path) => {
	expect(await reasons(kind, args)).toEqual([`${path}: must be a plain value, not an asset, an archive or a resource`]);
});
