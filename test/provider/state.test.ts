/** Every version reads, refreshes and destroys the states of released versions. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type State, VirtualClock } from "../../emulator";
import { isLeft } from "../../provider/ownership/reference";
import type { Values } from "../../provider/properties/table";
import { useEmulator } from "../helpers/emulator";
import { createProject } from "../helpers/engine";
import { variations } from "../short.mts";

/** A state of a released version. `RECORD_STATE=1 npm test state` writes those of this version that are missing. */
interface Fixture {
	readonly program: string;
	/** True if the last run left writes pending. */
	readonly isOpen?: boolean;
	readonly service: State;
	/** The result of `pulumi stack export`: secrets are encrypted with the passphrase "test". */
	readonly stack: { readonly deployment: { readonly resources: readonly Recorded[] } };
}

interface Recorded {
	readonly type: string;
	readonly urn: string;
	readonly id: string;
	readonly outputs: Values;
}

const folder = resolve(__dirname, "../fixtures");
const { version } = JSON.parse(readFileSync(resolve(__dirname, "../../package.json"), "utf8")) as { version: string };
const project = "telephony-state";

// Time stands still, so that the account is as old as it was recorded.
const emulator = useEmulator({ kyc: "immediate", clock: new VirtualClock(Date.parse("2026-01-01T00:00:00Z")) });
beforeEach(() => void emulator.control.settings({ acceptUnknownProfiles: true }));

/** Every property of Number, SipTrunk and Webhook, and every kind of route and of auth. */
const each = `
const trunk = new telephony.SipTrunk("acl", {
	name: "Office",
	auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24", "2001:4860::/64", "203.0.113.7"] },
	capacity: 60,
	callsPerSecond: 10,
	targets: [
		{ host: "sbc1.example.com", port: 5061, transport: "tls", priority: 1, weight: 5 },
		{ host: "SBC2.example.com" },
	],
	mediaEncryption: "srtp",
	codecs: ["opus", "PCMA"],
	enabled: true,
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
	activationTimeoutSeconds: 60,
	onDelete: "release",
	generation: 1,
});
new telephony.Number("least", { country: "NL", type: "geographic" });
new telephony.Number("sip", { country: "US", type: "toll_free", routing: { type: "sip_uri", uri: "sip:desk@pbx.example.com;transport=tls" } });
new telephony.Number("hook", { country: "GB", type: "national", onDelete: "release", routing: { type: "webhook", url: "https://hooks.example.com/call" } });
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
exports.e164 = all.phoneNumber;
exports.secret = webhook.secret;
`;

/** A pool whose members differ, a protected one, and an activation. */
const pools = `
const desk = new telephony.Number("desk", { country: "NL", type: "geographic", label: "Desk", onDelete: "release" });
const pool = new telephony.NumberPool("support", { country: "NL", type: "mobile", count: 3, label: "support-{index}", onDelete: "release" });
new telephony.NumberPool("plain", { country: "DE", type: "mobile", count: 1, releaseProtection: true });
new telephony.Activation("both", { numberIds: [desk.id], timeoutSeconds: 60 });
exports.numbers = pool.numbers;
`;

/** Its second run fails, so that writes stay pending. */
const open = `
const trunk = new telephony.SipTrunk("trunk", { name: "Office", auth: { mode: "digest", username: "desk-1" }, capacity: 2 });
new telephony.Number("routed", { country: "NL", type: "mobile", routing: { type: "trunk", trunkId: trunk.id }, label: "LABEL", onDelete: "release" });
new telephony.Number("plain", { country: "NL", type: "mobile", label: "LABEL", smsWebhookUrl: "https://hooks.example.com/sms" });
new telephony.NumberPool("pool", { country: "DE", type: "mobile", count: 2, label: "LABEL {index}" });
new telephony.Webhook("hook", { url: "https://hooks.example.com/all", events: ["*"], description: "LABEL" });
`;

/** The program of that run: other values, and one less. */
const changed = (program: string) => program.replaceAll("LABEL", "Changed").replace(/, smsWebhookUrl: "[^"]*"/, "");

/** The program with the classes of the plugin. */
const byPlugin = (text: string) => `{\nconst telephony = require("pulumi-telephony/plugin");\n${text}}\n`;

const programs: Readonly<Record<string, string>> = {
	"": each,
	"-pools": pools,
	"-open": open,
	"-plugin": byPlugin(each),
	"-plugin-pools": byPlugin(pools),
	"-plugin-open": byPlugin(open),
};

/** Replaces the emulator's account with the recorded one. */
const restore = ({ numbers, trunks, webhooks }: State) => {
	const table = <Row extends { readonly id: string }>(rows: readonly Row[]): [string, Row][] =>
		rows.map((row) => [row.id, row]);
	// The fixtures leave secrets out.
	const secret = "whsec_MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw";
	const tables = {
		numbers: table(numbers),
		trunks: table(trunks),
		webhooks: table(webhooks.map((row) => ({ ...row, secret }))),
	};
	emulator.control.restore({ format: 1, tables });
};

const recorded = readdirSync(folder).filter((name) => /^state-.*\.json$/.test(name));

/** Drops paths of a machine, and secrets. */
const drop = (key: string, value: unknown) =>
	["sourcePosition", "stackTrace"].includes(key) || (/secret$/.test(key) && typeof value === "string")
		? undefined
		: value;

/** Returns how many numbers a destroy leaves on the account. */
const retainedIn = ({ stack }: Fixture): number =>
	stack.deployment.resources
		.filter(({ outputs }) => outputs?.token !== undefined || outputs?.members !== undefined)
		.filter(({ type, outputs }) => /:Number(Pool)?$/.test(type) && outputs.onDelete === "retain")
		.reduce((sum, { outputs }) => sum + (Array.isArray(outputs.members) ? outputs.members.length : 1), 0);

const missing = Object.entries(programs).filter(([suffix]) => !recorded.includes(`state-${version}${suffix}.json`));

describe.runIf(process.env.RECORD_STATE)("recording", () => {
	test.each(missing)("writes the state%s of this version", async (suffix, program) => {
		const isOpen = suffix.endsWith("-open");
		const stack = await createProject({ name: project, program, service: emulator, plugin: true, onDelete: null });
		const up = await stack.up();
		expect(up.code, up.output).toBe(0);
		if (isOpen) {
			for (const operation of ["patchNumber", "patchTrunk", "patchWebhook"] as const)
				emulator.control.faults.set({ operation, every: true, phase: "before", kind: "reset" });
			stack.write(changed(program));
			const failed = await stack.up("--continue-on-error");
			expect(failed.code, failed.output).not.toBe(0);
			emulator.control.faults.clear();
		}
		const fixture: Fixture = {
			program: isOpen ? changed(program) : program,
			...(isOpen ? { isOpen } : {}),
			service: emulator.control.state(),
			stack: JSON.parse((await stack.pulumi("stack", "export")).stdout),
		};
		const lines = Object.entries(fixture).map(([key, part]) => `${JSON.stringify(key)}: ${JSON.stringify(part, drop)}`);
		writeFileSync(join(folder, `state-${version}${suffix}.json`), `{\n${lines.join(",\n")}\n}\n`);
	});
});

describe.skipIf(process.env.RECORD_STATE)("the state of a released version", () => {
	test("exists for this version too", () => {
		expect(missing).toEqual([]);
	});

	test.each(variations(recorded))("is read, refreshed, left unchanged and destroyed: %s", async (name) => {
		const fixture = JSON.parse(readFileSync(join(folder, name), "utf8")) as Fixture;
		const options = { service: emulator, plugin: true, onDelete: null } as const;
		const stack = await createProject({ ...options, name: project, program: fixture.program });
		restore(fixture.service);
		const file = join(stack.folder, "state.json");
		writeFileSync(file, JSON.stringify(fixture.stack));
		const imported = await stack.pulumi("stack", "import", "--file", file);
		expect(imported.code, imported.output).toBe(0);

		if (fixture.isOpen) {
			const finished = await stack.up();
			expect(finished.code, finished.output).toBe(0);
		}
		const drift = await stack.drift();
		expect(drift.code, drift.output).toBe(0);
		const before = emulator.control.requests().length;
		const up = await stack.up("--expect-no-changes");
		expect(up.code, up.output).toBe(0);
		const wrote = emulator.control.requests().slice(before);
		expect(wrote.filter(({ method }) => method !== "GET")).toEqual([]);
		expect(emulator.control.ledger().filter(({ kind }) => kind === "purchase")).toEqual([]);

		const protectedNow = fixture.program.replace("releaseProtection: true", "releaseProtection: false");
		if (protectedNow !== fixture.program) {
			stack.write(protectedNow);
			expect((await stack.up()).code).toBe(0);
		}
		const destroy = await stack.destroy();
		expect(destroy.code, destroy.output).toBe(0);
		const { numbers, trunks, webhooks } = emulator.control.state();
		const areRetained = numbers.filter(({ status }) => status !== "released").map(({ reference }) => isLeft(reference));
		expect(areRetained).toEqual(Array(retainedIn(fixture)).fill(true));
		expect([...trunks, ...webhooks]).toEqual([]);
	});
});
