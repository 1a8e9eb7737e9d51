/** What is edited behind Pulumi's back is found, shown for what it is, and repaired; what nobody declared is left alone. */
import { beforeEach, expect, test } from "vitest";
import type { Control } from "../../emulator";
import { configurationOf } from "../helpers/configuration";
import { dialect } from "../helpers/dialect.mts";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, stepsIn, succeeds } from "../helpers/engine";

const emulator = useEmulator({ kyc: "immediate" });
// A record that is sent back whole sets what the service shows as its defaults.
const whole = dialect === undefined ? {} : { injectDefaults: false };
beforeEach(() => void emulator.control.settings({ acceptUnknownProfiles: true, ...whole }));

type Edit<Method extends "patchNumber" | "patchTrunk" | "patchWebhook"> = Parameters<Control[Method]>[1];
/** What the program declares beyond the least, and what somebody makes of it; null for a twin that nobody touches. */
type Case<Method extends "patchNumber" | "patchTrunk" | "patchWebhook"> = readonly [object, Edit<Method> | null];

const to = "+46812345678";
const other = "+46887654321";
const forward = { type: "forward", to };

const numbers: Record<string, Case<"patchNumber">> = {
	routingType: [{ routing: forward }, { routing: { type: "agent", agent_id: "agt_1" } }],
	routingUnknownType: [{ routing: forward }, { routing: { type: "queue", queue_id: "q_1" } }],
	routingTo: [{ routing: forward }, { routing: { type: "forward", to: other } }],
	routingUri: [
		{ routing: { type: "sip_uri", uri: "sip:a@pbx.example.com" } },
		{ routing: { type: "sip_uri", uri: "sip:b@pbx.example.com" } },
	],
	routingUrl: [
		{ routing: { type: "webhook", url: "https://a.example.com/x" } },
		{ routing: { type: "webhook", url: "https://a.example.com/y" } },
	],
	routingAgent: [{ routing: { type: "agent", agentId: "agt_1" } }, { routing: { type: "agent", agent_id: "agt_2" } }],
	routingCleared: [{ routing: forward }, { routing: null }],
	ringTimeout: [
		{ routing: { ...forward, ringTimeoutSeconds: 20 } },
		{ routing: { type: "forward", to, ring_timeout_seconds: 25 } },
	],
	failover: [
		{ routing: { ...forward, failover: { type: "forward", to: other } } },
		{ routing: { type: "forward", to, failover: { type: "forward", to } } },
	],
	failoverAdded: [{ routing: forward }, { routing: { type: "forward", to, failover: { type: "forward", to: other } } }],
	failoverGone: [
		{ routing: { ...forward, failover: { type: "forward", to: other } } },
		{ routing: { type: "forward", to } },
	],
	failoverRingTimeout: [
		{ routing: { ...forward, failover: { type: "forward", to: other, ringTimeoutSeconds: 20 } } },
		{ routing: { type: "forward", to, failover: { type: "forward", to: other, ring_timeout_seconds: 25 } } },
	],
	smsWebhookUrl: [{ smsWebhookUrl: "https://a.example.com/sms" }, { sms_webhook_url: "https://evil.example.com/sms" }],
	smsCleared: [{ smsWebhookUrl: "https://a.example.com/sms" }, { sms_webhook_url: null }],
	numberLabel: [{ label: "Desk" }, { label: "desk" }],
	metadataValue: [{ metadata: { team: "sales" } }, { metadata: { team: "support" } }],
	metadataKey: [{ metadata: { team: "sales" } }, { metadata: { team: "sales", more: "x" } }],
	metadataCleared: [{ metadata: { team: "sales" } }, { metadata: null }],
	protectionOff: [{ releaseProtection: true }, { release_protection: false }],
	protectionOn: [{ releaseProtection: false }, { release_protection: true }],
	profile: [{ country: "DE", kycProfileId: "kyp_1" }, { kyc_profile_id: "kyp_2" }],
	numberTwin: [
		{
			routing: { ...forward, failover: { type: "forward", to: other } },
			label: "Twin",
			metadata: { a: "b" },
			smsWebhookUrl: "https://a.example.com/sms",
		},
		null,
	],
	bareTwin: [{}, null],
};

const acl = { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24", "203.0.113.7"] };
const hosts = { targets: [{ host: "sbc1.example.com", port: 5062 }, { host: "sbc2.example.com" }] };
const trunks: Record<string, Case<"patchTrunk">> = {
	trunkName: [{ name: "first" }, { name: "second" }],
	trunkNameDefault: [{}, { name: "second" }],
	cidrAdded: [{}, { auth: { mode: "ip_acl", allowed_cidrs: ["198.51.100.0/24", "203.0.113.7", "192.0.2.9"] } }],
	cidrGone: [{}, { auth: { mode: "ip_acl", allowed_cidrs: ["198.51.100.0/24"] } }],
	authMode: [{}, { auth: { mode: "digest", username: "intruder" } }],
	username: [{ auth: { mode: "digest", username: "office-1" } }, { auth: { mode: "digest", username: "intruder" } }],
	passwordDeclared: [
		{ auth: { mode: "digest", username: "office-2", password: "declared-password-1" } },
		{ auth: { mode: "digest", username: "office-2", password: "somebody-elses-1" } },
	],
	passwordGenerated: [
		{ auth: { mode: "digest", username: "office-3" } },
		{ auth: { mode: "digest", username: "office-3", password: "somebody-elses-2" } },
	],
	capacity: [{}, { capacity: 99 }],
	callsPerSecond: [{ callsPerSecond: 10 }, { cps: 11 }],
	callsPerSecondCleared: [{ callsPerSecond: 10 }, { cps: null }],
	targetHost: [hosts, { targets: [{ host: "evil.example.com", port: 5062 }, { host: "sbc2.example.com" }] }],
	targetPort: [hosts, { targets: [{ host: "sbc1.example.com", port: 5063 }, { host: "sbc2.example.com" }] }],
	targetGone: [hosts, { targets: [{ host: "sbc2.example.com" }] }],
	mediaEncryption: [{ mediaEncryption: "srtp" }, { media_encryption: "none" }],
	codecOrder: [{ codecs: ["opus", "PCMA"] }, { codecs: ["PCMA", "opus"] }],
	trunkDisabled: [{}, { enabled: false }],
	trunkMetadata: [{ metadata: { team: "sales" } }, { metadata: { team: "support" } }],
	aclTwin: [{ ...hosts, mediaEncryption: "none", codecs: ["G722"], metadata: { a: "b" }, callsPerSecond: 5 }, null],
	digestTwin: [{ auth: { mode: "digest", username: "twin" } }, null],
};

const webhooks: Record<string, Case<"patchWebhook">> = {
	url: [{}, { url: "https://evil.example.com/events" }],
	eventAdded: [{}, { events: ["message.received", "message.status", "call.completed"] }],
	eventGone: [{}, { events: ["message.received"] }],
	description: [{ description: "Log" }, { description: "Backlog" }],
	webhookDisabled: [{}, { enabled: false }],
	webhookEnabled: [{ enabled: false }, { enabled: true }],
	secret: [{}, { rotate_secret: true }],
	webhookTwin: [{ description: "Twin" }, null],
};

const least = {
	Number: { country: "SE", type: "mobile" },
	SipTrunk: { auth: acl, capacity: 30 },
	Webhook: { url: "https://a.example.com/events", events: ["message.received", "message.status"] },
};
const program = [
	...Object.entries({ Number: numbers, SipTrunk: trunks, Webhook: webhooks }).flatMap(([type, cases]) =>
		Object.entries(cases).map(
			([name, [args]]) =>
				`exports.${name} = new telephony.${type}("${name}", ${JSON.stringify({ ...least[type as keyof typeof least], ...args })});`,
		),
	),
	// Nobody declared a label here: editing one is no drift, and no update takes it away.
	`new telephony.Number("undeclared", { country: "SE", type: "mobile" });`,
	`exports.secrets = { generated: exports.passwordGenerated.password, secret: exports.secret.secret };`,
	`for (const name of Object.keys(exports)) if (name !== "secrets") delete exports[name];`,
].join("\n");

test("every edit of a declared property is found, nothing else is shown, and one up repairs all", async () => {
	const stack = await createProject({ program, service: emulator });
	await succeeds(stack.up());
	await succeeds(stack.drift());
	const declared = configurationOf(emulator.control);
	const ids = await stack.ids();
	const id = (name: string) => ids[name] ?? "";

	const edited = new Set<string>();
	const apply = <E>(cases: Record<string, readonly [object, E | null]>, edit: (id: string, patch: E) => unknown) => {
		for (const [name, [, patch]] of Object.entries(cases)) {
			if (patch === null) continue;
			edit(id(name), patch);
			edited.add(name);
		}
	};
	apply(numbers, emulator.control.patchNumber);
	apply(trunks, emulator.control.patchTrunk);
	apply(webhooks, emulator.control.patchWebhook);
	emulator.control.patchNumber(id("undeclared"), { label: "Somebody's note" });

	const drift = await stack.drift();
	expect(drift.code).toBe(7);
	expect(stepsIn(drift)).toEqual(Object.fromEntries([...edited].map((name) => [name, "update"])));

	const before = emulator.control.requests().length;
	await succeeds(stack.up("--refresh"));
	const writes = emulator.control
		.requests()
		.slice(before)
		.filter(({ method }) => method !== "GET");
	const touched = writes.map(({ path }) => path.split("/")[3]);
	expect(new Set(touched)).toEqual(new Set([...edited].map(id)));
	// One request each, and a second one only where a new secret has to be made.
	expect(touched.filter((each, index) => touched.indexOf(each) !== index).length).toBeLessThanOrEqual(2);
	const repaired = configurationOf(emulator.control);
	const note = repaired.numbers.find((number: { id: string }) => number.id === id("undeclared"));
	expect(note.label).toBe("Somebody's note");
	note.label = null;
	expect(repaired).toEqual(declared);

	const { trunks: rows, webhooks: hooks } = emulator.control.state();
	const password = (name: string) => {
		const auth = rows.find((row) => row.id === id(name))?.auth;
		return auth?.mode === "digest" ? auth.password : undefined;
	};
	expect(password("passwordDeclared")).toBe("declared-password-1");
	expect(password("passwordGenerated")).not.toBe("somebody-elses-2");
	expect((await stack.outputs()).secrets).toEqual({
		generated: password("passwordGenerated"),
		secret: hooks.find((row) => row.id === id("secret"))?.secret,
	});
	await expectQuiet(stack);
});

test("what was removed behind Pulumi's back is shown as deleted, and the next up brings it back", async () => {
	const stack = await createProject({
		program: `
			new telephony.Number("lost", { country: "US", type: "mobile", label: "lost" });
			new telephony.Number("kept", { country: "US", type: "mobile" });
			new telephony.SipTrunk("trunk", { auth: { mode: "digest", username: "office" }, capacity: 1 });
			new telephony.Webhook("hook", { url: "https://a.example.com/", events: ["*"] });
		`,
		service: emulator,
	});
	await stack.up();
	const before = await stack.ids();
	const lost = emulator.control.state().numbers.find(({ id }) => id === before.lost)?.number ?? "";
	// What is gone in its first minute is looked for a while longer.
	emulator.control.clock({ mode: "virtual", advance: "2m" });
	emulator.control.patchNumber(before.lost ?? "", { status: "released" });
	emulator.control.deleteTrunk(before.trunk ?? "");
	emulator.control.deleteWebhook(before.hook ?? "");

	const drift = await stack.drift();
	expect(drift.code).toBe(7);
	expect(stepsIn(drift)).toEqual({ lost: "delete", trunk: "delete", hook: "delete" });

	const preview = await stack.preview("--refresh");
	expect(stepsIn(preview)).toMatchObject({ lost: "create", trunk: "create", hook: "create" });
	const name = `${lost} (${before.lost})`;
	expect(preview.output).toContain(
		`warning: The number ${name} is gone: released outside Pulumi. While this program declares it, \`pulumi up\` buys another number instead.`,
	);
	expect(preview.output).toContain(`warning: The trunk trunk (${before.trunk}) is gone`);

	await succeeds(stack.up("--refresh"));
	const after = await stack.ids();
	expect(after.kept).toBe(before.kept);
	expect(after.lost).not.toBe(before.lost);
	const { numbers, trunks, webhooks } = emulator.control.state();
	expect(numbers.find((number) => number.id === after.lost)).toMatchObject({ status: "active", label: "lost" });
	expect(trunks.map((row) => row.id)).toEqual([after.trunk]);
	expect(webhooks.map((row) => row.id)).toEqual([after.hook]);
	expect(emulator.control.ledger().filter(({ kind }) => kind === "purchase")).toHaveLength(3);
	await succeeds(stack.drift());
});
