/** What goes wrong says what to do, before anything is bought, and never tells a secret. */
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails, succeeds } from "../helpers/engine";

const apiKey = "key-that-nobody-may-see";
const emulator = useEmulator({ kyc: "immediate", apiKey });
const errorsIn = (output: string) =>
	(output.split("Diagnostics:")[1] ?? "").split("\n").flatMap((line) => /error: (.*)/.exec(line)?.[1] ?? []);
const untouched = () => {
	expect(emulator.control.ledger()).toEqual([]);
	expect(emulator.control.requests().filter(({ method }) => method !== "GET")).toEqual([]);
};

const declare = (type: string, args: object) => `new telephony.${type}("bad", ${JSON.stringify(args)});`;
const number = { country: "NL", type: "mobile" };
const acl = (allowedCidrs: unknown) => ({ auth: { mode: "ip_acl", allowedCidrs }, capacity: 1 });

test("the engine prints each mistake as one line, and no value beside it", async () => {
	const stack = await createProject({
		program: `
			const trunk = new telephony.SipTrunk("trunk", ${JSON.stringify(acl(["198.51.100.0/24"]))});
			new telephony.Number("bad", { type: "mobile", routing: { type: "sip_uri", uri: \`sip:desk@\${trunk.sipDomain}\` }, smsWebhookUrl: "http://hooks.example.com/?token=squeamish-ossifrage" });
		`,
		service: emulator,
	});
	const { output } = await stack.preview();
	const printed = errorsIn(output);
	const problem = "pulumi-nodejs:dynamic/telephony:Number resource 'bad' has a problem: ";
	expect(printed.filter((line) => line.startsWith(problem)).map((line) => line.slice(problem.length))).toEqual([
		"country: must be set",
		expect.stringMatching(/^routing\.uri: this string was built from an Output.* pulumi\.interpolate/),
		expect.stringMatching(/^smsWebhookUrl: must be an https URL/),
	]);
	expect(output).not.toMatch(/<nil>|squeamish-ossifrage/);
});

test("values that are not known before up pass the checks in every place", async () => {
	const stack = await createProject({
		program: `
			const first = new telephony.Number("first", { country: "SE", type: "mobile", waitForActive: false });
			const known = (value) => first.phoneNumber.apply(() => value);
			const trunk = new telephony.SipTrunk("trunk", { name: first.phoneNumber, capacity: known(7), callsPerSecond: known(3), enabled: known(true),
				auth: { mode: "ip_acl", allowedCidrs: ["203.0.113.9", known("198.51.100.0/24")] }, codecs: [known("opus")],
				targets: [{ host: known("sbc.example.com"), port: known(5062) }], metadata: { number: first.phoneNumber } });
			new telephony.SipTrunk("list", { capacity: 1, auth: { mode: "ip_acl", allowedCidrs: known(["198.51.100.0/24"]) } });
			new telephony.SipTrunk("auth", { capacity: 1, auth: known({ mode: "digest", username: "office" }) });
			new telephony.SipTrunk("digest", { capacity: 1, auth: { mode: "digest", username: known("digest"), password: known("known-password") } });
			new telephony.Number("n", { country: known("SE"), type: known("mobile"), area: known("70"), label: trunk.sipDomain.apply((domain) => domain.slice(0, 3)),
				routing: { type: "trunk", trunkId: trunk.id, ringTimeoutSeconds: known(20), failover: { type: "forward", to: first.phoneNumber } },
				smsWebhookUrl: known("https://hooks.example.com/sms"), metadata: { trunk: trunk.id }, releaseProtection: known(false) });
			new telephony.Number("routing", { country: "SE", type: "mobile", routing: known({ type: "agent", agentId: "agt_1" }) });
			new telephony.Webhook("hook", { url: trunk.sipDomain.apply((domain) => "https://" + domain + "/"), events: [known("*")], description: first.phoneNumber });
		`,
		service: emulator,
	});
	await succeeds(stack.preview());
	await succeeds(stack.up());
	const ids = await stack.ids();
	const { numbers, trunks } = emulator.control.state();
	const e164 = numbers.find(({ id }) => id === ids.first)?.number;
	expect(numbers.find(({ id }) => id === ids.n)).toMatchObject({
		label: "trk",
		routing: { type: "trunk", trunk_id: ids.trunk, ring_timeout_seconds: 20, failover: { type: "forward", to: e164 } },
		metadata: { trunk: ids.trunk },
	});
	expect(trunks.find(({ id }) => id === ids.trunk)).toMatchObject({
		name: e164,
		capacity: 7,
		auth: { allowed_cidrs: ["203.0.113.9", "198.51.100.0/24"] },
	});
	await succeeds(stack.preview("--expect-no-changes", "--refresh"));
});

test("without a key, or with a wrong one, nothing is bought and the error says which variable to set", async () => {
	const stack = await createProject({
		program: declare("Number", number),
		service: emulator,
		env: { TELEPHONY_API_KEY: undefined },
	});
	expect(await fails(stack.preview())).toContain(
		"There is no API key: set one with `export TELEPHONY_API_KEY=…` or `pulumi config set --secret telephony:apiKey …`",
	);
	expect(emulator.control.requests()).toEqual([]);

	stack.env.TELEPHONY_API_KEY = "wrong-key-of-mine";
	const wrong = await fails(stack.up());
	expect(wrong).toMatch(
		/unauthorized, HTTP 401, request_id req_\w+\)\. Nothing was changed\. Set a valid key with `export TELEPHONY_API_KEY=…`/,
	);
	expect(wrong).not.toContain("wrong-key-of-mine");
	untouched();
});

const oneOfEach = `
	for (const name of ["a", "b", "c"]) new telephony.Number(name, { country: "US", type: "mobile" });
	new telephony.SipTrunk("trunk", { auth: { mode: "digest", username: "office" }, capacity: 1 });
	new telephony.Webhook("hook", { url: "https://a.example.com/", events: ["*"] });
`;

test("a service that can't be reached or refuses the key makes refresh fail, and never looks like a deletion", async () => {
	const stack = await createProject({ program: oneOfEach, service: emulator });
	await stack.up();
	const ids = await stack.ids();
	for (const env of [{ TELEPHONY_API_KEY: "wrong-key-of-mine" }, { TELEPHONY_BASE_URL: "http://127.0.0.1:9/v1" }]) {
		Object.assign(stack.env, env);
		const refresh = await stack.refresh();
		expect(refresh.code, refresh.output).not.toBe(0);
		expect(refresh.output).not.toMatch(/delete/);
		expect(await stack.ids()).toEqual(ids);
	}
});
