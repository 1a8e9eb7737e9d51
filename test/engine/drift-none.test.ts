/** What is no drift is shown as none, on the real engine: respelling, order, defaults, chaos of pages, and lag. */
import { expect, test } from "vitest";
import type { SettingsPatch } from "../../emulator";
import { configurationOf } from "../helpers/configuration";
import { useEmulator } from "../helpers/emulator";
import { createProject, succeeds } from "../helpers/engine";

const emulator = useEmulator({ kyc: "immediate" });

test("however the service respells, reorders or fills in what it stores, nothing is drift", async () => {
	const styles = [
		{
			shuffleArrays: true,
			cidr: "strip32",
			hostCase: "upper",
			injectDefaults: false,
			featuresHeader: false,
			pageSize: 3,
		},
		{
			shuffleArrays: true,
			cidr: "add32",
			hostCase: "lower",
			injectDefaults: true,
			assignNumberLate: true,
			pageSize: 1,
		},
		{ shuffleArrays: false, cidr: "asGiven", hostCase: "asGiven", injectDefaults: false, features: { getById: false } },
		{
			features: { getById: true },
			pageSize: 2,
			pageChaos: ["moved", "duplicated", "short", "empty", "expired"],
			maskHostBits: true,
			mergeDuplicates: true,
			hostCase: "upper",
			urlSlash: "add",
			phonePlus: false,
			trimText: true,
			secretEcho: "mask",
			repriceOnRead: true,
		},
		{ pageChaos: [], urlSlash: "strip", secretEcho: "hash", listHidesPending: true, listLagMs: 60_000 },
	] satisfies SettingsPatch[];
	const stack = await createProject({
		program: `
			new telephony.SipTrunk("plain", { capacity: 1,
				auth: { mode: "ip_acl", allowedCidrs: ["203.0.113.7", "203.0.113.8/32", "198.51.100.0/24", "2001:DB8::1", "2001:db8:0:1::/64"] },
				targets: [{ host: "SBC1.example.com" }, { host: "sbc2.example.com.", transport: "tls" }, { host: "sbc1.example.com", priority: 1 }] });
			new telephony.SipTrunk("bare", { capacity: 1, auth: { mode: "digest", username: "bare" }, codecs: ["PCMA", "PCMU"] });
			new telephony.Number("spelled", { country: "SE", type: "mobile", label: "  Desk ", smsWebhookUrl: "https://A.example.com:443/sms/",
				routing: { type: "forward", to: "+46 8 123 456 78", failover: { type: "sip_uri", uri: "SIP:Desk@PBX.example.com;Transport=TLS" } } });
			new telephony.Number("pending", { country: "FR", type: "geographic", waitForActive: false });
			new telephony.Webhook("hook", { url: "https://A.example.com/x", events: ["message.status", "message.received", "call.completed", "message.status"] });
		`,
		service: emulator,
	});
	emulator.control.kyc("manual");
	emulator.control.settings(styles[0]);
	await succeeds(stack.up());
	const made = configurationOf(emulator.control);
	for (const style of styles) {
		emulator.control.settings(style);
		const drift = await stack.drift();
		expect(drift.code, `${JSON.stringify(style)}\n${drift.output}`).toBe(0);
	}
	await succeeds(stack.up("--refresh", "--expect-no-changes"));
	expect(configurationOf(emulator.control)).toEqual(made);
});

test("right after up there is no drift, at a service whose reads lag two seconds behind", async () => {
	const program = (label: string) => `
		const trunk = new telephony.SipTrunk("trunk", { auth: { mode: "digest", username: "office" }, capacity: 1, name: "${label}" });
		new telephony.Number("desk", { country: "SE", type: "mobile", label: "${label}", routing: { type: "trunk", trunkId: trunk.id } });
		new telephony.Webhook("hook", { url: "https://a.example.com/x", events: ["*"], description: "${label}" });
	`;
	const stack = await createProject({ program: program("a"), service: emulator });
	emulator.control.settings({ readLagMs: 2_000 });
	for (const label of ["a", "b"]) {
		stack.write(program(label));
		await succeeds(stack.up());
		await succeeds(stack.drift());
	}
	await succeeds(stack.destroy());
	const { numbers, trunks, webhooks } = emulator.control.state();
	expect(numbers.map(({ status }) => status)).toEqual(["released"]);
	expect(trunks).toEqual([]);
	expect(webhooks).toEqual([]);
});
