/** What a change of the program does to what exists: in place, refused, or replaced; and what replacing never loses. */
import { beforeEach, expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails, flat, seenAt, stepsIn, succeeds } from "../helpers/engine";

const emulator = useEmulator({ kyc: "immediate" });
beforeEach(() => void emulator.control.settings({ acceptUnknownProfiles: true }));
const { kinds, number } = seenAt(emulator);
const trunk = (id: string | undefined) => emulator.control.state().trunks.find((row) => row.id === id);
const webhook = (id: string | undefined) => emulator.control.state().webhooks.find((row) => row.id === id);

/** One of each in a component, with whatever the version at hand declares. */
const office = (version: { n?: object; de?: object; acl?: object; digest?: object; hook?: object }) => `
	class Office extends pulumi.ComponentResource {
		constructor(name) {
			super("example:index:Office", name);
			const parent = this;
			const acl = new telephony.SipTrunk("acl", ${JSON.stringify({ auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] }, capacity: 30, ...version.acl })}, { parent });
			const digest = new telephony.SipTrunk("digest", ${JSON.stringify({ auth: { mode: "digest", username: "office" }, capacity: 2, ...version.digest })}, { parent });
			new telephony.Number("n", ${JSON.stringify({ country: "SE", type: "mobile", ...version.n })
				.replace('"$acl"', "acl.id")
				.replace('"$digest"', "digest.id")}, { parent });
			new telephony.Number("de", ${JSON.stringify({ country: "DE", type: "mobile", ...version.de })}, { parent });
			const hook = new telephony.Webhook("hook", ${JSON.stringify({ url: "https://a.example.com/1", events: ["*"], ...version.hook })}, { parent });
			Object.assign(exports, { password: digest.password, secret: hook.secret });
		}
	}
	new Office("office");
`;

test("every property changes in place, and what the program no longer declares is cleared at the service", async () => {
	const stack = await createProject({
		program: office({
			n: {
				routing: { type: "trunk", trunkId: "$acl", ringTimeoutSeconds: 20 },
				smsWebhookUrl: "https://a.example.com/1",
				label: "One",
				metadata: { a: "1", b: "1" },
				releaseProtection: false,
				waitForActive: true,
				activationTimeoutSeconds: 60,
			},
			de: { kycProfileId: "kyp_1" },
			acl: {
				name: "One",
				callsPerSecond: 1,
				targets: [{ host: "one.example.com", port: 5061, transport: "tls" }],
				mediaEncryption: "srtp",
				codecs: ["opus"],
				enabled: false,
				metadata: { a: "1" },
			},
			hook: { description: "One", enabled: false },
		}),
		service: emulator,
	});
	await succeeds(stack.up());
	const ids = await stack.ids();
	const secrets = await stack.outputs();
	const oldSecret = webhook(ids.hook)?.secret;

	stack.write(
		office({
			n: {
				routing: { type: "sip_uri", uri: "sip:a@pbx.example.com", failover: { type: "trunk", trunkId: "$digest" } },
				smsWebhookUrl: "https://a.example.com/2",
				label: "Two",
				metadata: { b: "2" },
				releaseProtection: true,
				waitForActive: false,
				activationTimeoutSeconds: 61,
				onDelete: "retain",
			},
			de: { kycProfileId: "kyp_2" },
			acl: {
				name: "Two",
				auth: { mode: "ip_acl", allowedCidrs: ["203.0.113.0/24", "198.51.100.0/24"] },
				capacity: 31,
				callsPerSecond: 2,
				targets: [{ host: "two.example.com" }],
				mediaEncryption: "none",
				codecs: ["PCMA", "opus"],
				enabled: true,
				metadata: { b: "2" },
			},
			digest: { auth: { mode: "digest", username: "office-2" }, passwordRotation: 1 },
			hook: {
				url: "https://a.example.com/2",
				events: ["message.received"],
				description: "Two",
				enabled: true,
				secretRotation: "a",
			},
		}),
	);
	const second = await succeeds(stack.up());
	expect(stepsIn(second)).toEqual({ acl: "update", digest: "update", n: "update", de: "update", hook: "update" });
	expect(await stack.ids()).toEqual(ids);
	expect(number(ids.n)).toMatchObject({
		routing: { type: "sip_uri", uri: "sip:a@pbx.example.com", failover: { type: "trunk", trunk_id: ids.digest } },
		sms_webhook_url: "https://a.example.com/2",
		label: "Two",
		release_protection: true,
	});
	expect(number(ids.n)?.metadata).toEqual({ b: "2" });
	expect(number(ids.de)?.kyc?.profile_id).toBe("kyp_2");
	expect(trunk(ids.acl)).toMatchObject({
		name: "Two",
		auth: { allowed_cidrs: ["203.0.113.0/24", "198.51.100.0/24"] },
		capacity: 31,
		cps: 2,
		targets: [{ host: "two.example.com" }],
		media_encryption: "none",
		codecs: ["PCMA", "opus"],
		enabled: true,
		metadata: { b: "2" },
	});
	expect(webhook(ids.hook)).toMatchObject({
		url: "https://a.example.com/2",
		events: ["message.received"],
		description: "Two",
		enabled: true,
	});
	const digest = trunk(ids.digest)?.auth;
	expect(digest).toMatchObject({ username: "office-2" });
	const rotated = await stack.outputs();
	expect(rotated).toEqual({
		password: digest?.mode === "digest" && digest.password,
		secret: webhook(ids.hook)?.secret,
	});
	expect(rotated.password).not.toBe(secrets.password);
	expect(rotated.secret).not.toBe(oldSecret);
	await succeeds(stack.preview("--expect-no-changes"));

	// Another mode, and nothing else that can be left out.
	stack.write(office({ digest: { auth: { mode: "ip_acl", allowedCidrs: ["203.0.113.7"] } } }));
	await succeeds(stack.up());
	expect(await stack.ids()).toEqual(ids);
	expect(number(ids.n)).toMatchObject({
		routing: null,
		sms_webhook_url: null,
		label: null,
		metadata: {},
		release_protection: false,
	});
	expect(number(ids.de)?.kyc?.profile_id).toBeNull();
	expect(trunk(ids.acl)).toMatchObject({
		name: "acl",
		cps: null,
		targets: null,
		media_encryption: null,
		codecs: null,
		enabled: true,
		metadata: {},
	});
	expect(trunk(ids.digest)?.auth).toEqual({ mode: "ip_acl", allowed_cidrs: ["203.0.113.7"] });
	expect(webhook(ids.hook)).toMatchObject({ description: null, enabled: true });
	expect(kinds()).toEqual(["purchase", "purchase"]);
	await succeeds(stack.preview("--expect-no-changes", "--refresh"));
});

test("another country, area, type or generation replaces, as does deleteBeforeReplace", async () => {
	const declare = (name: string, args: object = {}, options = "") =>
		`new telephony.Number("${name}", ${JSON.stringify({ country: "NL", type: "geographic", area: "20", ...args })}${options});\n`;
	const guard = { releaseProtection: true };
	const changed = { country: { country: "US", area: "212" }, area: { area: "10" }, type: { type: "mobile" } };
	const names = Object.keys(changed);
	const first = ", { deleteBeforeReplace: true }";
	const stack = await createProject({
		program:
			[...names, "generation"].map((name) => declare(name)).join("") +
			declare("first", {}, first) +
			declare("guarded", guard),
		service: emulator,
	});
	await succeeds(stack.up());
	const before = await stack.ids();
	stack.write(
		Object.entries(changed)
			.map(([name, args]) => declare(name, args))
			.join("") +
			declare("generation", { generation: 1 }) +
			declare("first", { generation: 1 }, first) +
			declare("guarded", { ...guard, generation: 1 }),
	);
	const all = [...names, "generation", "first", "guarded"];
	const { output } = await succeeds(stack.preview());
	for (const name of all) expect(output).toMatch(new RegExp(`${name} replace`));
	expect(kinds()).toEqual(Array(6).fill("purchase"));
	expect(flat(await succeeds(stack.up()))).toContain("[telephony:kept]");
	expect(kinds().slice(6).sort()).toEqual([...Array(6).fill("purchase"), ...Array(5).fill("release")]);
	const status = Object.fromEntries(all.map((name) => [name, number(before[name])?.status]));
	expect(status).toEqual({ ...Object.fromEntries(all.map((name) => [name, "released"])), guarded: "active" });
	const after = await stack.ids();
	expect(number(after.country)?.country).toBe("US");
	expect(number(after.area)?.area).toBe("10");
	expect(number(after.type)?.type).toBe("mobile");
	await succeeds(stack.up("--expect-no-changes"));
});

test("a number that somebody else manages can be looked up, and an absent one is an error", async () => {
	const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
	const program = (id: string) => `
		const found = telephony.Number.get("found", "${id}");
		Object.assign(exports, { e164: found.phoneNumber, country: found.country, status: found.status });
	`;
	const stack = await createProject({ program: program(body.id), service: emulator });
	await succeeds(stack.up());
	expect(await stack.outputs()).toEqual({ e164: body.number, country: "NL", status: "active" });
	await succeeds(stack.drift());

	stack.write(program("num_absent"));
	const absent = await fails(stack.up());
	expect(absent).toContain("num_absent");
	expect(absent).toContain("not_found");

	await succeeds(stack.destroy());
	expect(kinds()).toEqual(["purchase"]);
	expect(number(body.id)?.status).toBe("active");
});
