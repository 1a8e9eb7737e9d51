/** Drift: edits and removals by others are found, named and repaired, and undeclared properties are left alone. */
import { beforeEach, expect, test } from "vitest";
import { type SettingsPatch, VirtualClock } from "../../emulator";
import { type Kind, useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, flat, stepsIn, succeeds } from "../helpers/engine";

// The provider waits for objects that are younger than a minute if they are missing.
const clock = new VirtualClock(Date.now() - 2 * 24 * 3_600_000);
const emulator = useEmulator({ kyc: "immediate", clock });
const respelled: SettingsPatch = { shuffleArrays: true, cidr: "strip32", hostCase: "upper", urlSlash: "add" };
beforeEach(() => void emulator.control.settings({ acceptUnknownProfiles: true }));

/** Declared arguments, and an edit outside Pulumi or null. */
type Cases = Readonly<Record<string, readonly [object, object | null]>>;
const forward = { type: "forward", to: "+46812345678" };
const failover = { type: "forward", to: "+46887654321" };
const numbers: Cases = {
	routingType: [{ routing: forward }, { routing: { type: "queue", queue_id: "q_1" } }],
	routingCleared: [{ routing: forward }, { routing: null }],
	ringTimeout: [
		{ routing: { ...forward, ringTimeoutSeconds: 20 } },
		{ routing: { ...forward, ring_timeout_seconds: 25 } },
	],
	failoverAdded: [{ routing: forward }, { routing: { ...forward, failover } }],
	failoverGone: [{ routing: { ...forward, failover } }, { routing: forward }],
	smsCleared: [{ smsWebhookUrl: "https://a.example.com/sms" }, { sms_webhook_url: null }],
	label: [{ label: "Desk" }, { label: "desk" }],
	metadataKey: [{ metadata: { team: "sales" } }, { metadata: { team: "sales", more: "x" } }],
	protection: [{ releaseProtection: true }, { release_protection: false }],
	profile: [{ country: "DE", kycProfileId: "kyp_1" }, { kyc_profile_id: "kyp_2" }],
	numberTwin: [{ routing: { ...forward, failover }, label: "Twin", metadata: { a: "b" } }, null],
	bareTwin: [{}, null],
};
const acl = { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24", "203.0.113.7"] };
const digest = (username: string, password?: string) => ({ auth: { mode: "digest", username, password } });
const targets = [{ host: "sbc1.example.com", port: 5062 }, { host: "sbc2.example.com" }];
const trunks: Cases = {
	cidrGone: [{}, { auth: { mode: "ip_acl", allowed_cidrs: ["198.51.100.0/24"] } }],
	authMode: [{}, digest("intruder")],
	declared: [digest("office-2", "declared-password-1"), digest("office-2", "somebody-elses-1")],
	generated: [digest("office-3"), digest("office-3", "somebody-elses-2")],
	speedCleared: [{ callsPerSecond: 10 }, { cps: null }],
	targetPort: [{ targets }, { targets: [{ host: "sbc1.example.com", port: 5063 }, { host: "sbc2.example.com" }] }],
	codecOrder: [{ codecs: ["opus", "PCMA"] }, { codecs: ["PCMA", "opus"] }],
	aclTwin: [{ targets, mediaEncryption: "none", codecs: ["G722"], callsPerSecond: 5 }, null],
	digestTwin: [digest("twin"), null],
};
const webhooks: Cases = {
	eventGone: [{}, { events: ["message.received"] }],
	enabled: [{ enabled: false }, { enabled: true }],
	secret: [{}, { rotate_secret: true }],
	webhookTwin: [{ description: "Twin" }, null],
};
const least = {
	Number: { country: "SE", type: "mobile" },
	SipTrunk: { auth: acl, capacity: 30 },
	Webhook: { url: "https://a.example.com/events", events: ["message.received", "message.status"] },
};
const declare = (type: keyof typeof least, cases: Cases) =>
	Object.entries(cases).map(([name, [args]]) => {
		const all = JSON.stringify({ ...least[type], ...args });
		return `const ${name} = new telephony.${type}("${name}", ${all});\n`;
	});
const program = (lookedUp: string) => `
	${declare("Number", { ...numbers, undeclared: [{}, null], lost: [{ label: "lost" }, null] }).join("")}
	${declare("SipTrunk", { ...trunks, lostTrunk: [{}, null] }).join("")}
	${declare("Webhook", { ...webhooks, lostHook: [{}, null] }).join("")}
	telephony.Number.get("lookedUp", "${lookedUp}");
	module.exports = { secrets: { generated: generated.password, secret: secret.secret } };
`;

test("finds every edit and nothing else, and one up repairs all", async () => {
	const { control } = emulator;
	const { id: lookedUp } = (await emulator.call("POST", "/numbers", { country: "SE", type: "mobile" })).body;
	const stack = await createProject({ program: program(lookedUp), service: emulator });
	await succeeds(stack.up());
	control.settings(respelled);
	await expectQuiet(stack);
	const ids = await stack.ids();
	const id = (name: string) => ids[name] ?? "";
	const rows = () => Object.entries(ids).map(([name, each]) => [name, settled(emulator.row(each) ?? {})] as const);
	const declared = Object.fromEntries(rows());

	// The service dates each change of a password.
	clock.advance(1_000);
	const edited: string[] = [];
	for (const [kind, cases] of Object.entries({ number: numbers, sipTrunk: trunks, webhook: webhooks }))
		for (const [name, [, change]] of Object.entries(cases)) {
			if (change === null) continue;
			emulator.edit(kind as Kind, id(name), change);
			edited.push(name);
		}
	for (const name of ["undeclared", "lookedUp"]) control.patchNumber(id(name), { label: "Somebody's note" });
	const { number: lost = "" } = control.patchNumber(id("lost"), { status: "released" });
	control.deleteTrunk(id("lostTrunk"));
	control.deleteWebhook(id("lostHook"));

	const before = emulator.requests().length;
	const drift = await stack.drift();
	expect(drift.code).toBe(7);
	const gone = ["lost", "lostTrunk", "lostHook"];
	const steps = (removed: string) => ({
		...Object.fromEntries(edited.map((name) => [name, "update"])),
		...Object.fromEntries(gone.map((name) => [name, removed])),
	});
	expect(stepsIn(drift)).toEqual(steps("delete"));
	// All reads share the lists, which are read once more for missing objects.
	expect(emulator.requests(before).filter((each) => /s$/.test(each)).length).toBeLessThanOrEqual(6);

	const preview = await stack.preview("--refresh");
	expect(stepsIn(preview)).toMatchObject(steps("create"));
	const replaced = (kind: string, name: string) => `of the ${kind} (${id(name)}) was replaced outside Pulumi`;
	for (const warning of [
		`The number ${lost} (${id("lost")}) `,
		`The trunk lostTrunk (${id("lostTrunk")}) `,
		replaced("trunk declared", "declared"),
		replaced("webhook a.example.com", "secret"),
	])
		expect(flat(preview)).toContain(warning);

	const unrepaired = emulator.requests().length;
	await succeeds(stack.up("--refresh"));
	const touched = emulator.writes(unrepaired).map((request) => request.split("/")[2]);
	for (const name of Object.keys(declared)) expect.soft(touched.includes(ids[name]), name).toBe(edited.includes(name));
	const after = await stack.ids();
	expect(emulator.kinds().filter((kind) => kind === "purchase")).toHaveLength(Object.keys(numbers).length + 4);
	expect(gone.filter((name) => after[name] === ids[name])).toEqual([]);
	expect(emulator.row(after.lost)).toMatchObject({ status: "active", label: "lost" });
	for (const [name, row] of rows()) {
		if (gone.includes(name)) continue;
		const isNoted = ["undeclared", "lookedUp"].includes(name);
		expect.soft(row, name).toEqual({ ...declared[name], ...(isNoted ? { label: "Somebody's note" } : {}) });
	}
	const passwordOf = (name: string) => (emulator.row(id(name))?.auth as { password?: string } | undefined)?.password;
	expect(passwordOf("declared")).toBe("declared-password-1");
	expect(passwordOf("generated")).not.toBe("somebody-elses-2");
	const { secrets } = await stack.outputs();
	expect(secrets).toEqual({ generated: passwordOf("generated"), secret: emulator.row(id("secret"))?.secret });
	await expectQuiet(stack);
});

/** A row without what every write changes and what the service makes up. */
function settled(row: object): Record<string, unknown> {
	const volatile = /^(updated_at|reference|password.*|(previous_)?secret.*)$/;
	return JSON.parse(JSON.stringify(row, (key, value) => (volatile.test(key) ? undefined : value)));
}
