/** A stack's first preview and up, the runs that change nothing, and its destroy; and every example as it stands. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, stepsIn, succeeds } from "../helpers/engine";
import { repository } from "../helpers/repository";
import { variations } from "../short.mts";

const emulator = useEmulator({ kyc: "immediate" });

/** Values that are unknown before `up` stand in every place. */
const office = `
	const first = new telephony.Number("first", { country: "NL", type: "geographic", area: "20", waitForActive: false });
	const known = (value) => first.phoneNumber.apply(() => value);
	const trunk = new telephony.SipTrunk("trunk", { name: first.phoneNumber, capacity: known(7), callsPerSecond: known(3), enabled: known(true),
		auth: { mode: "ip_acl", allowedCidrs: ["203.0.113.9", known("198.51.100.0/24")] }, codecs: [known("opus")],
		targets: [{ host: known("sbc.example.com"), port: known(5062) }], metadata: { number: first.phoneNumber } });
	new telephony.SipTrunk("list", { capacity: 1, auth: { mode: "ip_acl", allowedCidrs: known(["198.51.100.0/24"]) } });
	const remote = new telephony.SipTrunk("remote", { capacity: 1, auth: known({ mode: "digest", username: "office" }) });
	new telephony.SipTrunk("digest", { capacity: 1, auth: { mode: "digest", username: known("digest"), password: known("known-password") } });
	new telephony.Number("desk", { country: known("SE"), type: known("mobile"), area: known("70"), label: trunk.sipDomain.apply((domain) => domain.slice(0, 3)),
		routing: { type: "trunk", trunkId: trunk.id, ringTimeoutSeconds: known(20), failover: { type: "forward", to: first.phoneNumber } },
		smsWebhookUrl: known("https://hooks.example.com/sms"), metadata: { trunk: trunk.id }, releaseProtection: known(false) });
	new telephony.Number("agent", { country: "DE", type: "mobile", routing: known({ type: "agent", agentId: "agt_1" }) });
	const hook = new telephony.Webhook("hook", { url: trunk.sipDomain.apply((domain) => "https://" + domain + "/"), events: [known("*")], description: first.phoneNumber });
	Object.assign(exports, { first: first.phoneNumber, password: remote.password, secret: hook.secret });
`;
const single = `new telephony.Number("n", { country: "NL", type: "mobile", label: "Front desk", metadata: { team: "sales" }, routing: { type: "forward", to: "+31201234567" } });`;

test("deploys an office, leaves it alone, and destroys it", async () => {
	const stack = await createProject({ program: office, service: emulator });
	const preview = await succeeds(stack.preview());
	expect(Object.values(stepsIn(preview))).toEqual(Array(8).fill("create"));
	expect(emulator.writes()).toEqual([]);

	// With the preview before it: the engine tells its providers to cancel at the end of each.
	await succeeds(stack.pulumi("up", "--yes"));
	const ids = await stack.ids();
	const { numbers, trunks, webhooks } = emulator.control.state();
	expect([numbers, trunks, webhooks].map((rows) => rows.length)).toEqual([3, 4, 1]);
	const first = numbers.find(({ id }) => id === ids.first)?.number;
	expect(numbers.find(({ id }) => id === ids.desk)).toMatchObject({
		...{ country: "SE", label: "trk", status: "active", metadata: { trunk: ids.trunk } },
		routing: { type: "trunk", trunk_id: ids.trunk, ring_timeout_seconds: 20, failover: { type: "forward", to: first } },
	});
	const auth = { allowed_cidrs: ["203.0.113.9", "198.51.100.0/24"] };
	expect(emulator.row(ids.trunk)).toMatchObject({ name: first, capacity: 7, auth });
	const remote = trunks.find(({ id }) => id === ids.remote)?.auth;
	const password = remote?.mode === "digest" && remote.password;
	expect(await stack.outputs()).toEqual({ first, password, secret: webhooks[0]?.secret });

	const written = emulator.requests().length;
	await succeeds(stack.preview("--expect-no-changes"));
	await succeeds(stack.drift());
	await succeeds(stack.up("--expect-no-changes"));
	expect(emulator.writes(written)).toEqual([]);

	await succeeds(stack.pulumi("destroy", "--yes"));
	const account = emulator.control.state();
	expect([account.trunks, account.webhooks, emulator.live()]).toEqual([[], [], []]);
	expect(emulator.kinds()).toEqual([...Array(3).fill("purchase"), ...Array(3).fill("release")]);

	// The cost of a number in an open market.
	const before = emulator.requests().length;
	stack.write(single);
	await succeeds(stack.up());
	expect(emulator.requests(before).map((request) => request.slice(0, 2))).toEqual(["GE", "PO", "PA"]);
	expect(JSON.stringify((await stack.resources())[0]).length).toBeLessThanOrEqual(3_000);
});

test("prints each mistake on one line, without the value", async () => {
	const stack = await createProject({
		program: `
			const trunk = new telephony.SipTrunk("trunk", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] }, capacity: 1 });
			new telephony.Number("bad", { type: "mobile", routing: { type: "sip_uri", uri: \`sip:desk@\${trunk.sipDomain}\` }, smsWebhookUrl: "http://hooks.example.com/?token=squeamish-ossifrage" });
		`,
		service: emulator,
	});
	const { output } = await stack.preview();
	const problem = "error: pulumi-nodejs:dynamic/telephony:Number resource 'bad' has a problem: ";
	const lines = (output.split("Diagnostics:")[1] ?? "").split("\n");
	expect(lines.flatMap((line) => line.split(problem)[1] ?? [])).toEqual([
		"country: must be set",
		expect.stringMatching(/^routing\.uri: this string was built from an Output.* pulumi\.interpolate/),
		expect.stringMatching(/^smsWebhookUrl: must be an https URL/),
	]);
	expect(output).not.toMatch(/<nil>|squeamish-ossifrage/);
});

const examples = readdirSync(join(repository, "examples"))
	.map((name) => `examples/${name}`)
	.filter((folder) => existsSync(join(repository, folder, "Pulumi.yaml")));

test.for(variations([".", ...examples]))("runs %s without drift right after", async (folder) => {
	const stack = await createProject({ folder: join(repository, folder), service: emulator });
	await succeeds(stack.up());
	const before = emulator.requests().length;
	await succeeds(stack.drift());
	expect(emulator.writes(before)).toEqual([]);
	expect(emulator.live().map(({ status }) => status)).not.toContain("pending");
});
