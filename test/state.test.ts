import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { type State, VirtualClock } from "../emulator";
import { useEmulator } from "./helpers/emulator";
import { createProject } from "./helpers/engine";

/**
 * States of released versions, each with its program and with the objects that it manages: every later version must
 * read, refresh and destroy them. `RECORD_STATE=1 npm test state` writes the one of this version, at its release; those
 * of earlier ones stay as they are.
 */
interface Fixture {
	readonly program: string;
	/** What the account held. */
	readonly service: State;
	/** `pulumi stack export`: secrets encrypted with the passphrase "test". */
	readonly stack: unknown;
}

const folder = resolve(__dirname, "fixtures");
const { version } = JSON.parse(readFileSync(resolve(__dirname, "../package.json"), "utf8")) as { version: string };
const project = "telephony-state";

// Time stands still, so that recreated objects are as old as the recorded ones.
const emulator = useEmulator({ kyc: "immediate", clock: new VirtualClock(Date.parse("2026-01-01T00:00:00Z")) });

/** Every property of all three resources, and every kind of route and of auth. */
const program = `
const trunk = new telephony.SipTrunk("acl", {
	name: "Office",
	auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24", "2001:4860::/64", "203.0.113.7"] },
	capacity: 60,
	cps: 10,
	targets: [
		{ host: "sbc1.example.com", port: 5061, transport: "tls", priority: 1, weight: 5 },
		{ host: "SBC2.example.com" },
	],
	mediaEncryption: "srtp",
	codecs: ["opus", "PCMA"],
	enabled: true,
	label: "Head office",
	metadata: { team: "voice", Cost_Centre: "4711" },
});
new telephony.SipTrunk("generated", { auth: { mode: "digest", username: "desk-1" }, capacity: 2, passwordRotation: 1 });
new telephony.SipTrunk("own", {
	auth: { mode: "digest", username: "desk-2", password: pulumi.secret("correct-horse-battery") },
	capacity: 1,
	enabled: false,
});
const all = new telephony.Number("all", {
	country: "DE",
	type: "mobile",
	area: "1512",
	routing: {
		type: "trunk",
		trunkId: trunk.id,
		ringTimeoutSeconds: 20,
		failover: { type: "forward", to: "+49 30 901820", ringTimeoutSeconds: 30 },
	},
	smsWebhookUrl: "https://hooks.example.com/sms",
	label: "Front desk",
	metadata: { team: "sales" },
	kycProfileId: "kyc_01",
	releaseProtection: false,
	waitForActive: true,
	activationTimeout: 60,
	onDelete: "release",
	allowReplacement: false,
	generation: 1,
});
new telephony.Number("least", { country: "NL", type: "geographic" });
new telephony.Number("sip", { country: "US", type: "toll_free", routing: { type: "sip_uri", uri: "sip:desk@pbx.example.com;transport=tls" } });
new telephony.Number("hook", { country: "GB", type: "national", routing: { type: "webhook", url: "https://hooks.example.com/call" } });
new telephony.Number("agent", { country: "SE", type: "mobile", routing: { type: "agent", agentId: "agt_01" }, waitForActive: false });
telephony.Number.get("looked-up", all.id);
const webhook = new telephony.Webhook("all", {
	url: "https://hooks.example.com/events",
	events: ["message.received", "call.completed"],
	description: "CRM",
	enabled: false,
	secretRotation: "2026-01",
});
new telephony.Webhook("least", { url: "https://hooks.example.com/all", events: ["*"] });
exports.e164 = all.number;
exports.secret = webhook.secret;
`;

const idsOf = ({ numbers, trunks, webhooks }: State) => [...trunks, ...webhooks, ...numbers].map(({ id }) => id);

/** The ids that name one object in the state: as they are, and in a trunk's SIP domain. */
const replaceIds = (text: string, ids: ReadonlyMap<string, string>): string =>
	[...ids].reduce(
		(result, [old, now]) => result.replaceAll(old, now).replaceAll(old.replace("_", "-"), now.replace("_", "-")),
		text,
	);

/** Puts the recorded objects on this emulator's account; answers the new ids by the recorded ones. */
async function recreate(service: State): Promise<Map<string, string>> {
	const ids = new Map<string, string>();
	const make = async (id: string, path: string, body: object): Promise<string> => {
		const set = Object.entries(body).filter(([, value]) => value !== null);
		const { status, body: made } = await emulator.call("POST", path, Object.fromEntries(set));
		expect(status, JSON.stringify(made)).toBe(201);
		ids.set(id, made.id);
		return made.id;
	};
	for (const { id, seq, created_at, updated_at, sip_domain, status, reconciling, ...rest } of service.trunks) {
		const { mode } = rest.auth;
		const auth = mode === "ip_acl" ? rest.auth : { mode, username: rest.auth.username, password: rest.auth.password };
		await make(id, "/trunks", { ...rest, auth });
	}
	for (const { id, url, events, description, enabled, reference } of service.webhooks) {
		await make(id, "/webhooks", { url, events, description, enabled, reference });
	}
	for (const { id, country, area, type, ...row } of service.numbers) {
		const { number, routing, sms_webhook_url, label, reference, metadata, release_protection, kyc } = row;
		const edit = { number, routing, sms_webhook_url, label, reference, metadata, release_protection };
		emulator.control.patchNumber(
			await make(id, "/numbers", { country, area, type }),
			JSON.parse(replaceIds(JSON.stringify({ ...edit, ...(kyc && { kyc_profile_id: kyc.profile_id }) }), ids)),
		);
	}
	return ids;
}

const recorded = readdirSync(folder).filter((name) => /^state-.*\.json$/.test(name));

describe.runIf(process.env.RECORD_STATE)("recording", () => {
	it(`writes the state of ${version}`, async () => {
		const stack = await createProject({ name: project, program, service: emulator });
		const up = await stack.up();
		expect(up.code, up.output).toBe(0);
		const fixture: Fixture = { program, service: emulator.control.state(), stack: JSON.parse(await stack.state()) };
		// Paths of this machine, and secrets that nobody needs for recreating.
		const drop = (key: string, value: unknown) =>
			["sourcePosition", "stackTrace"].includes(key) || (/secret$/.test(key) && typeof value === "string")
				? undefined
				: value;
		writeFileSync(join(folder, `state-${version}.json`), `${JSON.stringify(fixture, drop, "\t")}\n`);
	});
});

describe.skipIf(process.env.RECORD_STATE)("a state as an earlier version left it", () => {
	it("is kept of this release", () => {
		expect(recorded).toContain(`state-${version}.json`);
	});

	it.each(recorded)("is read, refreshed, left alone and destroyed: %s", async (name) => {
		const fixture = JSON.parse(readFileSync(join(folder, name), "utf8")) as Fixture;
		const stack = await createProject({ name: project, program: fixture.program, service: emulator });
		const ids = await recreate(fixture.service);
		expect([...ids.keys()]).toEqual(idsOf(fixture.service));
		const file = join(stack.folder, "state.json");
		writeFileSync(file, replaceIds(JSON.stringify(fixture.stack), ids));
		const imported = await stack.pulumi("stack", "import", "--file", file);
		expect(imported.code, imported.output).toBe(0);

		const drift = await stack.drift();
		expect(drift.code, drift.output).toBe(0);
		const before = emulator.control.requests().length;
		const up = await stack.up("--expect-no-changes");
		expect(up.code, up.output).toBe(0);
		const wrote = emulator.control.requests().slice(before);
		expect(wrote.filter(({ method }) => method !== "GET")).toEqual([]);

		const destroy = await stack.destroy();
		expect(destroy.code, destroy.output).toBe(0);
		const { numbers, trunks, webhooks } = emulator.control.state();
		expect(numbers.filter(({ status }) => status !== "released")).toEqual([]);
		expect([...trunks, ...webhooks]).toEqual([]);
	});
});
